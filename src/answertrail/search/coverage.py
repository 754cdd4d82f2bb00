"""What a stratified search says of each period, the empty ones included."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

State = Literal["found", "not reached", "shown before", "nothing above the floor", "no documents", "not searched"]


@dataclass(frozen=True, slots=True)
class PeriodCoverage:
    """One period, `[start, end)`, both None for the undated.

    `documents` and `chunks` count what the filter lets through. `matching` are the chunks whose
    score reaches the floor, `held_back` those of them that were excluded, `hits` those returned.
    `best` is the highest score of the period, also one below the floor; None when no chunk could
    be scored. `searched` is false for the undated when a date bound keeps them out.
    """

    label: str
    start: datetime | None
    end: datetime | None
    searched: bool
    documents: int
    chunks: int
    matching: int
    held_back: int
    hits: int
    best: float | None

    @property
    def state(self) -> State:
        """The period in a word: `not reached` means that k or the cap was used up before it came to this."""
        if not self.searched:
            return "not searched"
        if not self.chunks:
            return "no documents"
        if self.hits:
            return "found"
        if not self.matching:
            return "nothing above the floor"
        return "shown before" if self.held_back == self.matching else "not reached"

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "period": self.label,
            "from": self.start.date().isoformat() if self.start else None,
            "to": self.end.date().isoformat() if self.end else None,
            "state": self.state,
            "documents": self.documents,
            "chunks": self.chunks,
            "matching": self.matching,
            "held_back": self.held_back,
            "hits": self.hits,
            "best": self.best,
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """Every period in date order, the undated last; `floor` is the score from which a chunk counts as found."""

    grain: str
    floor: float
    periods: tuple[PeriodCoverage, ...]

    def labelled(self, label: str) -> PeriodCoverage:
        """Return a period by its label; KeyError when there is none."""
        return {period.label: period for period in self.periods}[label]

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"by": self.grain, "floor": self.floor, "periods": [period.as_json() for period in self.periods]}
