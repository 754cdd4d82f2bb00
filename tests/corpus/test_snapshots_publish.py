"""A corpus built apart: questions are answered from the old state until the new one takes its name."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio

from answertrail.cli.open import chosen_name
from answertrail.corpus.cleaning import clean_pending
from answertrail.corpus.origins.base import Fetched, Listed
from answertrail.corpus.origins.stage import Pace, fetch_pending, list_origin
from answertrail.corpus.publish import abandon, begin_apart, publish
from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.search import load
from answertrail.search.engines.serving import delete_corpus, index_corpus
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.store import claims, cleaning, copies, corpora, documents, names, origins, sources
from answertrail.store.cleaning import KeptReply
from tests.corpus.cleaning import worlds
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


async def test_the_same_lines_mended_in_other_words_are_published(database, tiny):
    made = await corpora.create(database, "kilns", "tiny", tiny.identity, "en")
    await worlds.put(database, made, worlds.talk("v", "the hole kiln", "we left"))
    await clean_pending(database, made, worlds.mending(("hole", "whole"), name="scripted:one"))
    await embed_all(database, made, tiny)
    former = await corpora.snapshot(database, made)
    following = await corpora.get(database, await begin_apart(database, "kilns"))
    await clean_pending(database, following, worlds.mending(("hole", "holy"), name="scripted:two"))
    await embed_all(database, following, tiny)
    outcome = await publish(database, "kilns")
    assert outcome.changed
    now = await corpora.get(database, "kilns")
    assert await worlds.texts(database, now, "v") == ["the holy kiln", "we left"]
    assert outcome.snapshot == await corpora.snapshot(database, now) != former
    done = await cleaning.get(database, now, "v")
    assert done is not None
    assert done.stamp.model == "scripted:two"
    assert [edit.after for edit in await cleaning.edits(database, now, "v") if edit.kept] == ["the holy kiln"]


async def test_another_order_of_equal_words_or_another_time_is_a_change(database, corpus, tiny):
    following = await corpora.get(database, await begin_apart(database, "talks"))
    async with database.transaction() as conn:
        assert await copies.same_content_in(conn, corpus, following)
        for change in (
            "UPDATE segments SET start_s = start_s + 1 WHERE corpus_id = %s AND document_id = 'b' AND ordinal = 2",
            "UPDATE segments SET text = 'mended' WHERE corpus_id = %s AND document_id = 'b' AND ordinal = 1",
            "UPDATE chunks SET embedded_hash = NULL WHERE corpus_id = %s AND document_id = 'a'",
            "UPDATE corpora SET asked_in = '{de}' WHERE id = %s",
        ):
            async with conn.transaction(force_rollback=True):
                await conn.execute(change, (following.id,))
                assert not await copies.same_content_in(conn, corpus, following), change


@pytest.mark.parametrize("how", ["begun anew", "abandoned"])
async def test_what_was_paid_for_outlives_the_copy_it_was_got_for(database, corpus, tiny, how):
    following = await corpora.get(database, await begin_apart(database, "talks"))
    await cleaning.keep_reply(database, following, "k9", KeptReply(("paid for",)))
    await cleaning.keep_reply(database, following, "k1", KeptReply(("not the first",)))
    async with database.transaction() as conn:
        for item in ("b", "c", "d"):
            await origins.put_listing(conn, following, "channel:x", {item: {"title": f"new {item}"}})
            await origins.record_fetched(conn, following, "channel:x", item, {"id": item, "words": "new"}, ["a note"])
        await origins.put_listing(conn, following, "channel:x", {"e": {}})
    before = await all_rows(database, corpus)
    if how == "abandoned":
        await abandon(database, "talks")
    else:
        await put_document(database, corpus, *timed("z", "Said meanwhile."))
        assert await begin_apart(database, "talks") != following.name
    for name in ["talks"] if how == "abandoned" else await names_of(database):
        held = await corpora.get(database, name)
        kept = await cleaning.kept_replies(database, held, ["k1", "k9"])
        assert kept == {"k1": KeptReply(("one", "two, three")), "k9": KeptReply(("paid for",))}
        async with database.transaction() as conn:
            for item, words in (("b", None), ("c", "new"), ("d", "new")):
                found = await origins.fetched_document(conn, held, item, own="channel:x", family="channel:x")
                assert found is not None
                assert found[0].get("words") == words
        # What is only listed costs nothing to list again, and what the live corpus knows stays.
        assert await origins.item(database, held, "channel:x", "e") is None
        listed = await origins.item(database, held, "channel:x", "b")
        assert listed is not None
        assert listed.listing == {"title": "B"}
    after = await all_rows(database, corpus)
    changed = {table for table in after if after[table] != before[table]}
    books = {"cleaning_batches", "fetched_items", "origin_items"}
    assert books <= changed
    assert how == "begun anew" or changed == books


async def test_what_a_dropped_copy_had_fetched_is_made_a_document_and_not_fetched_again(database, tiny):
    class Channel:
        key = "youtube:channel/C"
        asked = 0

        async def items(self):
            yield Listed("aaaaaaaaaaa", "A talk")

        async def fetch(self, item):
            self.asked += 1
            return Fetched(worlds.talk(item.id, "we fired the kiln"))

    live, channel = await corpora.create(database, "kilns", "tiny", tiny.identity, "en"), Channel()
    following = await corpora.get(database, await begin_apart(database, "kilns"))
    async with claims.working(database) as worker:
        for corpus in (following, live):
            await list_origin(database, corpus, channel)
            await fetch_pending(database, corpus, channel, worker, pace=Pace(seconds=0))
            assert await worlds.texts(database, corpus, "aaaaaaaaaaa") == ["we fired the kiln"]
            await abandon(database, "kilns")
    assert channel.asked == 1


@pytest.mark.parametrize("changes", [True, False])
async def test_replies_that_the_live_corpus_got_meanwhile_are_not_lost_by_publishing(database, corpus, tiny, changes):
    following = await corpora.get(database, await begin_apart(database, "talks"))
    if changes:
        await change(database, tiny, following.name)
    await cleaning.keep_reply(database, corpus, "k9", KeptReply(("paid for",)))
    assert (await publish(database, "talks")).changed is changes
    now = await corpora.get(database, "talks")
    assert await cleaning.kept_replies(database, now, ["k9"]) == {"k9": KeptReply(("paid for",))}


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
