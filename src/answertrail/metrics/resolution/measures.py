"""The measures of node resolution: Q the answerable questions, U the unanswerable, R those resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, Unscored, measure
from answertrail.metrics.resolution.cases import Case

WILSON = Intervals("wilson")
NO_RESOLUTION = "no resolution"

_Test = Callable[[Case], bool]
NO_Q = "no answerable question with a gold node"
_FOUND: Mapping[str, _Test] = {
    "r@1": lambda case: case.rank == 1,
    "r@3": lambda case: 1 <= case.rank <= 3,
    "r@5": lambda case: 1 <= case.rank <= 5,
    "correct": lambda case: case.status == "resolved" and case.correct,
}


def resolution_measures(
    cases: Sequence[Case], ineligible: Iterable[Ineligible] = (), intervals: Intervals = WILSON
) -> dict[str, Measured]:
    """Return each measure by the contract's name.

    `r@k`: gold node at rank 1 to k / Q. `correct`, `wrong`: resolved to the gold node, to another
    / Q. `unanswerable_resolved`: resolved / U. `choose_rate`, `none_rate`: that status / Q + U.
    `precision`: resolved to the gold node / R, answerable or not. Undefined with the reason when
    the denominator is empty.

    A question without a resolution found nothing, so `r@k` and `correct` count it as 0. What else
    would have been done with it nobody knows: it is unscored in all other measures.
    """
    left_out = tuple(ineligible)
    answerable = [case for case in cases if case.answerable]
    unanswerable = [case for case in cases if not case.answerable]

    def rate(
        name: str, test: _Test, among: Iterable[Case], if_empty: str, *, counted: _Test = _has_resolution
    ) -> Measured:
        rows = list(among)
        open_ = [case for case in rows if case.status == "missing" and not counted(case)]
        return measure(
            name,
            [Observation(case.question_id, int(test(case)), 1) for case in rows if counted(case)],
            statistic="totals",
            if_empty=if_empty if len(open_) < len(rows) or not rows else "no question has a resolution",
            ineligible=left_out,
            unscored=[Unscored(case.question_id, 1, NO_RESOLUTION) for case in open_],
            intervals=intervals,
        )

    found = {name: rate(name, test, answerable, NO_Q, counted=lambda _: True) for name, test in _FOUND.items()}
    found["wrong"] = rate("wrong", lambda case: _resolved(case) and not case.correct, answerable, NO_Q)
    found["unanswerable_resolved"] = rate("unanswerable_resolved", _resolved, unanswerable, "no unanswerable question")
    found["choose_rate"] = rate("choose_rate", lambda case: case.status == "choose", cases, "no question")
    found["none_rate"] = rate("none_rate", lambda case: case.status == "none", cases, "no question")
    found["precision"] = rate("precision", lambda case: case.correct, cases, "nothing was resolved", counted=_resolved)
    return found


def _has_resolution(case: Case) -> bool:
    return case.status != "missing"


def _resolved(case: Case) -> bool:
    return case.status == "resolved"
