"""What was repaired in reading can be seen after the ingest too: `status`, `status --items`, `corpus show`."""

from __future__ import annotations

import pytest

from tests.cli.test_ingest_origins import INGEST, channel  # noqa: F401 - a fixture
from tests.corpus.origins.youtube_fixtures import youtube  # noqa: F401 - a fixture
from tests.corpus.origins.youtube_server import Captions, Video, spoken, video_id

UNORDERED = """WEBVTT

00:31.000 --> 00:37.000
So in January we moved the kiln to the barn.

00:01.000 --> 00:06.000
Welcome back to the pottery channel, part {}.
"""
SORTED = "1 cues out of order were sorted by start (line 6)"
UNREAD = "front matter is not valid YAML, read field by field: title (mapping values are not allowed here)"


@pytest.fixture
def repaired(cli, kiln):
    """The kiln folder with three sources that needed a repair, and one that cannot be read."""
    for part in (1, 2):
        (kiln / f"part{part}.vtt").write_text(UNORDERED.format(part))
    (kiln / "plan.md").write_text("---\ntitle: Kilns: a guide\n---\nWe bought the kiln in 2019 from a school.\n")
    (kiln / "bad.vtt").write_text("no captions at all")
    return cli("ingest", kiln, "--corpus", "kiln", "--embedder", "fast")


def test_the_notes_of_every_document_are_listed(cli, repaired, kiln):
    listed = cli("status", "--items", "--json").json
    assert listed["noted"] == 3
    assert {item["item"]: item["notes"] for item in listed["items"]} == {
        "20250110_ep1": [],
        "20250620_ep2": [],
        "part1": [SORTED],
        "part2": [SORTED],
        "plan": [UNREAD],
        str(kiln / "bad.vtt"): [],
    }
    shown = cli("status", "--items").out
    assert f"embedded part1  Part1\n      noted  {SORTED}\n" in shown
    assert f"embedded plan  Kilns: a guide\n      noted  {UNREAD}\n" in shown
    assert shown.count("noted") == 3


def test_ingest_and_status_say_where_the_notes_are(cli, repaired, kiln):
    assert "3 sources (`answertrail status --items` has all notes); part1.vtt: " in repaired.out
    assert "3 documents have notes on what was guessed or repaired; --items lists them" in cli("status").out
    (kiln / "part1.vtt").unlink()
    (kiln / "plan.md").unlink()
    cli("ingest", kiln, "--corpus", "kiln", "--prune")
    assert "1 document has notes" in cli("status").out


def test_a_document_shows_its_notes(cli, repaired):
    assert cli("corpus", "show", "plan", "--json").json["notes"] == [UNREAD]
    assert cli("corpus", "show", "20250110_ep1", "--json").json["notes"] == []


def test_a_repaired_source_has_no_note_any_more(cli, repaired, kiln):
    (kiln / "plan.md").write_text("---\ntitle: Kilns, a guide\n---\nWe bought the kiln in 2019 from a school.\n")
    cli("ingest", kiln, "--corpus", "kiln")
    assert cli("status", "--json").json["noted"] == 2
    assert cli("corpus", "show", "plan", "--json").json["notes"] == []


def test_a_corpus_without_notes_says_nothing_of_them(cli, ingested):
    assert cli("status", "--json").json["noted"] == 0
    assert "noted" not in cli("status").out


def test_the_items_of_a_channel_have_their_notes(cli, channel):  # noqa: F811
    channel.videos.clear()
    channel.uploads.clear()
    channel.add(Video(video_id(0), duration="PT4M", captions=[Captions("en", spoken(250), "asr")]), Video(video_id(1)))
    cli("ingest", "@talks", *INGEST)
    items = cli("status", "--corpus", "talks", "--items", "--json").json["items"]
    assert {item["item"]: item["notes"] for item in items} == {
        video_id(0): ["the times run 5.0 s past the stated length; it is extended"],
        video_id(1): [],
    }
