"""The measures of trajectories over runs, each with the runs it does not apply to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from answertrail.metrics.answers.applicable import NotApplicable
from answertrail.metrics.answers.lost import LostRuns, lost_units
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Ineligible, Intervals, Lost, Measured, measure
from answertrail.metrics.paired import Statistic
from answertrail.metrics.trajectory.cited_share import NOTHING_RETRIEVED, cited_share
from answertrail.metrics.trajectory.needles import NOT_SAID_CITED, NOT_SAID_RETRIEVED, NOTHING_CITED, Facts
from answertrail.metrics.trajectory.trail import Trail

NO_SEARCHES = "the run does not carry its searches"
_SILENT = (NOT_SAID_RETRIEVED, NOT_SAID_CITED)


class Part(NamedTuple):
    """What one run gives to a measure."""

    numerator: float
    denominator: float


@dataclass(frozen=True, slots=True)
class Taken:
    """A measure, and the completed runs it could not be taken of."""

    measured: Measured
    not_applicable: tuple[NotApplicable, ...]


def taken(
    name: str,
    rows: Iterable[tuple[Trail, Part | str]],
    statistic: Statistic,
    intervals: Intervals,
    ineligible: Sequence[Ineligible] = (),
    lost: Sequence[Lost] = (),
    if_empty: str = "no run it applies to",
    *,
    share: bool = True,
) -> Taken:
    """Make a measure of parts; a text instead of a part is the reason why the run has none.

    A question none of whose runs has a part is ineligible, with the reason of its first run; when
    no run has one, the measure is undefined with the reasons there are. `share` as `measure`.
    """
    observed: list[Observation] = []
    absent: list[NotApplicable] = []
    for trail, part in rows:
        if isinstance(part, str):
            absent.append(NotApplicable(name, trail.question_id, trail.run_id, part))
        else:
            observed.append(Observation(trail.question_id, *part, trail.repeat))
    if absent and not observed:
        if_empty = "; ".join(dict.fromkeys(row.reason for row in absent))
    counted = {row.question_id for row in observed}
    without = {row.question_id: row for row in reversed(absent) if row.question_id not in counted}
    left_out = [*ineligible, *(Ineligible(row.question_id, row.reason) for row in reversed(without.values()))]
    measured = measure(
        name,
        observed,
        statistic=statistic,
        if_empty=if_empty,
        ineligible=left_out,
        intervals=intervals,
        lost=lost,
        share=share,
    )
    return Taken(measured, tuple(absent))


def search_measures(trails: Sequence[Trail], intervals: Intervals) -> dict[str, Taken]:
    """Return what needs no gold, all of it informational.

    `cited_share`, `mean_cited_share`: see `cited_share`; pooled over runs, and averaged over
    questions. `duplicate_search_rate`: searches with results that brought nothing new / searches
    with results. `chunks_per_search`: distinct retrieved / searches, mean over questions.
    """
    share = [(trail, _share(trail)) for trail in trails]
    return {
        "cited_share": taken("cited_share", share, "totals", intervals),
        "mean_cited_share": taken("mean_cited_share", share, "means", intervals),
        "duplicate_search_rate": taken(
            "duplicate_search_rate", [(trail, _duplicates(trail)) for trail in trails], "totals", intervals
        ),
        "chunks_per_search": taken(
            "chunks_per_search", [(trail, _per_search(trail)) for trail in trails], "means", intervals, share=False
        ),
    }


def evidence_measures(
    rows: Sequence[tuple[Trail, Facts]],
    ineligible: Sequence[Ineligible],
    intervals: Intervals,
    lost: Sequence[LostRuns] = (),
    sizes: Mapping[str, int] = {},
) -> dict[str, Taken]:
    """Return the recall analog, over the questions that have gold.

    `needle_recall`: gold units retrieved / gold units. `citation_recall`: gold units
    cited / gold units. `supporting_fact_precision`: distinct cited ids that find a gold unit /
    distinct cited ids; not of a run that cites nothing. Each pooled, and as `mean_...` averaged
    over questions. `supporting_fact_f1`: mean over questions of the F1 of each run's precision and
    citation recall; 0 where nothing is cited. `lost` are the runs there should be and are not, and
    `sizes` the gold units of each question that has any; what a completed run does not record is
    lost as well. How many ids such a run cites is not known.
    """
    out: dict[str, Taken] = {}
    counted: Mapping[str, tuple[Callable[[Facts], Part | str], Callable[[str], int | None]]] = {
        "needle_recall": (_needles, lambda name: sizes.get(name, 0)),
        "citation_recall": (_cited_units, lambda name: sizes.get(name, 0)),
        "supporting_fact_precision": (_supporting, lambda name: None if sizes.get(name) else 0),
        "supporting_fact_f1": (_f1, lambda name: 1 if sizes.get(name) else 0),
    }
    for name, (part, units) in counted.items():
        parts = [(trail, part(facts)) for trail, facts in rows]
        silent = [LostRuns(trail.question_id, 1, found) for trail, found in parts if found in _SILENT]
        gone = lost_units([*lost, *silent], units)
        if name != "supporting_fact_f1":
            out[name] = taken(name, parts, "totals", intervals, ineligible, gone)
            name = f"mean_{name}"
        out[name] = taken(name, parts, "means", intervals, ineligible, gone)
    return out


def _share(trail: Trail) -> Part | str:
    if trail.retrieved is None:
        return NOT_SAID_RETRIEVED
    if trail.cited is None:
        return NOT_SAID_CITED
    ratio = cited_share(trail.retrieved, trail.cited)
    return Part(ratio.numerator, ratio.denominator) if ratio.denominator else NOTHING_RETRIEVED


def _duplicates(trail: Trail) -> Part | str:
    found = trail.empty_handed
    if found is None:
        return NO_SEARCHES
    return Part(*found) if found[1] else "no search returned anything"


def _per_search(trail: Trail) -> Part | str:
    if trail.searches is None or trail.retrieved is None:
        return NO_SEARCHES
    return Part(len(trail.retrieved), len(trail.searches)) if trail.searches else "the run made no search"


def _needles(facts: Facts) -> Part | str:
    return NOT_SAID_RETRIEVED if facts.surfaced is None else Part(len(facts.surfaced), facts.units)


def _cited_units(facts: Facts) -> Part | str:
    return NOT_SAID_CITED if facts.cited_units is None else Part(len(facts.cited_units), facts.units)


def _f1(facts: Facts) -> Part | str:
    return NOT_SAID_CITED if facts.f1 is None else Part(facts.f1, 1)


def _supporting(facts: Facts) -> Part | str:
    if facts.cited is None or facts.supporting is None:
        return NOT_SAID_CITED
    return Part(facts.supporting, facts.cited) if facts.cited else NOTHING_CITED
