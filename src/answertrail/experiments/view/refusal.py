"""Tables of refusal scores: counts first, both sides of answerability apart, failures by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from answertrail.experiments.refusal import RefusalScores
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.refusal.cases import SAID, Case
from answertrail.metrics.refusal.confidence import Curve, Point
from answertrail.metrics.refusal.exact import Share
from answertrail.metrics.refusal.rates import Rate
from answertrail.metrics.values import Undefined

MOST = 40
_EXACT = ("questions with any such run", "questions with every run such", "no run such")
_BOUNDS = (
    "questions: exact bounds (Clopper-Pearson), a question is one trial; with repeats they bound these shares of "
    "questions, not the rate over runs"
)
_TITLES = {
    "risk_coverage": "Risk and coverage by confidence",
    "false_answer_curve": "False answers and coverage by confidence",
}


def tables(scores: RefusalScores) -> list[ReportTable]:
    """Return the count table, strata, rates, kinds, scores, curves, and the cases that went wrong."""
    out = [_counts(scores), _strata(scores), _rates(scores), _kinds(scores), _crag(scores)]
    out += [_curve(name, curve) for name, curve in scores.curves.items() if not isinstance(curve, Undefined)]
    out += [
        listed
        for key, title, cases in (
            ("false_answers", "Answered although the corpus cannot answer", scores.false_answers),
            ("over_refusals", "Declined although the corpus can answer", scores.over_refusals),
            ("failed_runs", "Runs that did not complete", scores.failed),
            ("outcome_unknown", "Runs that do not say whether they answered", scores.unknown),
        )
        for listed in _cases(key, title, cases)
    ]
    return out


def _counts(scores: RefusalScores) -> ReportTable:
    rows: list[list[Cell]] = []
    for name, answerable in (("answerable", True), ("unanswerable", False)):
        said = scores.table.row(answerable=answerable).values()
        rows.append([name, scores.table.questions(answerable=answerable), *said, sum(said)])
    sums = [sum(cell for cell in column if isinstance(cell, int)) for column in list(zip(*rows, strict=True))[1:]]
    rows.append(["all", *sums])
    notes = [
        *scores.notes,
        f"{len(scores.not_asked)} questions have no run" if scores.not_asked else "",
        f"{len(scores.left_out)} runs belong to no question of the set" if scores.left_out else "",
    ]
    return table(
        "answerability",
        "Could the corpus answer, and what was said (runs)",
        ("question", "questions", *(_words(said) for said in SAID), "runs"),
        rows,
        [note for note in notes if note],
    )


def _strata(scores: RefusalScores) -> ReportTable:
    return table(
        "strata",
        "What the set is made of (runs)",
        ("tier", "kind", "questions", "asked", *(_words(said) for said in SAID), "runs"),
        [[row.tier, row.kind or "–", row.questions, row.asked, *row.runs, row.total] for row in scores.table.strata],
    )


def _rates(scores: RefusalScores) -> ReportTable:
    return table(
        "refusal_rates",
        "Refusing and failing",
        ("measure", "runs", *_EXACT),
        [[name, rate.value, *_exact(rate)] for name, rate in scores.rates.items()],
        ["a partial answer counts as answered; a run that did not complete is no refusal", _BOUNDS],
    )


def _kinds(scores: RefusalScores) -> ReportTable:
    return table(
        "false_answers_by_kind",
        "False answers by kind of unanswerable question",
        ("kind", "runs", *_EXACT),
        [[kind, rate.value, *_exact(rate)] for kind, rate in scores.by_kind.items()],
        [_BOUNDS],
    )


def _crag(scores: RefusalScores) -> ReportTable:
    return table(
        "crag_score",
        "Right +1, partly right +0.5, declined 0, wrong -1",
        ("score", "mean over questions"),
        [[name, score] for name, score in scores.crag.items()],
        [
            "always declining scores 0; answering every unanswerable question scores -1 on that side",
            "right is decided by recall verdicts alone, never by what was retrieved or cited",
            *(f"{name}: {_why(curve)}" for name, curve in scores.curves.items() if isinstance(curve, Undefined)),
        ],
    )


def _curve(name: str, curve: Curve) -> ReportTable:
    area = f"undefined: {curve.area.reason}" if isinstance(curve.area, Undefined) else f"{curve.area.value:.3f}"
    plain = name == "risk_coverage"
    under = f"risk = wrong / answered; coverage of {curve.coverage_of} completed runs"
    other = (
        f"risk = false answers / {curve.risk_of} unanswerable runs; coverage of {curve.coverage_of} answerable runs; "
        "whether those answers are right is not judged"
    )
    notes = [f"area under the curve {area}, low is good", under if plain else other]
    if curve.left_out:
        notes.append(f"{len(curve.left_out)} answers left out: {', '.join(sorted({why for _, why in curve.left_out}))}")
    return table(
        name,
        _TITLES[name],
        ("confidence at least", "answered", "wrong" if plain else "false answers", "coverage", "risk"),
        [[point.threshold, point.covered, point.wrong, point.coverage, point.risk] for point in _thinned(curve)],
        notes,
    )


def _thinned(curve: Curve) -> Sequence[Point]:
    """At most twenty points, the last always among them; JSON has all."""
    step = -(-len(curve.points) // 20)
    return curve.points[::-1][::step][::-1]


def _cases(key: str, title: str, cases: Sequence[Case]) -> Iterable[ReportTable]:
    if cases:
        rest = [f"and {len(cases) - MOST} more; --json lists all"] if len(cases) > MOST else []
        rows: list[list[Cell]] = [
            [case.question_id, case.kind or case.tier, case.repeat, _how(case), case.run_id] for case in cases
        ]
        yield table(key, title, ("question", "kind", "repeat", "how it ended", "run"), rows[:MOST], rest)


def _how(case: Case) -> str:
    return case.status if case.said == "failed" else _words(case.said)


def _exact(rate: Rate) -> list[Cell]:
    exact = rate.exact
    if isinstance(exact, Undefined):
        return [None, None, None]  # the rate beside it says why
    never = None if exact.never is None else f"at most {100 * exact.never.high:.1f} % (rule of three)"
    return [_share(exact.any_run, exact.questions), _share(exact.every_run, exact.questions), never]


def _share(found: Share, questions: int) -> str:
    low, high = (f"{100 * end:.1f}" for end in (found.interval.low, found.interval.high))
    return f"{found.events}/{questions} [{low}, {high}]"


def _words(said: str) -> str:
    return {"unknown": "outcome unknown"}.get(said, said.replace("_", " "))


def _why(curve: Curve | Undefined) -> str:
    return f"undefined, {curve.reason}" if isinstance(curve, Undefined) else ""
