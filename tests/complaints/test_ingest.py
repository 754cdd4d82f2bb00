"""Complaints about ingesting elsewhere, each as what happens here.

The others of the list are beside: captions (test_captions.py), YouTube (test_youtube.py), cleaning
(test_cleaning.py).
"""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from answertrail.corpus import making
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.errors import ServiceError
from answertrail.store import chunks, corpora, embeddings, sources
from tests.search.worlds import TinyEmbedder

pytestmark = pytest.mark.asyncio


@pytest.fixture
def embedder(monkeypatch):
    tiny = TinyEmbedder(8)
    monkeypatch.setattr(making, "load_embedder", lambda _: tiny)
    return tiny


@pytest.fixture
def folder(tmp_path):
    out = tmp_path / "talks"
    out.mkdir()
    for number in range(30):
        cues = [f"{m:02}:01.000 --> {m:02}:20.000\nEpisode {number}, minute {m}.\n" for m in range(5)]
        (out / f"ep{number:02}.vtt").write_text("\n".join(["WEBVTT\n", *cues]))
    return out


async def test_complaint_18_what_was_read_is_there_when_an_ingest_ends_in_the_middle(database, folder, embedder):
    class Stopped:
        """Progress whose owner leaves after twelve documents."""

        def __init__(self):
            self.steps = 0

        def begin(self, stage, total):
            pass

        def advance(self, steps=1):
            self.steps += steps
            if self.steps == 12:
                raise KeyboardInterrupt

        def end(self):
            pass

    with pytest.raises(KeyboardInterrupt):
        await ingest(database, IngestRequest("kiln", [folder], embedder="fast"), Stopped())
    corpus = await corpora.get(database, "kiln")
    assert sum((await sources.states(database, corpus)).values()) == 12
    report = await ingest(database, IngestRequest("kiln", [folder]))
    assert (report.added, report.unchanged) == (18, 12)


async def test_complaint_21_a_state_is_what_the_rows_say(database, folder, embedder):
    async def failing(texts, role):
        raise ServiceError("the embedder is down")

    working, embedder.embed = embedder.embed, failing
    with pytest.raises(ServiceError):
        await ingest(database, IngestRequest("kiln", [folder], embedder="fast"))
    corpus = await corpora.get(database, "kiln")
    assert await sources.states(database, corpus) == {"embedded": 0, "chunked": 30, "failed": 0, "skipped": 0}
    embedder.embed = working
    await ingest(database, IngestRequest("kiln", [folder]))
    assert await sources.states(database, corpus) == {"embedded": 30, "chunked": 0, "failed": 0, "skipped": 0}
    async with database.transaction() as conn:  # and no flag keeps a vector alive that is gone
        await conn.execute(f"DELETE FROM {embeddings.table(corpus.embedder_id).as_string()}")
    assert (await sources.states(database, corpus))["embedded"] == 0


async def test_complaint_27_a_refusal_in_the_middle_costs_no_text_that_was_embedded(database, folder, embedder):
    embedder.batch_size = 10
    answered = embedder.embed

    async def refusing(texts, role):
        if len(embedder.asked) >= 70:
            raise ServiceError("429: too many requests, and waiting did not help")
        return await answered(texts, role)

    embedder.embed = refusing
    with pytest.raises(ServiceError):
        await ingest(database, IngestRequest("kiln", [folder], embedder="fast"))
    first = len(embedder.asked)
    embedder.embed = answered
    report = await ingest(database, IngestRequest("kiln", [folder]))
    assert 70 <= first < 80  # a worker begins anywhere among the texts, so one batch may be short
    assert report.embedded == 150 - first
    assert len(embedder.asked) == 150  # each text once, over both


async def test_complaint_28_equal_texts_share_a_vector_and_each_has_its_row(database, tmp_path, embedder):
    for number in range(3):
        (tmp_path / f"ep{number}.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:20.000\nWelcome to the kiln.\n")
    report = await ingest(database, IngestRequest("kiln", [tmp_path], embedder="fast"))
    corpus = await corpora.get(database, "kiln")
    ids, vectors = await embeddings.matrix(database, corpus)
    assert report.embedded == 1
    assert len(embedder.asked) == 1
    assert ids == ["ep0:00000", "ep1:00000", "ep2:00000"]
    assert np.array_equal(vectors[0], vectors[2])
    assert await chunks.chunk_count(database, corpus) == 3


async def test_complaint_28_the_vector_of_one_embedder_is_not_that_of_another(database, tmp_path, monkeypatch):
    (tmp_path / "ep0.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:20.000\nWelcome to the kiln.\n")
    for name, dims in (("one", 8), ("two", 16)):
        tiny = TinyEmbedder(dims)
        monkeypatch.setattr(making, "load_embedder", lambda _, tiny=tiny: tiny)
        report = await ingest(database, IngestRequest(name, [tmp_path], embedder="fast"))
        assert report.embedded == len(tiny.asked) == 1
    found = await asyncio.gather(*(corpora.get(database, name) for name in ("one", "two")))
    assert [(await embeddings.matrix(database, corpus))[1].shape for corpus in found] == [(1, 8), (1, 16)]
