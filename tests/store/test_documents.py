from __future__ import annotations

import pytest

from answertrail.errors import InputError
from answertrail.records import Document
from answertrail.records.chunk import Chunk
from answertrail.store import Database, chunks, corpora, documents, embeddings, sources
from tests.store.samples import IDENTITY, corpus_of, put, timed, unit

pytestmark = pytest.mark.asyncio


async def test_a_timed_document_comes_back_as_it_was(database: Database) -> None:
    document, parts = timed(
        "a", "one", "two", url="https://x/a", language="en", captions="human", duration_s=60.0,
        tags=["t"], description="d", meta={"k": [1, None, "ä"]},
    )  # fmt: skip
    corpus = await corpus_of(database, (document, parts))
    stored = await documents.get_document(database, corpus, "a")
    assert stored is not None
    assert stored.document.as_json() == document.as_json()
    assert stored.source == "a.vtt"
    assert stored.published_at is not None
    assert stored.published_at.isoformat() == "2024-06-14T00:00:00+00:00"


async def test_an_untimed_document_comes_back_as_it_was(database: Database) -> None:
    text = "First. Second — мир, 세계.\n\nLast."
    document = Document(
        id="n:1", title="Note", text=text, kind="note", type="idea", aliases=["N"], links=["m"],
        published_at=None, url=None,
    )  # fmt: skip
    chunk = Chunk(
        id="n:1:0000000", document_id="n:1", ordinal=0, text=text, lines=(text,), char_start=0, char_end=len(text)
    )
    corpus = await corpus_of(database, (document, [chunk]))
    stored = await documents.get_document(database, corpus, "n:1")
    assert stored is not None
    assert stored.document.as_json() == document.as_json()
    found = await chunks.get_chunk(database, corpus, "n:1:0000000")
    assert found is not None
    assert found.chunk == chunk
    assert (found.published_at, found.url, found.title) == (None, None, "Note")


async def test_what_is_not_there(database: Database) -> None:
    corpus = await corpus_of(database)
    assert await documents.get_document(database, corpus, "a") is None
    assert await chunks.get_chunk(database, corpus, "a:00000") is None
    assert await chunks.chunks_of(database, corpus, "a") == ()
    assert await chunks.neighbours(database, corpus, "a:00000") == ()
    assert await chunks.chunk_table(database, corpus) == ()
    assert await sources.source_items(database, corpus) == {}
    assert await sources.states(database, corpus) == {"embedded": 0, "chunked": 0, "failed": 0, "skipped": 0}


async def test_added_changed_unchanged(database: Database) -> None:
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY)
    steps = [
        (timed("a", "one", "two"), "added"),
        (timed("a", "one", "two"), "unchanged"),
        (timed("a", "one"), "changed"),
        (timed("a", "one", title="Other title"), "changed"),
    ]
    for revision, ((document, parts), expected) in zip([1, 1, 2, 3], steps, strict=True):
        async with database.transaction() as conn:
            assert await put(conn, corpus, document, parts) == expected
        assert await corpora.revision(database, corpus) == revision
    assert [row.chunk.text for row in await chunks.chunks_of(database, corpus, "a")] == ["one"]


async def test_other_windows_of_the_same_text_are_a_change(database: Database) -> None:
    document, parts = timed("a", "one")
    corpus = await corpus_of(database, (document, parts))
    moved = Chunk(id="a:00000", document_id="a", ordinal=0, text="one", lines=("one",), start_s=0.0, end_s=30.0)
    async with database.transaction() as conn:
        assert await put(conn, corpus, document, [moved]) == "changed"


async def test_an_exception_in_the_middle_leaves_the_old_state(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one", "two"), timed("b", "three"))
    before = await chunks.chunk_table(database, corpus)
    items = await sources.source_items(database, corpus)

    async def replace_and_fail() -> None:
        async with database.transaction() as conn:
            await put(conn, corpus, *timed("a", "new"))
            await put(conn, corpus, *timed("c", "new"))
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError):
        await replace_and_fail()
    assert await chunks.chunk_table(database, corpus) == before
    assert await sources.source_items(database, corpus) == items
    assert await corpora.revision(database, corpus) == 2


async def test_chunks_that_do_not_fit_are_refused(database: Database) -> None:
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY)
    document, parts = timed("a", "one", "two")
    for wrong in ([parts[0], parts[0]], timed("b", "x")[1], [parts[1]]):
        with pytest.raises(InputError):
            async with database.transaction() as conn:
                await put(conn, corpus, document, wrong)


@pytest.mark.parametrize("bad", ["a\0b", "half \ud83d pair"])
async def test_text_that_postgres_cannot_hold_is_refused_before_it_is_sent(database: Database, bad: str) -> None:
    corpus = await corpora.create(database, "talks", "toy:3", IDENTITY)
    document = Document.model_construct(id="a", title="t", text=bad)
    with pytest.raises(InputError, match="a: holds"):
        async with database.transaction() as conn:
            await documents.replace(conn, corpus, document, [], content_hash="h", source="a.txt")


async def test_a_written_out_escape_is_no_nul(database: Database) -> None:
    document = Document(id="a", title="About \\u0000", text="the escape \\u0000", meta={"k": "\\\\u0000"})
    corpus = await corpus_of(database, (document, []))
    stored = await documents.get_document(database, corpus, "a")
    assert stored is not None
    assert stored.document.as_json() == document.as_json()


async def test_neighbours_stay_inside_the_document(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "0", "1", "2", "3"), timed("b", "x"))

    async def around(chunk_id: str, before: int, after: int) -> list[str]:
        rows = await chunks.neighbours(database, corpus, chunk_id, before=before, after=after)
        return [row.chunk.text for row in rows]

    assert await around("a:00030", 1, 1) == ["0", "1", "2"]
    assert await around("a:00000", 5, 0) == ["0"]
    assert await around("a:00090", 0, 9) == ["3"]
    assert await around("b:00000", 2, 2) == ["x"]


async def test_chunk_table_is_in_bytewise_order(database: Database) -> None:
    corpus = await corpus_of(database, timed("b", "1"), timed("B", "2"), timed("é", "3"), timed("a-b", "4"))
    ids = [row.chunk.id for row in await chunks.chunk_table(database, corpus)]
    assert ids == sorted(ids, key=str.encode)
    assert len(ids) == await chunks.chunk_count(database, corpus) == 4


async def test_states_and_failures(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one", "two"), timed("b", "one"), timed("empty"))
    async with database.transaction() as conn:
        await sources.record_failed(conn, corpus, "bad.srt", "times go backwards", line=7, fingerprint="f1")
        await sources.record_skipped(conn, corpus, "a.txt", "duplicate of a.vtt", document_id="a")
    assert await sources.states(database, corpus) == {"embedded": 1, "chunked": 2, "failed": 1, "skipped": 1}
    (failure,) = await sources.failures(database, corpus)
    assert (failure.source, failure.line, failure.reason, failure.fingerprint) == (
        "bad.srt", 7, "times go backwards", "f1",
    )  # fmt: skip

    async with database.transaction() as conn:
        one_hash = next(h for h, text in await embeddings.pending(database, corpus, 10) if text == "one")
        await embeddings.save(conn, corpus.embedder_id, [one_hash], unit((1, 0, 0)))
    assert (await sources.states(database, corpus))["embedded"] == 2
    async with database.transaction() as conn:
        two_hash = next(h for h, text in await embeddings.pending(database, corpus, 10) if text == "two")
        await embeddings.mark_unembeddable(conn, corpus.embedder_id, [(two_hash, "nothing but noise")])
        await put(conn, corpus, *timed("bad", "x"), source="bad.srt")
    assert await sources.failures(database, corpus) == ()
    assert await sources.states(database, corpus) == {"embedded": 3, "chunked": 1, "failed": 0, "skipped": 1}


async def test_a_failure_keeps_the_document_it_gave_before(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "one"))
    async with database.transaction() as conn:
        await sources.record_failed(conn, corpus, "a.vtt", "unreadable")
    item = (await sources.source_items(database, corpus))["a.vtt"]
    assert (item.state, item.document_id) == ("failed", "a")
    assert await documents.document_ids(database, corpus) == ["a"]
    async with database.transaction() as conn:
        assert await sources.forget(conn, corpus, "a.vtt")
        assert not await sources.forget(conn, corpus, "a.vtt")
    assert await documents.document_ids(database, corpus) == ["a"]
