"""Where the texts and vectors come from that an engine's ids stand for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

import numpy as np

from answertrail.errors import NotFoundError
from answertrail.search.around import Neighbours, Surroundings
from answertrail.search.engines.base import Matrix, Vector
from answertrail.search.hits import ChunkRow


class Rows(Protocol):
    """The chunks of a snapshot."""

    async def rows(self, ids: Collection[str]) -> Mapping[str, ChunkRow]:
        """Return these chunks, all of which the snapshot has. Raises StaleIndexError when one is not what it was."""
        ...

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those that have one. Raises StaleIndexError when a chunk is not what it was."""
        ...

    async def around(self, chunk_id: str, before: int, after: int) -> Surroundings:
        """Return a chunk with its neighbours, as `CorpusIndex.around` does."""
        ...


class HeldRows:
    """All chunks in memory, for a corpus that is there already. `matrix` has a row a chunk, NaN without a vector."""

    def __init__(self, rows: Collection[ChunkRow], matrix: Matrix) -> None:
        self._rows = {row.id: row for row in rows}
        self._order = list(self._rows.values())
        self._vectors = {row.id: vector for row, vector in zip(rows, matrix, strict=True) if not np.isnan(vector).any()}

    async def rows(self, ids: Collection[str]) -> Mapping[str, ChunkRow]:
        """Return these chunks."""
        return {chunk: self._rows[chunk] for chunk in ids}

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors there are."""
        return {chunk: self._vectors[chunk] for chunk in ids if chunk in self._vectors}

    async def around(self, chunk_id: str, before: int, after: int) -> Surroundings:
        """Return a chunk with its neighbours."""
        if chunk_id not in self._rows:
            raise no_chunk(chunk_id)
        place = next(at for at, row in enumerate(self._order) if row.id == chunk_id)
        return Neighbours(self._order).around(place, before, after)


def no_chunk(chunk_id: str) -> NotFoundError:
    """Return the error for an id that no chunk has."""
    return NotFoundError("no chunk has this id", where=chunk_id, hint="take the id from a search result")
