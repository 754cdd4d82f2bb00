"""A dump has everything of a corpus, and restoring it gives that back, row for row and bit for bit."""

from __future__ import annotations

import asyncio
import hashlib
import json
import tracemalloc

import numpy as np
import pytest

from answertrail.corpus import restore as restoring
from answertrail.corpus.dump import dump
from answertrail.corpus.restore import restore
from answertrail.errors import InputError, NotFoundError
from answertrail.records import Document, jsonl
from answertrail.search import load
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.store import copies, corpora, documents, dump_tables, embeddings, search_indexes
from tests.corpus.snapshot_samples import (
    LONG,
    SPOKEN,
    WRITTEN,
    all_rows,
    embed_all,
    members,
    put_document,
    rich_corpus,
    tables_of_corpora,
    vectors_of,
)
from tests.search.worlds import TinyEmbedder
from tests.store.samples import timed

pytestmark = pytest.mark.asyncio


@pytest.fixture
def tiny(monkeypatch):
    embedder = TinyEmbedder(8)
    for module in (restoring, load):
        monkeypatch.setattr(module, "load_embedder", lambda _: embedder)
    return embedder


async def emptied(database, corpus):
    """Delete a corpus and all vectors: what is restored then comes from the file."""
    await corpora.delete(database, corpus)
    async with database.transaction() as conn:
        await conn.execute("DELETE FROM unembeddable")
        await conn.execute(f"TRUNCATE embedding_{corpus.embedder_id}")


async def shown(db, settings, name):
    """Everything a search of each mode returns, scores to the last bit."""
    opened = await open_corpus(db, settings, name)
    out = {}
    for mode in MODES:
        for query in ("kiln barn", "가마", "two"):
            hits = (await opened.search(query, mode=mode, k=9)).hits
            out[mode, query] = [(hit.chunk_id, hit.score.hex(), hit.dense, hit.lexical, hit.text) for hit in hits]
    return out


async def test_restoring_gives_every_row_every_vector_and_every_score_back(database, settings, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    before = await all_rows(database, corpus), await vectors_of(database, corpus)
    found, snapshot = await shown(database, settings, "talks"), await corpora.snapshot(database, corpus)
    written = await dump(database, "talks", tmp_path / "talks.zip")
    await emptied(database, corpus)
    tiny.asked.clear()
    report = await restore(database, tmp_path / "talks.zip")
    again = await corpora.get(database, "talks")
    assert (await all_rows(database, again), await vectors_of(database, again)) == before
    assert report.snapshot == written.snapshot == snapshot == await corpora.snapshot(database, again)
    assert (report.documents, report.chunks, report.vectors, report.embedded, report.pending) == (3, 6, 5, 0, 0)
    assert tiny.asked == []
    assert (again.context, again.asked_in, again.language, again.spec) == (("title",), ("en", "ko"), "en", "tiny")
    assert again.created_at == corpus.created_at
    assert await search_indexes.engine_of(database, again) == "hnsw"
    assert await shown(database, settings, "talks") == found


async def test_no_table_of_a_corpus_is_forgotten_by_dump_or_copy(database, tiny):
    corpus = await rich_corpus(database, tiny)
    held = await all_rows(database, corpus)
    assert sorted(held) == sorted((*copies.CONTENT, *copies.BOOKS, *copies.LEFT_OUT))
    assert sorted({table.name for table in dump_tables.TABLES} | {"documents", "segments"}) == sorted(
        (*copies.CONTENT, *copies.BOOKS)
    )
    assert [table for table, rows in held.items() if not rows] == ["claims", "search_indexes"]
    for table in dump_tables.TABLES:
        columns = set().union(*(json.loads(row) for (row,) in held[table.name]))
        assert columns == {column.name for column in table.columns}
    assert await tables_of_corpora(database) == sorted(held)


async def test_dump_restore_dump_gives_the_same_bytes(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "one.zip")
    await emptied(database, corpus)
    await restore(database, tmp_path / "one.zip")
    await dump(database, "talks", tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    await restore(database, tmp_path / "one.zip", "other")
    await dump(database, "other", tmp_path / "three.zip")
    one, three = members(tmp_path / "one.zip"), members(tmp_path / "three.zip")
    assert {name for name in one if one[name] != three[name]} == {"manifest.json"}


async def test_a_stranger_can_read_it_with_standard_tools(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "talks.zip")
    held = members(tmp_path / "talks.zip")
    manifest = json.loads(held["manifest.json"])
    for member in manifest["members"]:
        assert hashlib.sha256(held[member["name"]]).hexdigest() == member["sha256"]
        assert len(held[member["name"]]) == member["bytes"]
    (tmp_path / "documents.jsonl").write_bytes(held["documents.jsonl"])
    read = list(jsonl.read(tmp_path / "documents.jsonl", Document))
    stored = [await documents.get_document(database, corpus, name) for name in ("a", "b", "note:1")]
    assert read == [one.document for one in stored]
    chunks = [json.loads(line) for line in held["chunks.jsonl"].splitlines()]
    dates = {one.document.id: one.published_at for one in stored}
    lines = ""
    for chunk in sorted(chunks, key=lambda chunk: chunk["chunk_id"].encode()):
        date = dates[chunk["document_id"]]
        text = date.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if date else ""
        lines += f"{chunk['chunk_id']}\t{chunk['text_hash']}\t{text}\n"
    assert manifest["snapshot"] == "sha256:" + hashlib.sha256(lines.encode()).hexdigest()
    (tmp_path / "vectors.npy").write_bytes(held["vectors.npy"])
    vectors = np.load(tmp_path / "vectors.npy")
    hashes = held["vector_hashes.txt"].decode().split()
    expected = {chunk["chunk_id"]: chunk["embedded_hash"] for chunk in chunks}
    assert {
        chunk: vectors[hashes.index(key)].tobytes() for chunk, key in expected.items() if key in hashes
    } == await vectors_of(database, corpus)


async def test_without_vectors_the_texts_are_embedded_again_when_it_is_restored(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    vectors = await vectors_of(database, corpus)
    written = await dump(database, "talks", tmp_path / "talks.zip", vectors=False)
    assert written.vectors is None
    assert not {"vectors.npy", "vector_hashes.txt"} & set(members(tmp_path / "talks.zip"))
    await emptied(database, corpus)
    report = await restore(database, tmp_path / "talks.zip")
    # What the embedder said it cannot embed is known from the file.
    assert (report.vectors, report.embedded, report.pending) == (0, 5, 0)
    assert await vectors_of(database, await corpora.get(database, "talks")) == vectors


async def test_the_vectors_of_a_file_can_be_left(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "talks.zip")
    await emptied(database, corpus)
    report = await restore(database, tmp_path / "talks.zip", vectors=False)
    assert (report.vectors, report.embedded) == (0, 6)


async def test_vectors_stored_as_two_byte_floats_come_back_bit_for_bit(database, tiny, tmp_path, monkeypatch):
    long = TinyEmbedder(LONG.dims)
    monkeypatch.setattr(restoring, "load_embedder", lambda _: long)
    corpus = await rich_corpus(database, long, context=())
    vectors = await vectors_of(database, corpus)
    await dump(database, "talks", tmp_path / "talks.zip")
    await emptied(database, corpus)
    await restore(database, tmp_path / "talks.zip")
    assert len(vectors) == 5
    assert await vectors_of(database, await corpora.get(database, "talks")) == vectors


async def test_what_is_embedded_already_keeps_its_vector(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    vectors = await vectors_of(database, corpus)
    await dump(database, "talks", tmp_path / "talks.zip")
    report = await restore(database, tmp_path / "talks.zip", "beside")
    assert report.corpus == "beside"
    assert await vectors_of(database, await corpora.get(database, "beside")) == vectors
    assert await vectors_of(database, corpus) == vectors


async def test_a_corpus_of_an_embedder_that_is_not_here_is_restored_and_said_so(database, tiny, tmp_path, monkeypatch):
    await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "talks.zip")
    monkeypatch.setattr(restoring, "load_embedder", lambda _: TinyEmbedder(16))
    report = await restore(database, tmp_path / "talks.zip", "beside")
    assert report.chunks == 6
    assert "tiny@1/8" in report.warnings[0]
    unknown = await restore(database, tmp_path / "talks.zip", "third", engines=("exact",))
    assert "hnsw" in unknown.warnings[0]
    assert await search_indexes.engine_of(database, await corpora.get(database, "third")) == "exact"


async def test_a_dump_holds_one_state_whatever_is_ingested_meanwhile(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    before = await corpora.snapshot(database, corpus)

    class Meddling:
        """Ingests a document after the first was written."""

        done = False

        def begin(self, stage, total):
            self.stage = stage

        def advance(self, steps=1):
            pass

        def end(self):
            pass

    meddling = Meddling()
    await dump(database, "talks", tmp_path / "before.zip", progress=meddling)
    original = Meddling.begin

    def begin(self, stage, total):
        original(self, stage, total)
        if stage == "chunks":
            import psycopg

            # Another connection, as another process would.
            with psycopg.connect(database.pool.conninfo, autocommit=True) as other:
                other.execute("DELETE FROM documents WHERE document_id = 'b'")

    Meddling.begin = begin
    report = await dump(database, "talks", tmp_path / "during.zip", progress=meddling)
    assert report.snapshot == before
    assert (tmp_path / "during.zip").read_bytes() == (tmp_path / "before.zip").read_bytes()
    assert await documents.document_ids(database, corpus) == ["a", "note:1"]


async def test_an_empty_corpus_comes_back_empty(database, tiny, tmp_path):
    corpus = await corpora.create(database, "empty", "tiny", tiny.identity)
    await dump(database, "empty", tmp_path / "empty.zip")
    await corpora.delete(database, corpus)
    report = await restore(database, tmp_path / "empty.zip")
    assert (report.documents, report.chunks, report.vectors) == (0, 0, 0)


class Stopping:
    """Stops the work as Ctrl-C does, at a step of a stage."""

    def __init__(self, stage, step):
        self.stage, self.left = stage, step
        self.now = ""

    def begin(self, stage, total):
        self.now = stage

    def advance(self, steps=1):
        if self.now == self.stage:
            self.left -= 1
            if not self.left:
                raise asyncio.CancelledError

    def end(self):
        self.now = ""


@pytest.mark.parametrize("at", [("documents", 2), ("chunks", 4), ("vectors", 1)])
async def test_a_dump_that_was_stopped_leaves_no_file(database, tiny, tmp_path, at):
    await rich_corpus(database, tiny)
    with pytest.raises(asyncio.CancelledError):
        await dump(database, "talks", tmp_path / "out" / "talks.zip", progress=Stopping(*at))
    assert names_in(tmp_path / "out") == []


@pytest.mark.parametrize("at", [("checking", 3), ("restoring", 1), ("restoring", 5), ("restoring", 11)])
async def test_a_restore_that_was_stopped_keeps_nothing(database, tiny, tmp_path, at):
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "talks.zip")
    await emptied(database, corpus)
    with pytest.raises(asyncio.CancelledError):
        await restore(database, tmp_path / "talks.zip", progress=Stopping(*at))
    assert await corpora.list_all(database) == ()
    assert not any((await all_rows(database, corpus)).values())
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT count(*) FROM embedding_1")
        assert await cursor.fetchone() == (0,)
    assert (await restore(database, tmp_path / "talks.zip")).vectors == 5


def names_in(folder):
    return [path.name for path in folder.iterdir()]


async def test_a_failed_dump_leaves_the_older_file_and_nothing_else(database, tiny, tmp_path):
    await rich_corpus(database, tiny)
    folder = tmp_path / "out"
    await dump(database, "talks", folder / "talks.zip")
    held = (folder / "talks.zip").read_bytes()
    async with database.transaction() as conn:
        await conn.execute("UPDATE documents SET record = record || '{\"strange\": 1}' WHERE document_id = 'b'")
    with pytest.raises(InputError, match="strange"):
        await dump(database, "talks", folder / "talks.zip")
    assert names_in(folder) == ["talks.zip"]
    assert (folder / "talks.zip").read_bytes() == held
    with pytest.raises(NotFoundError):
        await dump(database, "walks", folder / "walks.zip")
    with pytest.raises(OSError, match="Is a directory"):
        await dump(database, "talks", folder)
    assert names_in(folder) == ["talks.zip"]


async def many_documents(database, tiny, count):
    """Make documents of 8 kB with one chunk each, by SQL."""
    corpus = await corpora.create(database, f"n{count}", "tiny", tiny.identity)
    values = {"corpus": corpus.id, "count": count}
    async with database.transaction() as conn:
        await conn.execute(
            "INSERT INTO documents (corpus_id, document_id, title, record, body, source, content_hash, chunks_hash)"
            " SELECT %(corpus)s, 'd' || lpad(n::text, 5, '0'), 'T', jsonb_build_object('schema', 'document/1', 'id',"
            " 'd' || lpad(n::text, 5, '0'), 'title', 'T'), n || repeat(' kiln barn glaze', 500), 's' || n, 'x', 'x'"
            " FROM generate_series(1, %(count)s) n",
            values,
        )
        await conn.execute(
            "INSERT INTO chunks (corpus_id, chunk_id, document_id, ordinal, char_start, char_end, text, lines,"
            " speakers, text_hash) SELECT corpus_id, document_id || ':0000000', document_id, 0, 0, length(body), body,"
            " ARRAY[body], '{}', 'sha256:' || encode(sha256(convert_to(body, 'UTF8')), 'hex') FROM documents"
            " WHERE corpus_id = %(corpus)s",
            values,
        )
    await embed_all(database, corpus, tiny)
    return corpus


async def test_memory_does_not_grow_with_the_number_of_documents(database, tiny, tmp_path):
    peaks = {}
    for count in (120, 400):
        corpus, path = await many_documents(database, tiny, count), tmp_path / f"{count}.zip"
        for step, work in (
            ("dump", dump(database, corpus.name, path)),
            ("restore", restore(database, path, f"m{count}")),
        ):
            tracemalloc.start()
            await work
            peaks[step, count] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    # The larger holds 2.2 MB of text more, three times: documents, texts of chunks, their lines.
    for step in ("dump", "restore"):
        assert peaks[step, 400] < peaks[step, 120] + 3_000_000, peaks


async def test_documents_are_what_they_were_word_for_word(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "talks.zip")
    await emptied(database, corpus)
    await restore(database, tmp_path / "talks.zip")
    again = await corpora.get(database, "talks")
    spoken = await documents.get_document(database, again, "b")
    assert tuple(part.text for part in spoken.document.segments) == SPOKEN
    written = await documents.get_document(database, again, "note:1")
    assert written.document.text == WRITTEN
    assert written.document.meta == {"zeta": [1, 2.5, None, {"deep": "☃"}], "alpha": True}
    assert written.published_at is None


async def test_the_restored_corpus_can_be_ingested_into(database, tiny, tmp_path):
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "talks.zip")
    await emptied(database, corpus)
    await restore(database, tmp_path / "talks.zip")
    again = await corpora.get(database, "talks")
    before = await corpora.snapshot(database, again)
    assert await put_document(database, again, *timed("a", "One.", "Two, changed.")) == "changed"
    assert await corpora.snapshot(database, again) != before
    assert await embeddings.pending_count(database, again) == 1
