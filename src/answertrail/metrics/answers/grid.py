"""The nugget grid: for every nugget of every completed run, was it stated, and was it retrieved?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from answertrail.metrics.answers.asked import Asked, AskedRun, LeftOut
from answertrail.metrics.answers.verdicts import Direction, Judged
from answertrail.metrics.values import Json
from answertrail.records import Verdict

Mark = Literal["HIT", "MISS", "UNSCORED"]
Kind = Literal["fact", "stance", "shift", "no_change"]
MissKind = Literal["timing", "stance"]
STANCE: frozenset[Kind] = frozenset({"fact", "stance"})
EVERY: frozenset[Kind] = frozenset({"fact", "stance", "shift", "no_change"})

ABSTAINED = "the run answers cannot_answer: it states nothing"
EMPTY = "the run retrieved nothing"
NO_VERDICT = "no verdict"


@dataclass(frozen=True, slots=True)
class Marked:
    """HIT, MISS or UNSCORED, with the reason the judge or the definition gives."""

    mark: Mark
    reason: str = ""

    @property
    def scored(self) -> bool:
        """Whether it is a hit or a miss."""
        return self.mark != "UNSCORED"


@dataclass(frozen=True, slots=True)
class Cell:
    """One nugget of one completed run: stated (`recall`), retrieved (`ceiling`)."""

    question_id: str
    repeat: int
    run_id: str
    nugget_id: str
    text: str
    kind: Kind
    recall: Marked
    ceiling: Marked
    miss_kind: MissKind | None = None

    @property
    def scored(self) -> bool:
        """Whether both verdicts are there."""
        return self.recall.scored and self.ceiling.scored

    def as_json(self) -> Json:
        """Return plain values."""
        return {
            "question_id": self.question_id,
            "repeat": self.repeat,
            "run_id": self.run_id,
            "nugget_id": self.nugget_id,
            "text": self.text,
            "kind": self.kind,
            "recall": self.recall.mark,
            "recall_reason": self.recall.reason,
            "ceiling": self.ceiling.mark,
            "ceiling_reason": self.ceiling.reason,
            **({"miss_kind": self.miss_kind} if self.miss_kind else {}),
        }


@dataclass(frozen=True, slots=True)
class Grid:
    """All cells, by question, repeat and nugget; verdicts a definition overruled are listed."""

    cells: tuple[Cell, ...]
    left_out: tuple[LeftOut, ...] = ()

    def of(self, kinds: frozenset[Kind]) -> tuple[Cell, ...]:
        """Return the cells of some kinds of nugget."""
        return tuple(cell for cell in self.cells if cell.kind in kinds)


def grid_of(asked: Asked, judged: Judged) -> Grid:
    """Return the grid of all completed runs of questions that have nuggets and an answer.

    By definition, whatever a judge says: a run that answers `cannot_answer` states no nugget
    (recall MISS), and a run that says it retrieved nothing has retrieved no nugget (ceiling MISS).
    Any other nugget without a verdict is UNSCORED, `no verdict`. Unanswerable questions have no cells.
    """
    cells: list[Cell] = []
    left_out: list[LeftOut] = []
    for row in asked.completed:
        if row.question.tier == "unanswerable":
            continue
        stated = ABSTAINED if row.abstained else None
        found = EMPTY if row.retrieved is not None and not row.retrieved else None
        for nugget in row.question.nuggets or []:
            recall, over = _mark(row, judged, "recall", nugget.nugget_id, stated)
            ceiling, under = _mark(row, judged, "ceiling", nugget.nugget_id, found)
            left_out += [item for item in (over, under) if item]
            cells.append(
                Cell(
                    row.question.question_id,
                    row.repeat,
                    row.run_id,
                    nugget.nugget_id,
                    nugget.text,
                    nugget.kind,
                    recall,
                    ceiling,
                    _miss_kind(judged.of(row.run_id, "recall").get(nugget.nugget_id)),
                )
            )
    return Grid(tuple(cells), tuple(left_out))


def outdated(asked: Asked, judged: Judged) -> tuple[str, ...]:
    """Return the ids of verdicts whose claim is not the nugget's text: the gold was edited since, or reworded."""
    texts = {(row.run_id, nugget.nugget_id): nugget.text for row in asked.runs for nugget in row.question.nuggets or []}
    return tuple(
        verdict.verdict_id
        for (run_id, direction), units in judged.by_run.items()
        if direction in ("recall", "ceiling")
        for unit, verdict in units.items()
        if " ".join(texts[(run_id, unit)].split()) != " ".join(verdict.claim.split())
    )


def hits(cells: Iterable[Cell]) -> int:
    """Count the cells that were stated."""
    return sum(cell.recall.mark == "HIT" for cell in cells)


def _mark(
    row: AskedRun, judged: Judged, direction: Direction, nugget_id: str, definition: str | None
) -> tuple[Marked, LeftOut | None]:
    verdict = judged.of(row.run_id, direction).get(nugget_id)
    if definition is not None:
        overruled = verdict is not None and verdict.verdict == "HIT"
        return Marked("MISS", definition), LeftOut(
            "verdict", verdict.verdict_id, f"overruled: {definition}"
        ) if verdict is not None and overruled else None
    if verdict is None:
        return Marked("UNSCORED", NO_VERDICT), None
    return Marked(verdict.verdict, verdict.reason or ""), None


def _miss_kind(verdict: Verdict | None) -> MissKind | None:
    """Return `meta.miss_kind` of a miss: right stance at the wrong time, or no such stance."""
    if verdict is None or verdict.verdict != "MISS":
        return None
    found = (verdict.meta or {}).get("miss_kind")
    return found if found in ("timing", "stance") else None
