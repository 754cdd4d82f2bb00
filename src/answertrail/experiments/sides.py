"""The two sides of a comparison, made from run files or ranking files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from answertrail.errors import InputError
from answertrail.experiments.ceilings import doubts
from answertrail.experiments.compare import Side
from answertrail.experiments.conditions import conditions_of, retrieval_conditions
from answertrail.experiments.inputs import QuestionSet, read_runs
from answertrail.experiments.registered import artefacts_of, done_of
from answertrail.experiments.systems import by_system
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.trajectory.definitions import INFORMATIONAL
from answertrail.metrics.values import Undefined
from answertrail.records import RetrievalRun, Run, Verdict, jsonl
from answertrail.records.question import Tier

NO_INTERVALS = Intervals(method="none")
HEADLINES = (
    "recall", "ceiling", "groundedness", "citation_support", "needle_recall", "citation_recall",
    "false_answer_rate", "over_refusal_rate",
)  # fmt: skip
Records = tuple[tuple[Run, ...], tuple[RetrievalRun, ...]]


def read_side(text: str) -> tuple[str, Records]:
    """Read `FILE` or `FILE#NAME`: one system's runs or one mode's rankings, and a label.

    Raises InputError for a file that holds neither, or several systems or modes and no name.
    """
    path, name = _split(text)
    kind = _kind(path)
    if kind == "run/1":
        groups: Mapping[str, tuple[Run, ...] | tuple[RetrievalRun, ...]] = by_system(read_runs(path))
        what = "system"
    elif kind == "retrieval_run/1":
        rankings: dict[str, list[RetrievalRun]] = {}
        for row in jsonl.read(path, RetrievalRun):
            rankings.setdefault(row.mode, []).append(row)
        groups, what = {mode: tuple(rows) for mode, rows in rankings.items()}, "mode"
    else:
        raise InputError(
            f"{kind or 'nothing'} cannot be compared", where=str(path), hint="give run/1 or retrieval_run/1"
        )
    names = ", ".join(groups)
    if name is None and len(groups) > 1:
        raise InputError(f"the file holds {len(groups)} {what}s", where=str(path), hint=f"name one: {path}#{names}")
    if name is not None and name not in groups:
        raise InputError(f"the file has no {what} {name!r}", where=str(path), hint=f"it has {names}")
    chosen = name if name is not None else next(iter(groups))
    rows = groups[chosen]
    label = chosen if chosen != "unnamed" else path.name
    runs = tuple(row for row in rows if isinstance(row, Run))
    return label, (runs, tuple(row for row in rows if isinstance(row, RetrievalRun)))


def runs_side(label: str, questions: QuestionSet, runs: Sequence[Run], verdicts: Sequence[Verdict] = ()) -> Side:
    """Return a side of one system's runs: answers, refusals and trajectories. Raises as their scorers."""
    from answertrail.experiments.answers import score_answers
    from answertrail.experiments.refusal import score_refusals
    from answertrail.experiments.trajectory import score_trajectories

    ids = {run.run_id for run in runs}
    mine = [verdict for verdict in verdicts if verdict.run_id in ids]
    answers = score_answers(questions, runs, mine, intervals=NO_INTERVALS)
    refusals = score_refusals(questions, runs, verdicts=mine, intervals=NO_INTERVALS)
    trails = score_trajectories(runs, questions, intervals=NO_INTERVALS)
    found = _measured([*refusals.measures.items(), *trails.measures.items(), *answers.measures.items()])
    known = {question.question_id for question in questions.questions}
    asked = Counter(run.question_id for run in runs if run.question_id in known)
    return Side(
        label,
        found,
        conditions_of(runs, questions, mine),
        {name: asked[name] for name in questions.ids if asked[name]},
        done_of(runs, questions),
        doubts(found, questions, runs, mine),
    )


def rankings_side(
    label: str, questions: QuestionSet, rankings: Sequence[RetrievalRun], *, ks: Sequence[int] = (10,)
) -> Side:
    """Return a side of one mode's rankings. A question without one counts 0, as in `eval retrieval`."""
    from answertrail.experiments.retrieval import score_retrieval

    scores = score_retrieval(questions, rankings, ks=ks, intervals=NO_INTERVALS)
    (mode,) = scores.modes.values()
    if mode.invalid:
        raise InputError(f"the rankings are no result: {mode.invalid}", where=label)
    repeats = max(1, len(mode.repeats))
    return Side(
        label,
        _measured(mode.measures.items()),
        retrieval_conditions(rankings, questions),
        dict.fromkeys(questions.ids, repeats),
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
    """Return the measures to compare: those asked for, else the registered ones, else headlines both have.

    `all` stands for every measure both have. Measures that only inform are compared when asked for
    by name.
    """
    both = [name for name in first.measures if name in second.measures and name not in INFORMATIONAL]
    if list(asked) == ["all"]:
        return [*registered, *(name for name in both if name not in registered)]
    if asked:
        return list(dict.fromkeys([*registered, *asked]))
    if registered:
        return list(registered)
    chosen = [name for name in HEADLINES if name in both]
    found = chosen or both
    if not found:
        raise InputError("the two have no measure in common", where=f"{first.label}, {second.label}")
    return found


def with_tiers(side: Side, questions: QuestionSet, names: Iterable[str]) -> Side:
    """Return the side with the measures of one tier that `names` asks for as TIER/NAME."""
    added: dict[str, Measured] = {}
    for full in names:
        tier, slash, name = full.partition("/")
        if slash and full not in side.measures and tier in get_args(Tier) and name in side.measures:
            ids = [question.question_id for question in questions.questions if question.tier == tier]
            added[full] = replace(side.measures[name].over(ids), name=full)
    return replace(side, measures={**side.measures, **added}) if added else side


def _measured(found: Iterable[tuple[str, object]]) -> dict[str, Measured]:
    """Keep what has a value over questions: single numbers and undefined measures have nothing to pair."""
    return {
        name: value for name, value in found if isinstance(value, Measured) and not isinstance(value.value, Undefined)
    }


def _split(text: str) -> tuple[Path, str | None]:
    if Path(text).exists():
        return Path(text), None
    path, mark, name = text.rpartition("#")
    return (Path(path), name) if mark else (Path(text), None)


def _kind(path: Path) -> str | None:
    for number, line in jsonl.numbered_lines(path):
        try:
            row = jsonl.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}", where=f"{path}:{number}") from None
        return str(row.get("schema")) if isinstance(row, dict) else None
    return None
