"""What the articles on AnswerTrail published, as counts: five arms, their nuggets and their verdicts.

Sources: the article on evaluation and the report in its code repository (chanys/bounded-deep-research,
2026). Runs, answers and verdicts were never published; counts were, and for one arm every miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FACTUAL_NUGGETS: Mapping[str, int] = {
    "fc-0001": 3, "fc-0002": 3, "fc-0004": 3, "fc-0005": 1, "fc-0006": 1, "fc-0007": 2, "fc-0009": 2,
    "fc-0010": 2, "fc-0012": 5, "fc-0013": 3, "fc-0015": 3, "fc-0017": 2, "fc-0020": 2, "fc-0021": 1,
    "fc-0026": 2, "fc-0031": 3, "fc-0032": 1, "fc-0033": 2, "fc-0038": 1, "fc-0040": 2, "fc-0042": 2,
    "fc-0043": 2, "fc-0044": 1, "fc-0045": 3, "fc-0048": 1,
}  # fmt: skip
"""Nuggets of each of the 25 factual questions."""

KNOWN_STANCES: Mapping[str, int] = {
    "lc-0061": 3, "lc-0070": 3, "lc-0087": 3, "lc-0123": 3, "lc-0127": 3, "lc-0143": 3, "lc-0233": 3,
    "lc-0251": 3, "lc-0418": 2, "lc-0481": 2, "lc-0497": 4,
}  # fmt: skip
"""Stance nuggets of the longitudinal questions whose number can be told from the report."""

OTHER_STANCES: Mapping[str, int] = {f"lc-other-{n:02}": 3 if n <= 22 else 2 for n in range(1, 25)}
"""The other 24 questions carry 70 stance nuggets; how these are spread over them is ours."""

STANCES: Mapping[str, int] = {**KNOWN_STANCES, **OTHER_STANCES}
KNOWN_STANCE_HITS: Mapping[str, int] = {
    "lc-0061": 2, "lc-0070": 1, "lc-0087": 0, "lc-0123": 3, "lc-0127": 0, "lc-0143": 3, "lc-0233": 0,
    "lc-0251": 1, "lc-0418": 0, "lc-0481": 0, "lc-0497": 0,
}  # fmt: skip
"""Stance nuggets stated in three runs of the agent, where the report says it."""

PLAIN_FACTUAL_MISSES: Mapping[str, int] = {"fc-0001": 3, "fc-0004": 3, "fc-0009": 2, "fc-0042": 2, "fc-0017": 1}
"""Every miss of the single pass on factual questions."""

AGENT_FACTUAL_MISSES: Mapping[str, int] = {"fc-0004": 9, "fc-0042": 6}
ALLOCATIONS: tuple[Mapping[str, int], ...] = (
    {"fc-0001": 7, "fc-0007": 1, "fc-0005": 1},
    {"fc-0007": 5, "fc-0001": 4},
    {"fc-0007": 3, "fc-0009": 2, "fc-0001": 2, "fc-0002": 2},
)
"""Three of the ways the agent's other nine factual misses can lie and give the published means."""

JUDGE_TABLE = ((33, 4), (0, 29))
"""66 pairs. Rows: the judge's HIT and MISS; columns: the person's."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One system on one tier. `waterfall`: with evidence, unused, without evidence, neither."""

    name: str
    tier: Literal["factual", "longitudinal"]
    repeats: int
    waterfall: tuple[int, int, int, int]
    grounded: tuple[int, int]
    shift: tuple[int, int] = (0, 0)
    misses: tuple[int, int] = (0, 0)
    hits: Mapping[str, int] = field(default_factory=dict)
    effort: tuple[int, int, int, float] | None = None

    @property
    def nuggets(self) -> Mapping[str, int]:
        """Fact or stance nuggets of each question."""
        return FACTUAL_NUGGETS if self.tier == "factual" else STANCES


def factual_hits(misses: Mapping[str, int], repeats: int) -> dict[str, int]:
    """Return the nuggets stated of each factual question, from those that were not."""
    return {name: repeats * units - misses.get(name, 0) for name, units in FACTUAL_NUGGETS.items()}


def agent_factual(allocation: Mapping[str, int] = ALLOCATIONS[0]) -> Arm:
    """Return the agent on 25 factual questions, three runs each; `allocation` places nine misses."""
    hits = factual_hits({**AGENT_FACTUAL_MISSES, **allocation}, 3)
    return Arm("agent", "factual", 3, (134, 4, 1, 20), (402, 417), hits=hits, effort=(5, 4, 19, 0.05))


AGENT_LONGITUDINAL = Arm(
    "agent", "longitudinal", 3, (85, 48, 12, 161), (1465, 1495), (38, 105), (11, 198),
    hits=KNOWN_STANCE_HITS, effort=(7, 9, 40, 0.12),
)  # fmt: skip
HYBRID = Arm("hybrid", "longitudinal", 1, (24, 17, 5, 56), (506, 511), (14, 35), (2, 71))
PLAIN_FACTUAL = Arm(
    "no-loop", "factual", 1, (42, 1, 0, 10), (128, 130), hits=factual_hits(PLAIN_FACTUAL_MISSES, 1)
)  # fmt: skip
PLAIN_LONGITUDINAL = Arm("no-loop", "longitudinal", 1, (21, 7, 3, 71), (499, 502), (8, 35), (8, 70))

NOT_RECOMPUTABLE: Mapping[str, str] = {
    "longitudinal recall, 95 % interval [24, 39]": (
        "an interval needs the hits of each question; they are known of 11 of the 35 questions"
    ),
    "hybrid against dense, paired interval [-4, +11]": (
        "a paired interval needs the hits of each question under both systems; of the hybrid run only totals are known"
    ),
    "agent against no loop, longitudinal, paired interval [+1, +15]": (
        "a paired interval needs the hits of each question under both systems; of the single pass only totals are known"
    ),
    "means over longitudinal questions, means of groundedness, and ranges over repeats": (
        "they need counts of each question and each repeat, which were not published"
    ),
}
"""Figures that the published counts do not determine, and why."""
