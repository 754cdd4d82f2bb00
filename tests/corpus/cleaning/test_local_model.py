"""Real automatic captions cleaned by a real local model: the path and the guards, not the model's wit.

The small default model reads three lines. ANSWERTRAIL_GGUF=PATH with a model of use (docs/models.md)
also cleans the beginnings of two episodes, some minutes each.
"""

from __future__ import annotations

import os
import re

import pytest

from answertrail.corpus.cleaning import CleaningSettings, clean_pending
from answertrail.corpus.discovery import discover
from answertrail.corpus.sources import Read, read
from answertrail.models.chat.load import load_chat_model
from answertrail.store import Database, cleaning
from tests.corpus.cleaning.worlds import corpus_with, raw, texts

pytestmark = pytest.mark.asyncio

LINES = 16
EPISODES = (
    "oxide_and_friends/episodes/2021-05-17_golang-asserts-and-the-plato-terminal.txt",
    "oxide_and_friends/episodes/2025-02-24_transparency-in-hardware-software-interfaces.txt",
)
NEEDS_A_MODEL = pytest.mark.skipif(
    "ANSWERTRAIL_GGUF" not in os.environ, reason="set ANSWERTRAIL_GGUF to a model of use"
)


@pytest.mark.parametrize(
    "path",
    [
        "caption_oddities/webvtt-py/youtube_dl.vtt",
        *(pytest.param(path, marks=NEEDS_A_MODEL) for path in EPISODES),
    ],
)
async def test_real_captions_keep_their_numbers_and_every_change_is_on_record(
    local_endpoint: tuple[str, str], database: Database, transcripts, path: str
) -> None:
    document = next(
        result.document
        for group in discover([transcripts / path]).groups
        for result in read(group)
        if isinstance(result, Read)
    )
    assert document.captions == "auto"
    document = document.model_copy(update={"segments": (document.segments or [])[:LINES]})
    corpus = await corpus_with(database, document)
    base_url, served = local_endpoint
    environment = {"ANSWERTRAIL_CHAT_TIMEOUT": "600"}
    model = load_chat_model(f"openai-compatible:{served}", base_url=base_url, environment=environment)
    # A small model on one thread: small batches, short replies, no dice.
    settings = CleaningSettings(characters=900, concurrency=1, max_tokens=700, effort=None, temperature=0.0)
    before = await texts(database, corpus, document.id)
    report = await clean_pending(database, corpus, model, settings=settings)
    assert report.stopped is None
    assert report.documents == 1
    assert report.spent.calls >= report.batches > 0
    assert report.spent.input_tokens > 0
    # Nobody told its price, and that is not zero.
    assert report.spent.cost_usd is None
    after = await texts(database, corpus, document.id)
    for old, new in zip(before, after, strict=True):
        assert re.findall(r"\d+", old) == re.findall(r"\d+", new)
        assert len(old.split()) == pytest.approx(len(new.split()), rel=0.4, abs=2)
    assert (await raw(database, corpus, document.id)).as_json() == document.as_json()
    edits = await cleaning.edits(database, corpus, document.id)
    assert report.changed == sum(edit.kept for edit in edits)
    assert report.changed + report.refused + report.unanswered == len(edits) <= report.lines
    assert all(edit.reason for edit in edits)
    for edit in edits:
        print("kept   " if edit.kept else "refused", edit.before, "|", edit.after, "|", edit.reason)
    print("\n".join(report.in_words()))
