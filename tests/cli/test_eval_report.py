"""`eval report`: one file in the form its name asks for, and the same tables in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from answertrail.cli.eval_report import command
from answertrail.errors import InputError
from tests.experiments.report.worlds import QUESTIONS, RUNS, files, question, written


def invoke(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], standalone_mode=False)


@pytest.mark.parametrize(("ending", "begins"), [(".html", "<!doctype html>"), (".md", "# My title"), (".json", "{")])
def test_the_ending_says_in_which_form(tmp_path: Path, ending: str, begins: str) -> None:
    gold, runs, verdicts = files(tmp_path)
    out = tmp_path / f"new/report{ending}"
    words = ("--questions", gold, "--runs", runs, "--verdicts", verdicts, "--title", "My title", "--out", out)
    done = invoke(*words)
    assert done.return_value == 0, done.exception
    first = out.read_bytes()
    assert first.decode().lstrip().startswith(begins)
    assert f"report written to {out}" in done.stderr.replace("\n", "")
    assert "Runs that did not complete" in done.stdout
    assert "the endpoint is down" in " ".join(done.stdout.split())
    invoke(*words)
    assert out.read_bytes() == first
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_json_says_what_was_written(tmp_path: Path) -> None:
    gold, runs, _ = files(tmp_path)
    out = tmp_path / "report.html"
    done = invoke("--questions", gold, "--runs", runs, "--out", out, "--json")
    said = json.loads(done.stdout)
    assert said["file"] == str(out)
    assert said["bytes"] == out.stat().st_size
    assert said["made_at"] == "2026-01-02T00:00:00Z"
    assert said["sections"][:3] == ["notes", "headline", "failures"]  # one run ended by an accident


@pytest.mark.parametrize("name", ["report.pdf", "report", ".html"])
def test_another_ending_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    done = invoke("--questions", tmp_path / "none", "--runs", tmp_path / "none", "--out", tmp_path / name)
    assert isinstance(done.exception, InputError)
    assert "ending" in done.exception.message or "cannot be written as" in done.exception.message
    assert done.exception.hint == "end the name in .html, .md, .json"


def test_a_folder_that_cannot_be_written_is_an_input_error_and_leaves_nothing(tmp_path: Path) -> None:
    gold, runs, _ = files(tmp_path)
    (tmp_path / "a").write_text("a file")
    done = invoke("--questions", gold, "--runs", runs, "--out", tmp_path / "a/report.html")
    assert isinstance(done.exception, InputError)
    assert not list(tmp_path.glob("*.draft"))


def test_the_report_says_which_look_at_held_out_questions_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERTRAIL_HOME", str(tmp_path / "home"))
    gold = written(tmp_path / "held.jsonl", [question("q1", split="held_out"), *QUESTIONS[1:]])
    runs = written(tmp_path / "runs.jsonl", RUNS)
    out = tmp_path / "report.md"
    assert invoke("--questions", gold, "--runs", runs, "--out", out).return_value == 0
    text = out.read_text(encoding="utf-8")
    assert text.index("are held out; this is the first look") < text.index("## Headline")
    assert "Held\\-out questions" in text or "Held-out questions" in text


def test_a_reader_of_the_old_report_keeps_it_whole_while_the_new_one_is_written(tmp_path: Path) -> None:
    gold, runs, _ = files(tmp_path)
    out, kept = tmp_path / "report.md", tmp_path / "kept.md"
    invoke("--questions", gold, "--runs", runs, "--title", "Old", "--out", out)
    kept.hardlink_to(out)
    invoke("--questions", gold, "--runs", runs, "--title", "New", "--out", out)
    assert kept.read_text(encoding="utf-8").startswith("# Old")
    assert out.read_text(encoding="utf-8").startswith("# New")


@pytest.mark.parametrize("ending", [".html", ".md", ".json"])
def test_a_title_that_is_no_utf8_does_not_stop_the_report(tmp_path: Path, ending: str) -> None:
    gold, runs, _ = files(tmp_path)
    out = tmp_path / f"report{ending}"
    done = invoke("--questions", gold, "--runs", runs, "--title", "a\udcffb", "--out", out)
    assert done.return_value == 0, done.exception
    out.read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [("--k", "1,2"), ("--k", "1", "--k", "2")])
def test_ranks_are_given_as_to_eval_retrieval_and_a_budget_adds_what_windows_hold(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    gold = written(tmp_path / "gold.jsonl", [question("q1", relevant=[{"id": "d:00000"}])])
    row = {"schema": "retrieval_run/1", "question_id": "q1", "mode": "dense", "ranked": [{"id": "d:00000"}]}
    ranks = written(tmp_path / "rank.jsonl", [row])
    out = tmp_path / "report.json"
    done = invoke("--questions", gold, "--run", ranks, *words, "--budget", 3, "--out", out)
    assert done.return_value == 0, done.exception
    (mode,) = json.loads(out.read_text(encoding="utf-8"))["scores"]["retrieval"]["modes"].values()
    assert {"recall@1", "recall@2", "evidence_recall@b3", "window_coverage@b3"} <= set(mode)


@pytest.mark.parametrize("words", [("--k", "ten"), ("--k", "0"), ("--budget", "0")])
def test_ranks_and_budgets_that_are_none_are_refused(tmp_path: Path, words: tuple[str, str]) -> None:
    done = invoke("--questions", tmp_path / "q", "--run", tmp_path / "r", *words, "--out", tmp_path / "o.md")
    assert isinstance(done.exception, InputError)
    assert done.exception.where == words[0]
