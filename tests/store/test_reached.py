"""How far a document has come, and the state of an item: each read from rows that a test put there by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from answertrail.store import cleaning, documents, embeddings, origins, reached, sources
from answertrail.store.cleaning import Stamp
from answertrail.store.item_states import stated
from tests.store.samples import IDENTITY, corpus_of, put, timed, unit

pytestmark = pytest.mark.asyncio

KEY = "youtube:channel/UCx"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
STAMP = Stamp("m", "p1", "sha256:1")


async def embed(database, corpus, *texts):
    """Give these texts of the corpus their vectors."""
    wanted = [key for key, text in await embeddings.pending(database, corpus, 1000) if text in texts]
    async with database.transaction() as conn:
        await embeddings.save(conn, corpus.embedder_id, wanted, unit(*[(1.0, 2.0, 3.0)] * len(wanted)))


async def clean(database, corpus, document_id, raw_hash=None):
    """Record a cleaning of a document as it is now, or as it was under another hash."""
    async with database.transaction() as conn:
        cursor = await conn.execute(
            "SELECT content_hash FROM documents WHERE corpus_id = %s AND document_id = %s", (corpus.id, document_id)
        )
        (now,) = await cursor.fetchone()
        await cleaning.record(conn, corpus, document_id, STAMP, raw_hash or now, 1, [])


async def listed(database, corpus, *ids, origin=KEY, **more):
    async with database.transaction() as conn:
        await origins.put_listing(conn, corpus, origin, {item: {"title": f"About {item}", **more} for item in ids})


async def fetched(database, corpus, document_id, *texts, origin=KEY, cut=True):
    """Put an item's document there and record it, as the fetching stage does; `cut` says whether into chunks."""
    document, chunks = timed(document_id, *(texts or (f"the words of {document_id}",)))
    async with database.transaction() as conn:
        await put(conn, corpus, document, chunks if cut else [], source=f"{origin}#{document_id}")
        await origins.record_fetched(conn, corpus, origin, document_id, document.as_json(), ())


async def of(database, corpus, origin=KEY, now=NOW):
    return {one.item.id: one.state for one in await stated(database, corpus, origin, now)}


async def test_an_item_of_each_state_is_told_from_its_rows(database):
    corpus = await corpus_of(database)
    await listed(database, corpus, *"pfcmesxg", "due")
    await listed(database, corpus, "out", left_out="180 s or less")
    await fetched(database, corpus, "f", cut=False)
    await fetched(database, corpus, "c", "one", "two")
    await fetched(database, corpus, "m", "three", "four")
    await fetched(database, corpus, "e", "five", "six")
    await clean(database, corpus, "m")
    await embed(database, corpus, "one", "three", "five", "six")
    async with database.transaction() as conn:
        for item, state, retry_at in (("s", "skipped", None), ("x", "failed", LATER), ("due", "failed", NOW)):
            await origins.record_withheld(
                conn, corpus, KEY, item, state=state, kind="network", reason="no route", retry_at=retry_at
            )
        await origins.mark_gone(conn, corpus, KEY, ["g"])
    assert await of(database, corpus) == {
        "p": "pending",
        "f": "fetched",
        "c": "chunked",
        "m": "cleaned",
        "e": "embedded",
        "s": "skipped",
        "x": "failed",
        "g": "gone",
        "due": "pending",
        "out": "skipped",
    }
    said = {one.item.id: (one.kind, one.reason, one.retry_at) for one in await stated(database, corpus, KEY, NOW)}
    assert said["s"] == ("network", "no route", None)
    assert said["x"] == ("network", "no route", LATER)
    assert said["out"] == (None, "180 s or less", None)
    assert {said[item] for item in ("p", "f", "c", "m", "e", "g", "due")} == {(None, None, None)}
    assert (await of(database, corpus, now=LATER))["x"] == "pending"
    # What fetching looks at knows none of the stages after it.
    known = {item.id: item.state(NOW) for item in await origins.items(database, corpus, KEY)}
    assert {known[item] for item in "fcme"} == {"fetched"}
    assert await reached.counts(database, corpus) == {"fetched": 1, "chunked": 1, "cleaned": 1, "embedded": 1}


async def test_a_document_cleaned_again_is_embedded_only_when_its_new_words_are(database):
    corpus = await corpus_of(database)
    await listed(database, corpus, "a")
    await fetched(database, corpus, "a", "the hole thing", "and more")
    assert await of(database, corpus) == {"a": "chunked"}
    await embed(database, corpus, "the hole thing", "and more")
    assert await of(database, corpus) == {"a": "embedded"}
    document, chunks = timed("a", "the whole thing", "and more")
    async with database.transaction() as conn:
        await cleaning.rewrite(conn, corpus, document, chunks, ["", ""], {0: "the hole thing"})
    await clean(database, corpus, "a")
    assert await of(database, corpus) == {"a": "cleaned"}
    await embed(database, corpus, "the whole thing")
    assert await of(database, corpus) == {"a": "embedded"}


async def test_a_cleaning_of_other_words_does_not_count(database):
    corpus = await corpus_of(database)
    await listed(database, corpus, "a")
    await fetched(database, corpus, "a")
    await clean(database, corpus, "a", raw_hash="sha256:of-what-was")
    assert await of(database, corpus) == {"a": "chunked"}


async def test_a_text_known_to_have_no_vector_keeps_nothing_back(database):
    corpus = await corpus_of(database)
    await listed(database, corpus, "a")
    await fetched(database, corpus, "a", "one", "...")
    await embed(database, corpus, "one")
    assert await of(database, corpus) == {"a": "chunked"}
    ((key, _),) = await embeddings.pending(database, corpus, 10)
    async with database.transaction() as conn:
        await embeddings.mark_unembeddable(conn, corpus.embedder_id, [(key, "no letters")])
    assert await of(database, corpus) == {"a": "embedded"}


async def test_vectors_of_another_embedder_are_none(database):
    other = await embeddings.register(database, type(IDENTITY)(name="other", revision="r1", dims=3))
    corpus = await corpus_of(database, timed("a", "one"))
    ((key, _),) = await embeddings.pending(database, corpus, 10)
    async with database.transaction() as conn:
        await embeddings.save(conn, other, [key], unit((1.0, 0.0, 0.0)))
    assert await reached.counts(database, corpus) == {"fetched": 0, "chunked": 1, "cleaned": 0, "embedded": 0}


async def test_a_deleted_document_is_to_be_fetched_again_and_a_gone_one_stays_gone(database):
    corpus = await corpus_of(database)
    await listed(database, corpus, "a", "b")
    await fetched(database, corpus, "a")
    await fetched(database, corpus, "b")
    async with database.transaction() as conn:
        await origins.mark_gone(conn, corpus, KEY, ["b"])
        await conn.execute("DELETE FROM documents WHERE document_id = 'a'")
    assert await of(database, corpus) == {"a": "pending", "b": "gone"}


async def test_a_document_of_its_id_that_a_file_gave_is_not_the_items(database):
    corpus = await corpus_of(database)
    await listed(database, corpus, "a")
    await fetched(database, corpus, "a")
    document, chunks = timed("a", "a file said something else")
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "a")
        await put(conn, corpus, document, chunks, source="a.vtt")
    assert await of(database, corpus) == {"a": "pending"}
    async with database.reading() as conn:
        assert [one.id for one in await reached.of_no_origin_in(conn, corpus)] == ["a"]


@pytest.mark.parametrize(
    ("origin", "giver", "state"),
    [
        (KEY, "youtube:playlist/PLx", "chunked"),  # one video, in two lists
        ("rss:https://example.org/feed", "rss:https://example.org/feed?page=2", "pending"),
        ("rss:https://example.org/feed", "rss:https://example.org/feed", "chunked"),
    ],
)
async def test_a_document_is_its_items_when_their_origins_share_items(database, origin, giver, state):
    corpus = await corpus_of(database)
    for key in {origin, giver}:
        await listed(database, corpus, "a", origin=key)
    await fetched(database, corpus, "a", origin=origin)
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "a")
    await fetched(database, corpus, "a", origin=giver)
    assert await of(database, corpus, origin) == {"a": state}
    assert await of(database, corpus, giver) == {"a": "chunked"}


async def test_items_of_another_origin_or_corpus_are_not_counted_in(database):
    corpus = await corpus_of(database)
    twin = await corpus_of(database, timed("a", "the words of a"), name="twin")
    await listed(database, corpus, "a", "b")
    await listed(database, corpus, "a", origin="youtube:playlist/PLx")
    await fetched(database, corpus, "a")
    await fetched(database, corpus, "b")
    await embed(database, corpus, "the words of a")
    assert await of(database, corpus) == {"a": "embedded", "b": "chunked"}
    # Listed there as well and not yet taken up: `pending`, though the document is here.
    assert await of(database, corpus, "youtube:playlist/PLx") == {"a": "pending"}
    assert await of(database, twin) == {}
    assert await reached.counts(database, twin) == {"fetched": 0, "chunked": 0, "cleaned": 0, "embedded": 1}


async def test_documents_of_files_are_told_from_those_of_origins(database):
    corpus = await corpus_of(database, timed("note", "from a file"), timed("b", "also from a file"))
    await listed(database, corpus, "a", "b")  # `b` is taken: the document is the file's
    await fetched(database, corpus, "a")
    await embed(database, corpus, "from a file")
    async with database.reading() as conn:
        found = [(one.id, one.title, one.reached) for one in await reached.of_no_origin_in(conn, corpus)]
    assert found == [("b", "About b", "chunked"), ("note", "About note", "embedded")]


async def test_the_counts_agree_with_what_status_has_always_counted(database):
    corpus = await corpus_of(database, *(timed(f"d{n}", f"one {n}", f"two {n}") for n in range(6)))
    await clean(database, corpus, "d0")
    await clean(database, corpus, "d1")
    await embed(database, corpus, "one 1", "two 1", "one 2", "two 2", "one 3")
    far = await reached.counts(database, corpus)
    assert far == {"fetched": 0, "chunked": 3, "cleaned": 1, "embedded": 2}
    before = await sources.states(database, corpus)
    assert (before["embedded"], before["chunked"]) == (far["embedded"], far["chunked"] + far["cleaned"])
    assert await reached.counts(database, await corpus_of(database, name="empty")) == dict.fromkeys(reached.REACHED, 0)
