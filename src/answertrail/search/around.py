"""The passages before and after one, as they follow in its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from answertrail.corpus.windows import WINDOW_S
from answertrail.errors import InputError, NotFoundError
from answertrail.search.hits import ChunkRow, offset_of


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A chunk with its neighbours in document order.

    `rows[at]` is the chunk asked for. `earlier` and `later` count the chunks of the document
    before the first and after the last of them. `gaps` are the pairs of neighbouring ids between
    which windows are missing: nothing was said there that is in the transcript.
    """

    rows: tuple[ChunkRow, ...]
    at: int
    earlier: int
    later: int
    gaps: tuple[tuple[str, str], ...]


class Neighbours:
    """Every document's chunks in order. `rows` are all chunks of a snapshot."""

    def __init__(self, rows: Sequence[ChunkRow]) -> None:
        self._rows = rows
        documents: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            documents.setdefault(row.document_id, []).append(place)
        # Not the order of the ids: there 100000 seconds come before 99990.
        self._documents: Mapping[str, list[int]] = {
            name: sorted(places, key=lambda place: offset_of(rows[place].id)) for name, places in documents.items()
        }

    def rows_beside(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Return for each row the one before and the one after it in its document, -1 where there is none."""
        before, after = np.full(len(self._rows), -1, dtype=np.intp), np.full(len(self._rows), -1, dtype=np.intp)
        for places in self._documents.values():
            before[places[1:]] = places[:-1]
            after[places[:-1]] = places[1:]
        return before, after

    def around(self, place: int, before: int, after: int) -> Surroundings:
        """Return the row at this place with up to so many before and after it; none is skipped.

        Raises InputError for a negative number.
        """
        if before < 0 or after < 0:
            raise InputError(f"before and after must be 0 or more, not {before} and {after}")
        places = self._documents[self._rows[place].document_id]
        here = places.index(place)
        first, last = max(0, here - before), min(len(places), here + after + 1)
        rows = tuple(self._rows[at] for at in places[first:last])
        gaps = tuple(
            (one.id, other.id)
            for one, other in pairwise(rows)
            if one.start_s is not None and offset_of(other.id) > offset_of(one.id) + WINDOW_S
        )
        return Surroundings(rows, here - first, first, len(places) - last, gaps)


def place_of(by_id: Mapping[str, int], chunk_id: str) -> int:
    """Return the row of a chunk; NotFoundError when the snapshot has none of this id."""
    if chunk_id not in by_id:
        raise NotFoundError("no chunk has this id", where=chunk_id, hint="take the id from a search result")
    return by_id[chunk_id]
