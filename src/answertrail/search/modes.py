"""The search modes: each turns the two kinds of scores into one ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from answertrail.errors import NotFoundError
from answertrail.search.fusion import Fused, fuse_scores, reciprocal_ranks

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Signals:
    """Per row: cosine (NaN without a vector), BM25 (0 without a match), and what the filter allows.

    `share` is the part of the query's idf the corpus knows, 0 to 1.
    """

    dense: Scores
    lexical: Scores
    share: float
    allowed: Mask


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores by row and which rows may be returned at all."""

    scores: Scores | Fused
    eligible: Mask


@dataclass(frozen=True, slots=True)
class Mode:
    """A named mode. `needs` says which signals must be computed for it."""

    name: str
    needs: frozenset[str]
    rank: Callable[[Signals], Ranking]


def _dense(signals: Signals) -> Ranking:
    return Ranking(signals.dense, signals.allowed & ~np.isnan(signals.dense))


def _lexical(signals: Signals) -> Ranking:
    return Ranking(signals.lexical, signals.allowed & (signals.lexical > 0))


def _either(signals: Signals) -> Mask:
    return signals.allowed & (~np.isnan(signals.dense) | (signals.lexical > 0))


def _hybrid(signals: Signals) -> Ranking:
    scores = reciprocal_ranks(signals.dense, signals.lexical, signals.allowed)
    return Ranking(scores, _either(signals))


def _fused(signals: Signals) -> Ranking:
    scores = fuse_scores(signals.dense, signals.lexical, signals.allowed, signals.share)
    return Ranking(scores, _either(signals))


_BOTH = frozenset({"dense", "lexical"})
MODES: Mapping[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode("dense", frozenset({"dense"}), _dense),
        Mode("lexical", frozenset({"lexical"}), _lexical),
        Mode("hybrid", _BOTH, _hybrid),
        Mode("fused", _BOTH, _fused),
    )
}


def mode_named(name: str) -> Mode:
    """Return a mode; raise NotFoundError listing the known ones."""
    try:
        return MODES[name]
    except KeyError:
        raise NotFoundError(f"no search mode {name!r}", hint=f"known: {', '.join(MODES)}") from None
