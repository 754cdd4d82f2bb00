from __future__ import annotations

import asyncio
import hashlib

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.records import Run
from answertrail.records.chunk import text_hash
from answertrail.records.embedder import EmbedderIdentity
from answertrail.records.jsonl import parse
from answertrail.store import Database, chunks, corpora, documents, embeddings, runs, sources
from tests.store.samples import IDENTITY, corpus_of, put, timed

pytestmark = pytest.mark.asyncio


async def test_create_and_get(database: Database) -> None:
    made = await corpora.create(database, "talks", "toy:3", IDENTITY, "en")
    assert await corpora.get(database, "talks") == made
    assert (made.name, made.spec, made.identity, made.language, made.revision) == (
        "talks", "toy:3", IDENTITY, "en", 0,
    )  # fmt: skip
    assert await corpora.list_all(database) == (made,)


async def test_a_name_is_taken_once(database: Database) -> None:
    results = await asyncio.gather(
        *(corpora.create(database, "talks", "toy:3", IDENTITY) for _ in range(4)), return_exceptions=True
    )
    assert sum(isinstance(result, corpora.Corpus) for result in results) == 1
    assert sum(isinstance(result, InputError) for result in results) == 3


@pytest.mark.parametrize("name", ["", "  ", " talks"])
async def test_bad_names(database: Database, name: str) -> None:
    with pytest.raises(InputError):
        await corpora.create(database, name, "toy:3", IDENTITY)


async def test_unknown_name_lists_the_known(database: Database) -> None:
    with pytest.raises(NotFoundError, match="none yet"):
        await corpora.get(database, "talks")
    await corpora.create(database, "b", "toy:3", IDENTITY)
    await corpora.create(database, "a", "toy:3", IDENTITY)
    with pytest.raises(NotFoundError) as caught:
        await corpora.get(database, "c")
    assert caught.value.hint == "known: a, b"
    assert caught.value.exit_code == 2


async def test_identity_mismatch_names_both(database: Database) -> None:
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY)
    corpora.check_identity(corpus, IDENTITY)
    other = EmbedderIdentity(name="toy", revision="r2", dims=3)
    with pytest.raises(MismatchError) as caught:
        corpora.check_identity(corpus, other)
    assert IDENTITY.key in caught.value.message
    assert other.key in caught.value.message


async def test_snapshot_by_hand(database: Database) -> None:
    corpus = await corpus_of(
        database,
        timed("b", "two", published_at="2024-06-14T10:00:00+02:00"),
        timed("B", "one", published_at=None),
    )
    lines = f"B:00000\t{text_hash('one')}\t\nb:00000\t{text_hash('two')}\t2024-06-14T08:00:00.000000Z\n"
    expected = "sha256:" + hashlib.sha256(lines.encode()).hexdigest()
    assert await corpora.snapshot(database, corpus) == expected


async def test_empty_snapshot_is_the_hash_of_nothing(database: Database) -> None:
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY)
    assert await corpora.snapshot(database, corpus) == "sha256:" + hashlib.sha256(b"").hexdigest()


async def test_snapshot_is_cached_and_lapses(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one"))
    first = await corpora.snapshot(database, corpus)
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT snapshot, snapshot_revision = revision FROM corpora")
        assert await cursor.fetchone() == (first, True)
        await put(conn, corpus, *timed("a", "one changed"))
    second = await corpora.snapshot(database, corpus)
    assert second != first
    async with database.transaction() as conn:
        await put(conn, corpus, *timed("a", "one"))
    assert await corpora.snapshot(database, corpus) == first


async def test_snapshot_does_not_depend_on_order(database: Database) -> None:
    one = await corpus_of(database, timed("a", "x"), timed("b", "y"), name="one")
    two = await corpus_of(database, timed("b", "y"), timed("a", "x"), name="two")
    assert await corpora.snapshot(database, one) == await corpora.snapshot(database, two)


async def test_revision_grows_only_with_changes(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one"))
    assert await corpora.revision(database, corpus) == 1
    async with database.transaction() as conn:
        assert await put(conn, corpus, *timed("a", "one")) == "unchanged"
        assert await put(conn, corpus, *timed("a", "one"), source="moved.vtt") == "unchanged"
    assert await corpora.revision(database, corpus) == 1
    async with database.transaction() as conn:
        assert await documents.delete(conn, corpus, "a")
        assert not await documents.delete(conn, corpus, "a")
    assert await corpora.revision(database, corpus) == 2


async def test_delete_takes_everything_of_it(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one"))
    kept = await corpus_of(database, timed("a", "one"), name="other")
    await corpora.delete(database, corpus)
    assert await corpora.list_all(database) == (await corpora.get(database, "other"),)
    assert await documents.document_ids(database, kept) == ["a"]
    with pytest.raises(NotFoundError, match="deleted"):
        await corpora.snapshot(database, corpus)
    with pytest.raises(NotFoundError, match="deleted"):
        async with database.transaction() as conn:
            await put(conn, corpus, *timed("a", "one"))


async def test_delete_leaves_no_row_of_the_corpus_and_all_that_is_shared(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one", "two"), timed("b", "three"))
    await corpus_of(database, timed("a", "one"), name="other")
    async with database.transaction() as conn:
        await sources.record_failed(conn, corpus, "bad.vtt", "broken")
        await embeddings.save(conn, corpus.embedder_id, [text_hash("one"), text_hash("two")], np.eye(3)[:2])
        await embeddings.mark_unembeddable(conn, corpus.embedder_id, [(text_hash("three"), "none")])
    run = {"schema": "run/1", "run_id": "r1", "question": "Where?", "status": "completed",
           "corpus": {"name": "talks", "snapshot": "sha256:1"},
           "chunks": [{"id": "a:00000", "document_id": "a", "text": "one"}]}  # fmt: skip
    await runs.finish(database, parse(Run, run, where="test"))

    async def counts(*tables: str) -> dict[str, int]:
        async with database.transaction() as conn:
            out = {}
            for table in tables:
                cursor = await conn.execute(f"SELECT count(*) FROM {table}")
                row = await cursor.fetchone()
                assert row is not None
                out[table] = row[0]
            return out

    shared = ("texts", "runs", "embedders", "unembeddable", f"embedding_{corpus.embedder_id}")
    before = await counts(*shared)
    assert set(before.values()) == {1, 2}
    await corpora.delete(database, corpus)
    assert await counts("corpora", "documents", "segments", "chunks", "source_items") == {
        "corpora": 1, "documents": 1, "segments": 1, "chunks": 1, "source_items": 1,
    }  # fmt: skip
    assert await counts(*shared) == before
    stored = await runs.get(database, "r1")
    assert stored.chunks is not None
    assert stored.chunks[0].text == "one"
    # The name is free again, and nothing of the old corpus comes back with it.
    again = await corpora.create(database, "talks", "toy:3", IDENTITY)
    assert again.id != corpus.id
    assert await documents.document_ids(database, again) == []


async def test_the_snapshot_of_a_transaction_is_the_one_of_its_beginning(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one"))
    before = await corpora.snapshot(database, corpus)
    async with database.reading() as reader:
        assert await corpora.snapshot_in(reader, corpus) == before
        async with database.transaction() as conn:
            await put(conn, corpus, *timed("a", "two"))
        assert await corpora.snapshot(database, corpus) != before
        assert await corpora.snapshot_in(reader, corpus) == before
        assert [row.chunk.text for row in await chunks.chunk_table_in(reader, corpus)] == ["one"]
