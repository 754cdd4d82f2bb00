"""What differs between two states, whether they are corpora or dumps."""

from __future__ import annotations

import pytest

from answertrail.corpus.diff import diff
from answertrail.corpus.dump import dump
from answertrail.corpus.dump_reader import DumpFile
from answertrail.corpus.states import DumpedState, StoredState
from answertrail.errors import InputError, MismatchError
from answertrail.store import copies, corpora, documents
from tests.corpus.snapshot_samples import members, put_document, rich_corpus, written, zipped
from tests.corpus.test_snapshots_hostile import edited, resealed
from tests.search.worlds import TinyEmbedder
from tests.store.samples import timed

pytestmark = pytest.mark.asyncio

ORDER = ("title", "date", "text", "captioned", "times", "metadata", "chunks")


async def compared(database, a, b):
    async with database.reading() as one, database.reading() as other:
        return await diff(await StoredState.read(one, a), await StoredState.read(other, b))


async def two(database):
    """Two corpora of the same content."""
    tiny = TinyEmbedder(8)
    return await rich_corpus(database, tiny, name="old"), await rich_corpus(database, tiny, name="new")


async def test_equal_corpora_differ_in_nothing(database):
    found = await compared(database, *await two(database))
    assert found.as_json() | {"a": 0, "b": 0, "snapshot": 0} == {
        "snapshot": 0,
        "same": True,
        "a": 0,
        "b": 0,
        "added": [],
        "removed": [],
        "changed": [],
        "unchanged": 3,
        "settings": {},
    }
    assert (found.a.documents, found.a.chunks, found.b.chunks) == (3, 6, 6)


async def test_added_removed_and_changed_are_told_apart(database):
    old, new = await two(database)
    async with database.transaction() as conn:
        await documents.delete(conn, new, "note:1")
    await put_document(database, new, *timed("c", "A third one."))
    await put_document(database, new, *timed("b", "We moved the kiln to the shed.", "The glaze\u2028kept crawling."))
    found = await compared(database, old, new)
    assert (found.added, found.removed, found.unchanged) == (("c",), ("note:1",), 1)
    (changed,) = found.changed
    assert changed.as_json() == {
        "document_id": "b",
        "changed": ["text", "metadata", "chunks"],  # its address and length are gone
        "chunks": {"added": [], "removed": ["b:00060"], "changed": ["b:00000"]},
    }
    assert found.a.snapshot == await corpora.snapshot(database, old)
    assert found.b.snapshot == await corpora.snapshot(database, new) != found.a.snapshot
    turned = await compared(database, new, old)
    assert (turned.added, turned.removed) == (("note:1",), ("c",))
    assert turned.changed[0].chunks_added == ("b:00060",)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": "Another"}, ["title"]),
        ({"published_at": "2024-07-01"}, ["date"]),
        ({"published_at": None}, ["date"]),
        ({"language": "de"}, ["metadata"]),
    ],
)
async def test_what_changed_of_a_document_is_named(database, fields, said):
    tiny = TinyEmbedder(8)
    old = await rich_corpus(database, tiny, name="old", context=())
    new = await rich_corpus(database, tiny, name="new", context=())
    before = {"published_at": "2024-06-14T12:30:00.25+02:00"}
    await put_document(database, new, *timed("a", "One.", "Two.", **(before | fields)))
    (changed,) = (await compared(database, old, new)).changed
    # It is as captioned now; the words that had been cleaned are the same.
    assert changed.as_json()["changed"] == sorted([*said, "captioned"], key=ORDER.index)
    if "title" in fields:
        assert changed.as_json()["title"] == {"a": "About a", "b": "Another"}
    if "published_at" in fields:
        assert changed.as_json()["published_at"]["b"] == fields["published_at"]


async def test_other_words_as_captioned_are_a_change_as_they_are_for_publishing(database, tmp_path):
    old, new = await two(database)
    async with database.transaction() as conn:
        assert await copies.same_content_in(conn, old, new)
        await conn.execute(
            "UPDATE segments SET raw_text = 'other' WHERE corpus_id = %s AND raw_text = 'too'", (new.id,)
        )
        assert not await copies.same_content_in(conn, old, new)
    found = await compared(database, old, new)
    assert [(one.document_id, one.changed) for one in found.changed] == [("a", ("captioned",))]
    assert (found.unchanged, found.a.snapshot == found.b.snapshot) == (2, True)
    await dump(database, "new", tmp_path / "new.zip")
    async with database.reading() as conn:
        with DumpFile(tmp_path / "new.zip") as file:
            assert (await diff(await StoredState.read(conn, old), DumpedState(file))).changed == found.changed
            assert (await diff(await StoredState.read(conn, new), DumpedState(file))).changed == ()


async def test_other_settings_are_said(database):
    old = await rich_corpus(database, TinyEmbedder(8), name="old")
    new = await rich_corpus(database, TinyEmbedder(16), name="new", context=())
    found = await compared(database, old, new)
    assert found.as_json()["settings"] == {
        "dims": {"a": 8, "b": 16},
        "context": {"a": ["title"], "b": []},
        "asked_in": {"a": ["en", "ko"], "b": []},
    }
    assert found.changed == ()


async def test_a_dump_and_a_corpus_are_compared_like_two_corpora(database, tmp_path):
    old, new = await two(database)
    await put_document(database, new, *written("note:2"))
    await put_document(database, new, *timed("a", "One.", "Two, changed."))
    expected = (await compared(database, old, new)).as_json()
    await dump(database, "old", tmp_path / "old.zip")
    await dump(database, "new", tmp_path / "new.zip", vectors=False)
    with DumpFile(tmp_path / "old.zip") as one, DumpFile(tmp_path / "new.zip") as other:
        files = (await diff(DumpedState(one), DumpedState(other))).as_json()
        async with database.reading() as conn:
            mixed = (await diff(DumpedState(one), await StoredState.read(conn, new))).as_json()
    for outcome in (files, mixed):
        assert {**outcome, "a": 0, "b": 0} == {**expected, "a": 0, "b": 0}
    assert files["a"]["name"] == str(tmp_path / "old.zip")


async def test_a_damaged_dump_is_not_compared(database, tmp_path):
    await rich_corpus(database, TinyEmbedder(8))
    await dump(database, "talks", tmp_path / "talks.zip")
    held = members(tmp_path / "talks.zip")
    (tmp_path / "talks.zip").write_bytes(zipped({**held, "documents.jsonl": held["documents.jsonl"] + b"\n"}))
    with DumpFile(tmp_path / "talks.zip") as file, pytest.raises(InputError) as caught:
        DumpedState(file)
    assert "documents.jsonl" in (caught.value.where or "")


@pytest.mark.parametrize(
    ("member", "place", "fields"),
    [
        ("documents.jsonl", 0, {"published_at": "2024-07-01"}),
        ("documents.jsonl", 0, {"published_at": None}),
        ("chunks.jsonl", 0, {"chunk_id": "a:00001"}),
        (None, 0, {}),
    ],
)
async def test_a_dump_that_does_not_hold_what_its_snapshot_is_of_is_not_compared(
    database, tmp_path, member, place, fields
):
    corpus = await rich_corpus(database, TinyEmbedder(8))
    await dump(database, "talks", tmp_path / "good.zip")
    held = members(tmp_path / "good.zip")
    said = {} if member else {"snapshot": f"sha256:{'0' * 64}"}
    changed = edited(held, member, place, **fields) if member else held
    (tmp_path / "bad.zip").write_bytes(resealed(changed, **said))
    async with database.reading() as conn:
        stored = await StoredState.read(conn, corpus)
        with DumpFile(tmp_path / "good.zip") as good, DumpFile(tmp_path / "bad.zip") as bad:
            assert (await diff(DumpedState(good), stored)).as_json()["same"]
            for pair in ((DumpedState(bad), stored), (DumpedState(good), DumpedState(bad))):
                with pytest.raises(MismatchError, match="have the snapshot sha256:") as caught:
                    await diff(*pair)
                assert caught.value.where == str(tmp_path / "bad.zip")
                assert "take another copy" in (caught.value.hint or "")


async def test_a_dumped_chunk_of_no_document_is_named(database, tmp_path):
    await rich_corpus(database, TinyEmbedder(8))
    await dump(database, "talks", tmp_path / "talks.zip")
    held = edited(members(tmp_path / "talks.zip"), "chunks.jsonl", 0, document_id="nobody")
    (tmp_path / "talks.zip").write_bytes(resealed(held))
    with DumpFile(tmp_path / "talks.zip") as file, pytest.raises(InputError, match="of no document") as caught:
        await diff(DumpedState(file), DumpedState(file))
    assert (caught.value.where or "").startswith(f"{tmp_path / 'talks.zip'}: a:")
