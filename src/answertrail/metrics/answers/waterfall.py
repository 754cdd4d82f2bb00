"""Where nuggets are lost: four classes that add up, misses by cause, and what was stated without evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answertrail.metrics.answers.grid import STANCE, Cell
from answertrail.metrics.values import Json, Ratio


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Fact and stance nuggets of completed runs, those scored in both directions, in four classes.

    `unscored` nuggets lack a verdict in at least one direction and are in no class. Raises
    ValueError unless the four add up to `total` and no count is negative.
    """

    stated_with_evidence: int
    retrieved_unused: int
    stated_without_evidence: int
    neither: int
    total: int
    unscored: int = 0

    def __post_init__(self) -> None:
        bars = (self.stated_with_evidence, self.retrieved_unused, self.stated_without_evidence, self.neither)
        if min(*bars, self.unscored) < 0 or sum(bars) != self.total:
            raise ValueError(f"the four classes {bars} do not add up to {self.total} nuggets")

    @property
    def stated(self) -> int:
        """Nuggets stated: with evidence and without."""
        return self.stated_with_evidence + self.stated_without_evidence

    @property
    def retrieved(self) -> int:
        """Nuggets retrieved: stated or unused."""
        return self.stated_with_evidence + self.retrieved_unused

    @property
    def missed(self) -> int:
        """Nuggets not stated: unused (lost in synthesis) or not retrieved (lost in retrieval)."""
        return self.retrieved_unused + self.neither

    def as_json(self) -> Json:
        """Return the four classes, their total, and the misses by cause."""
        return {
            "stated_with_evidence": self.stated_with_evidence,
            "retrieved_unused": self.retrieved_unused,
            "stated_without_evidence": self.stated_without_evidence,
            "neither": self.neither,
            "total": self.total,
            "unscored": self.unscored,
            "missed": {"total": self.missed, "synthesis": self.retrieved_unused, "retrieval": self.neither},
        }


@dataclass(frozen=True, slots=True)
class MissSplit:
    """Missed stance nuggets: right stance at the wrong time, no such stance, or not told apart.

    Taken from `meta.miss_kind` of the recall verdict. Raises ValueError unless the parts add up.
    """

    timing: int
    stance: int
    not_split: int
    total: int

    def __post_init__(self) -> None:
        if self.timing + self.stance + self.not_split != self.total:
            raise ValueError("the parts of the missed nuggets do not add up")

    @property
    def timing_share(self) -> Ratio:
        """Timing / (timing + stance)."""
        return Ratio(self.timing, self.timing + self.stance, if_empty="no verdict tells timing from stance")

    def as_json(self) -> Json:
        """Return the counts."""
        return {
            "timing": self.timing,
            "stance": self.stance,
            "not_split": self.not_split,
            "total": self.total,
            "timing_share": self.timing_share.as_json(),
        }


def waterfall(cells: Iterable[Cell]) -> Waterfall:
    """Count the fact and stance cells by class; shift and no-change nuggets stay apart, as in `recall`."""
    kept = [cell for cell in cells if cell.kind in STANCE]
    pairs = [(cell.recall.mark, cell.ceiling.mark) for cell in kept if cell.scored]
    return Waterfall(
        stated_with_evidence=pairs.count(("HIT", "HIT")),
        retrieved_unused=pairs.count(("MISS", "HIT")),
        stated_without_evidence=pairs.count(("HIT", "MISS")),
        neither=pairs.count(("MISS", "MISS")),
        total=len(pairs),
        unscored=len(kept) - len(pairs),
    )


def without_evidence(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """List the nuggets, of every kind, that were stated and whose evidence was not retrieved.

    Each is a leak of the model's own knowledge, an error of the judge, or a fault of the gold.
    """
    return tuple(cell for cell in cells if cell.recall.mark == "HIT" and cell.ceiling.mark == "MISS")


def miss_split(cells: Iterable[Cell]) -> MissSplit:
    """Split the missed stance nuggets by `meta.miss_kind`."""
    kinds = [cell.miss_kind for cell in cells if cell.kind == "stance" and cell.recall.mark == "MISS"]
    return MissSplit(kinds.count("timing"), kinds.count("stance"), kinds.count(None), len(kinds))
