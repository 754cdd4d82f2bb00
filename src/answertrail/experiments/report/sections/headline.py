"""The headline: the main measures of every area given, with denominators and intervals."""

from __future__ import annotations

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.parts import chosen, forest, keyed, picked
from answertrail.experiments.view import answers as answers_view

MAIN = ("recall", "ceiling", "groundedness", "citation_exists", "citation_retrieved", "citation_support")
_CAPTION = (
    "Dots are values, lines 95 % intervals. Beside each: hits / units counted, pooled over all runs. "
    "A wide interval means few questions, however many runs. Unanswerable questions have a section of their own."
)


def answers_headline(scores: AnswerScores) -> Section:
    """Return the figure by tier and the table of all measures."""
    figure = _figure(scores)
    return Section(
        "headline",
        "Headline",
        (
            f"What the answers of “{scores.system}” state, of what they should state, and how far that is backed. "
            "recall: nuggets the answers state. ceiling: nuggets the retrieved chunks hold. groundedness: "
            "assertions backed by what was retrieved.",
        ),
        keyed("answers", picked(answers_view.tables(scores), ("answers*",))),
        (figure,) if figure else (),
    )


def _figure(scores: AnswerScores) -> Figure | None:
    parts = {name: part for name, part in scores.tiers.items() if name != "unanswerable"} or {"all": scores.whole}
    rows = [(tier, name, value) for tier, part in parts.items() for name, value in chosen(part.measures, MAIN)]
    return forest("figure-headline", "Main measures by tier", rows, _CAPTION)
