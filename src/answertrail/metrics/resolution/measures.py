"""The measures of node resolution: Q the answerable questions, U the unanswerable, R those resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Measured, measure
from answertrail.metrics.resolution.cases import Case

WILSON = Intervals("wilson")

_Test = Callable[[Case], bool]
NO_Q = "no answerable question with a gold node"
_OF_Q: Mapping[str, _Test] = {
    "r@1": lambda case: case.rank == 1,
    "r@3": lambda case: 1 <= case.rank <= 3,
    "r@5": lambda case: 1 <= case.rank <= 5,
    "correct": lambda case: case.status == "resolved" and case.correct,
    "wrong": lambda case: case.status == "resolved" and not case.correct,
}
_OF_ALL: Mapping[str, _Test] = {
    "choose_rate": lambda case: case.status == "choose",
    "none_rate": lambda case: case.status == "none",
}


def resolution_measures(
    cases: Sequence[Case], ineligible: Iterable[Ineligible] = (), intervals: Intervals = WILSON
) -> dict[str, Measured]:
    """Return each measure by the contract's name.

    `r@k`: gold node at rank 1 to k / Q. `correct`, `wrong`: resolved to the gold node, to another
    / Q. `unanswerable_resolved`: resolved / U. `choose_rate`, `none_rate`: that status / Q + U.
    `precision`: resolved to the gold node / R, answerable or not. A question without a resolution
    counts in Q or U and in no numerator. Undefined with the reason when the denominator is empty.
    """
    left_out = tuple(ineligible)
    answerable = [case for case in cases if case.answerable]
    unanswerable = [case for case in cases if not case.answerable]

    def rate(name: str, test: _Test, among: Iterable[Case], if_empty: str) -> Measured:
        rows = [Observation(case.question_id, int(test(case)), 1) for case in among]
        return measure(name, rows, statistic="totals", if_empty=if_empty, ineligible=left_out, intervals=intervals)

    found = {name: rate(name, test, answerable, NO_Q) for name, test in _OF_Q.items()}
    found["unanswerable_resolved"] = rate(
        "unanswerable_resolved", lambda case: case.status == "resolved", unanswerable, "no unanswerable question"
    )
    found |= {name: rate(name, test, cases, "no question") for name, test in _OF_ALL.items()}
    found["precision"] = measure(
        "precision",
        [
            Observation(case.question_id, int(case.correct), 1)
            if case.status == "resolved"
            else Observation(case.question_id, 0, 0)
            for case in cases
        ],
        statistic="totals",
        if_empty="nothing was resolved",
        ineligible=left_out,
        intervals=intervals,
    )
    return found
