"""A feed that lists its newest episodes only, and one that gains a transcript later."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.request import OriginChoices
from answertrail.store import corpora, documents
from tests.corpus.feed import serving

pytestmark = pytest.mark.asyncio

_ITEM = re.compile(r"<item>.*?</item>\n?", re.DOTALL)


@pytest.fixture
def feed(tmp_path):
    with serving(tmp_path, episodes=6) as found:
        yield found


@pytest_asyncio.fixture
async def take(database, feed):
    async def take(**more):
        fetching = OriginChoices(pace_s=0)
        request = IngestRequest("hour", [], embedder="fast", origins=[feed.url], fetching=fetching, **more)
        return await ingest(database, request)

    return take


async def test_no_episode_of_a_feed_is_pruned_and_one_taken_out_is_no_longer_listed(database, take, tmp_path):
    assert (await take()).added == 4
    page = tmp_path / "feed.xml"
    oldest, second, *rest = _ITEM.findall(page.read_text())
    page.write_text(page.read_text().replace(oldest, "").replace(second, ""))
    report = await take(prune=True)
    assert (report.gone, report.removed) == ([], 0)
    assert len(await documents.document_ids(database, await corpora.get(database, "hour"))) == 4
    # One that lies between those that are listed was taken out: that is told, and its document stays.
    page.write_text(page.read_text().replace(rest[1], ""))
    report = await take(prune=True)
    assert (report.gone, report.removed) == ([], 0)
    assert report.origins[0]["gone"] == ["pottery-3"]
    assert len(await documents.document_ids(database, await corpora.get(database, "hour"))) == 4


async def test_a_transcript_that_appears_later_is_fetched_at_once(take, tmp_path):
    first = await take()
    assert [item.reason.split(" (")[0] for item in first.skipped] == ["the feed names no transcript for it"]
    (tmp_path / "late.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:20.000\nAt last the words of episode five.\n")
    page = tmp_path / "feed.xml"
    last = _ITEM.findall(page.read_text())[-1]
    link = '<podcast:transcript url="late.vtt" type="text/vtt"/></item>'
    page.write_text(page.read_text().replace(last, last.replace("</item>", link)))
    assert (await take()).added == 1
