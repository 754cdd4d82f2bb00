"""`eval score`: tables and JSON, gates, several systems and judges, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answertrail.records import jsonl
from answertrail.records.base import Record
from tests.metrics.answers.worlds import marks, question, run, statements

GOLD = [question("a", "fact", "fact"), question("u", tier="unanswerable", unanswerable_kind="missing_topic")]
RUNS = [run("a", answer=statements(("claim", ["c1"], "HIT"))), run("u", outcome="cannot_answer")]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {}
    rows: dict[str, list[Any]] = {"gold": GOLD, "runs": RUNS, "verdicts": marks("a.0", "HH MH")}
    for name, records in rows.items():
        found[name] = tmp_path / f"{name}.jsonl"
        jsonl.write(found[name], records)
    return found


def write(path: Path, *records: Record) -> Path:
    jsonl.write(path, records)
    return path


def test_the_tables_show_rates_waterfall_abstention_and_trajectory(cli, files) -> None:
    done = cli("eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--verdicts", files["verdicts"])
    assert done.code == 0, done.err
    for said in ("50.0 % (1/2)", "retrieved but unused", "judge hand", "false_answer_rate", "cited_share"):
        assert said in done.out


def test_the_json_document_has_every_part(cli, files) -> None:
    found = cli(
        "eval",
        "score",
        "--questions",
        files["gold"],
        "--runs",
        files["runs"],
        "--verdicts",
        files["verdicts"],
        "--json",
    ).json
    assert {
        "measures", "tiers", "waterfall", "stated_without_evidence", "per_question", "ineligible", "errors",
        "unsupported", "trajectory", "provenance",
    } <= set(found)  # fmt: skip
    recall = found["measures"]["recall"]
    assert (recall["value"], recall["numerator"], recall["denominator"]) == (0.5, 1, 2)
    assert found["waterfall"]["missed"] == {"total": 1, "synthesis": 1, "retrieval": 0}
    assert found["provenance"]["questions_hash"].startswith("sha256:")


def test_without_verdicts_it_prints_what_needs_none(cli, files) -> None:
    found = cli("eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--json").json
    assert found["measures"]["recall"]["undefined"] == "no verdicts given"
    assert found["measures"]["citation_retrieved"]["value"] == 1.0


@pytest.mark.parametrize(
    ("gate", "code"), [("recall=0.5", 0), ("recall=0.6", 1), ("factual/recall=0.5", 0), ("shift_recall=0", 1)]
)
def test_a_gate_passes_fails_or_fails_closed(cli, files, gate: str, code: int) -> None:
    words = ["eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--verdicts", files["verdicts"]]
    done = cli(*words, "--fail-under", gate, "--json")
    assert done.code == code, done.err
    assert done.json["gates"][0]["passed"] is (code == 0)


def test_several_systems_need_a_choice(cli, files, tmp_path) -> None:
    other = write(tmp_path / "other.jsonl", run("a", 1, recipe={"name": "hybrid", "hash": "h"}))
    words = ["eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--runs", other, "--json"]
    done = cli(*words)
    assert done.code == 2
    assert done.json["error"]["hint"] == "choose one with --system NAME"
    assert cli(*words, "--system", "hybrid").json["system"] == "hybrid"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("verdicts", '{"schema": "verdict/1"', "not valid JSON"),
        ("verdicts", '{"schema": "run/1"}', "verdict_id"),
        ("runs", "", "no run to score"),
        ("gold", "", "no question in the file"),
    ],
)
def test_bad_files_exit_2_and_are_named(cli, files, name: str, text: str, said: str) -> None:
    files[name].write_text(text, encoding="utf-8")
    done = cli(
        "eval",
        "score",
        "--questions",
        files["gold"],
        "--runs",
        files["runs"],
        "--verdicts",
        files["verdicts"],
        "--json",
    )
    assert done.code == 2
    assert said in done.json["error"]["message"]


def test_an_id_in_two_files_is_refused(cli, files, tmp_path) -> None:
    again = write(tmp_path / "again.jsonl", RUNS[0])
    done = cli("eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--runs", again, "--json")
    assert done.code == 2
    assert "'a.0' is also in" in done.json["error"]["message"]


def test_a_missing_file_and_an_unknown_corpus_exit_2(cli, files) -> None:
    assert cli("eval", "score", "--questions", "gone.jsonl", "--runs", files["runs"]).code == 2
    words = ["eval", "score", "--questions", files["gold"], "--runs", files["runs"]]
    assert cli(*words, "--corpus", "nowhere", "--json").code == 2
