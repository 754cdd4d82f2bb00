"""`answertrail ingest CHANNEL` and `ingest FEED`, as a user types them, against servers of this machine."""

from __future__ import annotations

import pytest

from tests.corpus.feed import serving
from tests.corpus.origins.youtube_fixtures import youtube  # noqa: F401 - a fixture
from tests.corpus.origins.youtube_server import KEY, Reply, Video, video_id

INGEST = ("--corpus", "talks", "--embedder", "fast", "--pace", "0")


@pytest.fixture
def channel(youtube, monkeypatch):  # noqa: F811
    monkeypatch.setenv("YOUTUBE_API_KEY", KEY)
    monkeypatch.setenv("ANSWERTRAIL_YOUTUBE_API", f"{youtube.url}/youtube/v3")
    monkeypatch.setenv("ANSWERTRAIL_YOUTUBE_SITE", youtube.url)
    youtube.add(*(Video(video_id(n), title=f"Caches, part {n}") for n in range(4)))
    youtube.add(Video(video_id(4), title="A short", duration="PT2M"), Video(video_id(5), title="Silent", captions=[]))
    return youtube


def test_a_channel_becomes_a_corpus_that_can_be_searched(cli, channel):
    done = cli("ingest", "@talks", *INGEST, "--json")
    assert done.code == 0, done.err
    report = done.json
    assert (report["added"], report["failed"]) == (4, [])
    reasons = {item["source"].split("#")[1]: item["reason"] for item in report["skipped"]}
    assert set(reasons) == {video_id(4), video_id(5)}
    assert "180 s" in reasons[video_id(4)]
    assert "looked at again from" in reasons[video_id(5)]
    assert report["origins"][0]["listed"] == 6
    hit = cli("search", "how the cache keeps the last rows", "--corpus", "talks", "--json").json["hits"][0]
    assert hit["url"].startswith("https://www.youtube.com/watch?v=vid-")
    assert hit["published_at"].startswith("2024-03-01T10:00:00")
    status = cli("status", "--corpus", "talks", "--json").json
    assert status["documents"] == {"embedded": 4, "chunked": 0, "failed": 0, "skipped": 2, "pending": 0}
    (origin,) = status["origins"]
    assert origin["states"] == {"pending": 0, "fetched": 4, "skipped": 2, "failed": 0, "gone": 0}
    assert "no_captions_yet" in {item["kind"] for item in origin["withheld"]}
    shown = cli("status", "--corpus", "talks").out
    assert "youtube:channel/UC" in shown
    assert "4 fetched (4 embedded), 2 skipped" in shown


def test_ingesting_a_channel_again_fetches_what_is_new_and_prunes_what_is_gone_when_asked(cli, channel):
    cli("ingest", "@talks", *INGEST)
    del channel.videos[video_id(0)]
    channel.uploads.remove(video_id(0))
    channel.add(Video(video_id(9), title="New"))
    channel.asked.clear()
    again = cli("ingest", "https://www.youtube.com/@talks", *INGEST, "--json")
    assert again.code == 0, again.err
    report = again.json
    assert (report["added"], report["removed"]) == (1, 0)
    assert [item["document_id"] for item in report["gone"]] == [video_id(0)]
    assert [path for path in channel.asked if "timedtext" in path and video_id(1) in path] == []
    assert cli("ingest", "@talks", *INGEST, "--prune", "--json").json["removed"] == 1
    assert cli("corpus", "show", video_id(0), "--corpus", "talks", "--json").code == 2


def test_a_block_ends_the_batch_says_when_to_go_on_and_keeps_what_was_fetched(cli, channel):
    assert cli("ingest", "@talks", *INGEST, "--limit", "2", "--json").json["added"] == 2
    channel.faults["/api/timedtext"] = [Reply(429, "slow down", headers={"Retry-After": "7200"})]
    blocked = cli("ingest", "@talks", *INGEST, "--json")
    assert blocked.code == 1
    assert blocked.json["added"] == 0
    assert cli("status", "--corpus", "talks", "--json").json["documents"]["embedded"] == 2
    assert blocked.json["resume_at"]
    assert "run the same command again from" in blocked.err
    channel.faults.clear()
    # Nothing is asked before that time, unless told to.
    channel.asked.clear()
    early = cli("ingest", "@talks", *INGEST, "--json")
    assert (early.code, early.json["added"]) == (1, 0)
    assert early.json["resume_at"] == blocked.json["resume_at"]
    assert [path for path in channel.asked if "/watch" in path or "timedtext" in path] == []
    assert cli("ingest", "@talks", *INGEST, "--recheck", "blocked", "--json").json["added"] == 2


def test_without_a_key_the_error_says_how_to_get_one(cli, channel, monkeypatch):
    monkeypatch.delenv("YOUTUBE_API_KEY")
    refused = cli("ingest", "@talks", *INGEST, "--json")
    assert refused.code == 3
    assert "YOUTUBE_API_KEY" in refused.json["error"]["hint"]
    assert cli("status", "--corpus", "talks", "--json").code == 2  # nothing was half made


def test_a_file_on_disk_is_a_file_whatever_its_name_looks_like(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "dQw4w9WgXcQ"
    folder.mkdir()
    (folder / "a.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:20.000\nThe kiln moved to the barn.\n")
    assert cli("ingest", "dQw4w9WgXcQ", *INGEST, "--json").json["added"] == 1


def test_a_feed_and_a_folder_in_one_corpus(cli, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "kiln.md").write_text("# The kiln\n\nWe bought it in 2019 from a school that closed.\n")
    site = tmp_path / "site"
    site.mkdir()
    with serving(site, episodes=5) as feed:
        done = cli("ingest", feed.url, folder, *INGEST, "--json")
    assert done.code == 1, done.err  # the transcript of one episode is missing
    assert done.json["added"] == 4
    (failed,) = done.json["failed"]
    assert "404" in failed["reason"]
    hit = cli("search", "Episode 1, minute 3", "--corpus", "talks", "--mode", "lexical", "--json").json["hits"][0]
    assert hit["title"] == "Episode 1"
    assert hit["published_at"] == "2025-03-02T08:00:00Z"


def _notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "kiln.md").write_text("# The kiln\n\nWe bought it in 2019 from a school that closed.\n")
    return folder


def test_a_feed_that_is_not_there_or_broken_stops_no_other_source(cli, tmp_path):
    folder, site = _notes(tmp_path), tmp_path / "site"
    site.mkdir()
    with serving(site, episodes=5) as feed:
        (site / "cut.xml").write_text((site / "feed.xml").read_text()[:-40])
        missing, cut = feed.url.replace("feed.xml", "missing.xml"), feed.url.replace("feed.xml", "cut.xml")
        done = cli("ingest", missing, feed.url, folder, *INGEST, "--json")
        # A wrong address is bad input, a feed that breaks off is a service that is down.
        assert done.code == 2, done.err
        assert done.json["added"] == 4
        failed = {item["source"]: item["reason"] for item in done.json["failed"]}
        assert "check the address of the feed" in failed[f"rss:{missing}"]
        assert done.json["errors"][0]["origin"] == f"rss:{missing}"
        assert f"rss:{missing}" in done.err
        assert cli("status", "--corpus", "talks", "--json").json["documents"]["embedded"] == 4
        (folder / "wheel.md").write_text("# The wheel\n\nIt turns by foot.\n")
        again = cli("ingest", missing, cut, folder, *INGEST, "--apart", "--json")
        assert (again.code, again.json["added"]) == (3, 1), again.err
        assert again.json["published"]["changed"]
        assert cli("status", "--corpus", "talks", "--json").json["documents"]["embedded"] == 5
        # With nothing else to do the error is all there is to say.
        alone = cli("ingest", missing, cut, *INGEST, "--json")
        assert (alone.code, alone.json["error"]["kind"]) == (2, "not_found")


def test_a_channel_without_a_key_does_not_keep_a_folder_from_being_read(cli, channel, tmp_path, monkeypatch):
    monkeypatch.delenv("YOUTUBE_API_KEY")
    done = cli("ingest", "@talks", _notes(tmp_path), *INGEST, "--json")
    assert (done.code, done.json["added"]) == (3, 1)
    (failed,) = done.json["failed"]
    assert failed["source"] == "youtube:handle/@talks"
    assert "YOUTUBE_API_KEY" in failed["reason"]


def test_a_malformed_address_ends_the_command_before_anything_is_asked(cli, channel):
    refused = cli("ingest", "@talks", "https://www.youtube.com/feed/trending", *INGEST, "--json")
    assert refused.code == 2
    assert channel.asked == []
    assert cli("status", "--corpus", "talks", "--json").code == 2  # nothing was half made


@pytest.mark.parametrize("typed", ["https://www.youtube.com/feed/trending", "@", "no such file", ""])
def test_what_names_nothing_is_an_error_that_says_so(cli, typed):
    refused = cli("ingest", typed, *INGEST, "--json")
    assert refused.code == 2
    assert refused.json["error"]["message"]
