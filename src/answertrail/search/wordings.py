"""One query in several wordings, such as a translation, searched as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from answertrail.search.ranking import Signals

Values = npt.NDArray[np.float64]
Join = Callable[[Sequence[Values]], Values]


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
        values = one.dense.astype(np.float64)
        known = values[~np.isnan(values)]
        mean, spread = (float(known.mean()), float(known.std()) or 1.0) if len(known) else (0.0, 1.0)
        standard.append((values - mean) / spread)
        top = (float(known.max()) - mean) / spread if len(known) else -np.inf
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
