"""Krippendorff's alpha: agreement of any number of raters, some of whom may have skipped items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from answertrail.metrics.clusters import Floats
from answertrail.metrics.resampling import MAX_EMPTY_SHARE, RESAMPLES, Method, cluster_interval
from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Estimate, Undefined


@dataclass(frozen=True)
class Alpha:
    """Alpha over the items with two labels or more; the others are listed in `unpaired`."""

    alpha: Estimate | Undefined
    items: int
    labels: int
    unpaired: tuple[str, ...]
    empty_resamples: int


def krippendorff_alpha(
    items: Mapping[str, Iterable[str | None]],
    *,
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
    seed: int | None = None,
    max_empty_share: float = MAX_EMPTY_SHARE,
) -> Alpha:
    """Return nominal alpha = 1 - D_o / D_e (Krippendorff 2011) and a bootstrap interval over clusters of items.

    `items` maps an item to its labels, None where a rater gave none. An item with m labels adds
    n_c n_k / (m - 1) to each pair of different labels c, k that it holds; D_o is that sum over the n
    paired labels, D_e = sum of n_c n_k over c != k, / (n (n - 1)). Items with fewer than two labels
    are left out and listed. `clusters` maps an item to its question (by default each is its own);
    the seed is that of the cluster names. Undefined without a paired label and when only one label
    was ever used. Raises ValueError for an item without a cluster.
    """
    counts = {item: Counter(label for label in given if label is not None) for item, given in items.items()}
    paired = sorted(item for item, count in counts.items() if count.total() > 1)
    unpaired = tuple(sorted(set(counts) - set(paired)))
    if clusters is not None and (missing := [item for item in paired if item not in clusters]):
        raise ValueError(f"item {missing[0]!r} has no cluster")
    places = {item: item if clusters is None else clusters[item] for item in paired}
    names, labels = sorted(set(places.values())), sorted({label for item in paired for label in counts[item]})
    row, column = {name: i for i, name in enumerate(names)}, {label: i for i, label in enumerate(labels)}
    vectors = np.zeros((len(names), 1 + len(labels)))  # disagreements, then uses of each label
    for item in paired:
        used, m = counts[item], counts[item].total()
        vectors[row[places[item]], 0] += (m * m - sum(n * n for n in used.values())) / (m - 1)
        for label, n in used.items():
            vectors[row[places[item]], 1 + column[label]] += n
    value = float(_alphas(vectors.sum(axis=0, keepdims=True))[0])
    n_labels = int(vectors[:, 1:].sum())
    if np.isnan(value):
        reason = "only one label was used: nothing to disagree about" if paired else "no item has two labels"
        return Alpha(Undefined(reason), len(paired), n_labels, unpaired, 0)
    seed = seed_of(names) if seed is None else seed
    interval, empty = cluster_interval(
        vectors,
        _alphas,
        generator(seed),
        seed=seed,
        level=level,
        resamples=resamples,
        method=method,
        max_empty_share=max_empty_share,
    )
    return Alpha(Estimate(value, interval), len(paired), n_labels, unpaired, empty)


def _alphas(sums: Floats) -> Floats:
    """Return alpha of each row; NaN where fewer than two labels were used."""
    used = sums[:, 1:]
    n = used.sum(axis=1)
    expected = n**2 - (used**2).sum(axis=1)
    out = np.full(len(sums), np.nan)
    np.divide((n - 1) * sums[:, 0], expected, out=out, where=expected > 0.5)  # a whole number, up to rounding
    return 1 - out
