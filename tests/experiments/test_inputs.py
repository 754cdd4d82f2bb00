"""Gold and runs are checked when they are read: file, line, id, and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answertrail.errors import InputError
from answertrail.experiments.inputs import question_set, read_questions, read_runs
from answertrail.records import Question


def question(name: str, **more: Any) -> dict[str, Any]:
    return {"schema": "question/1", "question_id": name, "question": "?", "tier": "factual", **more}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "file.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_hash_forgets_the_order_and_sees_every_change_of_the_gold(tmp_path: Path) -> None:
    one, two = (Question.model_validate(question(name)) for name in ("a", "b"))
    assert question_set([one, two]).hash == question_set([two, one]).hash
    changed = Question.model_validate(question("b", relevant=[{"id": "x"}]))
    assert question_set([one, changed]).hash != question_set([one, two]).hash
    assert read_questions(written(tmp_path, question("b"), question("a"))).ids == ("b", "a")


NUGGET = {"nugget_id": "n", "text": "t", "kind": "fact"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (question("a"), "'a' is given twice, first in line 1"),
        (question("b", nuggets=[NUGGET, NUGGET]), "nugget 'n' is given twice"),
        (question("b", nuggets=[{**NUGGET, "evidence": [0]}]), "nugget 'n': evidence 0 of 0 items"),
        (question("b", evidence=[{"document_id": "d", "start_s": 9, "end_s": 3}]), "end_s 3 is before start_s 9"),
        (
            question("b", nuggets=[{**NUGGET, "window": {"from": "2025-02-01", "to": "2025-01-01"}}]),
            "the window does not begin before it ends",
        ),
        ({"schema": "question/1", "question_id": "b"}, "required field is missing"),
    ],
)
def test_faults_of_the_gold_name_file_and_line(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    path = written(tmp_path, question("a"), row)
    with pytest.raises(InputError, match=said) as caught:
        read_questions(path)
    assert caught.value.where == f"{path}:2"


def test_an_empty_file_is_no_gold_and_a_run_id_counts_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question"):
        read_questions(written(tmp_path))
    run = {"schema": "run/1", "run_id": "r", "question": "?", "status": "failed"}
    with pytest.raises(InputError, match="'r' is given twice"):
        read_runs(written(tmp_path, run, run))
