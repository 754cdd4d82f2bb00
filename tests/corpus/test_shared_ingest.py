"""Several processes ingest one folder into one corpus: together they do each item once."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.settings import Settings
from answertrail.store import connect, server
from tests.corpus.feed import serving
from tests.corpus.rows import corpus_rows, digest
from tests.soak import rounds

_PROGRAM = """
import logging
logging.basicConfig()
logging.getLogger("answertrail.corpus.reading").setLevel(logging.DEBUG)
from answertrail.cli.main import main
main()
"""
_COMMAND = [sys.executable, "-c", _PROGRAM, "ingest"]
_VERBS = ("moved", "fired", "glazed", "sold", "broke", "mended")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """60 transcripts, some lines of which are said in several: equal texts have one vector."""
    out = tmp_path_factory.mktemp("talks")
    chance = random.Random(5)
    for number in range(60):
        cues = ["WEBVTT\n"]
        for minute in range(20):
            line = f"In episode {number} we {chance.choice(_VERBS)} the kiln number {minute}."
            if minute == 0:
                line = "Welcome back to the pottery channel."
            cues.append(f"{minute:02}:01.000 --> {minute:02}:20.000\n{line}\n")
        (out / f"2024{number // 28 + 1:02}{number % 28 + 1:02}_ep{number}.vtt").write_text("\n".join(cues))
    (out / "broken.vtt").write_text("WEBVTT\n\nnothing here\n")
    return out


def start(folder: Path | str, corpus: str, settings: Settings) -> subprocess.Popen[str]:
    environment = {**os.environ, "ANSWERTRAIL_HOME": str(settings.home)}
    environment.pop("ANSWERTRAIL_DATABASE_URL", None)
    if settings.database_url:
        environment["ANSWERTRAIL_DATABASE_URL"] = settings.database_url
    return subprocess.Popen(
        [*_COMMAND, str(folder), "--corpus", corpus, "--embedder", "fast", "--pace", "0", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def _alone(settings: Settings, folder: Path) -> dict[str, tuple[int, str]]:
    async with connect(settings) as db:
        await ingest(db, IngestRequest("alone", [folder], embedder="fast"))
        return digest(await corpus_rows(db, "alone"))


async def _rows(settings: Settings, corpus: str) -> dict[str, tuple[int, str]]:
    async with connect(settings) as db:
        return digest(await corpus_rows(db, corpus))


def test_three_processes_do_each_document_and_each_text_once(settings, folder):
    workers = [start(folder, "shared", settings) for _ in range(3)]
    reports = []
    files: list[str] = []
    for worker in workers:
        out, err = worker.communicate(timeout=120)
        assert worker.returncode == 1, err  # one file is broken
        reports.append(json.loads(out))
        files += re.findall(r"^DEBUG:\S+:reading (\S+)$", err, re.MULTILINE)
    assert sorted(files) == sorted(str(path) for path in folder.iterdir())
    assert sum(report["added"] for report in reports) == 60
    assert [report["added"] + report["elsewhere"] + report["unchanged"] for report in reports] == [60] * 3
    assert [report["changed"] for report in reports] == [0, 0, 0]
    assert len({report["snapshot"] for report in reports}) == 1
    shared = asyncio.run(_rows(settings, "shared"))
    assert shared["documents"][0] == 60
    assert sum(report["embedded"] for report in reports) == shared["vectors"][0]
    assert shared == asyncio.run(_alone(settings, folder))


def test_processes_killed_at_random_moments_leave_what_one_would_have(settings, folder):
    expected = asyncio.run(_alone(settings, folder))
    chance = random.Random(11)
    for number in range(rounds(ci=6, soak=70)):
        workers = [start(folder, f"cut {number}", settings) for _ in range(2)]
        time.sleep(chance.uniform(0.3, 2.2))
        for worker in workers[: chance.choice((1, 2))]:
            worker.send_signal(signal.SIGKILL)
        for worker in workers:
            worker.communicate(timeout=120)
        last = start(folder, f"cut {number}", settings)
        _, err = last.communicate(timeout=120)
        assert last.returncode == 1, err
        assert asyncio.run(_rows(settings, f"cut {number}")) == expected, number


def test_fetches_killed_at_random_moments_leave_what_one_would_have(settings, tmp_path):
    chance = random.Random(17)
    with serving(tmp_path, episodes=25) as feed:
        whole = start(feed.url, "alone", settings)
        out, err = whole.communicate(timeout=120)
        assert whole.returncode == 1, err  # one episode's transcript is missing
        assert json.loads(out)["added"] == 23
        expected = asyncio.run(_rows(settings, "alone"))
        feed.asked.clear()
        for number in range(rounds(ci=8, soak=70)):
            workers = [start(feed.url, f"cut {number}", settings) for _ in range(2)]
            time.sleep(chance.uniform(0.5, 2.2))
            for worker in workers[: chance.choice((1, 2))]:
                worker.send_signal(signal.SIGKILL)
            for worker in workers:
                worker.communicate(timeout=120)
            last = start(feed.url, f"cut {number}", settings)
            _, err = last.communicate(timeout=120)
            assert last.returncode == 1, err
            assert asyncio.run(_rows(settings, f"cut {number}")) == expected, number
            # A transcript is fetched once, but for one that each killed worker had in hand.
            twice = [path for path, count in feed.asked.items() if count > 1 and path.endswith(".vtt")]
            assert len(twice) <= 2 + 1, twice  # and the one that is missing is asked for again
            feed.asked.clear()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows uses the package's own management")
def test_a_database_killed_at_random_moments_loses_nothing_that_was_said_to_be_done(open_folder, folder):
    own = Settings(home=open_folder / f"struck-{time.monotonic_ns()}")
    try:
        expected = asyncio.run(_alone(own, folder))
        chance = random.Random(13)
        for number in range(rounds(ci=6, soak=70)):
            corpus = f"struck {number}"
            worker = start(folder, corpus, own)
            time.sleep(chance.uniform(0.3, 2.2))
            _kill_server(own)
            worker.communicate(timeout=120)
            last = start(folder, corpus, own)
            _, err = last.communicate(timeout=120)
            assert last.returncode == 1, err
            assert asyncio.run(_rows(own, corpus)) == expected, number
    finally:
        server.destroy(own)


def _kill_server(settings: Settings) -> None:
    """Kill the embedded server as a crash would; it may not be up at this moment."""
    for lines in settings.home.rglob("postmaster.pid"):
        try:
            os.kill(int(lines.read_text().splitlines()[0]), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            continue


def test_the_documents_of_one_file_of_lines_are_taken_by_one_worker(settings, tmp_path):
    rows = [
        {
            "schema": "document/1",
            "id": f"d{n}",
            "title": f"Note {n}",
            "published_at": None,
            "url": None,
            "language": "en",
        }
        | {"text": f"Note number {n} about the kiln in the barn."}
        for n in range(150)
    ]
    file = tmp_path / "notes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"schema": "document/1", "id": "bad"}]))
    workers = [start(file, "lines", settings) for _ in range(3)]
    reports = [json.loads(worker.communicate(timeout=120)[0]) for worker in workers]
    assert sum(report["added"] for report in reports) == 150
    assert sorted(report["added"] for report in reports)[:2] == [0, 0]
    assert [report["added"] + report["elsewhere"] + report["unchanged"] for report in reports] == [150] * 3
    assert all(len(report["failed"]) == 1 and report["gone"] == [] for report in reports)
