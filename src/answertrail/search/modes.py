"""The search modes by name. Five score, three select among the scored, any of the five can be reranked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from answertrail.errors import InputError, NotFoundError
from answertrail.search import alike
from answertrail.search.diverse import diverse_mode
from answertrail.search.fusion import reciprocal_ranks
from answertrail.search.near import near_mode
from answertrail.search.ranking import BOTH, Mode, Ranking, Signals, fused
from answertrail.search.rerank import RERANKERS, reranked
from answertrail.search.spread import spread_mode
from answertrail.search.timeline import timeline_mode

__all__ = ["MODES", "SCORING", "Mode", "Ranking", "Signals", "mode_named"]


def _dense(signals: Signals) -> Ranking:
    return Ranking(signals.dense, signals.allowed & ~np.isnan(signals.dense))


def _lexical(signals: Signals) -> Ranking:
    return Ranking(signals.lexical, signals.allowed & (signals.lexical > 0))


def _hybrid(signals: Signals) -> Ranking:
    scores = reciprocal_ranks(signals.dense, signals.lexical, signals.allowed)
    return Ranking(scores, signals.rankable)


def _fused(signals: Signals) -> Ranking:
    scores = fused(signals, signals.allowed)
    return Ranking(scores, signals.rankable)


SCORING: Mapping[str, Mode] = {
    mode.name: mode
    for mode in (
        Mode("dense", frozenset({"dense"}), _dense),
        Mode("lexical", frozenset({"lexical"}), _lexical),
        Mode("hybrid", BOTH, _hybrid),
        Mode("fused", BOTH, _fused, lending=alike.POOL),
        near_mode(),
    )
}
"""The modes that give every chunk a score of its own."""

MODES: Mapping[str, Mode] = {
    **SCORING,
    **{mode.name: mode for mode in (timeline_mode(), diverse_mode(), spread_mode())},
}


def mode_named(name: str) -> Mode:
    """Return a mode by name, `MODE+RERANKER` for one that is reranked.

    Raises NotFoundError listing the known ones, InputError for a mode that cannot be reranked.
    """
    base, plus, reranker = name.partition("+")
    known = f"known: {', '.join(MODES)}"
    if base not in MODES:
        raise NotFoundError(f"no search mode {base!r}", hint=known)
    if not plus:
        return MODES[base]
    if reranker not in RERANKERS:
        raise NotFoundError(f"no reranker {reranker!r}", hint=f"known: {', '.join(RERANKERS)}")
    if base not in SCORING:
        raise InputError(
            f"{base} cannot be reranked: its order is what it chose by", hint=f"rerank one of {', '.join(SCORING)}"
        )
    return reranked(MODES[base], RERANKERS[reranker], name=name)
