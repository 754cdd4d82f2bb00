"""Podcast feeds that are cut off, badly written, or list two episodes under one guid."""

from __future__ import annotations

from pathlib import Path

import pytest

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.origins.base import Listed
from answertrail.corpus.origins.rss import RssOptions, RssOrigin
from answertrail.corpus.origins.rss.feed import parse_feed
from answertrail.corpus.origins.rss.markup import NotWhole
from answertrail.corpus.request import OriginChoices
from answertrail.errors import InputError, ServiceError
from answertrail.store import corpora, origins
from tests.corpus.feed import serving

pytestmark = pytest.mark.asyncio

HEAD = '<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Clay</title>'
END = "</channel></rss>"


def item(guid: str, title: str = "Firing", audio: str = "https://c.example/1.mp3", transcript: str = "") -> str:
    link = f'<podcast:transcript url="{transcript}" type="text/vtt"/>' if transcript else ""
    return f'<item><title>{title}</title><guid>{guid}</guid><enclosure url="{audio}"/>{link}</item>'


def saved(folder: Path, text: str | bytes) -> RssOrigin:
    path = folder / "feed.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return RssOrigin(path)


async def listed(origin: RssOrigin) -> list[Listed]:
    return [one async for one in origin.items()]


WHOLE = HEAD + "".join(item(f"episode-{n:04}") for n in range(3)) + END


@pytest.mark.parametrize(
    "left", [len(WHOLE) - 1 - len("</rss"), len(WHOLE) - len(END), len(WHOLE) - 40, 200, len(HEAD)]
)
async def test_a_feed_that_is_cut_off_is_no_listing(tmp_path, left):
    whole = WHOLE[:left].count("</item>")
    with pytest.raises(ServiceError, match=rf"the feed breaks off after {whole} item") as caught:
        await listed(saved(tmp_path, WHOLE[:left]))
    assert "nothing was changed" in str(caught.value.hint)
    with pytest.raises(ServiceError, match="the feed breaks off"):
        await saved(tmp_path, WHOLE[:left]).resolve()


async def test_wherever_a_feed_is_cut_it_never_lists_fewer_items(tmp_path):
    text = WHOLE.replace("Firing", "Q & A &nbsp;")
    start, end = text.index("<channel>"), text.index("</rss")
    for left in range(start, end):
        with pytest.raises(NotWhole):
            parse_feed(text[:left].encode(), base="http://a.example", salt="s")
    assert len(parse_feed(text.encode(), base="http://a.example", salt="s").items) == 3


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
async def test_more_faults_than_the_parser_tells_do_not_hide_the_end(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>{HEAD}' + item("episode-0001", "Q & A " * 200)
    with pytest.raises(ServiceError, match="the feed breaks off after 1 item"):
        await listed(saved(tmp_path, text.encode(encoding)))
    origin = saved(tmp_path, (text + END).encode(encoding))
    assert [one.id for one in await listed(origin)] == ["episode-0001"]
    assert "100 faults or more" in origin.notes[0]


@pytest.mark.parametrize("hiding", ["<![CDATA[", "<!-- "])
async def test_a_fault_that_hides_the_items_after_it_is_no_listing(tmp_path, hiding):
    text = HEAD + item("episode-0001") + item("episode-0002", hiding) + item("episode-0003") + END
    with pytest.raises(ServiceError, match="the feed breaks off after"):
        await listed(saved(tmp_path, text))


@pytest.mark.parametrize("fault", ["a <br> b", "a </b> b", '<a href="x>', "</item>"])
async def test_tags_that_do_not_match_make_no_listing(tmp_path, fault):
    text = HEAD + item("episode-0001") + "\n" + item("episode-0002", fault) + item("episode-0003") + END
    with pytest.raises(ServiceError, match=r"the feed has tags that do not match \(line 2: "):
        await listed(saved(tmp_path, text))


@pytest.mark.parametrize("fault", ["Q & A", "a&nbsp;b", "a < b", "a \x08 b", "a \x00 b"])
async def test_small_faults_are_read_past_and_told(tmp_path, fault):
    text = HEAD + item("episode-0001", fault).replace("title>", "description>") + item("episode-0002") + END
    origin = saved(tmp_path, text)
    assert [one.id for one in await listed(origin)] == ["episode-0001", "episode-0002"]
    assert len(origin.notes) == 1
    assert "not well-formed XML" in origin.notes[0]
    assert "line 1: " in origin.notes[0]


@pytest.mark.parametrize("after", ["<!-- cached -->", "\n\n", "<b>Warning</b>: in line 3"])
async def test_what_follows_the_end_of_a_feed_does_not_break_it(tmp_path, after):
    assert len(await listed(saved(tmp_path, WHOLE + after))) == 3


async def test_a_later_page_that_is_cut_off_is_told_as_such(tmp_path):
    (tmp_path / "2.xml").write_text(WHOLE[:-30])
    link = '<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="next" href="2.xml"/>'
    with pytest.raises(ServiceError, match="a page of the feed breaks off after 2 items"):
        await listed(saved(tmp_path, HEAD + link + item("episode-0009") + END))


async def test_a_cut_feed_changes_nothing_that_was_listed_before(database, tmp_path):
    with serving(tmp_path, episodes=5) as feed:
        request = IngestRequest("hour", [], embedder="fast", origins=[feed.url], fetching=OriginChoices(pace_s=0))
        assert (await ingest(database, request)).added == 3
        page = tmp_path / "feed.xml"
        text = page.read_text()
        # The newest of them is out, and the oldest still there.
        page.write_text(text[: text.index("<guid>pottery-2")])
        with pytest.raises(ServiceError, match="the feed breaks off after 2 items"):
            await ingest(database, request)
        corpus = await corpora.get(database, "hour")
        known = await origins.items(database, corpus, f"rss:{feed.url}")
        assert [one.gone_at for one in known] == [None] * 5


async def test_episodes_that_share_a_guid_are_each_listed(tmp_path):
    one, two, three = item("episode-0001"), item("episode-0001", "Glazing"), item(" episode-0001 ", audio="/3.mp3")
    origin = saved(tmp_path, HEAD + one + two + one + three + two + item("episode-0002") + END)
    found = await listed(origin)
    assert [(found_one.title, found_one.meta["guid"]) for found_one in found] == [
        ("Firing", "episode-0001"),
        ("Glazing", "episode-0001"),
        ("Firing", "episode-0001"),
        ("Firing", "episode-0002"),
    ]
    ids = [found_one.id for found_one in found]
    assert len(set(ids)) == 4
    assert (ids[0], ids[3]) == ("episode-0001", "episode-0002")
    assert all(made.startswith("episode-0001-") and len(made) == 21 for made in ids[1:3])
    assert origin.notes == (f"2 items have the guid of another episode, and got ids of their own: {ids[1]}, {ids[2]}",)
    # Others that come and go leave these their ids.
    again = await listed(saved(tmp_path, HEAD + item("episode-0001", "New") + three + two + END))
    assert [found_one.id for found_one in again] == ["episode-0001", ids[2], ids[1]]


async def test_items_with_one_guid_and_other_transcripts_are_two_and_signatures_do_not_rename(tmp_path):
    first = item("episode-0001", transcript="https://c.example/1.vtt")
    other = item("episode-0001", transcript="https://c.example/2.vtt")
    assert len(await listed(saved(tmp_path, HEAD + first + other + first + END))) == 2

    async def renamed(signature: str) -> str:
        signed = item("episode-0001", "Glazing", f"https://c.example/2.mp3?token={signature}")
        return (await listed(saved(tmp_path, HEAD + first + signed + END)))[1].id

    assert await renamed("a") == await renamed("b")


async def test_items_that_share_a_guid_on_two_pages_are_told_apart_too(tmp_path):
    (tmp_path / "2.xml").write_text(HEAD + item("episode-0001") + item("episode-0001", "Glazing") + END)
    link = '<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="next" href="2.xml"/>'
    found = await listed(saved(tmp_path, HEAD + link + item("episode-0001") + END))
    assert [one.title for one in found] == ["Firing", "Glazing"]


@pytest.mark.parametrize(("pages", "noted"), [(500, 0), (501, 1)])
async def test_a_feed_of_more_pages_than_are_read_says_so(tmp_path, pages, noted):
    for page in range(pages):
        more = f'<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="next" href="{page + 1}.xml"/>'
        text = HEAD + (more if page < pages - 1 else "") + item(f"episode-{page:04}") + END
        (tmp_path / f"{page}.xml").write_text(text)
    origin = RssOrigin(tmp_path / "0.xml")
    assert len(await listed(origin)) == 500
    assert origin.notes == ("the feed has more than 500 pages; what is on the others is not listed",) * noted


async def test_items_without_any_name_are_counted(tmp_path):
    origin = saved(tmp_path, HEAD + "<item><title>x</title></item>" + item("episode-0001") + END)
    assert len(await listed(origin)) == 1
    assert origin.notes == ("left out: 1 without a guid, a recording or a page",)


@pytest.mark.parametrize("code", ["xx-invalid", "", "english please"])
async def test_what_is_no_language_code_is_refused(code):
    with pytest.raises(InputError, match="is no language code"):
        RssOrigin("https://clay.example/feed", RssOptions(languages=["ko", code]))


async def test_a_feed_that_defines_entities_is_refused_with_what_to_do(tmp_path):
    bomb = '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>' + HEAD.replace("Clay", "&b;") + END
    with pytest.raises(InputError, match="it defines entities") as caught:
        await saved(tmp_path, bomb).resolve()
    assert "never expanded" in str(caught.value.hint)
    plain = '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://a.example/rss.dtd">' + WHOLE
    assert len(await listed(saved(tmp_path, plain))) == 3


async def test_a_feed_without_episodes_says_so(tmp_path):
    origin = saved(tmp_path, HEAD + END)
    assert await listed(origin) == []
    assert origin.notes == ("the feed lists no episodes",)
