"""The planted topics as they are written: arcs of dated stances, single facts, and their distractors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from answertrail.errors import InputError
from answertrail.records.base import DateText, Identifier, NonEmpty, instant
from answertrail.records.jsonl import faults
from benchmarks.sets.base import read_lines

PLANTED = Path(__file__).resolve().parents[1] / "planted"


Spoken = Annotated[str, Field(pattern=r"\S")]


class _Row(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Distractor(_Row):
    """A dated passage that uses the topic's words and takes no stance."""

    date: DateText
    passage: Spoken


class Stance(_Row):
    """What was held in `[from_, to)`, and the dated passage that says so."""

    from_: DateText = Field(alias="from")
    to: DateText
    date: DateText
    stance: NonEmpty
    passage: Spoken

    @model_validator(mode="after")
    def _inside(self) -> Stance:
        if not instant(self.from_) <= instant(self.date) < instant(self.to):
            raise ValueError(f"the date {self.date} is not in [{self.from_}, {self.to})")
        return self


class Arc(_Row):
    """A topic over time. `oblique`: later passages do not name it."""

    arc_id: Identifier
    topic: NonEmpty
    oblique: bool
    speaker: NonEmpty
    question: NonEmpty
    stances: Annotated[list[Stance], Field(min_length=2)]
    distractors: list[Distractor]


class Fact(_Row):
    """A single fact, the control."""

    fact_id: Identifier
    date: DateText
    speaker: NonEmpty
    question: NonEmpty
    answer: NonEmpty
    passage: Spoken
    distractor: Distractor


R = TypeVar("R", Arc, Fact)


def read_arcs(folder: Path = PLANTED) -> list[Arc]:
    """Read every `arcs_*.jsonl`. Raises InputError naming file and line for a row of another shape."""
    return _read(sorted(folder.glob("arcs_*.jsonl")), Arc, lambda arc: arc.arc_id)


def read_facts(folder: Path = PLANTED) -> list[Fact]:
    """Read every `facts_*.jsonl`. Raises as `read_arcs`."""
    return _read(sorted(folder.glob("facts_*.jsonl")), Fact, lambda fact: fact.fact_id)


def _read(paths: Sequence[Path], kind: type[R], name: Callable[[R], str]) -> list[R]:
    rows: dict[str, R] = {}
    for path in paths:
        for number, value in read_lines(path):
            try:
                row = kind.model_validate(value)
            except ValidationError as error:
                raise InputError(faults(error), where=f"{path}:{number}") from None
            if name(row) in rows:
                raise InputError(f"{name(row)!r} is given twice", where=f"{path}:{number}")
            rows[name(row)] = row
    return list(rows.values())


def passages_of(arcs: Iterable[Arc], facts: Iterable[Fact]) -> list[tuple[str, str, str, str]]:
    """Return (key, date, speaker, text) of every passage; a key is `ID/s0` (stance or fact) or `ID/d0`."""
    out = []
    for arc in arcs:
        out += [(f"{arc.arc_id}/s{n}", row.date, arc.speaker, row.passage) for n, row in enumerate(arc.stances)]
        out += [(f"{arc.arc_id}/d{n}", row.date, arc.speaker, row.passage) for n, row in enumerate(arc.distractors)]
    for fact in facts:
        out.append((f"{fact.fact_id}/s0", fact.date, fact.speaker, fact.passage))
        out.append((f"{fact.fact_id}/d0", fact.distractor.date, fact.speaker, fact.distractor.passage))
    return out
