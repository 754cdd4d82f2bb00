"""A look at held-out questions is written down; the second one makes them regression."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.experiments.splits import LOG, Seal, of_split, open_split
from answertrail.experiments.view.splits import seal_table
from tests.experiments.made import question, questions


def look(gold: QuestionSet, home: Path, *artefacts: str, **more: Any) -> Seal | None:
    return open_split(gold, **{"home": home, "purpose": "score", "artefacts": artefacts, "command": "x", **more})


def status(gold: QuestionSet, home: Path, *artefacts: str) -> tuple[str, int]:
    seal = look(gold, home, *artefacts)
    assert seal is not None
    return seal.status, seal.number


HELD = questions("a", "b", split="held_out")


def test_dev_questions_are_no_look(tmp_path: Path) -> None:
    assert look(questions("a", split="dev"), tmp_path, "s1") is None
    assert not (tmp_path / LOG).exists()


def test_the_first_look_is_held_out_and_the_second_is_regression(tmp_path: Path) -> None:
    assert status(HELD, tmp_path, "system 1") == ("held_out", 1)
    assert status(HELD, tmp_path, "system 2") == ("regression", 2)
    seal = look(HELD, tmp_path, "system 3")
    assert seal is not None
    assert [entry.number for entry in seal.looks] == [1, 2, 3]
    assert "look 3" in seal.note
    assert [row[0] for row in seal_table(seal).rows] == [1, 2, 3]
    assert seal.as_json()["status"] == "regression"


def test_scoring_the_same_system_again_is_the_same_look(tmp_path: Path) -> None:
    assert status(HELD, tmp_path, "system 1") == ("held_out", 1)
    assert status(HELD, tmp_path, "system 1") == ("held_out", 1)
    assert status(HELD, tmp_path, "system 2") == ("regression", 2)
    assert status(HELD, tmp_path, "system 1") == ("held_out", 1)  # it was frozen before anyone looked
    assert status(HELD, tmp_path, "system 1", "system 2") == ("regression", 2)
    assert len((tmp_path / LOG).read_text().splitlines()) == 5  # who looked is kept all the same


def test_other_gold_ids_or_only_some_of_the_questions_are_still_the_same_split(tmp_path: Path) -> None:
    assert status(HELD, tmp_path, "system 1") == ("held_out", 1)
    renamed = question_set([question("z", question="what of  A?", split="held_out", note="gold corrected")])
    assert status(renamed, tmp_path, "system 2") == ("regression", 2)
    assert status(questions("c", split="held_out"), tmp_path, "system 2") == ("held_out", 1)


@pytest.mark.parametrize("damage", ["edit", "drop", "tear"])
def test_a_damaged_log_makes_it_regression(tmp_path: Path, damage: str) -> None:
    other = questions("other", split="held_out")
    for name in ("1", "2", "3"):
        look(other, tmp_path, name)
    path = tmp_path / LOG
    lines = path.read_text().splitlines(keepends=True)
    if damage == "edit":
        lines[1] = json.dumps({**json.loads(lines[1]), "by": "nobody"}) + "\n"
    elif damage == "drop":
        del lines[1]
    else:
        lines[2] = lines[2][:40]
    path.write_text("".join(lines))
    seal = look(HELD, tmp_path, "system 1")
    assert seal is not None
    assert (seal.status, seal.number) == ("regression", 1)
    assert "damaged" in seal.note
    assert len(path.read_text().splitlines()) == (3 if damage == "drop" else 4)


def test_choosing_a_split_that_is_not_there_names_those_that_are() -> None:
    gold = question_set([question("a", split="dev"), question("b", split="held_out"), question("c")])
    assert of_split(gold, "dev").ids == ("a",)
    with pytest.raises(InputError, match="dev, held_out, none"):
        of_split(gold, "regression")
