"""A comparison as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from answertrail.experiments.compare import Comparison, how
from answertrail.experiments.compare_measures import MeasureComparison
from answertrail.experiments.registration import Deviation
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.measured import Measured
from answertrail.metrics.permutation import TestResult
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined

MANY = 12


def tables(comparison: Comparison) -> list[ReportTable]:
    """Return the measures, their tests, what differs between the two, and deviations from the registration."""
    shown = [_measures(comparison), _tests(comparison), _differing(comparison)]
    if comparison.registration is not None:
        shown.append(deviation_table(comparison.deviations))
    return shown


def _measures(comparison: Comparison) -> ReportTable:
    bounded = any(row.bounds is not None for row in comparison.rows)
    rows = [
        (
            row.name if row.primary else f"{row.name} (exploratory)",
            _side(row, _bare(row.first)),
            _side(row, _bare(row.second)),
            _difference(row),
            *((_bounds(row),) if bounded else ()),
            None if row.adjusted_p is None else _p(row.adjusted_p),
            f"{row.better}/{row.same}/{row.worse}",
        )
        for row in comparison.rows
    ]
    between = ("B - A between",) if bounded else ()
    columns = ("measure", "A", "B", "B - A", *between, "p, Holm", "B better, same, worse")
    title = f"A = {comparison.first.label}, B = {comparison.second.label}"
    return table("comparison", title, columns, rows, _notes(comparison))


def _tests(comparison: Comparison) -> ReportTable:
    rows = [
        (
            row.name,
            _interval(row, row.first),
            _interval(row, row.second),
            _p(row.test.p) if isinstance(row.test, TestResult) else row.test,
            _p(row.test.smallest) if isinstance(row.test, TestResult) else None,
            _detectable(row),
            row.questions,
        )
        for row in comparison.rows
    ]
    columns = ("measure", "interval of A", "interval of B", "p", "p at least", "detectable", "questions")
    note = (
        "p at least: the smallest p these questions could give. Detectable: the smallest mean difference per "
        "question they show in 80 of 100 samples."
    )
    return table("comparison_tests", "Intervals and tests", columns, rows, (note,))


def _side(row: MeasureComparison, ratio: Ratio) -> Measured:
    """The value of one side, so that a mean is written as a mean."""
    return Measured(row.name, row.statistic or "totals", (), ratio)


def _bare(ratio: Ratio) -> Ratio:
    return Ratio(ratio.numerator, ratio.denominator, None, ratio.if_empty)


def _interval(row: MeasureComparison, ratio: Ratio) -> Cell:
    scale, digits = _scale(row)
    found = ratio.interval
    return f"{found.low * scale:.{digits}f} to {found.high * scale:.{digits}f}" if isinstance(found, Interval) else None


def _difference(row: MeasureComparison) -> Cell:
    found = row.difference
    if isinstance(found, Undefined):
        return found
    scale, digits = _scale(row)
    interval, value = found.interval, f"{found.value * scale:+.{digits}f}"
    if isinstance(interval, Interval):
        return f"{value} [{interval.low * scale:+.{digits}f}, {interval.high * scale:+.{digits}f}]"
    return f"{value} (no interval)"


def _bounds(row: MeasureComparison) -> Cell:
    if row.bounds is None or isinstance(row.bounds, Undefined):
        return row.bounds
    scale, digits = _scale(row)
    return " and ".join(f"{end * scale:+.{digits}f}" for end in row.bounds)


def _scale(row: MeasureComparison) -> tuple[int, int]:
    """Points for rates; what can be above 1 (searches, seconds) is written as it is."""
    values = (row.first.value, row.second.value)
    rates = all(isinstance(value, Undefined) or abs(value) <= 1 for value in values)
    return (100, 1) if rates else (1, 3)


def _detectable(row: MeasureComparison) -> Cell:
    scale, digits = _scale(row)
    return None if isinstance(row.detectable, Undefined) else f"{row.detectable * scale:.{digits}f}"


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.2g}"


def _notes(comparison: Comparison) -> Iterable[str]:
    a, b = comparison.first, comparison.second
    yield (
        f"{comparison.common} questions in common. Differences are in points; of what is no rate, as they are. "
        "Intervals: paired bootstrap over questions; p: sign flip over questions; "
        f"{_family(comparison)}, to be held against {comparison.alpha:g}."
    )
    for name, text in comparison.definitions.items():
        if name != "recall_analog":
            yield text
    for side, only in ((a, comparison.only_first), (b, comparison.only_second)):
        if only:
            yield f"Only {side.label} was asked {len(only)} question(s), left out: {listed(only)}."
    if comparison.unequal_repeats:
        yield (
            "Not asked equally often, allowed by the caller; repeats without a partner are left out: "
            f"{listed(comparison.unequal_repeats)}."
        )
    if comparison.failed:
        names = [f"{name} repeat {repeat}" if repeat else name for name, repeat in comparison.failed]
        yield (
            f"{len(names)} run(s) failed on a side; both sides leave them out of what a failed run has no figure for: "
            f"{listed(names)}."
        )
    without: dict[str, list[str]] = {}
    for row in comparison.rows:
        interval = row.difference.interval if isinstance(row.difference, Estimate) else None
        if isinstance(interval, Undefined):
            without.setdefault(interval.reason, []).append(row.name)
    for reason, names in without.items():
        yield f"No interval of the difference for {listed(names)}: {reason}."
    for row in comparison.rows:
        one_sided = [*row.only_first, *row.only_second]
        if one_sided:
            yield f"{row.name}: {len(one_sided)} question(s) have it on one side only, left out: {listed(one_sided)}."
        if row.ineligible:
            yield f"{row.name}: {len(row.ineligible)} question(s) without a denominator: {listed(row.ineligible)}."
        if row.unequal:
            yield (
                f"{row.name}: {len(row.unequal)} question(s) have it in some repeats on one side only, those left out: "
                f"{listed(row.unequal)}."
            )
        if any(row.unscored):
            yield f"{row.name}: {row.unscored[0]} unit(s) of A and {row.unscored[1]} of B are unscored, in no count."
    if any(row.bounds is not None for row in comparison.rows):
        yield (
            "B - A between: what the difference would be with all units without a verdict, and those of failed runs, "
            "counted for one side and against the other."
        )
    for flag in comparison.flags:
        yield f"FLAG, {flag}"


def _family(comparison: Comparison) -> str:
    """How many tests the correction is over, and why."""
    made, tests = comparison.registration, comparison.rows[0].family if comparison.rows else 0
    if made is None:
        return f"Holm over {tests} test(s)"
    others = max(1, len(made.systems) - 1)
    return f"Holm over the {tests} registered test(s), {len(made.measures)} measure(s) of {others} comparison(s)"


def _differing(comparison: Comparison) -> ReportTable:
    rows = [(d.name, d.first.shown, d.second.shown, how(comparison, d)) for d in comparison.differing]
    equal = [
        c.name
        for c in comparison.first.conditions.conditions
        if c.value is not None and c.name not in {d.name for d in comparison.differing}
    ]
    notes = [f"Equal: {', '.join(equal)}."] if equal else []
    if not rows:
        notes.append("Nothing that is recorded differs: A and B are runs of one system.")
    return table("differing", "What differs between A and B", ("condition", "A", "B", "why it may differ"), rows, notes)


def deviation_table(deviations: Sequence[Deviation]) -> ReportTable:
    """Return the deviations from a registration; one row says that there is none."""
    rows: list[tuple[str | None, ...]] = [(row.kind, row.registered, row.done) for row in deviations]
    title = f"Registration: {len(rows)} deviation(s)" if rows else "Registration: no deviation"
    return table("deviations", title, ("what", "registered", "done"), rows or [("none", None, None)])


def listed(names: Sequence[str]) -> str:
    """Return up to twelve names and how many more there are."""
    more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more
