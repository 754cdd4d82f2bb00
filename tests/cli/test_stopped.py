"""Ctrl-C: one line, exit code 130, and an asked run stored as cancelled. And readers that leave early."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from answertrail.agent.tools import SEARCH

MAIN = "from answertrail.cli.main import main; main()"
SLOW = [
    {"calls": [{"name": SEARCH, "arguments": {"query": "kiln"}}]},
    {"delay_s": 30, "text": "Late."},
]


@pytest.fixture
def environment(settings):
    return {
        **os.environ,
        "ANSWERTRAIL_HOME": str(settings.home),
        "ANSWERTRAIL_DATABASE_URL": settings.database_url,
    }


@pytest.fixture
def begin(environment):
    """Start the command line as a process of its own; it is not left behind."""
    started = []

    def start(*words: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *map(str, words)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs the tests in the background has SIGINT ignored, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def slow_model(tmp_path):
    script = tmp_path / "slow.jsonl"
    script.write_text("".join(json.dumps(step) + "\n" for step in SLOW))
    return f"scripted:{script}"


def until(ready, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if ready():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


def test_ctrl_c_while_asking_stores_the_run_as_cancelled_and_names_it(cli, ingested, begin, slow_model):
    process = begin("ask", "Where is the kiln?", "--model", slow_model)
    shown = process.stderr.readline() + process.stderr.readline()
    assert "search kiln" in shown
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    (run,) = cli("runs", "list", "--json").json["runs"]
    assert process.returncode == 130
    assert out == ""
    assert err == f"stopped; run {run['run_id']} keeps what was done\n"
    assert run["status"] == "cancelled"
    assert [search["query"] for search in run["searches"]] == ["kiln"]


def test_ctrl_c_with_json_gives_the_error_object(cli, ingested, begin, slow_model):
    process = begin("ask", "Where is the kiln?", "--model", slow_model, "--json")
    process.stderr.readline()
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert json.loads(out)["error"]["kind"] == "stopped"


def test_ctrl_c_while_ingesting_is_one_line_and_the_next_ingest_ends_it(cli, begin, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number}.vtt").write_text(f"WEBVTT\n\n00:01.000 --> 00:06.000\nThis is kiln {number}.\n")
    process = begin("ingest", folder, "--corpus", "many", "--embedder", "fast")
    until(lambda: cli("corpus", "list", "--json").json["corpora"])
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "stopped"
    assert "Traceback" not in err
    again = cli("ingest", folder, "--corpus", "many", "--json").json
    assert again["added"] + again["unchanged"] == 400
    assert again["added"] > 0


def test_ctrl_c_while_a_command_is_imported_is_the_same_one_line(cli, monkeypatch):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("importlib.import_module", interrupted)
    result = cli("search", "kiln")
    assert (result.code, result.out, result.err) == (130, "", "stopped\n")


@pytest.mark.parametrize(
    "words",
    [
        ["search", "kiln"],
        ["search", "kiln", "--json"],
        ["corpus", "show", "20250110_ep1"],
        ["runs", "list"],
        ["runs", "export"],
        ["ask", "Where is the kiln?"],
        ["--help"],
        ["corpus", "show", "nope", "--json"],
    ],
)
def test_a_reader_that_leaves_at_once_gets_no_traceback(cli, ingested, environment, words):
    cli("ask", "How many people moved the kiln to the barn?")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *words], env=environment, stdout=writing, stderr=subprocess.PIPE, text=True
        )
    finally:
        os.close(writing)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode == {"--help": 1, "nope": 2}.get(words[-2] if words[-1] == "--json" else words[-1], 0)


def test_a_run_is_kept_whole_when_nobody_reads_its_trail(cli, ingested, environment):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "ask", "Where is the kiln?"],
            env=environment, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert done.returncode == 0
    assert [run["status"] for run in cli("runs", "list", "--json").json["runs"]] == ["completed"]
