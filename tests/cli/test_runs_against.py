"""`runs verify --against-corpus`: what a run says a corpus says, compared with the corpus."""

from __future__ import annotations

import asyncio
import json

import pytest

from answertrail.agent.sealed import seal
from answertrail.corpus.cleaning import clean_pending
from answertrail.records import Run
from answertrail.records.chunk import text_hash
from answertrail.records.jsonl import parse
from answertrail.store import connect, corpora
from tests.corpus.cleaning.worlds import mending

LINES = ("in January we moved the hole kiln to the barn", "we left", "the glaze kept crawling")
QUESTION = "Where did the kiln move in January?"


@pytest.fixture
def clean(cli, settings):
    """Clean the corpus by a model that writes one word for another, and embed what is new."""

    def by(source, old, new):
        async def run() -> None:
            async with connect(settings) as db:
                await clean_pending(db, await corpora.get(db, "c"), mending((old, new), name=f"scripted:{new}"))

        asyncio.run(run())
        assert cli("ingest", source, "--corpus", "c").code == 0

    return by


@pytest.fixture
def source(cli, tmp_path):
    record = {
        "schema": "document/1", "id": "talk", "title": "A talk", "published_at": "2024-06-14", "captions": "auto",
        "language": "en", "segments": [{"start_s": 30.0 * n, "text": text} for n, text in enumerate(LINES)],
    }  # fmt: skip
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert cli("ingest", path, "--corpus", "c", "--embedder", "fast").code == 0
    return path


@pytest.fixture
def asked(cli, clean, source):
    clean(source, "hole", "whole")
    return cli("ask", QUESTION, "--json").json


@pytest.fixture
def verified(cli, tmp_path):
    def verify(*records, options=("--against-corpus",), sealed=True):
        path = tmp_path / "runs.jsonl"
        sealing = (lambda one: seal(parse(Run, one, where="t")).as_json()) if sealed else (lambda one: one)
        path.write_text("".join(json.dumps(sealing(one)) + "\n" for one in records))
        told = cli("runs", "verify", path, *options, "--json").json
        return [(fault["kind"], fault["message"]) for fault in told["faults"]], told["unchecked"]

    return verify


def test_a_run_left_alone_agrees_with_its_corpus(asked, verified):
    assert asked["meta"]["captioned"] == {"talk:00000": LINES[0]}
    assert verified(asked) == ([], [])


def test_words_as_captioned_that_nothing_seals_are_checked_by_the_corpus_alone(asked, verified):
    bare = {**asked, "meta": {key: value for key, value in asked["meta"].items() if key != "record_hash"}}
    (alone,) = verified(bare, options=(), sealed=False)[1]
    assert alone["unchecked"] == ["record_hash", "captioned"]
    (compared,) = verified(bare, sealed=False)[1]
    assert compared["unchecked"] == ["record_hash"]


def test_words_that_were_never_captioned_or_shown_are_told_however_well_they_are_sealed(asked, verified):
    forged = {**asked, "run_id": "r2", "meta": {**asked["meta"], "captioned": {"talk:00000": LINES[0] + " in May"}}}
    assert verified(forged, options=()) == ([], [])
    assert verified(asked, forged) == (
        [("captioned", "the words as captioned of talk:00000 are not those the corpus has")],
        [],
    )
    chunk = next(one for one in asked["chunks"] if one["id"] == "talk:00060")
    text = chunk["text"] + " in May"
    others = [one for one in asked["chunks"] if one is not chunk]
    forged = {**asked, "chunks": [*others, {**chunk, "text": text, "text_hash": text_hash(text)}]}
    assert verified(forged, options=()) == ([], [])
    assert verified(forged) == ([("corpus", "the text of talk:00060 is not what the corpus has")], [])
    strange = [{**chunk, "id": name} for name in ("gone:00000", "nul\0:00000")]
    assert verified({**asked, "chunks": [*asked["chunks"], *strange]})[0] == [
        ("corpus", "the corpus has no chunk gone:00000"),
        ("corpus", "the corpus has no chunk nul\0:00000"),
    ]


def test_a_corpus_that_is_another_by_now_is_not_compared_and_the_run_holds_all_the_same(asked, clean, source, verified):
    clean(source, "hole", "hall")
    unchecked = [{"run_id": asked["run_id"], "unchecked": ["corpus"]}]
    assert verified(asked) == ([], unchecked)
    assert verified(asked, options=()) == ([], [])
    assert verified({**asked, "corpus": {"name": "nowhere", "snapshot": "sha256:1"}}) == ([], unchecked)


def test_a_state_that_is_kept_beside_the_live_one_is_still_the_run_s_own(asked, cli, source, verified):
    source.write_text(source.read_text().replace("we left", "we stayed"))
    assert cli("ingest", source, "--corpus", "c", "--apart").code == 0
    assert verified(asked) == ([], [])
