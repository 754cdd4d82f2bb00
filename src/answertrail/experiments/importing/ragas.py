"""RAGAS-style rows -> run/1, and on request question/1."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from answertrail.errors import InputError
from answertrail.experiments.importing.imported import Fault, Imported, OutcomeRule, checked_run, unique_runs
from answertrail.experiments.importing.ragas_fields import READ, Context, Sample, has_answer_column, sample_of
from answertrail.experiments.importing.rows import NAN, Row, read_rows, row_number
from answertrail.metrics.ranking.units import document_of
from answertrail.metrics.refusal.cases import ASSUMED_OUTCOME
from answertrail.records import Question, Run, jsonl

ID_FIELD = "question_id"
DECLINED = ("cannot_answer", False)
NO_ANSWER = "the row has no answer"
NO_ANSWER_COLUMN = ("response", "required column is missing (or answer)")


def read_ragas(
    path: Path,
    *,
    outcome: OutcomeRule = OutcomeRule(),  # noqa: B008 - frozen
    id_field: str = ID_FIELD,
    tier: str | None = None,
) -> Imported:
    """Read rows into runs: one row, one run.

    A passage without an id gets one from its text. Rows do not say whether the answer declined;
    `outcome` says where that comes from; a row that is told to have declined needs no answer text.
    Any other row without an answer is a run that failed; where no row has a place for one, that is
    a fault of each. With `tier` each reference also becomes a question of
    that tier with the reference as its one nugget of kind fact; rows of one question must agree.
    Scores and other columns are not read; the notes name them and count their NaN. Raises
    InputError as `read_rows` and for an unknown `tier`.
    """
    rows, faults = read_rows(path)
    given: list[tuple[Row, Sample, Run]] = []
    answers = any(map(has_answer_column, rows))
    for row in rows:
        told = _told(row, outcome)
        sample = sample_of(row)
        wrong = [] if answers or told == DECLINED else [Fault(row.where, *NO_ANSWER_COLUMN)]
        if wrong or isinstance(sample, list) or isinstance(told, Fault):
            faults += [*(sample if isinstance(sample, list) else []), *wrong]
            faults += [told] if isinstance(told, Fault) else []
            continue
        run = _run(row, sample, path, told, id_field, made=tier is not None)
        if isinstance(run, Run):
            given.append((row, sample, run))
        else:
            faults += run
    runs, doubled = unique_runs([(row.where, run) for row, _, run in given])
    faults += doubled
    questions: list[Question] = []
    if tier is not None:
        questions, odd = _questions([(row, sample, run) for row, sample, run in given], tier)
        faults += odd
    failed = sum(run.status == "failed" for run in runs)
    notes = [f"{failed} of {len(runs)} runs failed: {NO_ANSWER}"] if failed else []
    notes += _columns(rows, {*READ, id_field, *([outcome.field] if outcome.field else [])})
    return Imported(tuple(runs), tuple(sorted(faults, key=row_number)), (), tuple(notes), tuple(questions))


def _told(row: Row, rule: OutcomeRule) -> tuple[str, bool] | Fault:
    """Return the outcome and whether it is assumed."""
    value = row.cells.get(rule.field) if rule.field else None
    try:
        return rule.of(None if value is NAN else value)
    except ValueError as error:
        return Fault(row.where, rule.field or "outcome", str(error))


def _run(
    row: Row, sample: Sample, path: Path, told: tuple[str, bool], id_field: str, *, made: bool
) -> Run | list[Fault]:
    outcome, assumed = told
    name = _question_id(row, sample, id_field, made=made)
    if isinstance(name, Fault):
        return [name]
    meta: dict[str, Any] = {"imported": {"format": "ragas", "file": path.name, "row": row.number}}
    parts: dict[str, Any] = {
        "run_id": sample.run_id or f"{path.stem.strip() or 'row'}-{row.number}",
        "question": sample.question,
        "meta": meta,
    }
    if sample.answer is None and told != DECLINED:
        parts |= {"status": "failed", "error": {"kind": "no_answer", "message": NO_ANSWER}}
    else:
        meta |= {"assumed": [ASSUMED_OUTCOME]} if assumed else {}
        parts["status"] = "completed"
        parts["answer"] = {"outcome": outcome} | ({} if sample.answer is None else {"text": sample.answer})
    if name is not None:
        parts["question_id"] = name
    if sample.repeat is not None:
        parts["repeat"] = sample.repeat
    if sample.contexts is not None:
        parts["retrieved"] = list(dict.fromkeys(context.id for context in sample.contexts))
        if all(context.text is not None for context in sample.contexts):
            parts["chunks"] = _chunks(sample.contexts)
    return checked_run(parts, row.where)


def _chunks(contexts: Sequence[Context]) -> list[dict[str, str]]:
    """Each passage once, with the document its id names; a passage whose id names none is its own."""
    texts = {context.id: context.text or "" for context in contexts}
    return [{"id": name, "document_id": document_of(name), "text": text} for name, text in texts.items()]


def _question_id(row: Row, sample: Sample, id_field: str, *, made: bool) -> str | Fault | None:
    value = row.cells.get(id_field)
    if value is None:
        words = " ".join(sample.question.split())
        return f"q-{hashlib.sha256(words.encode('utf-8')).hexdigest()[:12]}" if made else None
    if value is NAN or isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        return Fault(row.where, id_field, "expected an id, a text or a whole number")
    return str(value).strip()


def _questions(given: Sequence[tuple[Row, Sample, Run]], tier: str) -> tuple[list[Question], list[Fault]]:
    """One question an id; the first row that names it decides, and a row that differs is a fault."""
    found: dict[str, tuple[str, Question]] = {}
    faults: list[Fault] = []
    for row, sample, run in given:
        name = run.question_id or ""
        parts: dict[str, Any] = {"schema": "question/1", "question_id": name, "question": sample.question, "tier": tier}
        if sample.references and tier != "unanswerable":
            parts["nuggets"] = [
                {"nugget_id": f"{name}_n{number}", "text": text, "kind": "fact"}
                for number, text in enumerate(sample.references, 1)
            ]
        if sample.reference_ids:
            parts["relevant"] = [{"id": one} for one in sample.reference_ids]
        try:
            question = Question.model_validate(parts, context={"json": True})
        except ValidationError as error:
            if any(field == "tier" for field, _ in jsonl.findings(error)):
                raise InputError(f"{tier!r} is no tier", hint="see `tier` of question/1") from None
            faults += [Fault(row.where, field, message) for field, message in jsonl.findings(error)]
            continue
        where, first = found.setdefault(name, (row.where, question))
        if first != question:
            faults.append(Fault(row.where, "reference", f"question {name!r} is another one in {where}"))
    return [question for _, question in found.values()], faults


def _columns(rows: Sequence[Row], read: set[str]) -> list[str]:
    """Say which columns were not read, and how much of each was NaN or null."""
    seen: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    for row in rows:
        for name, value in row.cells.items():
            if name not in read:
                seen[name] += 1
                empty[name] += value is NAN or value is None
    return [
        f"column {name!r} is not read ({seen[name]} values" + (f", {empty[name]} NaN or null)" if empty[name] else ")")
        for name in sorted(seen)
    ]
