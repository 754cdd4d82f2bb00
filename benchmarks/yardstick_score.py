"""One set, every mode: rankings, measures with intervals by cluster, and the default against its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answertrail.agent.recipe import load as load_recipe
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.retrieval_scores import Value
from answertrail.experiments.retrieval_search import search_modes
from answertrail.metrics.clusters import Observation, clusters_of
from answertrail.metrics.measured import Intervals, Measured, measure
from answertrail.metrics.paired import Difference, paired_difference
from answertrail.metrics.ranking.units import document_of
from answertrail.metrics.values import Undefined
from answertrail.records import RetrievalRun
from answertrail.records.retrieval import Ranked
from benchmarks.in_memory import Opened
from benchmarks.sets.base import PublicSet
from benchmarks.yardstick_agent import BUDGET

KS = (5, 10, 40)
DEFAULT, PARTS = load_recipe("default").search.mode, ("lexical", "dense")
HEADLINE = "mean_recall@10"


@dataclass(frozen=True, slots=True)
class SetScores:
    """Measures by mode (those of recipes are named `agent NAME`), the same of each group, and differences.

    `differences` holds, by measure, the default minus the better of its parts: (name of the part, difference).
    `shown` is how many distinct units a question was shown, by mode, on average.
    """

    measures: Mapping[str, Mapping[str, Value]]
    groups: Mapping[str, Mapping[str, Mapping[str, Value]]]
    differences: Mapping[str, tuple[str, Difference]]
    shown: Mapping[str, float]


async def rankings(found: PublicSet, opened: Sequence[Opened], modes: Sequence[str]) -> list[RetrievalRun]:
    """Rank every question with every mode in its corpus, as deep as the largest k and the budget."""
    rows: list[RetrievalRun] = []
    unit = "document" if found.unit == "node" else found.unit
    for mode in modes:
        for corpus in opened:
            rows += await search_modes(
                corpus.fresh(), corpus.questions, [(mode, mode)], unit=unit, k=max(KS), budget=BUDGET
            )
    return [_by_node(row) for row in rows] if found.unit == "node" else rows


def _by_node(row: RetrievalRun) -> RetrievalRun:
    """A page is a node: the ranking of nodes is that of documents, each at its best chunk."""
    first: dict[str, Ranked] = {}
    for entry in row.ranked:
        name = document_of(entry.id)
        first.setdefault(name, Ranked(id=name, score=entry.score))
    return row.model_copy(update={"unit": "node", "ranked": list(first.values())})


def score(found: PublicSet, rows: Sequence[RetrievalRun], intervals: Intervals) -> SetScores:
    """Score all rankings; intervals draw whole clusters. Sets of counts only have no interval."""
    drawn = Intervals("none") if found.counts_only else intervals
    scored = score_retrieval(found.questions, rows, ks=KS, unit=found.unit, budget=BUDGET, intervals=Intervals("none"))
    plain = {name: mode.measures for name, mode in scored.modes.items()}
    measures = {
        name: {key: by_cluster(value, found.clusters, drawn) for key, value in rows.items()}
        for name, rows in plain.items()
    }
    groups: dict[str, Mapping[str, Mapping[str, Value]]] = {}
    for part, ids in _parts(found).items():
        clusters = {name: found.clusters[name] for name in ids}
        groups[part] = {
            mode: {
                key: by_cluster(value.over(ids), clusters, drawn)
                for key, value in rows.items()
                if isinstance(value, Measured)
            }
            for mode, rows in plain.items()
        }
    return SetScores(measures, groups, _differences(plain, found.clusters, drawn), _shown(rows))


def _shown(rows: Sequence[RetrievalRun]) -> dict[str, float]:
    counts: dict[str, list[int]] = {}
    for row in rows:
        counts.setdefault(row.mode, []).append(len({entry.id for entry in row.ranked}))
    return {mode: round(sum(found) / len(found), 1) for mode, found in counts.items()}


def _parts(found: PublicSet) -> dict[str, list[str]]:
    """Question ids by group, or by tier where there are no groups; none where that would be one part."""
    parts: dict[str, list[str]] = {}
    for question in found.questions.questions:
        if question.tier != "unanswerable":
            parts.setdefault(question.group or question.tier, []).append(question.question_id)
    return dict(sorted(parts.items())) if len(parts) > 1 else {}


def by_cluster(value: Value, clusters: Mapping[str, str], intervals: Intervals) -> Value:
    """Return a measure of the same value whose intervals draw clusters of questions.

    A mean over questions becomes a total of per-question ratios over their number.
    """
    if not isinstance(value, Measured):
        return value
    return measure(
        value.name,
        clustered(value, clusters),
        statistic="totals",
        if_empty=value.ratio.if_empty,
        ineligible=value.ineligible,
        unscored=value.unscored,
        intervals=intervals,
    )


def clustered(value: Measured, clusters: Mapping[str, str]) -> list[Observation]:
    """Return one observation a question, named by its cluster and numbered within it."""
    found = clusters_of(value.observations)
    size: dict[str, int] = {}
    rows = []
    for question, x, y in zip(found.ids, found.numerators, found.denominators, strict=True):
        if value.statistic == "means":
            if y == 0:
                continue
            x, y = x / y, 1
        cluster = clusters[question]
        rows.append(Observation(cluster, x, y, size.setdefault(cluster, 0)))
        size[cluster] += 1
    return rows


def _differences(
    plain: Mapping[str, Mapping[str, Value]], clusters: Mapping[str, str], intervals: Intervals
) -> dict[str, tuple[str, Difference]]:
    out: dict[str, tuple[str, Difference]] = {}
    if intervals.method == "none" or DEFAULT not in plain:
        return out
    for name, ours in plain[DEFAULT].items():
        best = _best((part, plain[part].get(name)) for part in PARTS if part in plain)
        if best is None or not isinstance(ours, Measured) or isinstance(ours.value, Undefined):
            continue
        part, theirs = best
        out[name] = (
            part,
            paired_difference(
                clustered(theirs, clusters),
                clustered(ours, clusters),
                level=intervals.level,
                resamples=intervals.resamples,
            ),
        )
    return out


def _best(parts: Iterable[tuple[str, Value | None]]) -> tuple[str, Measured] | None:
    known = [
        (value.value, part, value)
        for part, value in parts
        if isinstance(value, Measured) and not isinstance(value.value, Undefined)
    ]
    if not known:
        return None
    _, part, value = max(known, key=lambda row: row[0])
    return part, value
