"""`eval register`, `eval run`, `eval compare` and sealed questions on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answertrail.experiments.inputs import read_runs
from answertrail.experiments.splits import LOG
from answertrail.settings import Settings

GOLD = [
    {"question_id": "kiln", "question": "Where was the kiln moved in January?", "tier": "factual",
     "evidence": [{"document_id": "20250110_ep1", "start_s": 31, "end_s": 37}]},
    {"question_id": "glaze", "question": "At how many degrees did the glaze stop crawling?", "tier": "factual",
     "evidence": [{"document_id": "20250110_ep1", "start_s": 62, "end_s": 69}]},
    {"question_id": "price", "question": "What would a new kiln cost?", "tier": "unanswerable",
     "unanswerable_kind": "missing_fact"},
]  # fmt: skip


@pytest.fixture
def gold(tmp_path: Path, ingested: Any) -> Path:
    return written(tmp_path / "gold.jsonl", GOLD)


def written(path: Path, rows: list[dict[str, Any]], **more: Any) -> Path:
    path.write_text("".join(json.dumps({"schema": "question/1", **row, **more}) + "\n" for row in rows))
    return path


def test_register_run_and_compare(cli, gold, tmp_path):
    registration = tmp_path / "registration.json"
    systems = ("--recipe", "answertrail-2026", "--recipe", "no-loop")
    words = (
        "--questions",
        gold,
        *systems,
        "--measure",
        "needle_recall:totals",
        "--repeats",
        "2",
        "--out",
        registration,
    )
    registered = cli("eval", "register", *words, "--json")
    assert registered.code == 0, registered.err
    assert cli("eval", "register", *words).code == 2  # never overwritten
    for name in ("answertrail-2026", "no-loop"):
        done = cli(
            "eval", "run", "--questions", gold, "--recipe", name, "--repeats", "2", "--registration", registration,
            "--out", tmp_path / f"{name}.jsonl", "--json",
        )  # fmt: skip
        assert done.code == 0, done.err
        assert done.json["deviations"] == []
        assert (done.json["runs"], done.json["complete"], done.json["valid"]) == (6, True, True)
        assert done.json["conditions"]["gold"]["value"] == registered.json["gold_hash"]
    pair = ("eval", "compare", tmp_path / "answertrail-2026.jsonl", tmp_path / "no-loop.jsonl", "--questions", gold)
    found = cli(*pair, "--registration", registration, "--measure", "citation_recall", "--json")
    assert found.code == 0, found.err
    assert set(found.json["measures"]) == {"needle_recall", "citation_recall"}
    assert [row["kind"] for row in found.json["registration"]["deviations"]] == ["exploratory"]
    assert found.json["measures"]["citation_recall"]["p_adjusted"] is None
    assert [row["condition"] for row in found.json["differing"]] == ["recipe"]
    shown = cli(*pair, "--registration", registration)
    assert "Registration: no deviation" in shown.out
    assert "needle_recall" in shown.out
    refused = cli(*pair, "--under-test", "model")
    assert refused.code == 2
    assert "recipe" in refused.err


def test_the_repeats_of_a_registration_are_held_against_what_was_run(cli, gold, tmp_path):
    registration, out = tmp_path / "registration.json", tmp_path / "a.jsonl"
    words = ("--recipe", "no-loop", "--questions", gold)
    cli("eval", "register", *words, "--measure", "needle_recall", "--repeats", "3", "--out", registration)
    done = cli("eval", "run", *words, "--out", out, "--registration", registration, "--json").json
    assert done["deviations"] == [{"kind": "repeats", "registered": "3", "done": "no-loop: 1 a question"}]
    text = registration.read_text().replace('"repeats": 3', '"repeats": 1')
    registration.write_text(text)
    edited = cli("eval", "run", *words, "--out", tmp_path / "b.jsonl", "--registration", registration)
    assert edited.code == 2
    assert "edited" in edited.err


def test_the_conditions_of_a_file_are_kept(cli, gold, tmp_path):
    out = tmp_path / "runs.jsonl"
    assert cli("eval", "run", "--questions", gold, "--recipe", "no-loop", "--out", out).code == 0
    other = cli("eval", "run", "--questions", gold, "--recipe", "hybrid", "--out", out)
    assert other.code == 2
    assert "recipe: made with no-loop" in other.err
    assert {run.recipe.name for run in read_runs(out)} == {"no-loop"}


def test_a_look_at_held_out_questions_is_logged_and_the_second_makes_them_regression(cli, ingested, tmp_path):
    mixed = written(tmp_path / "mixed.jsonl", [{**GOLD[0], "split": "held_out"}, {**GOLD[1], "split": "dev"}])
    run = ("eval", "run", "--questions", mixed, "--recipe", "no-loop", "--json", "--out")
    left_out = cli(*run, tmp_path / "dev.jsonl", "--split", "dev")
    assert left_out.json["runs"] == 1
    assert "held out" not in left_out.err
    made = cli(*run, tmp_path / "a.jsonl")
    assert "first look" in made.err
    first = made.json["split"]
    assert (first["status"], first["look"]) == ("held_out", 1)
    scored = cli("eval", "score", "--questions", mixed, "--runs", tmp_path / "a.jsonl", "--json").json
    assert scored["seal"]["look"] == 1  # what was run, scored
    renamed = mixed.rename(tmp_path / "renamed.jsonl")
    other = ("eval", "run", "--questions", renamed, "--recipe", "hybrid", "--out", tmp_path / "b.jsonl")
    second = cli(*other, "--json")
    assert (second.json["split"]["status"], second.json["split"]["look"]) == ("regression", 2)
    assert "look 2" in second.err
    pair = ("eval", "compare", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--questions", renamed)
    compared = cli(*pair, "--measure", "needle_recall")
    assert "now regression" in compared.out


def test_a_comparison_that_is_refused_is_no_look_at_held_out_questions(cli, gold, tmp_path):
    a, b, home = tmp_path / "a.jsonl", tmp_path / "b.jsonl", Settings.from_environment().home
    for name, path in (("no-loop", a), ("hybrid", b)):
        assert cli("eval", "run", "--questions", gold, "--recipe", name, "--out", path).code == 0
    sealed = written(tmp_path / "sealed.jsonl", GOLD, split="held_out")
    pair = ("eval", "compare", a, b, "--questions", sealed, "--measure", "needle_recall")
    refused = cli(*pair, "--under-test", "model")
    assert (refused.code, "more differs" in refused.err) == (2, True)
    assert not (home / LOG).exists()
    assert "first look" in cli(*pair).err
    assert (home / LOG).exists()


def test_a_file_in_which_too_many_runs_failed_by_accident_is_compared_only_when_allowed(cli, gold, tmp_path):
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for name, path in (("no-loop", a), ("hybrid", b)):
        assert cli("eval", "run", "--questions", gold, "--recipe", name, "--out", path).code == 0
    rows = [json.loads(line) for line in b.read_text().splitlines()]
    rows[0] |= {"status": "failed", "answer": None, "error": {"kind": "service", "message": "down"}}
    b.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pair = ("eval", "compare", a, b, "--questions", gold, "--measure", "needle_recall", "--json")
    refused = cli(*pair)
    assert refused.code == 2
    assert "1 of 3 runs ended by an accident" in refused.err
    assert "--allow-invalid" in refused.err
    allowed = cli(*pair, "--allow-invalid").json
    assert "1 of 3 runs ended by an accident" in allowed["flags"][0]
    assert allowed["failed"] == [{"question_id": rows[0]["question_id"], "repeat": 0}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--repeats", "0"], "0"),
        (["--recipe", "nothing"], "no recipe 'nothing'"),
        (["--model", "nothing"], "nothing"),
        (["--corpus", "nothing"], "nothing"),
        (["--max-cost", "nan"], "nan"),
    ],
)
def test_bad_words_are_refused_before_anything_is_written(cli, gold, tmp_path, words, said):
    out = tmp_path / "runs.jsonl"
    found = cli("eval", "run", "--questions", gold, "--out", out, *words)
    assert found.code == 2
    assert said in found.err
    assert not out.exists()


def test_a_service_that_fails_gives_no_valid_result(cli, gold, tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text('{"error": "down"}\n' * 50)
    found = cli(
        "eval", "run", "--questions", gold, "--out", tmp_path / "r.jsonl", "--model", f"scripted:{script}", "--json"
    )
    assert found.code == 1
    assert found.json["valid"] is False
    assert found.json["errors"] == {"service": 3}


def test_a_question_that_cannot_be_asked_is_a_failed_run_of_the_same_system(cli, gold, tmp_path):
    long = written(tmp_path / "long.jsonl", [GOLD[0], {**GOLD[1], "question": "what " * 900}])
    found = cli("eval", "run", "--questions", long, "--out", tmp_path / "r.jsonl", "--json")
    assert found.code == 1
    assert (found.json["valid"], found.json["errors"]) == (True, {"input": 1})
    scored = cli("eval", "score", "--questions", long, "--runs", tmp_path / "r.jsonl", "--json")
    assert scored.code == 0, scored.err
    assert cli("eval", "run", "--questions", long, "--out", tmp_path / "r.jsonl", "--json").json["made"] == 0


def test_every_command_that_reads_gold_keeps_the_seal(cli, gold, tmp_path):
    runs, rankings, report = tmp_path / "a.jsonl", tmp_path / "rankings.jsonl", tmp_path / "r.html"
    other, resolved = tmp_path / "b.jsonl", tmp_path / "resolved.jsonl"
    for name, path in (("no-loop", runs), ("hybrid", other)):
        assert cli("eval", "run", "--questions", gold, "--recipe", name, "--out", path).code == 0
    row = {"schema": "resolution/1", "question_id": "kiln", "question": "?", "status": "none", "candidates": []}
    resolved.write_text(json.dumps(row) + "\n")
    sealed = written(tmp_path / "sealed.jsonl", GOLD, split="held_out")
    commands = (
        ("run", "--recipe", "no-loop", "--out", tmp_path / "c.jsonl"),
        ("score", "--runs", runs),
        ("compare", runs, other),
        ("retrieval", "--modes", "dense", "--save", rankings),
        ("trajectory", "--runs", runs),
        ("resolution", "--run", resolved),
        ("report", "--runs", runs, "--out", report),
    )
    looks = []
    for words in commands:
        found = cli("eval", *words, "--questions", sealed, "--json")
        assert found.code == 0, (words, found.err)
        assert "held out" in found.err, words
        looks.append(found)
    # The run and its score are one look; the comparison brings in a second system.
    seals = [found.json.get("seal") or found.json["split"] for found in looks[:3]]
    assert [seal["look"] for seal in seals] == [1, 1, 2]


def test_a_registration_of_a_measure_that_does_not_exist_is_refused_before_anything_is_run(cli, gold, tmp_path):
    words = ("eval", "register", "--questions", gold, "--recipe", "no-loop", "--recipe", "hybrid", "--repeats", 1)
    out = tmp_path / "registration.json"
    refused = cli(*words, "--measure", "needle_recal", "--out", out)
    assert refused.code == 2
    assert "needle_recall" in refused.err
    assert not out.exists()
    assert cli(*words, "--measure", "factual/needle_recall", "--measure", "false_answer_rate", "--out", out).code == 0
