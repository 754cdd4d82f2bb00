"""How far the pooled rate moves from one repeat to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from answertrail.metrics.bootstrap import mean_of_ratios, ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.paired import Statistic
from answertrail.metrics.values import Json, Ratio, Undefined


@dataclass(frozen=True, slots=True)
class RepeatRange:
    """The same rate of each repeat alone. `uneven` lists repeats that do not cover all questions."""

    name: str
    by_repeat: tuple[tuple[int, Ratio], ...]
    uneven: tuple[int, ...]

    @property
    def ends(self) -> tuple[float, float] | Undefined:
        """Lowest and highest value; Undefined with fewer than two repeats that have one."""
        values = [ratio.value for _, ratio in self.by_repeat]
        found = [value for value in values if not isinstance(value, Undefined)]
        return (min(found), max(found)) if len(found) > 1 else Undefined("fewer than two repeats")

    def as_json(self) -> Json:
        """Return both ends, and the value of each repeat."""
        ends = self.ends
        out: Json = ends.as_json() if isinstance(ends, Undefined) else {"low": ends[0], "high": ends[1]}
        out["by_repeat"] = [{"repeat": repeat, **ratio.as_json()} for repeat, ratio in self.by_repeat]
        out["uneven"] = list(self.uneven)
        return out


def repeat_range(name: str, observations: Iterable[Observation], statistic: Statistic = "totals") -> RepeatRange:
    """Return the rate of each repeat. A range over few repeats is no interval: it ignores the questions' own spread."""
    groups: dict[int, list[Observation]] = defaultdict(list)
    for row in observations:
        groups[row.repeat].append(row)
    made = ratio_of_totals if statistic == "totals" else mean_of_ratios
    asked = {repeat: {row.question_id for row in rows} for repeat, rows in groups.items()}
    every = set().union(*asked.values())
    plain = []
    for repeat in sorted(groups):
        found = made(groups[repeat], resamples=2).ratio
        plain.append((repeat, Ratio(found.numerator, found.denominator, if_empty=found.if_empty)))
    return RepeatRange(name, tuple(plain), tuple(sorted(repeat for repeat in asked if asked[repeat] != every)))
