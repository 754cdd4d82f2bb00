"""Questions the corpus cannot answer: what was said to them, and what confidence is worth."""

from __future__ import annotations

from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.report.data import Curve, CurvePoint
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import forest, keyed
from answertrail.experiments.view import refusal as refusal_view
from answertrail.metrics.refusal.confidence import Curve as Confidences
from answertrail.metrics.values import Undefined

_TITLES = {
    "risk_coverage": "Wrong among the answered, by how many are answered",
    "false_answer_curve": "False answers to unanswerable questions, by how many others are answered",
}


def unsupported(scores: RefusalScores) -> Section:
    """Return the rates as a figure, the curves where there are confidences, and every table."""
    rates = [("", name, rate.value) for name, rate in scores.rates.items()]
    rows = [*rates, *(("false answers by kind", kind, rate.value) for kind, rate in scores.by_kind.items())]
    caption = "Runs of the kind / completed runs. Exact bounds over questions are in the tables."
    found = forest("figure-refusals", "Refusing and failing", rows, caption)
    curves = [_curve(name, curve) for name, curve in scores.curves.items() if not isinstance(curve, Undefined)]
    intro = (
        "Answering what the corpus cannot answer and declining what it can are two errors with different costs, so "
        "they are counted apart, and none of these questions is in recall. A retrieved passage or a verified citation "
        "is no support for an answer. A run that did not complete is neither an answer nor a refusal.",
    )
    figures = (*((found,) if found else ()), *curves)
    return Section(
        "unsupported", "Unsupported questions", intro, keyed("refusals", refusal_view.tables(scores)), figures
    )


def _curve(name: str, curve: Confidences) -> Figure:
    points = tuple(CurvePoint(point.coverage, point.risk, f"at least {point.threshold:g}") for point in curve.points)
    area = f"undefined ({curve.area.reason})" if isinstance(curve.area, Undefined) else f"{curve.area.value:.3f}"
    first, last = curve.points[0], curve.points[-1]
    alt = (
        f"Curve of {len(points)} thresholds, from risk {first.risk:.1%} at coverage {first.coverage:.1%} "
        f"to risk {last.risk:.1%} at coverage {last.coverage:.1%}."
    )
    caption = f"From the surest answer to all of them. Area under the curve {area}; low is good."
    return Figure(f"figure-{name.replace('_', '-')}", _TITLES.get(name, name), Curve(points), caption, alt)
