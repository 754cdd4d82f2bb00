"""The articles' figures computed again from their counts, each beside what was published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from answertrail.experiments.answers import AnswerScores, score_answers
from answertrail.kit.published import (
    AGENT_LONGITUDINAL,
    ALLOCATIONS,
    HYBRID,
    JUDGE_TABLE,
    PLAIN_FACTUAL,
    PLAIN_LONGITUDINAL,
    Arm,
    agent_factual,
)
from answertrail.kit.published_records import records
from answertrail.metrics.agreement import agreement
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.values import Interval, Ratio, Undefined

WITHOUT = Intervals("none")
DRAWN = Intervals(resamples=20_000)
SLACK = 0.3
"""Points by which a bootstrap of 20,000 resamples may differ from another of the same counts."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A published figure and ours. It holds when ours, rounded as theirs was, is theirs.

    `slack` allows for resampling: ends of intervals differ a little from seed to seed.
    """

    name: str
    published: float
    computed: float
    digits: int = 1
    slack: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether both agree."""
        if self.slack:
            return abs(self.computed - self.published) <= self.slack
        return f"{self.computed:.{self.digits}f}" == f"{self.published:.{self.digits}f}"

    def __str__(self) -> str:
        return f"{self.name:<58} {self.published:>9.{self.digits}f} {self.computed:>9.{self.digits}f}"


def figures() -> list[Figure]:
    """Return every figure that the published counts determine."""
    factual, longitudinal = _scored(agent_factual()), _scored(AGENT_LONGITUDINAL)
    hybrid, plain = _scored(HYBRID), _scored(PLAIN_LONGITUDINAL)
    single = _scored(PLAIN_FACTUAL, DRAWN)
    return [
        *_main("agent, factual", factual, (84.9, 86.8, 96.4, 97.1), (135, 138, 1, 4, 20)),
        *_main("agent, longitudinal", longitudinal, (31.7, 43.5, 98.0, 63.9), (97, 133, 12, 48, 161)),
        *_main("hybrid, longitudinal", hybrid, (28.4, 40.2, 99.0, 58.5), (29, 41, 5, 17, 56)),
        *_main("no loop, factual", single, (79.2, 81.1, 98.5, 97.7), (42, 43, 0, 1, 10)),
        *_main("no loop, longitudinal", plain, (23.5, 27.5, 99.4, 75.0), (24, 28, 3, 7, 71)),
        Figure("agent, factual: mean recall", 86.9, _points(factual, "mean_recall")),
        Figure("no loop, factual: mean recall", 82.0, _points(single, "mean_recall")),
        *_shift(longitudinal, hybrid, plain),
        *_splits(longitudinal, hybrid, plain),
        *_differences(factual, longitudinal, hybrid, single, plain),
        *_interval("no loop, factual: recall", single, (61.1, 94.7), SLACK),
        *_judge(),
    ]


def allocation_intervals() -> list[tuple[float, float]]:
    """Return the interval of factual recall, in points, for three ways the unknown misses can lie."""
    return [_ends(_scored(agent_factual(allocation), DRAWN)) for allocation in ALLOCATIONS]


def brackets(intervals: list[tuple[float, float]], low: float, high: float) -> bool:
    """Whether the lower ends enclose `low` and the upper ends `high`."""
    lows, highs = [ends[0] for ends in intervals], [ends[1] for ends in intervals]
    return min(lows) <= low <= max(lows) and min(highs) <= high <= max(highs)


def _scored(arm: Arm, intervals: Intervals = WITHOUT) -> AnswerScores:
    return score_answers(*records(arm), intervals=intervals)


def _ratio(scores: AnswerScores, name: str) -> Ratio:
    found = scores.measures[name]
    if isinstance(found, Undefined):
        raise ValueError(f"{name}: {found.reason}")
    return found.ratio


def _points(scores: AnswerScores, name: str) -> float:
    value = _ratio(scores, name).value
    if isinstance(value, Undefined):
        raise ValueError(f"{name}: {value.reason}")
    return 100 * value


def _main(name: str, scores: AnswerScores, rates: tuple[float, ...], counts: tuple[int, ...]) -> Iterator[Figure]:
    for measure, published in zip(("recall", "ceiling", "groundedness", "synthesis_conversion"), rates, strict=True):
        yield Figure(f"{name}: {measure}", published, _points(scores, measure))
    bars = scores.waterfall
    found = (bars.stated, bars.retrieved, bars.stated_without_evidence, bars.retrieved_unused, bars.neither)
    said = ("stated", "retrieved", "stated without evidence", "missed in synthesis", "missed in retrieval")
    for what, published, computed in zip(said, counts, found, strict=True):
        yield Figure(f"{name}: nuggets {what}", published, computed, 0)
    yield Figure(f"{name}: cases listed", counts[2], len(_stance_cases(scores)), 0)


def _stance_cases(scores: AnswerScores) -> list[str]:
    return [cell.nugget_id for cell in scores.stated_without_evidence if cell.kind in ("fact", "stance")]


def _shift(longitudinal: AnswerScores, hybrid: AnswerScores, plain: AnswerScores) -> Iterator[Figure]:
    yield Figure("agent, longitudinal: shift recall", 36.2, _points(longitudinal, "shift_recall"))
    yield Figure("agent, longitudinal: recall with shift", 32.8, _points(longitudinal, "recall_with_shift"))
    for name, scores, shift, whole in (("hybrid", hybrid, 14, 43), ("no loop", plain, 8, 32)):
        yield Figure(f"{name}: shift nuggets stated, of 35", shift, _ratio(scores, "shift_recall").numerator, 0)
        yield Figure(f"{name}: nuggets stated, of 137", whole, _ratio(scores, "recall_with_shift").numerator, 0)


def _splits(longitudinal: AnswerScores, hybrid: AnswerScores, plain: AnswerScores) -> Iterator[Figure]:
    for name, scores, timing, stance in (
        ("agent", longitudinal, 11, 198), ("hybrid", hybrid, 2, 71), ("no loop", plain, 8, 70),
    ):  # fmt: skip
        split = scores.whole.miss_split
        yield Figure(f"{name}, longitudinal: missed by timing", timing, split.timing, 0)
        yield Figure(f"{name}, longitudinal: missed by stance", stance, split.stance, 0)


def _differences(
    factual: AnswerScores, longitudinal: AnswerScores, hybrid: AnswerScores, single: AnswerScores, plain: AnswerScores
) -> Iterator[Figure]:
    for name, published, first, second in (
        ("loop, factual: points of recall", 5.7, factual, single),
        ("loop, longitudinal: points of recall", 8.2, longitudinal, plain),
        ("dense over hybrid: points of recall", 3.3, longitudinal, hybrid),
    ):
        yield Figure(name, published, _points(first, "recall") - _points(second, "recall"))


def _ends(scores: AnswerScores) -> tuple[float, float]:
    found = scores.measures["recall"]
    if not isinstance(found, Measured) or not isinstance(found.interval, Interval):
        raise ValueError("recall has no interval")
    return 100 * found.interval.low, 100 * found.interval.high


def _interval(name: str, scores: AnswerScores, published: tuple[float, float], slack: float) -> Iterator[Figure]:
    for end, said, found in zip(("lower", "upper"), published, _ends(scores), strict=True):
        yield Figure(f"{name}, {end} end of the 95 % interval", said, found, 1, slack)


def _judge() -> Iterator[Figure]:
    found = agreement(JUDGE_TABLE)
    observed, expected, kappa = found.observed.value, found.expected, found.kappa
    if isinstance(observed, Undefined) or isinstance(expected, Undefined) or isinstance(kappa, Undefined):
        raise ValueError("the judge's table has no kappa")
    yield Figure("judge: observed agreement", 0.9394, observed, 4)
    yield Figure("judge: chance agreement", 0.5, expected, 4)
    yield Figure("judge: Cohen's kappa", 0.88, kappa.value, 2)
