"""A registration binds what is run after it, and every deviation is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from answertrail.errors import InputError
from answertrail.experiments.registered import done_of, intact
from answertrail.experiments.registration import (
    Done,
    check,
    content_hash,
    read_registration,
    register,
    write_registration,
)
from tests.experiments.made import questions, run

BODY: dict[str, Any] = {
    "schema": "registration/1",
    "created_at": "2026-01-10T12:00:00Z",
    "question": "Does the loop help?",
    "hypothesis": "It does.",
    "measures": [{"name": "recall", "statistic": "totals"}, {"name": "needle_recall"}],
    "systems": [
        {"name": "base", "hash": "sha256:aaaa", "model": "reader"},
        {"name": "no-loop", "hash": "sha256:bbbb", "model": "reader"},
    ],
    "corpus": "kiln",
    "snapshot": "sha256:cccc",
    "gold_hash": "sha256:gggg",
    "question_ids": ["a", "b"],
    "repeats": 3,
    "stopping_rule": "All runs.",
    "alpha": 0.05,
}
REGISTERED = register(BODY)
DONE = Done(
    "base", "sha256:aaaa", "reader", "sha256:cccc", "sha256:gggg", (3,), "2026-01-10T12:00:01Z",
    frozenset({REGISTERED.hash}),
)  # fmt: skip
OTHER = replace(DONE, system="no-loop", recipe_hash="sha256:bbbb")
REPORTED = {"recall": "totals", "needle_recall": "totals"}


def test_what_was_registered_and_done_has_no_deviation() -> None:
    assert check(REGISTERED, [DONE, OTHER], REPORTED) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"recipe_hash": "sha256:eeee"}, "recipe"),
        ({"model": "openai:x"}, "model"),
        ({"snapshot": "sha256:dddd"}, "corpus snapshot"),
        ({"gold_hash": "sha256:hhhh"}, "gold"),
        ({"repeats": (2, 3)}, "repeats"),
        ({"repeats": ()}, "repeats"),
        ({"first_started_at": "2026-01-10T11:59:59Z"}, "order"),
        ({"registration_hashes": frozenset({REGISTERED.hash, None})}, "registration of the runs"),
    ],
)
def test_each_deviation_is_named(change: dict[str, Any], kind: str) -> None:
    assert kind in [row.kind for row in check(REGISTERED, [replace(DONE, **change), OTHER], REPORTED)]


def test_missing_systems_and_measures_and_unregistered_ones_are_named() -> None:
    found = check(REGISTERED, [DONE], {"recall": "means", "groundedness": "totals"})
    assert [(row.kind, row.done) for row in found] == [
        ("system missing", "not run"),
        ("statistic", "means"),
        ("measure missing", "not reported"),
        ("exploratory", "groundedness"),
    ]
    assert check(REGISTERED, [DONE], whole=False) == []


def test_the_file_is_written_once_and_an_edit_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "registration.json"
    write_registration(path, REGISTERED)
    assert read_registration(path) == REGISTERED
    with pytest.raises(InputError, match="never overwritten"):
        write_registration(path, REGISTERED)
    body = json.loads(path.read_text())
    path.write_text(json.dumps({**body, "repeats": 2}))
    edited = read_registration(path)
    assert not edited.intact
    assert "edited" in [row.kind for row in check(edited, [replace(DONE, repeats=(2,)), OTHER], REPORTED)]
    with pytest.raises(InputError, match="edited after"):
        intact(edited, path)
    body |= {"repeats": 2}
    path.write_text(json.dumps({**body, "hash": content_hash(body)}))  # the edit covers its own trace
    both = [replace(DONE, repeats=(2,)), replace(OTHER, repeats=(2,))]
    kinds = [row.kind for row in check(read_registration(path), both, REPORTED)]
    assert kinds == ["registration of the runs", "registration of the runs"]  # but not that of the runs


def test_a_registration_may_be_toml_and_faults_name_file_and_field(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    with pytest.raises(InputError, match="written as JSON"):
        write_registration(path, REGISTERED)
    lines = [
        f"{key} = {json.dumps(value)}" for key, value in REGISTERED.as_json().items() if not isinstance(value, list)
    ]
    lines += ['question_ids = ["a", "b"]']
    lines += ["[[measures]]", 'name = "recall"', 'statistic = "totals"', "[[measures]]", 'name = "needle_recall"']
    for system in BODY["systems"]:
        lines += ["[[systems]]", *(f"{key} = {json.dumps(value)}" for key, value in system.items())]
    path.write_text("\n".join(lines))
    assert read_registration(path).intact
    path.write_text(path.read_text().replace("repeats = 3", "repeats = 0"))
    with pytest.raises(InputError, match="repeats") as caught:
        read_registration(path)
    assert caught.value.where == str(path)


def test_what_was_done_is_read_off_the_runs() -> None:
    gold = questions("a", "b")
    rows = [
        run("a", 0, started_at="2026-01-10T13:00:00Z", meta={"evaluation": {"registration": "sha256:rrrr"}}),
        run("a", 1, started_at="2026-01-10T12:30:00+01:00"),
        run("b", 0),
    ]
    assert done_of(rows, gold) == Done(
        "base", "sha256:aaaa", "reader", "sha256:cccc", gold.hash, (1, 2), "2026-01-10T12:30:00+01:00",
        frozenset({"sha256:rrrr", None}),
    )  # fmt: skip
