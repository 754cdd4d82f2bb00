"""A ranking made ready: each unit once at its first rank, its scores checked against the order given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from answertrail.metrics.ranking.units import document_of


class RankedList(NamedTuple):
    """Distinct ids in rank order. `scores` is empty unless every unit has one.

    `repeated` counts the entries removed because their id stood higher up.
    """

    ids: tuple[str, ...]
    scores: tuple[float, ...] = ()
    repeated: int = 0

    @property
    def shown(self) -> int:
        """How many entries the list had as it was given."""
        return len(self.ids) + self.repeated

    @property
    def tied(self) -> bool:
        """Whether two units have one score."""
        return len(set(self.scores)) < len(self.scores)


def ranked_list(ids: Sequence[str], scores: Sequence[float | None] = ()) -> RankedList:
    """Return the list with repeats removed; the first rank of an id is kept. Rank is the order given.

    Raises ValueError where a score is higher than the one before it: order and scores then say
    different things. Entries without a score are passed over.
    """
    known = [score for score in scores if score is not None]
    if known != sorted(known, reverse=True):
        raise ValueError(_rise(ids, scores))
    kept = tuple(dict.fromkeys(ids))
    whole = len(known) == len(ids)
    if len(kept) == len(ids):
        return RankedList(kept, tuple(known) if whole else ())
    if not whole:
        return RankedList(kept, (), len(ids) - len(kept))
    first: dict[str, float] = {}
    for name, score in zip(ids, known, strict=True):
        first.setdefault(name, score)
    return RankedList(kept, tuple(first.values()), len(ids) - len(kept))


def distinct(ids: Sequence[str]) -> Sequence[str]:
    """Return the ids with repeats removed, each at its first rank."""
    return ids if len(set(ids)) == len(ids) else tuple(dict.fromkeys(ids))


def by_document(ranked: RankedList) -> RankedList:
    """Return the documents of a chunk ranking, each at its best chunk; `repeated` stays that of the chunks."""
    scores = ranked.scores or (0.0,) * len(ranked.ids)
    first: dict[str, float] = {}
    for name, score in zip(ranked.ids, scores, strict=True):
        first.setdefault(document_of(name), score)
    return RankedList(tuple(first), tuple(first.values()) if ranked.scores else (), ranked.repeated)


def _rise(ids: Iterable[str], scores: Iterable[float | None]) -> str:
    before: float | None = None
    for rank, (name, score) in enumerate(zip(ids, scores, strict=True), 1):
        if score is None:
            continue
        if before is not None and score > before:
            return f"the score rises from {before:g} to {score:g} at rank {rank} ({name!r})"
        before = score
    raise AssertionError("the scores do not rise")
