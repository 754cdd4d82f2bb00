"""`eval resolution`: the published figures through the command line, rules, gates, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answertrail.kit.brief import write


@pytest.fixture
def brief(tmp_path: Path) -> tuple[Path, Path]:
    write(tmp_path)
    return tmp_path / "questions.jsonl", tmp_path / "resolutions.jsonl"


def test_measures_funnel_and_tables_in_json(cli, brief) -> None:
    result = cli("eval", "resolution", "--questions", brief[0], "--run", brief[1], "--json")
    assert result.code == 0, result.err
    found = result.json
    assert found["measures"]["precision"]["numerator"] == 15
    assert found["measures"]["precision"]["denominator"] == 20
    assert found["measures"]["r@1"]["interval"]["method"] == "wilson"
    assert [step["numerator"] for step in found["funnel"]["steps"]] == [51, 51, 49, 45, 15]
    assert len(found["funnel"]["lost"]) == 45
    rows = found["tables"]["language_pair"]["rows"]
    assert {row["value"]: row["r@3"]["numerator"] for row in rows}["ko → en"] == 12
    assert (found["missing"], found["ineligible"], found["rules"]) == ([], [], {"brief-2026": 81})
    assert found["questions_hash"].startswith("sha256:")
    assert len(found["per_question"]) == 81


def test_the_terminal_shows_the_same(cli, brief) -> None:
    result = cli("eval", "resolution", "--questions", brief[0], "--run", brief[1])
    assert result.code == 0
    for text in ("75.0 % (15/20) [53.1, 88.8]", "en → en", "missing_topic", "in the candidate pool"):
        assert text in result.out


def test_without_a_run_it_says_that_it_does_not_resolve_yet(cli, brief) -> None:
    result = cli("eval", "resolution", "--questions", brief[0], "--json")
    assert result.code == 2
    assert "does not resolve questions to nodes itself yet" in result.json["error"]["message"]
    assert "--run FILE" in result.json["error"]["hint"]


def test_a_rule_keeps_its_own_and_an_unknown_one_names_those_there(cli, brief) -> None:
    lines = brief[1].read_text(encoding="utf-8").splitlines()
    other = json.loads(lines[0]) | {"rule": {"name": "other"}}
    brief[1].write_text("\n".join([*lines, json.dumps(other)]) + "\n", encoding="utf-8")
    both = cli("eval", "resolution", "--questions", brief[0], "--run", brief[1])
    assert both.code == 2
    assert "two resolutions of one question" in both.err
    one = cli("eval", "resolution", "--questions", brief[0], "--run", brief[1], "--rule", "brief-2026", "--json")
    assert one.json["other_rules"] == [other["question_id"]]
    assert one.json["measures"]["r@1"]["numerator"] == 45
    none = cli("eval", "resolution", "--questions", brief[0], "--run", brief[1], "--rule", "x")
    assert none.code == 2
    assert "in the file: brief-2026, other" in none.err


def test_gates_and_faults_set_the_exit_code(cli, brief) -> None:
    words = ("eval", "resolution", "--questions", brief[0], "--run", brief[1])
    assert cli(*words, "--fail-under", "precision=0.75").code == 0
    short = cli(*words, "--fail-under", "precision=0.75:lower", "--json")
    assert short.code == 1
    assert not short.json["gates"][0]["passed"]
    lines = brief[1].read_text(encoding="utf-8").splitlines()
    brief[1].write_text("\n".join([lines[0], lines[1].replace('"rank": 5', '"rank": 9')]), encoding="utf-8")
    broken = cli(*words)
    assert broken.code == 2
    assert f"{brief[1]}:2" in broken.err
    assert "expected 1 to 5, each once" in broken.err


def test_a_gate_on_an_error_rate_fails_when_most_resolutions_are_missing(cli, tmp_path) -> None:
    questions = [
        {"schema": "question/1", "question_id": f"u{n}", "question": f"u{n}?", "tier": "unanswerable"}
        for n in range(20)
    ]
    one = {"schema": "resolution/1", "question_id": "u0", "question": "u0?", "status": "none", "candidates": []}
    gold, told = tmp_path / "gold.jsonl", tmp_path / "told.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in questions), encoding="utf-8")
    told.write_text(json.dumps(one) + "\n", encoding="utf-8")
    words = ("eval", "resolution", "--questions", gold, "--run", told, "--fail-over", "unanswerable_resolved=0.1")
    result = cli(*words, "--json")
    assert result.code == 1
    assert result.json["measures"]["unanswerable_resolved"]["unscored"] == 19
    assert "19 unscored" in cli(*words).out
