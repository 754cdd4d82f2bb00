"""A corpus built apart: questions are answered from the old state until the new one takes its name."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio

from answertrail.cli.open import chosen_name
from answertrail.corpus.publish import abandon, begin_apart, publish
from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.search import load
from answertrail.search.engines.serving import delete_corpus, index_corpus
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.store import claims, copies, corpora, documents, names, sources
from tests.corpus.snapshot_samples import all_rows, embed_all, put_document, rich_corpus, vectors_of
from tests.search.worlds import TinyEmbedder
from tests.store.samples import timed

pytestmark = pytest.mark.asyncio


@pytest.fixture
def tiny(monkeypatch):
    embedder = TinyEmbedder(8)
    monkeypatch.setattr(load, "load_embedder", lambda _: embedder)
    return embedder


@pytest_asyncio.fixture
async def corpus(database, tiny):
    made = await rich_corpus(database, tiny)
    async with database.transaction() as conn:
        await conn.execute("UPDATE corpora SET engine = 'exact'")
    return made


async def change(database, tiny, name):
    """Ingest into the corpus of this name: one document changed, one new, one gone."""
    corpus = await corpora.get(database, name)
    await put_document(database, corpus, *timed("b", "We moved the kiln to the shed."))
    await put_document(database, corpus, *timed("c", "A tractor stood in the way."))
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "a")
    await embed_all(database, corpus, tiny)
    return corpus


async def shown(opened):
    """All that a user sees of every mode, and around the first passage."""
    out = {}
    for mode in MODES:
        for query in ("kiln barn", "two", "tractor"):
            hits = (await opened.search(query, mode=mode, k=9)).hits
            out[mode, query] = [(hit.chunk_id, hit.score.hex(), hit.text) for hit in hits]
    around = await opened.read_around("b:00000")
    return out, [row.text for row in around.rows]


async def state(database, name):
    corpus = await corpora.get(database, name)
    return await all_rows(database, corpus), await vectors_of(database, corpus)


async def names_of(database):
    return [corpus.name for corpus in await corpora.list_all(database)]


async def test_a_copy_is_the_corpus_row_for_row_and_embeds_nothing(database, settings, corpus, tiny):
    asked = len(tiny.asked)
    made = await copies.copy(database, corpus, "beside")
    assert await state(database, "beside") == await state(database, "talks")
    assert await corpora.snapshot(database, made) == await corpora.snapshot(database, corpus)
    assert (made.context, made.asked_in, made.spec) == (corpus.context, corpus.asked_in, corpus.spec)
    assert len(tiny.asked) == asked
    with pytest.raises(InputError, match="exists"):
        await copies.copy(database, corpus, "beside")
    await change(database, tiny, "beside")
    assert await corpora.snapshot(database, made) != await corpora.snapshot(database, corpus)


async def test_while_it_is_built_and_after_the_swap_an_open_corpus_answers_as_before(database, settings, corpus, tiny):
    before = await corpora.snapshot(database, corpus)
    opened = await open_corpus(database, settings, "talks")
    expected = await shown(opened)
    apart = await begin_apart(database, "talks")
    await change(database, tiny, apart)
    assert await shown(await open_corpus(database, settings, "talks")) == expected
    outcome = await publish(database, "talks")
    assert (outcome.corpus, outcome.changed) == ("talks", True)
    assert outcome.kept == f"talks@{before[7:19]}"
    # What was open goes on; what is opened now is the new state; the old one can be opened by its name.
    assert await shown(opened) == expected
    assert opened.ref.snapshot == before
    now = await open_corpus(database, settings, "talks")
    assert now.ref.snapshot == outcome.snapshot != before
    assert {"c", "note:1", "b"} == set(now.document_ids)
    kept = await open_corpus(database, settings, outcome.kept)
    assert await shown(kept) == expected
    assert await names_of(database) == ["talks", outcome.kept]
    # In memory it goes on even when the old state is deleted.
    await delete_corpus(database, settings, await corpora.get(database, outcome.kept))
    assert await shown(opened) == expected


async def test_an_open_corpus_over_an_engine_goes_on_over_the_kept_state(database, settings, corpus, tiny):
    await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
    opened = await open_corpus(database, settings, "talks")
    expected = await shown(opened)
    apart = await begin_apart(database, "talks")
    await change(database, tiny, apart)
    outcome = await publish(database, "talks")
    assert outcome.unindexed == "hnsw"
    assert await shown(opened) == expected
    assert await shown(await open_corpus(database, settings, outcome.kept)) == expected
    now = await open_corpus(database, settings, "talks")
    assert "no hnsw index" in (now.note or "")
    # Texts are read from the database, so what is open ends with the state it was opened on.
    await delete_corpus(database, settings, await corpora.get(database, outcome.kept))
    with pytest.raises(NotFoundError, match="deleted meanwhile"):
        await opened.search("kiln", mode="dense", k=3)
    assert [hit.document_id for hit in (await now.search("tractor", mode="lexical", k=1)).hits] == ["c"]


async def test_an_index_made_of_what_is_built_apart_serves_from_the_swap_on(database, settings, corpus, tiny):
    await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
    apart = await begin_apart(database, "talks")
    following = await change(database, tiny, apart)
    await index_corpus(database, settings, following, "hnsw", {"storage": "vector"})
    outcome = await publish(database, "talks")
    assert outcome.unindexed is None
    assert (await open_corpus(database, settings, "talks")).note is None


async def test_searches_that_go_on_through_the_swap_see_one_state_or_the_other(database, settings, corpus, tiny):
    old = await corpora.snapshot(database, corpus)
    following = await change(database, tiny, await begin_apart(database, "talks"))
    new = await corpora.snapshot(database, following)
    texts = {old: {"We moved the kiln to the barn."}, new: {"We moved the kiln to the shed."}}
    seen, asked, done = set(), asyncio.Event(), asyncio.Event()

    async def ask():
        while not (done.is_set() and new in seen):
            opened = await open_corpus(database, settings, "talks")
            hits = (await opened.search("kiln", mode="lexical", k=1)).hits
            assert {hit.text for hit in hits} == texts[opened.ref.snapshot]
            seen.add(opened.ref.snapshot)
            asked.set()

    async with asyncio.TaskGroup() as group:
        askers = [group.create_task(ask()) for _ in range(3)]
        await asked.wait()
        await publish(database, "talks")
        done.set()
    assert seen == {old, new}
    assert all(asker.done() for asker in askers)


async def test_a_change_of_the_live_corpus_meanwhile_is_not_lost(database, corpus, tiny):
    apart = await begin_apart(database, "talks")
    await change(database, tiny, apart)
    await put_document(database, corpus, *timed("d", "Said meanwhile."))
    before = await state(database, "talks")
    with pytest.raises(MismatchError, match="would lose the change"):
        await publish(database, "talks")
    assert await state(database, "talks") == before
    # Begun again it is a copy of what is there now, and the old copy is gone.
    again = await begin_apart(database, "talks")
    assert again != apart
    assert await names_of(database) == ["talks", again]
    assert await state(database, again) == before


async def test_a_build_that_was_killed_is_taken_up_where_it_stopped(database, corpus, tiny):
    apart = await begin_apart(database, "talks")
    await put_document(database, await corpora.get(database, apart), *timed("c", "A tractor."))
    assert await begin_apart(database, "talks") == apart
    assert "c" in await documents.document_ids(database, await corpora.get(database, apart))
    with pytest.raises(InputError, match="1 texts of what was built apart have no vector"):
        await publish(database, "talks")
    assert await abandon(database, "talks")
    assert not await abandon(database, "talks")
    with pytest.raises(NotFoundError, match="nothing was built apart"):
        await publish(database, "talks")
    assert await names_of(database) == ["talks"]


async def test_two_that_begin_at_once_build_one_copy(database, corpus):
    begun = await asyncio.gather(*(begin_apart(database, "talks") for _ in range(4)))
    assert len(set(begun)) == 1
    assert await names_of(database) == ["talks", begun[0]]


async def test_nothing_is_published_while_a_worker_is_at_either(database, corpus, tiny):
    following = await change(database, tiny, await begin_apart(database, "talks"))
    for busy in (corpus, following):
        async with claims.working(database) as worker:
            await claims.claim(database, busy, "embed", ["x"], worker)
            with pytest.raises(InputError, match="stage embed"):
                await publish(database, "talks")
    assert (await publish(database, "talks")).changed


async def test_who_wrote_to_either_state_can_go_on_in_neither(database, corpus, tiny):
    following = await change(database, tiny, await begin_apart(database, "talks"))
    outcome = await publish(database, "talks")
    before = await state(database, "talks"), await state(database, outcome.kept)
    for late in (corpus, following):
        with pytest.raises(MismatchError, match="published meanwhile"):
            await put_document(database, late, *timed("d", "Too late."))
    assert (await state(database, "talks"), await state(database, outcome.kept)) == before


async def test_where_nothing_changed_no_copy_is_kept_and_what_is_known_of_sources_is_taken_over(database, corpus):
    before = await all_rows(database, corpus)
    following = await corpora.get(database, await begin_apart(database, "talks"))
    async with database.transaction() as conn:
        await sources.record_failed(conn, following, "new.vtt", "cannot be read")
        await sources.forget(conn, following, "bad.vtt:7")
    outcome = await publish(database, "talks")
    assert outcome.as_json() == {
        "snapshot": await corpora.snapshot(database, corpus),
        "corpus": "talks",
        "changed": False,
        "kept": None,
    }
    assert await names_of(database) == ["talks"]
    after = await all_rows(database, corpus)
    assert {table for table in after if after[table] != before[table]} == {"source_items"}
    assert set(await sources.source_items(database, corpus)) >= {"new.vtt", "b.srt"}


async def test_a_corpus_that_did_not_exist_appears_complete(database, tiny):
    apart = await begin_apart(database, "fresh")
    made = await corpora.create(database, apart, "tiny", tiny.identity)
    await put_document(database, made, *timed("c", "A tractor."))
    await embed_all(database, made, tiny)
    with pytest.raises(NotFoundError):
        await corpora.get(database, "fresh")
    assert (await publish(database, "fresh")).kept is None
    assert await names_of(database) == ["fresh"]


async def test_one_state_kept_twice_has_two_names(database, corpus, tiny):
    kept = []
    for texts in (("X.",), ("Y.",), ("X.",), ("Y.",)):
        following = await corpora.get(database, await begin_apart(database, "talks"))
        await put_document(database, following, *timed("a", *texts))
        await embed_all(database, following, tiny)
        kept.append((await publish(database, "talks")).kept)
    assert len(set(kept)) == 4
    assert kept[3] == f"{kept[1]}-2"


async def test_what_lies_beside_is_never_chosen_for_a_command(database, corpus, tiny):
    await change(database, tiny, await begin_apart(database, "talks"))
    assert await chosen_name(database, None) == "talks"
    await publish(database, "talks")
    assert await chosen_name(database, None) == "talks"


async def test_names_are_told_apart():
    assert names.begun_at("a b@next.17") == ("a b", 17)
    assert names.begun_at(names.next_name("a", None)) == ("a", None)
    assert names.begun_at(names.kept_name("a", "sha256:0123456789abcdef")) is None
    assert names.kept_name("a", "sha256:0123456789abcdef") == "a@0123456789ab"
    assert [names.state(name) for name in ("a", "a@0123456789ab", "a@next.1")] == ["live", "kept", "being built"]
    with pytest.raises(InputError):
        names.check_name("a@next.1")
