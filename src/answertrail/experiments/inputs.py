"""Questions, runs and verdicts read for scoring: each id once, and a hash that names the set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from answertrail.errors import InputError
from answertrail.records import Question, Run, Verdict, jsonl
from answertrail.records.base import Record, instant

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions in file order, and a hash of all their gold that forgets the order."""

    questions: tuple[Question, ...]
    hash: str

    @property
    def ids(self) -> tuple[str, ...]:
        """Question ids in file order."""
        return tuple(question.question_id for question in self.questions)

    @property
    def by_id(self) -> dict[str, Question]:
        """Questions by id."""
        return {question.question_id: question for question in self.questions}


def question_set(questions: Iterable[Question]) -> QuestionSet:
    """Return a set of questions. The hash is `sha256:` over their canonical JSON lines, sorted by id."""
    rows = tuple(questions)
    lines = sorted(
        (row.question_id, json.dumps(row.as_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":")))
        for row in rows
    )
    digest = hashlib.sha256("\n".join(line for _, line in lines).encode("utf-8")).hexdigest()
    return QuestionSet(rows, f"sha256:{digest}")


def read_questions(path: str | Path) -> QuestionSet:
    """Read a question file.

    Raises InputError naming file and line: a record that is not `question/1`, an id given twice,
    two nuggets of one question with one id, a nugget whose evidence is not in the question's list,
    a span or window that ends before it begins. And for a file without a question.
    """
    rows = read_unique(path, Question, lambda row: row.question_id, _question_fault)
    if not rows:
        raise InputError("no question in the file", where=str(path))
    return question_set(rows)


def read_runs(path: str | Path) -> tuple[Run, ...]:
    """Read a run file; raises InputError naming file and line, also for a run id given twice."""
    return read_unique(path, Run, lambda row: row.run_id)


def read_verdicts(path: str | Path) -> tuple[Verdict, ...]:
    """Read a verdict file; raises InputError naming file and line, also for a verdict id given twice."""
    return read_unique(path, Verdict, lambda row: row.verdict_id)


def read_files(files: Iterable[Path], read: Callable[[Path], Iterable[R]], name: Callable[[R], str]) -> tuple[R, ...]:
    """Read several files of one kind as one. Raises InputError for an id that two of them hold, and as `read`."""
    first: dict[str, Path] = {}
    rows: list[R] = []
    for path in files:
        for row in read(path):
            if name(row) in first:
                raise InputError(f"{name(row)!r} is also in {first[name(row)]}", where=str(path))
            first[name(row)] = path
            rows.append(row)
    return tuple(rows)


def read_unique(
    path: str | Path, kind: type[R], name: Callable[[R], str], fault: Callable[[R], str | None] = lambda _: None
) -> tuple[R, ...]:
    """Read records of one kind, each name once. Raises InputError with file and line."""
    first: dict[str, int] = {}
    rows: list[R] = []
    for number, line in jsonl.numbered_lines(path):
        row = jsonl.parse_line(kind, line, where=f"{path}:{number}")
        if name(row) in first:
            raise InputError(
                f"{name(row)!r} is given twice, first in line {first[name(row)]}",
                where=f"{path}:{number}",
                hint="remove one of the two or give it an id of its own",
            )
        if found := fault(row):
            raise InputError(found, where=f"{path}:{number}")
        first[name(row)] = number
        rows.append(row)
    return tuple(rows)


def _question_fault(question: Question) -> str | None:
    spans = question.evidence or []
    for number, span in enumerate(spans):
        if span.end_s is not None and span.end_s < (span.start_s or 0):
            return f"evidence.{number}: end_s {span.end_s:g} is before start_s {span.start_s or 0:g}"
    seen: set[str] = set()
    for nugget in question.nuggets or []:
        if nugget.nugget_id in seen:
            return f"nugget {nugget.nugget_id!r} is given twice"
        seen.add(nugget.nugget_id)
        if any(index >= len(spans) for index in nugget.evidence or []):
            return f"nugget {nugget.nugget_id!r}: evidence {max(nugget.evidence or [])} of {len(spans)} items (from 0)"
        if nugget.window and instant(nugget.window.from_) >= instant(nugget.window.to):
            return f"nugget {nugget.nugget_id!r}: the window does not begin before it ends"
    return None
