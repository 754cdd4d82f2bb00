"""The headline: the main measures, with denominators and intervals; without verdicts, what needs none."""

from __future__ import annotations

from answertrail.experiments.answer_scores import AnswerScores
from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.report.model import Figure, Section
from answertrail.experiments.report.sections.known import known, known_table
from answertrail.experiments.report.sections.parts import chosen, forest, keyed, picked
from answertrail.experiments.trajectory import TrajectoryScores
from answertrail.experiments.view import answers as answers_view

MAIN = ("recall", "ceiling", "groundedness", "citation_exists", "citation_retrieved", "citation_support")
_CAPTION = (
    "Dots are values, lines 95 % intervals. Beside each: hits / units counted, pooled over all runs. "
    "A wide interval means few questions, however many runs."
)
_APART = " Unanswerable questions have a section of their own."
_NEED = "Recall, ceiling and groundedness need verdicts, and none were given: here is what is known without them."


def answers_headline(
    scores: AnswerScores, refusals: RefusalScores | None = None, trails: TrajectoryScores | None = None
) -> Section:
    """Return the figure by tier and the table of all measures; without a judge, the measures that need none.

    The measures without a value are then in the section on what is left out.
    """
    if scores.judge is None:
        return _without_verdicts(scores, refusals, trails)
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
    return forest("figure-headline", "Main measures by tier", rows, _CAPTION + _APART)


def _without_verdicts(scores: AnswerScores, refusals: RefusalScores | None, trails: TrajectoryScores | None) -> Section:
    rows = known(scores, refusals, trails)
    figure = forest("figure-headline", "What is known without verdicts", rows, _CAPTION)
    runs = (
        f"{scores.whole.runs} runs of {scores.whole.questions} questions by “{scores.system}”; "
        f"{scores.whole.errored_runs} did not complete."
    )
    by_tier = keyed("answers", picked(answers_view.tables(scores), ("answers_by_tier",)))
    return Section("headline", "Headline", (_NEED, runs), (known_table(rows), *by_tier), (figure,) if figure else ())
