"""`status` and `status --items`: every item in its state, whatever an ingest came to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from tests.cli.test_ingest_origins import INGEST, channel  # noqa: F401 - a fixture
from tests.corpus.cleaning.test_killed import Mending
from tests.corpus.origins.youtube_fixtures import youtube  # noqa: F401 - a fixture
from tests.corpus.origins.youtube_server import Captions, Reply, Video, timedtext, video_id
from tests.models.chat.fake_server import Answer
from tests.models.chat.fake_server import running as chatting
from tests.models.embedding.endpoint import running as embedding

_COMMAND = [sys.executable, "-c", "from answertrail.cli.main import main; main()", "ingest", "@talks"]
_CLEANED = ("--corpus", "talks", "--pace", "0", "--embedder", "openai-compatible:m@8", "--clean", "openai-compatible:m")
A, B, C, D = (video_id(n) for n in range(4))


def of_items(cli):
    listed = cli("status", "--corpus", "talks", "--items", "--json").json["items"]
    return {item["item"]: item["state"] for item in listed}


def killed_when(words, asked: threading.Event) -> None:
    """Start an ingest and kill it once it asks for something that never comes."""
    with subprocess.Popen([*_COMMAND, *words], env=dict(os.environ), stdout=subprocess.DEVNULL) as process:
        try:
            assert asked.wait(180)  # a busy machine takes its time
        finally:
            process.send_signal(signal.SIGKILL)


def test_an_ingest_killed_between_two_stages_leaves_each_item_in_the_earlier_one(cli, channel, monkeypatch):  # noqa: F811
    lines = [f"then we moved row {n} to the cache" for n in range(60)]
    channel.videos.clear()
    channel.uploads.clear()
    for name in (A, B, C):
        channel.add(Video(name, captions=[Captions("en", timedtext(*(f"{line} of {name}" for line in lines)), "asr")]))
    channel.add(Video(D, captions=[]))
    cleaning, vectors, released = threading.Event(), threading.Event(), threading.Event()

    def never(_) -> Answer:
        cleaning.set()
        return Answer(drop=True, delay=600)

    def held(handler, _) -> None:
        vectors.set()
        released.wait(60)
        handler.close_connection = True

    with chatting() as chat, embedding() as embedder:
        monkeypatch.setenv("ANSWERTRAIL_CHAT_BASE_URL", f"{chat.url}/v1")
        monkeypatch.setenv("ANSWERTRAIL_CHAT_PROTOCOL", "json_action")
        monkeypatch.setenv("ANSWERTRAIL_EMBED_BASE_URL", embedder.url)
        chat.behave = never
        killed_when(_CLEANED, cleaning)
        assert of_items(cli) == {A: "chunked", B: "chunked", C: "chunked", D: "skipped"}

        chat.behave = Mending()
        embedder.faults = [held] * 100
        killed_when(_CLEANED, vectors)
        assert of_items(cli) == {A: "cleaned", B: "cleaned", C: "cleaned", D: "skipped"}
        status = cli("status", "--corpus", "talks", "--json").json
        assert status["documents"] == {"embedded": 0, "chunked": 3, "failed": 0, "skipped": 1, "pending": 0}
        assert status["reached"] == {"fetched": 0, "chunked": 0, "cleaned": 3, "embedded": 0}
        shown = cli("status", "--corpus", "talks").out
        assert "3 chunked (3 of them cleaned)" in shown
        assert "3 fetched (3 cleaned), 1 skipped" in shown

        released.set()
        embedder.faults = []
        done = cli("ingest", "@talks", *_CLEANED, "--json")
        assert done.code == 0, done.err
        assert of_items(cli) == {A: "embedded", B: "embedded", C: "embedded", D: "skipped"}
        status = cli("status", "--corpus", "talks", "--json").json
        assert status["documents"] == {"embedded": 3, "chunked": 0, "failed": 0, "skipped": 1, "pending": 0}
        assert status["reached"] == {"fetched": 0, "chunked": 0, "cleaned": 0, "embedded": 3}


def test_items_are_listed_with_reason_time_and_title(cli, channel, tmp_path):  # noqa: F811
    channel.faults["/api/timedtext"] = [Reply(429, "slow down", headers={"Retry-After": "7200"})]
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "kiln.md").write_text("# The kiln\n\nWe bought it in 2019 from a school that closed.\n")
    (folder / "bad.vtt").write_text("no captions at all")
    report = cli("ingest", "@talks", folder, *INGEST, "--json").json
    status = cli("status", "--corpus", "talks", "--items", "--json").json
    (origin,) = status["origins"]
    assert origin["states"] == {"pending": 4, "fetched": 0, "skipped": 1, "failed": 1, "gone": 0}
    assert origin["reached"] == {"fetched": 0, "chunked": 0, "cleaned": 0, "embedded": 0}
    items = {item["item"]: item for item in status["items"]}
    assert set(items) == {*(video_id(n) for n in range(6)), "kiln", str(folder / "bad.vtt")}
    (blocked,) = [item for item in status["items"] if item["kind"] == "blocked"]
    assert blocked == {
        "origin": origin["origin"],
        "item": blocked["item"],
        "title": blocked["title"],
        "state": "failed",
        "kind": "blocked",
        "reason": report["origins"][0]["stopped"],
        "retry_at": report["resume_at"],
        "notes": [],
    }
    assert items[video_id(4)] == {
        "origin": origin["origin"],
        "item": video_id(4),
        "title": "A short",
        "state": "skipped",
        "kind": None,
        "reason": items[video_id(4)]["reason"],
        "retry_at": None,
        "notes": [],
    }
    assert items["kiln"] == {
        "origin": None,
        "item": "kiln",
        "title": "The kiln",
        "state": "embedded",
        "kind": None,
        "reason": None,
        "retry_at": None,
        "notes": [],
    }
    assert items[str(folder / "bad.vtt")]["state"] == "failed"
    assert origin["withheld"] == [
        {key: value for key, value in item.items() if key not in ("origin", "notes")}
        for item in status["items"]
        if item["origin"] and item["state"] in ("skipped", "failed")
    ]
    assert "items" not in cli("status", "--corpus", "talks", "--json").json

    shown = cli("status", "--corpus", "talks", "--items").out
    assert f"pending  {video_id(1)}  Caches, part 1" in shown
    assert f"skipped  {video_id(4)}  A short  " in shown
    assert "180 s or less" in shown
    assert f"(again from {report['resume_at']})" in shown
    assert "embedded kiln  The kiln" in shown
    assert shown.count("bad.vtt") == 1


@pytest.mark.parametrize("words", [("--items",), ("--items", "--json")])
def test_a_corpus_of_files_lists_its_documents(cli, ingested, words):
    shown = cli("status", *words)
    assert shown.code == 0, shown.err
    if "--json" in words:
        assert [(item["item"], item["state"], item["origin"]) for item in shown.json["items"]] == [
            ("20250110_ep1", "embedded", None),
            ("20250620_ep2", "embedded", None),
        ]
        assert shown.json["reached"] == {"fetched": 0, "chunked": 0, "cleaned": 0, "embedded": 2}
    else:
        assert "embedded 20250110_ep1" in shown.out
