"""The stage over a real database: what it cleans, what it keeps, and what it leaves alone."""

from __future__ import annotations

import pytest

from answertrail.corpus.cleaning import CleaningSettings, clean_pending
from answertrail.corpus.cleaning.glossary import Term, glossary_of
from answertrail.records import Document
from answertrail.store import Database, cleaning, corpora, sources
from tests.corpus.cleaning.worlds import (
    SLIPS,
    corpus_with,
    data_of,
    mending,
    put,
    raw,
    talk,
    texts,
)

pytestmark = pytest.mark.asyncio


async def test_only_automatic_captions_are_cleaned_and_the_raw_words_stay(database: Database) -> None:
    auto = talk("a", "so the hole thing", "we left", "their is more", description="on things")
    note = Document(id="n", title="Note", text="The hole note.")
    corpus = await corpus_with(
        database,
        auto,
        talk("h", "the hole human", captions="human"),
        talk("t", "the hole translation", captions="translated"),
        talk("u", "the hole unknown", captions=None),
        note,
    )
    before = await corpora.snapshot(database, corpus)
    items = await sources.source_items(database, corpus)
    author = mending(*SLIPS)
    report = await clean_pending(database, corpus, author)
    assert await texts(database, corpus, "a") == ["so the whole thing", "we left", "there is more"]
    assert (await raw(database, corpus, "a")).as_json() == auto.as_json()
    for other, text in (("h", "the hole human"), ("t", "the hole translation"), ("u", "the hole unknown")):
        assert await texts(database, corpus, other) == [text]
        assert await cleaning.get(database, corpus, other) is None
    assert (report.documents, report.lines, report.changed, report.refused) == (1, 3, 2, 0)
    assert report.as_json()["left_alone"] == {"human": 1, "translated": 1, "unknown": 1}
    done = await cleaning.get(database, corpus, "a")
    assert done is not None
    assert (done.lines, done.changed, done.refused, done.unanswered) == (3, 2, 0, 0)
    assert (done.stamp.model, done.stamp.prompt_version) == ("scripted:mender", "1")
    edits = await cleaning.edits(database, corpus, "a")
    assert [(e.start_s, e.before, e.after, e.kept, e.reason) for e in edits] == [
        (0.0, "so the hole thing", "so the whole thing", True, "1 of 4 words"),
        (60.0, "their is more", "there is more", True, "1 of 3 words"),
    ]
    assert await corpora.snapshot(database, corpus) != before
    # What says where the document is from, and that its file was read, is as it was.
    assert await sources.source_items(database, corpus) == items
    data = data_of(author.requests[0])
    assert (data["title"], data["description"]) == ("About a", "on things")


async def test_what_is_clean_is_not_asked_again_and_unknown_captions_only_on_request(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole"), talk("u", "the hole", captions=None))
    author = mending(*SLIPS)
    await clean_pending(database, corpus, author)
    again = await clean_pending(database, corpus, author)
    assert (again.documents, again.already, again.spent.calls, len(author.requests)) == (0, 1, 0, 1)
    assert again.in_words() == ["nothing left to clean with scripted:mender; 1 document clean before"]
    wider = await clean_pending(database, corpus, author, settings=CleaningSettings(unlabelled=True))
    assert (wider.documents, wider.already) == (1, 1)
    assert await texts(database, corpus, "u") == ["the whole"]


async def test_without_a_model_nothing_is_done_and_the_report_says_so(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole"), talk("b", "the hole"))
    report = await clean_pending(database, corpus, None)
    assert report.in_words() == [
        "cleaning skipped: no model is named for it; 2 documents stay with automatic captions as they are"
    ]
    assert report.as_json()["skipped"]
    assert report.as_json()["pending"] == 2
    assert await texts(database, corpus, "a") == ["the hole"]
    # What was cleaned once is not counted, and stays so.
    await clean_pending(database, corpus, mending(*SLIPS))
    await put(database, corpus, talk("b", "the hole again"))
    assert (await clean_pending(database, corpus, None)).pending == 1
    assert await texts(database, corpus, "a") == ["the whole"]


async def test_another_model_prompt_or_glossary_starts_from_the_raw_words(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "so the hole thing", "cube net ease is fine", "their is more"))
    await clean_pending(database, corpus, mending(*SLIPS))
    assert await texts(database, corpus, "a") == ["so the whole thing", "cube net ease is fine", "there is more"]
    other = mending(("hole", "hall"), name="scripted:other")
    await clean_pending(database, corpus, other)
    assert [line["text"] for line in data_of(other.requests[0])["lines"]] == [
        "so the hole thing", "cube net ease is fine", "their is more",
    ]  # fmt: skip
    assert await texts(database, corpus, "a") == ["so the hall thing", "cube net ease is fine", "their is more"]
    glossary = glossary_of([("g:1", Term("cube net ease", "Kubernetes"))])
    author = mending(("cube net ease", "Kubernetes"), name="scripted:other")
    await clean_pending(database, corpus, author, glossary)
    assert await texts(database, corpus, "a") == ["so the hole thing", "Kubernetes is fine", "their is more"]
    edits = await cleaning.edits(database, corpus, "a")
    assert [(e.ordinal, e.reason) for e in edits] == [(1, "glossary: cube net ease -> Kubernetes")]
    assert data_of(author.requests[0])["glossary"] == [{"heard": "cube net ease", "written": "Kubernetes"}]


async def test_a_new_glossary_pays_only_for_the_batches_that_say_its_terms(database: Database) -> None:
    lines = [f"line {n} of the hole thing" for n in range(60)]
    lines[30] = "cube net ease is fine"
    corpus = await corpus_with(database, talk("a", *lines))
    author = mending(*SLIPS, ("cube net ease", "Kubernetes"))
    first = await clean_pending(database, corpus, author)
    assert (first.spent.calls, first.refused, first.changed) == (3, 1, 59)
    second = await clean_pending(database, corpus, author, glossary_of([("g", Term("cube net ease", "Kubernetes"))]))
    assert (second.spent.calls, second.remembered, second.refused, second.changed) == (1, 2, 0, 60)
    assert "2 of 3 batches were paid for before" in second.in_words()[1]


async def test_back_to_raw_when_the_new_model_changes_nothing(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole"))
    before = await corpora.snapshot(database, corpus)
    await clean_pending(database, corpus, mending(*SLIPS))
    await clean_pending(database, corpus, mending(name="scripted:idle"))
    assert await texts(database, corpus, "a") == ["the hole"]
    assert await corpora.snapshot(database, corpus) == before
    assert await cleaning.edits(database, corpus, "a") == ()


async def test_ingesting_the_same_again_keeps_the_cleaning_and_other_words_end_it(database: Database) -> None:
    document = talk("a", "so the hole thing", "we left")
    corpus = await corpus_with(database, document)
    author = mending(*SLIPS)
    await clean_pending(database, corpus, author)
    revision = await corpora.revision(database, corpus)
    assert await put(database, corpus, document) == "unchanged"
    assert await corpora.revision(database, corpus) == revision
    assert await texts(database, corpus, "a") == ["so the whole thing", "we left"]
    assert await put(database, corpus, talk("a", "so the hole thing", "we stayed")) == "changed"
    assert await texts(database, corpus, "a") == ["so the hole thing", "we stayed"]
    assert await cleaning.get(database, corpus, "a") is None
    report = await clean_pending(database, corpus, author)
    assert (report.documents, await texts(database, corpus, "a")) == (1, ["so the whole thing", "we stayed"])
    # Back as it was: the reply to it was paid for once.
    assert await put(database, corpus, document) == "changed"
    report = await clean_pending(database, corpus, author)
    assert (report.spent.calls, report.remembered) == (0, 1)
    assert await texts(database, corpus, "a") == ["so the whole thing", "we left"]


async def test_contexts_follow_the_mended_words(database: Database) -> None:
    corpus = await corpus_with(database, talk("a", "the hole thing.", "and more"))
    await clean_pending(database, corpus, mending(*SLIPS))
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT context FROM chunks ORDER BY ordinal")
        assert await cursor.fetchall() == [(None,), ("the whole thing.",)]
