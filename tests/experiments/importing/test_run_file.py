"""A foreign run/1 file is read to its end, and its runs find their questions by their words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from answertrail.experiments.importing.imported import matched
from answertrail.experiments.importing.run_file import read_run_file
from answertrail.experiments.inputs import question_set
from answertrail.records import Run
from tests.experiments.refusal_worlds import question

RUN = {"schema": "run/1", "run_id": "r", "question": "Why?", "status": "completed"}
TOLD = {"answer": {"outcome": "answered", "text": "t"}}


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "runs.jsonl"
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return path


def test_all_faults_are_listed_not_only_the_first(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {**RUN, **TOLD},
        {**RUN, "run_id": "r", **TOLD},
        {**RUN, "run_id": "s", "status": "done", "extra": 1, "answer": {"text": "t"}},
        "{",
        {"schema": "verdict/1"},
        {"run_id": "t"},
        '{"schema": "run/1", "run_id": NaN}',
        [],
        {**RUN, "run_id": "u"},
    )
    found = read_run_file(path)
    assert [run.run_id for run in found.runs] == ["r", "u"]
    assert [(fault.where, fault.field) for fault in found.faults] == [
        ("line 3", "status"),
        ("line 3", "answer.outcome"),
        ("line 3", "extra"),
        ("line 4", "line"),
        ("line 5", "schema"),
        ("line 6", "schema"),
        ("line 7", "line"),
        ("line 8", "record"),
        ("line 2", "run_id"),
    ]
    assert found.notes == ("1 completed runs have no answer: they count as outcome unknown",)


def test_runs_find_their_question_by_its_words_and_the_rest_are_listed() -> None:
    twins = [question(name) for name in ("a", "b", "c")]
    twins = [twins[0], *(row.model_copy(update={"question": "Same?"}) for row in twins[1:])]
    runs = [
        Run.model_validate({**RUN, "run_id": "1", "question": " a?\n", "meta": {"record_hash": "h"}}),
        Run.model_validate({**RUN, "run_id": "2", "question": "Same?"}),
        Run.model_validate({**RUN, "run_id": "3", "question": "A?"}),
        Run.model_validate({**RUN, "run_id": "4", "question": "a?", "question_id": "elsewhere"}),
        Run.model_validate({**RUN, "run_id": "5", "question": "other words", "question_id": "b"}),
    ]
    found, lost = matched(runs, question_set(twins))
    assert [run.question_id for run in found] == ["a", None, None, "elsewhere", "b"]
    assert [name for name, _ in lost] == ["2", "3", "4"]
    assert found[0].as_json()["meta"] == {"imported_record_hash": "h"}
    assert found[0].as_json()["question_id"] == "a"
