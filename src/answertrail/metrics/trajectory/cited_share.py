"""The precision analog of a trajectory, and the ids an answer made up."""

from __future__ import annotations

from collections.abc import Iterable

from answertrail.metrics.values import Ratio

NOTHING_RETRIEVED = "nothing was retrieved"


def cited_share(retrieved: Iterable[str], cited: Iterable[str]) -> Ratio:
    """Return distinct retrieved ids that are cited / distinct retrieved ids (ADR 0019).

    A cited id that was not retrieved is in neither count, so the share is at most 1; see
    `fabricated`. Undefined when nothing was retrieved. The retrievals of one trajectory are not
    independent trials, so there is no interval. Show `definitions.CITED_SHARE` beside it.
    """
    found = frozenset(retrieved)
    return Ratio(len(found.intersection(cited)), len(found), if_empty=NOTHING_RETRIEVED)


def fabricated(retrieved: Iterable[str], cited: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct cited ids that were never retrieved, in the order cited."""
    found = frozenset(retrieved)
    return tuple(name for name in dict.fromkeys(cited) if name not in found)
