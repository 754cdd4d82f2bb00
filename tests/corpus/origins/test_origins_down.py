"""Several origins in one ingest: one that is down stops no other, and one refusal speaks for its whole service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from answertrail.corpus import fetching
from answertrail.corpus.fetching import fetch_all, titles
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.origins.base import Blocked
from answertrail.corpus.origins.services import service_of
from answertrail.corpus.origins.stage import fetch_pending, list_origin
from answertrail.corpus.report import IngestReport, Silent
from answertrail.corpus.request import OriginChoices
from answertrail.errors import ServiceError
from answertrail.models.chat.failures import EndpointError
from answertrail.store import claims, corpora, documents
from answertrail.store import origins as rows
from tests.corpus.origins.test_origins_stage import Shelf, ready
from tests.store.samples import corpus_of

pytestmark = pytest.mark.asyncio


class Down(Shelf):
    """A shelf whose listing breaks off after so many items."""

    def __init__(self, *ids: str, key: str, error: Exception, after: int = 0) -> None:
        super().__init__(*ids, key=key)
        self.error, self.after, self.listings = error, after, 0

    async def items(self):
        self.listings += 1
        for item in self.listed[: self.after]:
            yield item
        raise self.error


class Counted(Shelf):
    """A shelf that counts its listings."""

    listings = 0

    async def items(self):
        self.listings += 1
        for item in self.listed:
            yield item


async def run(database, corpus, *given, **choices):
    report = IngestReport(corpus=corpus.name)
    await fetch_all(database, corpus, given, OriginChoices(pace_s=0, **choices), "w", report, Silent())
    return report


def refused(*shelves, hours: float = 6):
    """Have every fetch from these refused."""
    for shelf in shelves:
        for item in shelf.listed:
            shelf.outcomes[item.id] = Blocked(
                f"HTTP 429 at {item.id}", resume_at=datetime.now(UTC) + timedelta(hours=hours)
            )


async def test_one_that_is_down_stops_no_other(database):
    one = Down("a", key="rss:https://a.example/feed", error=ServiceError("HTTP 503", where="https://a.example/feed"))
    two = Shelf("p", key="rss:https://b.example/feed")
    corpus = await corpus_of(database)
    report = await run(database, corpus, one, two)
    assert (report.added, two.asked, one.asked) == (1, ["p"], [])
    (failed,) = report.failed
    assert (failed.source, failed.reason) == (
        "rss:https://a.example/feed",
        "HTTP 503; what it gave before stays; run the same command again later",
    )
    assert report.stopped == []
    first, second = report.origins
    assert (first["origin"], first["listed"], first["stopped"]) == (one.key, None, failed.reason)
    assert (second["listed"], second["stopped"]) == (1, None)
    (error,) = report.as_json()["errors"]
    assert error == {
        "origin": one.key,
        "kind": "service",
        "message": "HTTP 503",
        "where": "https://a.example/feed",
    }


async def test_one_that_is_down_keeps_what_it_gave_and_nothing_of_it_is_gone(database):
    one = Shelf("a", "b", key="youtube:playlist/A")
    corpus = await ready(database, one)
    await run(database, corpus, one)
    down = Down("a", "b", key=one.key, error=ServiceError("HTTP 503"), after=1)
    report = await run(database, corpus, down)
    assert (report.gone, len(report.failed)) == ([], 1)
    assert await documents.document_ids(database, corpus) == ["a", "b"]
    assert [item.gone_at for item in await rows.items(database, corpus, one.key)] == [None, None]


async def test_a_database_that_fails_is_no_fault_of_an_origin(database):
    one = Down("a", key="rss:https://a.example/feed", error=ServiceError("it failed", where=database.where))
    corpus = await corpus_of(database)
    with pytest.raises(ServiceError, match="it failed"):
        await run(database, corpus, one, Shelf("p"))


async def test_a_sample_of_titles_goes_round_one_that_breaks_off():
    one = Down("a", "b", key="rss:https://a.example/feed", error=ServiceError("HTTP 503"), after=1)
    assert await titles([one, Shelf("p")]) == (["About a. ", "About p. "], one.error)


async def test_a_corpus_is_not_made_by_a_sample_of_no_words(database, settings, monkeypatch, tmp_path):
    feed = Down("a", key="rss:https://a.example/feed", error=ServiceError("HTTP 503"))
    feed.close = lambda: None
    monkeypatch.setattr(fetching, "origin_of", lambda *_: feed)
    for paths in ([], [tmp_path]):
        with pytest.raises(ServiceError, match="HTTP 503"):
            await ingest(database, IngestRequest("ko", paths, origins=["https://a.example/feed"]), settings=settings)
        assert await corpora.list_all(database) == ()
        (tmp_path / "empty.txt").write_text("")
    (tmp_path / "talk.txt").write_text("The kiln was moved to the barn.")
    request = IngestRequest("en", [tmp_path], origins=["https://a.example/feed"])
    report = await ingest(database, request, settings=settings)
    assert (report.added, list(report.errors)) == (1, [feed.key])


async def test_a_refusal_speaks_for_all_of_the_service_and_for_no_other(database):
    lists = [Counted(f"a{n}", f"b{n}", key=f"youtube:playlist/P{n}") for n in range(3)]
    feed = Shelf("f", key="rss:https://a.example/feed")
    corpus = await ready(database, lists[0])
    refused(*lists)
    before = [one.listings for one in lists]
    report = await run(database, corpus, *lists, feed)
    assert [one.asked for one in lists] == [["b0"], [], []]
    assert [one.listings - earlier for one, earlier in zip(lists, before, strict=True)] == [1, 0, 0]
    assert (report.added, feed.asked) == (1, ["f"])
    assert [line.split(":")[1] for line in report.stopped] == ["playlist/P0", "playlist/P1", "playlist/P2"]
    assert all("HTTP 429 at b0" in line for line in report.stopped)
    assert [item.source for item in report.failed] == ["youtube:playlist/P0#b0"]  # one item is marked, not three
    resume = (await rows.item(database, corpus, lists[0].key, "b0")).retry_at
    assert report.resume_at == resume
    assert [one["resume_at"] for one in report.origins[:3]] == [resume.isoformat(timespec="seconds")] * 3

    # A later run knows it from the rows, also when the one that was refused is not in it.
    later = await run(database, corpus, lists[1], lists[2])
    assert (lists[1].asked, lists[2].asked, later.resume_at) == ([], [], resume)
    # Looked at again all the same, one refusal is enough.
    await run(database, corpus, *lists, recheck=["blocked"])
    assert sum(len(one.asked) for one in lists) == 2
    for one in lists:
        one.outcomes.clear()
    done = await run(database, corpus, *lists, recheck=["blocked"])
    assert (done.added, done.stopped) == (6, [])


@pytest.mark.parametrize("again", [False, True], ids=["before this run", "in it"])
async def test_a_refusal_counts_after_a_wait_for_others_when_it_was_met_in_this_run(database, monkeypatch, again):
    one, two = Shelf("a", "b", key="youtube:playlist/A"), Shelf("c", key="youtube:playlist/B")
    corpus = await ready(database, two)
    refused(two)
    await run(database, corpus, two)
    assert await claims.claim(database, corpus, "fetch", ["a"], "another") == ["a"]

    async def a_pass(*given, **options):
        report = await fetch_pending(*given, **options)
        if report.held:
            await claims.give_back(database, corpus, "fetch", ["a"], "another")
            if again:
                await run(database, corpus, two, recheck=["blocked"])
        return report

    monkeypatch.setattr(fetching, "fetch_pending", a_pass)
    monkeypatch.setattr(fetching, "_WAIT_S", 0)
    report = await run(database, corpus, one, recheck=["blocked"])
    assert (one.asked, len(report.stopped)) == ((["b"], 1) if again else (["b", "a"], 0))


async def test_a_refusal_that_is_over_holds_nobody_back(database):
    one, two = Shelf("a", key="youtube:playlist/A"), Shelf("b", key="youtube:playlist/B")
    corpus = await ready(database, one)
    refused(one, hours=-1)
    report = await run(database, corpus, one, two)
    assert (report.added, two.asked) == (1, ["b"])


async def test_fetching_another_origin_of_the_service_stays_away_too(database, pace, clock):
    one, two = Shelf("a", key="youtube:playlist/A"), Shelf("b", key="youtube:playlist/B")
    corpus = await ready(database, one)
    await list_origin(database, corpus, two)
    one.outcomes["a"] = Blocked("HTTP 429", resume_at=clock.now + timedelta(hours=6))
    await fetch_pending(database, corpus, one, "w", pace=pace)
    report = await fetch_pending(database, corpus, two, "w", pace=pace)
    assert (two.asked, report.stopped, report.left) == ([], "HTTP 429", 1)
    assert report.resume_at == clock.now + timedelta(hours=6)


async def test_a_host_that_refuses_a_listing_is_not_asked_for_its_other_feeds(database):
    error = EndpointError("HTTP 429: Too Many Requests", reason="rate", where="https://a.example/1")
    one = Down(key="rss:https://a.example/1", error=error)
    same, other = Counted("s", key="rss:https://a.example/2"), Counted("o", key="rss:https://b.example/1")
    corpus = await corpus_of(database)
    report = await run(database, corpus, one, same, other)
    assert (one.listings, same.listings, other.listings) == (1, 0, 1)
    assert list(report.errors) == [one.key, same.key]
    assert [error["where"] for error in report.as_json()["errors"]] == ["https://a.example/1", same.key]
    assert report.added == 1


@pytest.mark.parametrize(
    ("key", "service"),
    [
        ("youtube:channel/UC1", "youtube:"),
        ("youtube:video/x", "youtube:"),
        ("rss:https://a.example:8080/feed/1?x=/y", "rss:a.example:8080"),
        ("rss:http://a.example/", "rss:a.example"),
        ("rss:file:///home/ann/feed.xml", "rss:file:///home/ann/feed.xml"),
        ("council:minutes", "council:minutes"),
    ],
)
async def test_whom_an_origin_asks(key, service):
    assert service_of(key) == service
