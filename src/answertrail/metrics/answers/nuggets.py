"""Rates of nuggets: stated, retrieved, both, and stated without evidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from answertrail.metrics.answers.asked import NO_RUN, Asked
from answertrail.metrics.answers.grid import EVERY, STANCE, Cell, Grid, Kind, Marked
from answertrail.metrics.answers.lost import lost_runs, lost_units
from answertrail.metrics.answers.rates import Counted, Rate, Rule, rate
from answertrail.metrics.answers.verdicts import Direction, Judged
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible
from answertrail.records import Question

NO_VERDICTS = "no verdicts given"
SHIFT: frozenset[Kind] = frozenset({"shift"})
_ALONE: dict[str, tuple[Direction, ...]] = {"recall": ("recall",), "ceiling": ("ceiling",)}
NO_CHANGE: frozenset[Kind] = frozenset({"no_change"})


class Seen(NamedTuple):
    """What a measure makes of a cell: counted in the denominator, and a hit; None when unscored."""

    counted: bool
    hit: bool


View = Callable[[Cell], Seen | None]


def nugget_rates(questions: Sequence[Question], asked: Asked, grid: Grid, judged: Judged, rule: Rule) -> list[Rate]:
    """Return every rate of nuggets.

    Over fact and stance nuggets of completed runs: `recall` = stated / scored, `ceiling` = retrieved
    / scored, `mean_recall` and `mean_ceiling` their means over questions (repeats pooled),
    `synthesis_conversion` = stated among retrieved / retrieved, `stated_without_evidence` = stated
    and not retrieved / scored in both directions. `shift_recall` and `no_change_recall` are recall
    over those nuggets alone, `recall_with_shift` over all kinds. Unscored nuggets are in no count.
    Undefined: no nugget scored (for conversion: none retrieved), or too many unscored.
    """
    made = []
    gone = lost_runs(questions, asked)
    for name, kinds, view, needs, statistic in (
        ("recall", STANCE, stated, "recall", "totals"),
        ("mean_recall", STANCE, stated, "recall", "means"),
        ("ceiling", STANCE, retrieved, "ceiling", "totals"),
        ("mean_ceiling", STANCE, retrieved, "ceiling", "means"),
        ("synthesis_conversion", STANCE, converted, "both", "totals"),
        ("stated_without_evidence", STANCE, unevidenced, "both", "totals"),
        ("shift_recall", SHIFT, stated, "recall", "totals"),
        ("no_change_recall", NO_CHANGE, stated, "recall", "totals"),
        ("recall_with_shift", EVERY, stated, "recall", "totals"),
    ):
        rows = counted(grid.of(kinds), view)
        sizes = {question.question_id: nuggets_of(question, kinds) for question in questions}
        made.append(
            rate(
                name,
                "nuggets",
                rows,
                rule,
                statistic="means" if statistic == "means" else "totals",
                if_empty=_if_empty(rows, needs, kinds, judged),
                ineligible=not_asked(questions, asked, kinds),
                errored=errored_nuggets(asked, kinds),
                lost=lost_units(gone, sizes.get),
                not_judged=_not_judged(needs, judged),
                every_unit=needs != "both",
            )
        )
    return made


def stated(cell: Cell) -> Seen | None:
    """Recall's view: every nugget counts, a hit when the answer states it."""
    return _alone(cell.recall)


def retrieved(cell: Cell) -> Seen | None:
    """The ceiling's view: every nugget counts, a hit when the retrieved chunks hold it."""
    return _alone(cell.ceiling)


def converted(cell: Cell) -> Seen | None:
    """The view of synthesis conversion: retrieved nuggets count, a hit when stated; the others need no recall."""
    if cell.ceiling.mark == "MISS":
        return Seen(False, False)
    return Seen(True, cell.recall.mark == "HIT") if cell.scored else None


def unevidenced(cell: Cell) -> Seen | None:
    """The view of what was stated without evidence: every nugget counts."""
    return Seen(True, cell.recall.mark == "HIT" and cell.ceiling.mark == "MISS") if cell.scored else None


def counted(cells: Iterable[Cell], view: View) -> list[Counted]:
    """Count the cells of each question and repeat."""
    by_run: dict[tuple[str, int], list[Cell]] = defaultdict(list)
    for cell in cells:
        by_run[(cell.question_id, cell.repeat)].append(cell)
    rows = []
    for (question_id, repeat), group in by_run.items():
        seen = [view(cell) for cell in group]
        kept = [item for item in seen if item is not None]
        missing = len(seen) - len(kept)
        reasons = Counter(_why(cell) for cell, item in zip(group, seen, strict=True) if item is None)
        reason = min(reasons, key=lambda name: (-reasons[name], name)) if reasons else ""
        hit, units = sum(item.hit for item in kept), sum(item.counted for item in kept)
        rows.append(Counted(question_id, repeat, hit, units, missing, reason))
    return rows


def observations(cells: Iterable[Cell], view: View) -> list[Observation]:
    """Return the counts as observations, of runs with at least one scored cell."""
    return [Observation(r.question_id, r.hits, r.scored, r.repeat) for r in counted(cells, view) if r.scored]


def not_asked(questions: Sequence[Question], asked: Asked, kinds: frozenset[Kind] | None = None) -> list[Ineligible]:
    """List the questions a rate cannot be taken of; `kinds` names the nuggets it is over, if any."""
    completed = {row.question.question_id for row in asked.completed}
    unasked = {row.question_id for row in asked.unasked}
    out = []
    for question in questions:
        reason = None
        if question.question_id in unasked:
            reason = NO_RUN
        elif kinds is not None and question.tier == "unanswerable":
            reason = "unanswerable: it belongs to the table of unsupported questions"
        elif kinds is not None and not any(n.kind in kinds for n in question.nuggets or []):
            reason = _none_of(kinds)
        elif question.question_id not in completed:
            reason = "no run completed"
        if reason:
            out.append(Ineligible(question.question_id, reason))
    return out


def errored_nuggets(asked: Asked, kinds: frozenset[Kind]) -> dict[str, int | None]:
    """Return how many nuggets of these kinds each run that did not complete leaves uncounted."""
    return {
        row.run_id: nuggets_of(row.question, kinds)
        for row in asked.runs
        if not row.completed and row.question.tier != "unanswerable"
    }


def nuggets_of(question: Question, kinds: frozenset[Kind]) -> int:
    """Return how many nuggets of these kinds a run of the question has; an unanswerable one has none."""
    return 0 if question.tier == "unanswerable" else sum(n.kind in kinds for n in question.nuggets or [])


def _none_of(kinds: frozenset[Kind]) -> str:
    return "no nugget" if kinds == EVERY else f"no {' or '.join(sorted(kinds))} nugget"


def _alone(mark: Marked) -> Seen | None:
    return Seen(True, mark.mark == "HIT") if mark.scored else None


def _why(cell: Cell) -> str:
    return cell.ceiling.reason if cell.recall.scored else cell.recall.reason


def _not_judged(needs: str, judged: Judged) -> str | None:
    """Return what to say where nobody judged the directions a rate needs."""
    if judged.judge is None:
        return NO_VERDICTS
    wanted: tuple[Direction, ...] = ("recall", "ceiling") if needs == "both" else _ALONE[needs]
    absent = [name for name in wanted if not judged.given(name)]
    return f"no {' and no '.join(absent)} verdicts given" if absent else None


def _if_empty(rows: list[Counted], needs: str, kinds: frozenset[Kind], judged: Judged) -> str:
    if not rows:
        return _none_of(kinds)
    if any(row.unscored for row in rows) and (reason := _not_judged(needs, judged)):
        return reason
    if needs == "both" and not all(row.unscored for row in rows):
        return "no retrieved nugget"
    return "no nugget is scored"
