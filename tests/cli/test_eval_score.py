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


def ten(tmp_path: Path, made: int, failed: int, kind: str = "no_valid_answer") -> list[Any]:
    """Ten questions of two nuggets: `made` of them answered rightly, the next `failed` not completed."""
    names = [f"q{number}" for number in range(10)]
    down = {"status": "failed", "error": {"kind": kind, "message": "m"}}
    done, lost = names[:made], names[made : made + failed]
    rows = [*(run(name) for name in done), *(run(name, **down) for name in lost)]
    verdicts = [row for name in done for row in marks(f"{name}.0", "HH HH")]
    words: list[Any] = ["eval", "score"]
    for option, records in (
        ("--questions", [question(name, "fact", "fact") for name in names]),
        ("--runs", rows),
        ("--verdicts", verdicts),
    ):
        words += [option, write(tmp_path / f"{option[2:]}.jsonl", *records)]
    return [*words, "--json"]


@pytest.mark.parametrize(("made", "failed"), [(2, 8), (2, 0)])
@pytest.mark.parametrize(
    "gate",
    [
        ("--fail-under", "recall=0.9"),
        ("--fail-under", "factual/recall=0.9"),
        ("--fail-under", "mean_recall=0.9:lower"),
        ("--fail-over", "over_refusal_rate=0.1"),
        ("--fail-over", "factual/over_refusal_rate=0.1"),
        ("--fail-under", "citation_retrieved=0"),
    ],
)
def test_a_gate_fails_when_most_runs_failed_or_were_never_made(cli, tmp_path, made, failed, gate) -> None:
    done = cli(*ten(tmp_path, made, failed), *gate)
    assert done.code == 1, done.out
    assert done.json["measures"]["recall"]["value"] == 1
    assert done.json["measures"]["recall"]["lost"] == 16
    assert done.json["gates"][0]["reason"].startswith("unmeasurable: ")


def test_a_gate_passes_on_a_complete_file(cli, tmp_path) -> None:
    gates = ["--fail-under", "factual/recall=0.9", "--fail-over", "factual/over_refusal_rate=0.1"]
    assert cli(*ten(tmp_path, 10, 0), *gates).code == 0


def test_accidents_are_flagged_and_fail_every_gate(cli, tmp_path) -> None:
    words = ten(tmp_path, 9, 1, "service")
    done = cli(*words, "--fail-under", "recall=0.5")
    assert done.code == 1
    assert done.json["flags"][0].startswith("1 of 10 runs ended by an accident")
    assert "1 of 10 runs ended by an accident" in done.json["gates"][0]["reason"]
    assert cli(*words).code == 0
    assert "FLAG: 1 of 10 runs ended by an accident" in cli(*words[:-1]).out
    assert cli(*ten(tmp_path, 9, 1), "--fail-under", "recall=0.5").code == 0  # what the system did badly is a result


def test_measures_of_the_trajectory_are_known_by_tier(cli, files) -> None:
    words = ["eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--json"]
    done = cli(*words, "--fail-under", "factual/needle_recall=0.5")
    assert done.code == 1  # known, and undefined without evidence in the gold
    assert cli(*words, "--fail-under", "longitudinal/needles=0.5").code == 2


def test_the_share_of_unscored_units_allowed_holds_for_refusals_too(cli, files, tmp_path) -> None:
    silent = run("u", 1, meta={"assumed": ["answer.outcome"]})
    more = write(tmp_path / "more.jsonl", silent, run("a", 1))
    words = ["eval", "score", "--questions", files["gold"], "--runs", files["runs"], "--runs", more, "--json"]
    strict, lax = cli(*words).json, cli(*words, "--max-unscored", "0.6").json
    assert "undefined" in strict["unsupported"]["measures"]["false_answer_rate"]
    assert lax["unsupported"]["measures"]["false_answer_rate"]["value"] == 0
