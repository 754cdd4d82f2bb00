"""Score the answers of one system: recall, ceiling, groundedness, citations, waterfall, effort."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from answertrail.errors import InputError, NotFoundError
from answertrail.experiments.answer_questions import per_question
from answertrail.experiments.answer_scores import AnswerScores, IneligibleQuestion, TierScores
from answertrail.experiments.conditions import conditions_of
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.judge_choice import one_judge
from answertrail.experiments.stamp import stamp
from answertrail.experiments.systems import by_system
from answertrail.metrics.answers.applicable import NotApplicable, Parts
from answertrail.metrics.answers.asked import Asked, asked
from answertrail.metrics.answers.citations import (
    NO_STATEMENTS,
    citation_exists,
    citation_retrieved,
    citation_support,
    support_source,
)
from answertrail.metrics.answers.effort import by_tier, effort
from answertrail.metrics.answers.grid import EVERY, STANCE, Grid, grid_of, outdated
from answertrail.metrics.answers.grounded import groundedness
from answertrail.metrics.answers.lost import lost_runs, lost_units
from answertrail.metrics.answers.nuggets import (
    NO_VERDICTS,
    not_asked,
    nugget_rates,
    observations,
    retrieved,
    stated,
)
from answertrail.metrics.answers.rates import MAX_UNSCORED_SHARE, Rate, Rule, rate
from answertrail.metrics.answers.repeats import RepeatRange, repeat_range
from answertrail.metrics.answers.statement_units import judged_in_vain
from answertrail.metrics.answers.verdicts import Judged, judged
from answertrail.metrics.answers.waterfall import miss_split, waterfall, without_evidence
from answertrail.metrics.measured import Intervals, Lost
from answertrail.metrics.values import Undefined
from answertrail.records import Question, Run, Verdict

NO_VALUE = "(none)"
DEFAULT = Intervals()
MIXED = ("prompt", "corpus", "embedder", "code")
"""Conditions that may differ between the runs of one score; they are printed."""


def score_answers(
    questions: QuestionSet,
    runs: Sequence[Run],
    verdicts: Sequence[Verdict] = (),
    *,
    judge: str | None = None,
    system: str | None = None,
    corpus_ids: Collection[str] | None = None,
    max_unscored_share: float = MAX_UNSCORED_SHARE,
    intervals: Intervals = DEFAULT,
) -> AnswerScores:
    """Score the runs of one system by the verdicts of one judge.

    `corpus_ids` are all chunk ids of the corpus, for runs that carry no citation checks. A measure
    with a larger unscored share than `max_unscored_share` has no headline. Raises InputError: no
    run; runs of several systems or verdicts of several judges without a choice; and as `asked` and
    `judged`. NotFoundError: no run of `system`, no verdict of `judge`. MismatchError: a run was
    asked other words than its question has now.
    """
    name, chosen = one_system(runs, system)
    kept = one_judge(verdicts, judge)
    joined = asked(questions.questions, chosen)
    found = judged(kept.verdicts, joined.runs, judge=kept.judge)
    rule = Rule(intervals, max_unscored_share)
    made = _Maker(found, rule, corpus_ids)
    whole, absent = made.scores(questions.questions, joined)
    tiers = _split(questions.questions, joined, lambda question: question.tier)
    scored = {tier: made.scores(part, rows)[0] for tier, (part, rows) in tiers.items()}
    if fault := cross_foot(whole.rates, [tier.rates for tier in scored.values()]):
        raise ValueError(f"the tiers do not add up: {fault}")
    grid = grid_of(joined, found)
    conditions = conditions_of(chosen, questions, kept.verdicts, allow_mixed=MIXED)
    corpora = {run.corpus.snapshot: run.corpus for run in chosen if run.corpus}
    return AnswerScores(
        system=name,
        judge=found.judge,
        support_source=support_source(found),
        whole=whole,
        tiers=scored,
        effort=by_tier(joined.runs),
        slices={
            "group": _slices(made, questions.questions, joined, whole, lambda question: question.group),
            "language": _slices(made, questions.questions, joined, whole, lambda question: question.language),
        },
        per_question=per_question(questions.questions, joined, grid, found),
        stated_without_evidence=without_evidence(grid.cells),
        ineligible=_ineligible(whole.rates),
        not_applicable=absent,
        errors=joined.errors,
        left_out=(
            *joined.left_out,
            *kept.left_out,
            *found.left_out,
            *grid.left_out,
            *judged_in_vain(joined, found),
        ),
        outdated=outdated(joined, found),
        grid=grid,
        conditions=conditions,
        stamp=stamp(questions.hash, next(iter(corpora.values())) if len(corpora) == 1 else None),
    )


@dataclass(frozen=True)
class _Maker:
    """The scores of any part of the questions, all by one rule."""

    judged: Judged
    rule: Rule
    corpus_ids: Collection[str] | None

    def scores(self, questions: Sequence[Question], joined: Asked) -> tuple[TierScores, tuple[NotApplicable, ...]]:
        """Return the scores, and the runs some of the measures do not apply to."""
        grid = grid_of(joined, self.judged)
        rates, absent = self.rates(questions, joined, grid)
        scores = TierScores(
            questions=len(questions),
            runs=len(joined.runs),
            errored_runs=len(joined.errors),
            rates=rates,
            waterfall=waterfall(grid.cells),
            miss_split=miss_split(grid.cells),
            ranges=_ranges(grid),
            effort=effort(joined.completed),
        )
        return scores, absent

    def rates(
        self, questions: Sequence[Question], joined: Asked, grid: Grid
    ) -> tuple[dict[str, Rate], tuple[NotApplicable, ...]]:
        """Return every rate by name, and the runs some of them do not apply to."""
        grounded = groundedness(joined, self.judged)
        no_verdicts = "no groundedness verdicts given" if self.judged.judge else NO_VERDICTS
        none_made = "no answer makes an assertion from what it retrieved"
        if any(row.unscored for row in grounded.rows):
            none_made = "no assertion is scored"
        empty = none_made if self.judged.given("groundedness") or not grounded.rows else no_verdicts
        parts = {
            "citation_exists": (citation_exists(joined, self.corpus_ids), "citations"),
            "citation_retrieved": (citation_retrieved(joined), "citations"),
            "citation_support": (citation_support(joined, self.judged), "cited statements"),
        }
        rates = nugget_rates(questions, joined, grid, self.judged, self.rule)
        rates.append(self._rate("groundedness", "assertions", grounded, questions, joined, empty))
        rates.append(self._rate("mean_groundedness", "assertions", grounded, questions, joined, empty))
        for name, (part, unit) in parts.items():
            reason = "no answer cites anything" if not part.rows else part.rows[0].reason or "nothing is scored"
            rates.append(self._rate(name, unit, part, questions, joined, reason))
        absent = (*grounded.not_applicable, *(item for part, _ in parts.values() for item in part.not_applicable))
        return {found.name: found for found in rates}, absent

    def _rate(
        self, name: str, unit: str, part: Parts, questions: Sequence[Question], joined: Asked, if_empty: str
    ) -> Rate:
        return rate(
            name,
            unit,
            part.rows,
            self.rule,
            statistic="means" if name.startswith("mean_") else "totals",
            if_empty=if_empty,
            ineligible=[*not_asked(questions, joined), *part.ineligible()],
            errored={row.run_id: None for row in joined.errors},
            lost=[*lost_units(lost_runs(questions, joined), lambda _: None), *_not_carried(part)],
            not_judged=None if not name.endswith("groundedness") or self.judged.given("groundedness") else if_empty,
        )


def _not_carried(part: Parts) -> list[Lost]:
    """Units of completed runs that do not carry their statements: nobody knows how many they cite."""
    return [Lost(row.question_id, None, row.reason) for row in part.not_applicable if row.reason == NO_STATEMENTS]


def one_system(runs: Sequence[Run], system: str | None = None) -> tuple[str, tuple[Run, ...]]:
    """Return the name and the runs of one system.

    Raises InputError without a run, and, listing them, for several systems and no choice;
    NotFoundError for a system without runs.
    """
    found = by_system(runs)
    if not found:
        raise InputError("no run to score")
    names = ", ".join(found)
    if system is not None:
        if system not in found:
            raise NotFoundError(f"no run is of system {system!r}", where="--system", hint=f"known: {names}")
        return system, found[system]
    if len(found) > 1:
        raise InputError(f"runs of {len(found)} systems: {names}", where="runs", hint="choose one with --system NAME")
    return next(iter(found.items()))


def _split(
    questions: Sequence[Question], joined: Asked, value: Callable[[Question], str | None]
) -> dict[str, tuple[tuple[Question, ...], Asked]]:
    """Part questions and their runs by a value of the question; those without one stay together."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(value(question) or NO_VALUE, []).append(question)
    out = {}
    for name, part in sorted(groups.items()):
        ids = {question.question_id for question in part}
        runs = tuple(row for row in joined.runs if row.question.question_id in ids)
        unasked = tuple(row for row in joined.unasked if row.question_id in ids)
        out[name] = (tuple(part), Asked(runs, unasked, (), joined.repeats))
    return out


def _slices(
    made: _Maker,
    questions: Sequence[Question],
    joined: Asked,
    whole: TierScores,
    value: Callable[[Question], str | None],
) -> Mapping[str, Mapping[str, Rate]] | Undefined:
    split = _split(questions, joined, value)
    if len(split) < 2:
        return Undefined(f"all questions are of one: {next(iter(split), NO_VALUE)}")
    slices = {name: made.rates(part, rows, grid_of(rows, made.judged))[0] for name, (part, rows) in split.items()}
    fault = cross_foot(whole.rates, list(slices.values()))
    return Undefined(f"the slices do not add up: {fault}") if fault else slices


def cross_foot(whole: Mapping[str, Rate], parts: Sequence[Mapping[str, Rate]]) -> str | None:
    """Return the first measure whose scored, unscored or hit units do not add up to the whole's."""
    for name, found in whole.items():
        rows = [part[name] for part in parts]
        counts = (sum(row.scored for row in rows), sum(row.unscored for row in rows), sum(row.hits for row in rows))
        if counts != (found.scored, found.unscored, found.hits):
            return f"{name}: {counts} against {(found.scored, found.unscored, found.hits)} (scored, unscored, hits)"
    return None


def _ranges(grid: Grid) -> dict[str, RepeatRange]:
    cells = grid.of(STANCE)
    out = {"recall": repeat_range("recall", observations(cells, stated))}
    out["mean_recall"] = repeat_range("mean_recall", observations(cells, stated), "means")
    out["ceiling"] = repeat_range("ceiling", observations(cells, retrieved))
    out["recall_with_shift"] = repeat_range("recall_with_shift", observations(grid.of(EVERY), stated))
    return out


def _ineligible(rates: Mapping[str, Rate]) -> tuple[IneligibleQuestion, ...]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, found in rates.items():
        for row in found.ineligible:
            reasons.setdefault((row.question_id, row.reason), []).append(name)
    return tuple(IneligibleQuestion(name, why, tuple(rates)) for (name, why), rates in sorted(reasons.items()))


__all__ = ["AnswerScores", "TierScores", "cross_foot", "one_system", "score_answers"]
