"""The words as captioned of chunks that show mended ones."""

from __future__ import annotations

import pytest

from answertrail.corpus.cleaning import clean_pending
from answertrail.corpus.cleaning.captioned import captioned_words
from answertrail.records import Document, Segment
from answertrail.store import Database, chunks, corpora, documents
from tests.corpus.cleaning.worlds import SLIPS, corpus_with, mending, put, talk

pytestmark = pytest.mark.asyncio


def one_line(text: str, seconds: float) -> Document:
    segment = Segment(start_s=0.0, end_s=seconds, text=text)
    return Document(id="a", title="A", captions="auto", duration_s=seconds, segments=[segment])


async def shown(db: Database, corpus, *names: str) -> dict[str, str]:
    return {row.chunk.id: row.chunk.text for name in names for row in await chunks.chunks_of(db, corpus, name)}


async def test_chunks_that_show_mended_words_are_told_and_no_others(database: Database) -> None:
    talks = (
        talk("a", "so the hole thing", "we left", "their is more"),
        talk("b", "the hole is deep"),
        talk("c", "nothing to mend"),
        talk("h", "the hole human", captions="human"),
        Document(id="n", title="Note", text="The hole note."),
    )
    corpus = await corpus_with(database, *talks)
    before = await shown(database, corpus, *"abchn")
    assert await captioned_words(database, corpus, before) == {}
    await clean_pending(database, corpus, mending(*SLIPS))
    now = await shown(database, corpus, *"abchn")
    assert (now["a:00000"], now["b:00000"]) == ("so the whole thing", "the whole is deep")
    told = await captioned_words(database, corpus, now)
    assert told == {"a:00000": "so the hole thing", "a:00060": "their is more", "b:00000": "the hole is deep"}
    assert await captioned_words(database, corpus, {"b:00000": now["b:00000"]}) == {"b:00000": "the hole is deep"}
    assert await captioned_words(database, corpus, {"gone:00000": "x", "a:00030": "we left"}) == {}
    assert await captioned_words(database, corpus, {}) == {}


async def test_a_chunk_that_shows_other_words_by_now_is_left_out(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "so the hole thing", "their is more"))
    await clean_pending(database, corpus, mending(*SLIPS))
    once = await shown(database, corpus, "a")
    await clean_pending(database, corpus, mending(("hole", "hall"), ("their is", "there is"), name="scripted:other"))
    # The second chunk is as it was, the first is not: only of the second is it known what was captioned.
    assert await captioned_words(database, corpus, once) == {"a:00030": "their is more"}
    await put(database, corpus, talk("a", "so the hull thing", "there is more"))
    assert await captioned_words(database, corpus, once) == {}
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "a")
    assert await captioned_words(database, corpus, once) == {}
    await corpora.delete(database, corpus)
    assert await captioned_words(database, corpus, once) == {}


async def test_a_line_over_several_windows_is_told_in_all_of_them(database: Database) -> None:
    long = " ".join(f"this is sentence {word} of the hole talk." for word in "abcdefghijklmn")
    corpus = await corpus_with(database, one_line(long, 120.0))
    report = await clean_pending(database, corpus, mending(("a of the hole", "a of the whole")))
    assert report.changed == 1
    now = await shown(database, corpus, "a")
    assert len(now) > 1
    told = await captioned_words(database, corpus, now)
    assert told
    assert " ".join(told.get(name, text) for name, text in now.items()) == long


async def test_a_chunk_that_only_the_mended_words_make_has_none_as_captioned(database: Database) -> None:
    heard = "we moved the hole kiln to the barn and then it rained for a week"
    # Without a full stop it is one sentence of 60 seconds, which begins in the first window.
    corpus = await corpus_with(database, one_line(heard, 60.0))
    await clean_pending(database, corpus, mending(("hole", "whole"), ("barn and", "barn. And")))
    now = await shown(database, corpus, "a")
    assert now == {"a:00000": "we moved the whole kiln to the barn.", "a:00030": "And then it rained for a week"}
    assert await captioned_words(database, corpus, now) == {"a:00000": heard}
