"""One query in several wordings, searched as one: translations, rewordings, and the words of passages found.

Translations are the same thing said once more, and one of them may be nonsense to the embedder: a
chunk has the highest of its values (`combined`). Rewordings say the same with other stress, and what
is near all of them is more likely meant: it has their mean. Passages found each tell of another side
of the thing, so the highest of a chunk's values with them is added (`blended`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from answertrail.search.ranking import Signals

Values = npt.NDArray[np.float64]
Join = Callable[[Sequence[Values]], Values]
LIKE = 0.7
"""What likeness to a passage found counts beside the query; between 1/2 and 1 differ little (docs/reader.md)."""


@dataclass(frozen=True, slots=True)
class Wordings:
    """What is searched as one with a query: `reworded`, and the words of passages found (`like`)."""

    reworded: tuple[str, ...] = ()
    like: tuple[str, ...] = ()


def highest(values: Sequence[Values]) -> Values:
    """Return the highest of each row's values, NaN where all are."""
    out: Values = np.fmax.reduce(np.stack(values))
    return out


def combined(signals: Sequence[Signals], join: Join = highest) -> Signals:
    """Return the signals of all wordings of a query as those of one query.

    Cosines are standardised for each wording, joined, and put back on the scale of the wording
    that stands out most, so that a chunk's is its cosine with that wording or what is worth as
    much. BM25 scores times the wording's weight are joined likewise, and put back on the scale of
    the largest weight; so are the votes of whole documents. A wording of which no row has a term,
    where the first has one, may be nonsense: it stands out no more than the first does. One wording
    comes back as it is.
    """
    if len(signals) == 1:
        return signals[0]
    lexical, weight = _lexical(signals, join)
    votes = [one.documents.astype(np.float64) for one in signals if one.documents is not None]
    return replace(
        signals[0],
        dense=_dense(signals, join),
        lexical=lexical,
        weight=weight,
        documents=join(votes).astype(np.float32) if votes else None,
    )


def _dense(signals: Sequence[Signals], join: Join) -> npt.NDArray[np.float32]:
    standard, scales = [], []
    for one in signals:
        mean, spread = _scale(one.dense)
        values = (one.dense.astype(np.float64) - mean) / spread
        standard.append(values)
        top = float(np.nanmax(values)) if not np.isnan(values).all() else -np.inf
        scales.append((top, mean, spread))
    highest_first = scales[0][0]
    for place, one in enumerate(signals):
        if signals[0].lexical.any() and not one.lexical.any():
            standard[place] = np.minimum(standard[place], highest_first)
            scales[place] = (min(scales[place][0], highest_first), *scales[place][1:])
    _, mean, spread = max(scales, key=lambda scale: scale[0])
    out: npt.NDArray[np.float32] = np.clip(join(standard) * spread + mean, -1.0, 1.0).astype(np.float32)
    return out


def _lexical(signals: Sequence[Signals], join: Join) -> tuple[npt.NDArray[np.float32], float]:
    weight = max(one.weight if one.lexical.any() else 0.0 for one in signals)
    votes = join([one.lexical.astype(np.float64) * one.weight for one in signals])
    return (votes / weight if weight > 0 else votes).astype(np.float32), weight


def blended(own: Signals, reworded: Sequence[Signals], like: Sequence[Signals]) -> Signals:
    """Return the signals of a query, of its rewordings and of passages found as those of one query.

    Each signal, cosines standardised for each wording, is (mean over query and rewordings + 0.7 x the
    highest over the passages) / 1.7, on the query's own scale. Without either the query's come back as
    they are.
    """
    if not reworded and not like:
        return own

    def blend(of: Callable[[Signals], Values]) -> Values:
        return _blend([of(one) for one in (own, *reworded)], [of(one) for one in like])

    mean, spread = _scale(own.dense)
    every = (own, *reworded, *like)
    weight = own.weight if own.lexical.any() else max(one.weight if one.lexical.any() else 0.0 for one in every)
    votes = blend(lambda one: one.lexical.astype(np.float64) * one.weight)
    documents = None
    if all(one.documents is not None for one in every):
        documents = blend(lambda one: np.zeros(0) if one.documents is None else one.documents.astype(np.float64))
    return replace(
        own,
        dense=(blend(_standardised) * spread + mean).astype(np.float32),
        lexical=(votes / weight if weight > 0 else votes).astype(np.float32),
        weight=weight,
        documents=None if documents is None else documents.astype(np.float32),
    )


def _blend(same: Sequence[Values], like: Sequence[Values]) -> Values:
    stacked = np.stack(same)
    known = ~np.isnan(stacked)
    count = known.sum(axis=0)
    mean: Values = np.where(count > 0, np.where(known, stacked, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
    if not like:
        return mean
    nearest = highest(like)
    out: Values = np.where(np.isnan(nearest), mean, (mean + LIKE * nearest) / (1.0 + LIKE))
    return out


def _standardised(one: Signals) -> Values:
    mean, spread = _scale(one.dense)
    return (one.dense.astype(np.float64) - mean) / spread


def _scale(dense: npt.NDArray[np.float32]) -> tuple[float, float]:
    """Return mean and deviation of the cosines there are; 0 and 1 where there are none."""
    values = dense.astype(np.float64)
    known = values[~np.isnan(values)]
    return (float(known.mean()), float(known.std()) or 1.0) if len(known) else (0.0, 1.0)
