"""What an importer hands back: records, and everything it could not use, with place and field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet
from answertrail.metrics.refusal.cases import ASSUMED_OUTCOME
from answertrail.metrics.values import Json
from answertrail.records import Question, Run, jsonl
from answertrail.records.run import Outcome

OUTCOMES: tuple[str, ...] = get_args(Outcome)


class Fault(NamedTuple):
    """Something wrong in the export: where, which field, and what was expected."""

    where: str
    field: str
    message: str

    def as_json(self) -> Json:
        """Return plain values."""
        return dict(self._asdict())


class Skipped(NamedTuple):
    """Something that is no run, or lacks what a run needs: nothing wrong with the file."""

    where: str
    reason: str

    def as_json(self) -> Json:
        """Return plain values."""
        return dict(self._asdict())


@dataclass(frozen=True, slots=True)
class Imported:
    """Runs read from an export. A faulty row gives no run; the others are kept.

    `unmatched` are runs (by id) that no question of the given set belongs to.
    """

    runs: tuple[Run, ...]
    faults: tuple[Fault, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    unmatched: tuple[tuple[str, str], ...] = ()

    @property
    def assumed(self) -> int:
        """How many runs have an outcome nobody stated."""
        return sum(ASSUMED_OUTCOME in ((run.meta or {}).get("assumed") or []) for run in self.runs)

    @property
    def failed(self) -> int:
        """How many runs did not complete."""
        return sum(run.status != "completed" for run in self.runs)

    def as_json(self) -> Json:
        """Return the counts and lists, without the records."""
        return {
            "imported": len(self.runs),
            "failed": self.failed,
            "assumed_outcomes": self.assumed,
            "questions": len(self.questions),
            "unmatched": [{"run_id": run_id, "question": text} for run_id, text in self.unmatched],
            "skipped": [row.as_json() for row in self.skipped],
            "faults": [row.as_json() for row in self.faults],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class OutcomeRule:
    """Where an outcome comes from: a field of the export, its values translated by `values`.

    Without `field` (or where a row leaves it out) the outcome is `assume`, and the run says so:
    `meta.assumed` names it, and no measure of abstention counts it. Raises InputError for an
    outcome the contract does not know.
    """

    field: str | None = None
    values: Mapping[str, str] = made(default_factory=dict)
    assume: str = "answered"

    def __post_init__(self) -> None:
        for outcome in (self.assume, *self.values.values()):
            if outcome not in OUTCOMES:
                raise InputError(f"{outcome!r} is no outcome", hint=f"known: {', '.join(OUTCOMES)}")
        if self.values and self.field is None:
            raise InputError("values of an outcome without the field that has them", hint="give --outcome-field")

    def of(self, given: object) -> tuple[str, bool]:
        """Return the outcome and whether it was assumed. Raises ValueError for a value that is not known."""
        if given is None or given == "":
            return self.assume, True
        text = str(given).lower() if isinstance(given, bool) else str(given)
        outcome = self.values.get(text, text)
        if outcome not in OUTCOMES:
            known = ", ".join(OUTCOMES)
            raise ValueError(f"{text!r} is no outcome ({known}); translate it with --outcome {text}=OUTCOME")
        return outcome, False


def checked_run(parts: Mapping[str, Any], where: str) -> Run | list[Fault]:
    """Return the parts as a run, or one fault for each field the contract refuses."""
    try:
        return Run.model_validate({"schema": "run/1", **parts}, context={"json": True})
    except ValidationError as error:
        return [Fault(where, name, message) for name, message in jsonl.findings(error)]


def matched(runs: Sequence[Run], questions: QuestionSet) -> tuple[tuple[Run, ...], tuple[tuple[str, str], ...]]:
    """Give each run without a `question_id` the id of the question with the same words.

    Only white space is folded. Words that two questions share match neither. Also returned: runs
    without a question, and runs whose id is not in the set, as (run id, question). A run that is
    changed so is no longer what its `meta.record_hash` says; the hash is kept as
    `imported_record_hash`.
    """
    names: dict[str, list[str]] = defaultdict(list)
    for question in questions.questions:
        names[_folded(question.question)].append(question.question_id)
    known = set(questions.ids)
    out: list[Run] = []
    lost: list[tuple[str, str]] = []
    for run in runs:
        found = names.get(_folded(run.question), [])
        if run.question_id is None and len(found) == 1:
            out.append(_named(run, found[0]))
            continue
        out.append(run)
        if run.question_id not in known:
            lost.append((run.run_id, run.question))
    return tuple(out), tuple(lost)


def _named(run: Run, question_id: str) -> Run:
    meta = dict(run.meta or {})
    if "record_hash" in meta:
        meta["imported_record_hash"] = meta.pop("record_hash")
    return run.model_copy(update={"question_id": question_id, **({"meta": meta} if meta else {})})


def unique_runs(rows: Iterable[tuple[str, Run]]) -> tuple[list[Run], list[Fault]]:
    """Keep each run id once, the first; every other is a fault that names the first."""
    first: dict[str, str] = {}
    runs: list[Run] = []
    faults: list[Fault] = []
    for where, run in rows:
        if run.run_id in first:
            faults.append(Fault(where, "run_id", f"{run.run_id!r} is given twice, first at {first[run.run_id]}"))
        else:
            first[run.run_id] = where
            runs.append(run)
    return runs, faults


def _folded(text: str) -> str:
    return " ".join(text.split())
