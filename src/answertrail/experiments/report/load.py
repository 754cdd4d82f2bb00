"""What a report is made from: record files read, scored, and named by their content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from answertrail.errors import InputError
from answertrail.experiments.answers import one_system, score_answers
from answertrail.experiments.artefacts import ranking_artefacts, resolution_artefacts
from answertrail.experiments.attempts import no_result
from answertrail.experiments.ceilings import doubts
from answertrail.experiments.compare import Comparison
from answertrail.experiments.inputs import QuestionSet, read_files, read_runs, read_verdicts
from answertrail.experiments.rankings import corpus_of, read_rankings
from answertrail.experiments.refusal import score_refusals
from answertrail.experiments.registered import artefacts_of, done_of
from answertrail.experiments.registration import Deviation, Registration, check, read_registration
from answertrail.experiments.report.build import Scored
from answertrail.experiments.resolution import read_resolutions, score_resolutions
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.side_files import Records, read_side
from answertrail.experiments.sides import artefacts, compare_records
from answertrail.experiments.splits import Seal
from answertrail.experiments.trajectory import score_trajectories
from answertrail.metrics.measured import Intervals, Measured
from answertrail.records import Resolution, RetrievalRun, Run, Verdict
from answertrail.records.base import instant

_READERS = ("reader", "embedded:reader")
_READER = (
    "The answers are sentences taken from the passages by the built-in reader: groundedness and citation support are "
    "high by construction, and say little about a model that writes."
)


@dataclass(frozen=True)
class Files:
    """The files a report is made from. `compare_with` is a file of runs or rankings, or FILE#SYSTEM."""

    questions: Path
    runs: Sequence[Path] = ()
    verdicts: Sequence[Path] = ()
    rankings: Sequence[Path] = ()
    resolutions: Path | None = None
    compare_with: str | None = None
    registration: Path | None = None


@dataclass(frozen=True)
class Loaded:
    """The records of the files. `runs` are one system's; `hashes` are (what, name, SHA-256) of each file."""

    system: str
    runs: tuple[Run, ...]
    verdicts: tuple[Verdict, ...]
    rankings: tuple[RetrievalRun, ...]
    resolutions: tuple[Resolution, ...]
    other: tuple[str, Records] | None
    registration: Registration | None
    hashes: tuple[tuple[str, str, str], ...]

    @property
    def artefacts(self) -> list[str]:
        """What a look at held-out questions through this report looks at."""
        found = [*artefacts_of(self.runs), *ranking_artefacts(self.rankings), *resolution_artefacts(self.resolutions)]
        return list(dict.fromkeys([*found, *(artefacts([self.other]) if self.other else ())]))

    @property
    def own_verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts without those on the runs that are only compared with."""
        others = {run.run_id for run in self.other[1][0]} if self.other else set()
        others -= {run.run_id for run in self.runs}
        return tuple(verdict for verdict in self.verdicts if verdict.run_id not in others)

    @property
    def newest(self) -> str | None:
        """The time of the newest record, as it was written; None when none says."""
        return newest(self.runs, self.verdicts)


def newest(runs: Iterable[Run], verdicts: Iterable[Verdict] = ()) -> str | None:
    """Return the time of the newest record, as it was written; None when none says."""
    times = [run.started_at for run in runs if run.started_at]
    times += [verdict.created_at for verdict in verdicts if verdict.created_at]
    return max(times, key=lambda text: (instant(text), text)) if times else None


def load(files: Files, *, system: str | None = None) -> Loaded:
    """Read the files.

    Raises InputError: nothing to report on, an id that two files hold, runs of several systems
    without `system`, a comparison without runs or rankings, and as the readers of each record.
    """
    if not (files.runs or files.rankings or files.resolutions):
        raise InputError("nothing to report on", hint="give --runs, --run or --resolutions")
    if files.verdicts and not files.runs:
        raise InputError("verdicts need the runs they judge", where="--verdicts", hint="give --runs as well")
    if files.compare_with and not (files.runs or files.rankings):
        raise InputError("nothing to compare", where="--compare-with", hint="give --runs or --run as well")
    runs = read_files(files.runs, read_runs, lambda run: run.run_id)
    name, chosen = one_system(runs, system) if runs else ("", ())
    return Loaded(
        name,
        chosen,
        read_files(files.verdicts, read_verdicts, lambda verdict: verdict.verdict_id),
        tuple(row for path in files.rankings for row in read_rankings(path)),
        read_resolutions(files.resolutions) if files.resolutions else (),
        read_side(files.compare_with) if files.compare_with else None,
        read_registration(files.registration) if files.registration else None,
        tuple(_hashes(files)),
    )


def score(
    questions: QuestionSet,
    loaded: Loaded,
    *,
    judge: str | None = None,
    seal: Seal | None = None,
    ks: Sequence[int] = (10,),
    budget: int | None = None,
    under_test: Sequence[str] = ("recipe", "prompt"),
    intervals: Intervals = Intervals(),  # noqa: B008 - frozen
) -> Scored:
    """Score everything that was loaded. Raises as the scorers, and as `compare` when a comparison is refused."""
    runs, verdicts = loaded.runs, loaded.own_verdicts
    answers = score_answers(questions, runs, verdicts, judge=judge, intervals=intervals) if runs else None
    refusals = score_refusals(questions, runs, verdicts=verdicts, judge=judge, intervals=intervals) if runs else None
    corpus = corpus_of(loaded.rankings) if loaded.rankings else None
    search = (
        score_retrieval(questions, loaded.rankings, ks=ks, budget=budget, intervals=intervals, corpus=corpus)
        if loaded.rankings
        else None
    )
    comparison = _compared(questions, loaded, ks, under_test)
    deviations: Sequence[Deviation] = comparison.deviations if comparison else ()
    if loaded.registration and not comparison and answers:
        statistics = {name: found.statistic for name, found in answers.measures.items() if isinstance(found, Measured)}
        deviations = check(loaded.registration, [done_of(runs, questions)], statistics, whole=False)
    return Scored(
        questions,
        runs,
        answers,
        refusals,
        search,
        score_trajectories(runs, questions, intervals=intervals) if runs else None,
        score_resolutions(questions, loaded.resolutions) if loaded.resolutions else None,
        comparison,
        loaded.registration,
        deviations,
        seal,
        (*warnings(questions, runs, verdicts, answers.measures if answers else {}), *_no_results(comparison)),
        loaded.hashes,
        loaded.newest,
    )


def _compared(
    questions: QuestionSet, loaded: Loaded, ks: Sequence[int], under_test: Sequence[str]
) -> Comparison | None:
    """Compare what is reported (B) with the other file (A), on the headline or the registered measures."""
    if loaded.other is None:
        return None
    label, (runs, rankings) = loaded.other
    if (runs and not loaded.runs) or (rankings and not loaded.rankings):
        kind = "runs" if runs else "rankings"
        raise InputError(f"{kind} can only be compared with {kind}", where="--compare-with")
    if runs:
        own = loaded.system if loaded.system != label else f"{loaded.system} (this report)"
        pair: tuple[Sequence[Run] | Sequence[RetrievalRun], ...] = (runs, loaded.runs)
    else:
        modes = {row.mode for row in loaded.rankings}
        if len(modes) > 1:
            raise InputError(f"the rankings are of {len(modes)} modes; compare one", where="--run")
        own, pair = f"{modes.pop()} (this report)", (rankings, loaded.rankings)
    return compare_records(
        questions,
        *pair,
        labels=(label, own),
        verdicts=loaded.verdicts,
        ks=ks,
        under_test=under_test,
        allow_invalid=True,
        registration=loaded.registration,
    )


def _no_results(comparison: Comparison | None) -> Iterator[str]:
    """Yield which side of the comparison is no result: a report shows it all the same, and says so first."""
    for side in (comparison.first, comparison.second) if comparison else ():
        if side.invalid:
            yield f"Comparison, {side.label}: {side.invalid}"


def warnings(
    questions: QuestionSet, runs: Sequence[Run], verdicts: Sequence[Verdict], measures: Mapping[str, object]
) -> Iterator[str]:
    """Yield what a reader must know before the numbers."""
    if any((run.models or {}).get("agent") in _READERS for run in runs):
        yield _READER
    if runs and (invalid := no_result(runs, questions.questions)):
        yield invalid
    yield from doubts(measures, questions, runs, verdicts)


def _hashes(files: Files) -> Iterator[tuple[str, str, str]]:
    """Name each file by its last part alone: where it lies on somebody's disk is nobody's business."""
    groups: list[tuple[str, Sequence[Path]]] = [
        ("questions", (files.questions,)),
        ("runs", files.runs),
        ("verdicts", files.verdicts),
        ("rankings", files.rankings),
        ("resolutions", (files.resolutions,) if files.resolutions else ()),
        ("registration", (files.registration,) if files.registration else ()),
        ("compared with", (_path(files.compare_with),) if files.compare_with else ()),
    ]
    for what, paths in groups:
        for path in paths:
            yield what, path.name, hashlib.sha256(path.read_bytes()).hexdigest()


def _path(side: str) -> Path:
    return Path(side) if Path(side).exists() else Path(side.rpartition("#")[0])
