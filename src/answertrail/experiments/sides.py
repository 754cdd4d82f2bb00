"""The two sides of a comparison, made from runs or rankings, and the one way they are put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from answertrail.errors import InputError, MismatchError
from answertrail.experiments.attempts import no_result
from answertrail.experiments.ceilings import doubts
from answertrail.experiments.comparable import Allowed, check_sides
from answertrail.experiments.compare import Comparison, compare
from answertrail.experiments.conditions import conditions_of, retrieval_conditions
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.registered import artefacts_of, done_of
from answertrail.experiments.registration import Registration
from answertrail.experiments.retrieval import MAX_ERROR_SHARE
from answertrail.experiments.side import Side
from answertrail.experiments.side_files import Records, read_side, records_of
from answertrail.metrics.answers.asked import asked
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.trajectory.definitions import INFORMATIONAL
from answertrail.metrics.values import Undefined
from answertrail.records import RetrievalRun, Run, Verdict
from answertrail.records.question import Tier

NO_INTERVALS = Intervals(method="none")
HEADLINES = (
    "recall", "ceiling", "groundedness", "citation_support", "needle_recall", "citation_recall",
    "false_answer_rate", "over_refusal_rate",
)  # fmt: skip


def compare_records(
    questions: QuestionSet,
    first: Sequence[Run] | Sequence[RetrievalRun],
    second: Sequence[Run] | Sequence[RetrievalRun],
    *,
    labels: tuple[str, str] = ("A", "B"),
    verdicts: Sequence[Verdict] = (),
    measures: Sequence[str] = (),
    ks: Sequence[int] = (10,),
    under_test: Collection[str] = ("recipe", "prompt"),
    allow_different: Collection[str] = (),
    allow_unequal_repeats: bool = False,
    allow_invalid: bool = False,
    registration: Registration | None = None,
    alpha: float = 0.05,
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Comparison:
    """Compare two systems' runs, or two modes' rankings: the one way two sets of records are put side by side.

    `measures` are names, NAME or TIER/NAME, `all`, or none for the registered or else the headline
    ones. Raises as `check_records` and `compare`, and InputError as the scorers.
    """
    pair = (records_of(first), records_of(second))
    allowed = Allowed(under_test, allow_different, allow_unequal_repeats, allow_invalid)
    check_records(questions, *pair, labels=labels, verdicts=verdicts, allowed=allowed)
    a, b = (side_of(label, rows, questions, verdicts, ks=ks) for label, rows in zip(labels, pair, strict=True))
    registered = [measure.name for measure in registration.measures] if registration else []
    names = names_to_compare(a, b, measures, registered)
    return compare(
        with_tiers(a, questions, names),
        with_tiers(b, questions, names),
        names,
        under_test=under_test,
        allow_different=allow_different,
        allow_unequal_repeats=allow_unequal_repeats,
        allow_invalid=allow_invalid,
        registration=registration,
        alpha=alpha,
        intervals=intervals,
    )


def check_records(
    questions: QuestionSet,
    first: Records,
    second: Records,
    *,
    labels: tuple[str, str] = ("A", "B"),
    verdicts: Sequence[Verdict] = (),
    allowed: Allowed = Allowed(),  # noqa: B008 - frozen
) -> None:
    """Raise MismatchError, before anything is scored, for runs against rankings and as `check_sides`."""
    if bool(first[0]) != bool(second[0]):
        raise MismatchError("runs can only be compared with runs, rankings with rankings", where=", ".join(labels))
    a, b = (_unscored(label, rows, questions, verdicts) for label, rows in zip(labels, (first, second), strict=True))
    check_sides(a, b, allowed)


def runs_side(label: str, questions: QuestionSet, runs: Sequence[Run], verdicts: Sequence[Verdict] = ()) -> Side:
    """Return a side of one system's runs: answers, refusals and trajectories. Raises as their scorers."""
    from answertrail.experiments.answers import score_answers
    from answertrail.experiments.refusal import score_refusals
    from answertrail.experiments.trajectory import score_trajectories

    mine = _verdicts_on(runs, verdicts)
    answers = score_answers(questions, runs, mine, intervals=NO_INTERVALS)
    refusals = score_refusals(questions, runs, verdicts=mine, intervals=NO_INTERVALS)
    trails = score_trajectories(runs, questions, intervals=NO_INTERVALS)
    found = _over_questions([*refusals.measures.items(), *trails.measures.items(), *answers.measures.items()])
    side = _unscored(label, (tuple(runs), ()), questions, mine)
    return replace(side, measures=found, flags=doubts(found, questions, runs, mine))


def rankings_side(
    label: str, questions: QuestionSet, rankings: Sequence[RetrievalRun], *, ks: Sequence[int] = (10,)
) -> Side:
    """Return a side of one mode's rankings."""
    from answertrail.experiments.retrieval import score_retrieval

    scores = score_retrieval(questions, rankings, ks=ks, intervals=NO_INTERVALS, max_error_share=1)
    if len(scores.modes) != 1:
        raise InputError(f"rankings of {len(scores.modes)} modes: {', '.join(scores.modes)}", where=label)
    (mode,) = scores.modes.values()
    return replace(
        _unscored(label, ((), tuple(rankings)), questions, ()), measures=_over_questions(mode.measures.items())
    )


def side_of(
    label: str, records: Records, questions: QuestionSet, verdicts: Sequence[Verdict] = (), *, ks: Sequence[int] = (10,)
) -> Side:
    """Return a side of what `read_side` read."""
    runs, rankings = records
    return runs_side(label, questions, runs, verdicts) if runs else rankings_side(label, questions, rankings, ks=ks)


def artefacts(sides: Iterable[tuple[str, Records]]) -> list[str]:
    """Return what names the systems in the log of looks at held-out questions."""
    found: list[str] = []
    for _, (runs, rankings) in sides:
        found += artefacts_of(runs) if runs else [retrieval_conditions(rankings).artefact]
    return list(dict.fromkeys(found))


def names_to_compare(first: Side, second: Side, asked: Sequence[str], registered: Sequence[str] = ()) -> list[str]:
    """Return the measures to compare: those asked for, else the registered ones, else the headlines.

    Headlines, and `all`, are the measures that at least one side has a value for; where the other
    has none the comparison says why. Measures that only inform are compared when asked for by name.
    """
    known = dict.fromkeys((*first.measures, *second.measures))
    some = [name for name in known if name not in INFORMATIONAL and (first.has(name) or second.has(name))]
    if list(asked) == ["all"]:
        return [*registered, *(name for name in some if name not in registered)]
    if asked:
        return list(dict.fromkeys([*registered, *asked]))
    if registered:
        return list(registered)
    found = [name for name in HEADLINES if name in some] or some
    if not found:
        raise InputError("neither of the two has a measure", where=f"{first.label}, {second.label}")
    return found


def with_tiers(side: Side, questions: QuestionSet, names: Iterable[str]) -> Side:
    """Return the side with the measures of one tier that `names` asks for as TIER/NAME."""
    added: dict[str, Measured | Undefined] = {}
    for full in names:
        tier, slash, name = full.partition("/")
        if slash and full not in side.measures and tier in get_args(Tier) and name in side.measures:
            ids = [question.question_id for question in questions.questions if question.tier == tier]
            whole = side.measures[name]
            added[full] = whole if isinstance(whole, Undefined) else replace(whole.over(ids), name=full)
    return replace(side, measures={**side.measures, **added}) if added else side


def _unscored(label: str, records: Records, questions: QuestionSet, verdicts: Sequence[Verdict]) -> Side:
    """A side without measures: what it was made under, what it was asked, and what became of that."""
    runs, rankings = records
    if not runs:
        return _of_rankings(label, rankings, questions)
    joined = asked(questions.questions, runs)
    return Side(
        label,
        {},
        conditions_of(runs, questions, _verdicts_on(runs, verdicts)),
        _repeats(questions, ((row.question.question_id, row.repeat) for row in joined.runs)),
        frozenset((row.question.question_id, row.repeat) for row in joined.runs if not row.completed),
        done_of(runs, questions),
        invalid=no_result(runs, questions.questions),
    )


def _of_rankings(label: str, rankings: Sequence[RetrievalRun], questions: QuestionSet) -> Side:
    known = set(questions.ids)
    rows = [row for row in rankings if row.question_id in known]
    failed = [(row.question_id, row.repeat or 0) for row in rows if (row.meta or {}).get("error")]
    return Side(
        label,
        {},
        retrieval_conditions(rankings, questions),
        _repeats(questions, ((row.question_id, row.repeat or 0) for row in rows)),
        frozenset(failed),
        invalid=f"{len(failed)} of {len(rows)} rankings are errors: above {MAX_ERROR_SHARE:.0%} the set is no result"
        if len(failed) > MAX_ERROR_SHARE * len(rows)
        else None,
    )


def _repeats(questions: QuestionSet, keys: Iterable[tuple[str, int]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for name, repeat in keys:
        found[name].add(repeat)
    return {name: frozenset(found[name]) for name in questions.ids if name in found}


def _verdicts_on(runs: Sequence[Run], verdicts: Sequence[Verdict]) -> list[Verdict]:
    ids = {run.run_id for run in runs}
    return [verdict for verdict in verdicts if verdict.run_id in ids]


def _over_questions(found: Iterable[tuple[str, object]]) -> Mapping[str, Measured | Undefined]:
    """Keep what is undefined with its reason; a single number has nothing to pair by question, and says so."""
    out: dict[str, Measured | Undefined] = {}
    for name, value in found:
        if isinstance(value, Measured):
            out[name] = value.value if isinstance(value.value, Undefined) else value
        else:
            single = Undefined("one number over all questions: nothing to pair by question")
            out[name] = value if isinstance(value, Undefined) else single
    return out


__all__ = [
    "Records",
    "artefacts",
    "check_records",
    "compare_records",
    "names_to_compare",
    "rankings_side",
    "read_side",
    "runs_side",
    "side_of",
    "with_tiers",
]
