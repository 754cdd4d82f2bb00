"""Vectors of the latest queries, so that paging on and searching again embed nothing."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Embedder

_KEPT = 256


class QueryVectors:
    """Embeds each query once, as long as it is among the latest 256 new ones."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()

    async def of(self, query: str) -> npt.NDArray[np.float32]:
        """Return the vector of a query, (dims,); NaN when the embedder has nothing for it."""
        known = self._known.get(query)
        if known is None:
            known = (await self._embedder.embed([query], "query"))[0]
            self._known[query] = known
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known
