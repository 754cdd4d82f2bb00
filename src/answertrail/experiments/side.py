"""One system of a comparison: its measures, what they were made under, and what it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from answertrail.experiments.conditions import Conditions
from answertrail.experiments.registration import Done
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Undefined


@dataclass(frozen=True, slots=True)
class Side:
    """One system. `label` is how the caller named it.

    A measure that could not be taken is there as Undefined, with its reason. `asked` has the repeats
    of each question that are on record, `failed` those of them that ended without a result. `done`
    is None for rankings. `flags` are doubts about the scores that a reader must see; `invalid` says
    why they are no result at all (too many accidents).
    """

    label: str
    measures: Mapping[str, Measured | Undefined]
    conditions: Conditions
    asked: Mapping[str, frozenset[int]]
    failed: frozenset[tuple[str, int]] = frozenset()
    done: Done | None = None
    flags: tuple[str, ...] = ()
    invalid: str | None = None

    def measure(self, name: str) -> Measured | Undefined:
        """Return a measure; one that is not there is undefined."""
        return self.measures.get(name, Undefined(f"{self.label} has no such measure"))

    def has(self, name: str) -> bool:
        """Whether the measure has a value."""
        found = self.measures.get(name)
        return isinstance(found, Measured) and not isinstance(found.value, Undefined)
