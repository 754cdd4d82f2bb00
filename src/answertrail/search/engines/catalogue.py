"""Which chunks a snapshot has, by document and date: what filters and periods are counted from.

An engine returns the best few; how many would have matched, and which periods hold anything at
all, is known from this alone. About 100 bytes a chunk.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.search.fusion import SHORT, short_documents
from answertrail.search.hits import Filter, offset_of

Places = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Chunk ids in order, and for each the number of its document and whether it has a vector.

    `published` is by document, in seconds since 1970 (UTC), NaN where undated; `timed` says which
    documents have times within. `offsets` are where chunks begin in their documents. `marks` tell
    whether a chunk's text is still the one that was indexed (see `mark`).
    """

    ids: Sequence[str]
    document_of: npt.NDArray[np.int32]
    has_vector: Mask
    documents: Sequence[str]
    published: npt.NDArray[np.float64]
    marks: npt.NDArray[np.uint64]
    timed: Mask
    offsets: npt.NDArray[np.int64]
    numbers: dict[str, int] = field(init=False)
    chunks_of: Places = field(init=False)
    vectors_of: Places = field(init=False)
    before: Places = field(init=False)
    after: Places = field(init=False)

    def __post_init__(self) -> None:
        """Count chunks and vectors by document and find each chunk's neighbours, -1 where it has none.

        Raises ValueError for ids out of order.
        """
        if any(one >= other for one, other in zip(self.ids, self.ids[1:], strict=False)):
            raise ValueError("chunk ids must be in order, each once")
        size = len(self.documents)
        object.__setattr__(self, "numbers", {name: at for at, name in enumerate(self.documents)})
        object.__setattr__(self, "chunks_of", np.bincount(self.document_of, minlength=size))
        object.__setattr__(self, "vectors_of", np.bincount(self.document_of[self.has_vector], minlength=size))
        # Not the order of the ids: there 100000 seconds come before 99990.
        order = np.lexsort((self.offsets, self.document_of))
        beside = self.document_of[order[1:]] == self.document_of[order[:-1]]
        for name, at, other in (("before", order[1:], order[:-1]), ("after", order[:-1], order[1:])):
            row = np.full(len(self.ids), -1, dtype=np.intp)
            row[at[beside]] = other[beside]
            object.__setattr__(self, name, row)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float | None, bool, str, bool]]) -> Catalogue:
        """Make it from (chunk id, document id, date in seconds or None, has a vector, text hash, has times).

        In id order.
        """
        ids: list[str] = []
        codes: list[int] = []
        held: list[bool] = []
        marks: list[int] = []
        timed: list[bool] = []
        numbers: dict[str, int] = {}
        published: list[float] = []
        for chunk, document, at, has_vector, text_hash, has_times in rows:
            code = numbers.setdefault(document, len(numbers))
            if code == len(published):
                published.append(np.nan if at is None else at)
                timed.append(has_times)
            timed[code] |= has_times
            ids.append(chunk)
            codes.append(code)
            held.append(has_vector)
            marks.append(mark(text_hash))
        return cls(
            ids,
            np.array(codes, dtype=np.int32),
            np.array(held, dtype=np.bool_),
            list(numbers),
            np.array(published, dtype=np.float64),
            np.array(marks, dtype=np.uint64),
            np.array(timed, dtype=np.bool_),
            np.array([offset_of(chunk) for chunk in ids], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, chunk: object) -> bool:
        return isinstance(chunk, str) and self.place(chunk) is not None

    def place(self, chunk: str) -> int | None:
        """Return the place of a chunk in id order, None when the snapshot has none of this id."""
        at = bisect_left(self.ids, chunk)
        return at if at < len(self.ids) and self.ids[at] == chunk else None

    def places(self, chunks: Iterable[str]) -> Places:
        """Return the places of those of the chunks that are there, in id order, each once."""
        found = {place for chunk in chunks if (place := self.place(chunk)) is not None}
        return np.array(sorted(found), dtype=np.intp)

    def neighbours(self, chunks: Iterable[str]) -> list[str]:
        """Return the chunks before and after these in their documents, in id order, each once."""
        places = self.places(chunks)
        beside = np.unique(np.concatenate([self.before[places], self.after[places]]))
        return [self.ids[place] for place in beside.tolist() if place >= 0]

    def rest_of_short(self, chunks: Iterable[str]) -> list[str]:
        """Return all chunks of the short documents that these are of (`fusion.short_documents`), in id order."""
        places = self.places(chunks)
        found = [places[short_documents(self.document_of[places].astype(np.intp), self.chunks_of) >= 0]]
        for beside in (self.before, self.after):
            at = found[0]
            for _ in range(SHORT - 1):
                at = beside[at]
                at = at[at >= 0]
                found.append(at)
        return [self.ids[place] for place in np.unique(np.concatenate(found)).tolist()]

    def allowed_documents(self, within: Filter) -> Mask:
        """Say of each document whether the filter lets its chunks through; excluded ids do not matter here."""
        allowed = self.named(within.documents)
        if within.start is not None:
            allowed &= self.published >= within.start.timestamp()
        if within.end is not None:
            allowed &= self.published < within.end.timestamp()
        return allowed

    def undated_left_out(self, within: Filter) -> Mask:
        """Say of each document whether only a date bound leaves it out, having no date."""
        if within.start is None and within.end is None:
            return np.zeros(len(self.documents), dtype=np.bool_)
        return self.named(within.documents) & np.isnan(self.published)

    def named(self, documents: Collection[str] | None) -> Mask:
        """Say of each document whether it is one of these; None means all."""
        if documents is None:
            return np.ones(len(self.documents), dtype=np.bool_)
        out = np.zeros(len(self.documents), dtype=np.bool_)
        out[[self.numbers[name] for name in documents if name in self.numbers]] = True
        return out

    def save(self, path: Path) -> None:
        """Write it to a file."""
        np.savez(
            path,
            ids=_blob(self.ids),
            id_ends=_ends(self.ids),
            document_of=self.document_of,
            has_vector=self.has_vector,
            documents=_blob(self.documents),
            document_ends=_ends(self.documents),
            published=self.published,
            marks=self.marks,
            timed=self.timed,
            offsets=self.offsets,
        )

    @classmethod
    def load(cls, path: Path) -> Catalogue:
        """Read what `save` wrote. Raises what `checked.BROKEN` names for a broken file."""
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
            return cls(
                _strings(held["ids"], held["id_ends"]),
                held["document_of"],
                held["has_vector"],
                _strings(held["documents"], held["document_ends"]),
                held["published"],
                held["marks"],
                held["timed"],
                held["offsets"],
            )


def mark(text_hash: str) -> int:
    """Return 8 bytes that stand for a text's hash."""
    return int.from_bytes(hashlib.blake2b(text_hash.encode(), digest_size=8).digest(), "big")


def _blob(texts: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("".join(texts).encode("utf-8"), dtype=np.uint8)


def _ends(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    return np.cumsum([len(text.encode("utf-8")) for text in texts], dtype=np.int64)


def _strings(blob: npt.NDArray[Any], ends: npt.NDArray[Any]) -> list[str]:
    held, out, begin = blob.tobytes(), [], 0
    for end in ends.tolist():
        out.append(held[begin:end].decode("utf-8"))
        begin = end
    return out
