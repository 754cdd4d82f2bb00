"""What the runs took: searches, passages, tokens, money."""

from __future__ import annotations

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.report.data import Bar, BarPanel, Bars
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import keyed, picked, spoken
from answertrail.experiments.view import answers as answers_view
from answertrail.metrics.answers.effort import Effort, Spent
from answertrail.metrics.values import Undefined

_TITLES = {
    "turns": "turns a run",
    "searches": "searches a run",
    "chunks": "distinct passages a run",
    "tokens": "tokens a run",
    "cost_usd": "US dollars a run",
}


def effort(scores: AnswerScores) -> Section | None:
    """Return the means by tier as bars, and the table with medians and totals; None without a run."""
    if not scores.effort:
        return None
    panels = tuple(
        BarPanel(title, tuple(_bar(tier, group, group.quantities[name]) for tier, group in scores.effort.items()))
        for name, title in _TITLES.items()
        if all(name in group.quantities for group in scores.effort.values())
    )
    said = (f"{panel.title}, {bar.label} {bar.text}" for panel in panels for bar in panel.bars)
    caption = "Means over the runs that say it. Unknown is not zero: a run whose cost nobody recorded was not free."
    figure = Figure("figure-effort", "Effort by tier", Bars(panels), caption, spoken(said, "Means"))
    tables = keyed("answers", picked(answers_view.tables(scores), ("effort",)))
    return Section("effort", "Effort and cost", (), tables, (figure,))


def _bar(tier: str, group: Effort, spent: Spent) -> Bar:
    if isinstance(spent.mean, Undefined):
        return Bar(tier, None, "unknown")
    number = f"{spent.mean:,.0f}" if spent.mean >= 100 else f"{spent.mean:.3g}"
    return Bar(tier, spent.mean, number if not spent.unknown else f"{number} ({spent.known} of {group.runs} runs)")
