"""What a collection holds of each chunk, and how its rows are read.

`draw` is a hash of the chunk id (60 bits), counted down from -1 for a chunk without a vector: rows
are read in windows of it, each of about the same size, and samples are the lowest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from answertrail.search.engines.base import EngineRow, IndexBuildError, Matrix
from answertrail.search.engines.milvus_client import Milvus
from answertrail.search.engines.milvus_filter import any_of, quoted, stored
from answertrail.search.engines.server_words import joined, words_of
from answertrail.search.tokens import base_language

MOST = 16_384
"""The most rows that Milvus gives in one answer."""

HAS_VECTOR = "draw >= 0"
BOUNDED = "Bounded"
_ID_BYTES = 2048
_WORDS_BYTES = 65_535
_DRAWS = 2**60
_READ_BYTES = 32_000_000


def draw_of(chunk_id: str) -> int:
    """Return the hash that decides which chunks are in a sample."""
    return int(hashlib.md5(chunk_id.encode(), usedforsecurity=False).hexdigest()[:15], 16)


def schema_of(milvus: Milvus, dims: int, *, words: bool) -> Any:
    """Return the schema of a collection; with `words` Milvus makes BM25 of them."""
    kinds = milvus.package.DataType
    schema = milvus.client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", kinds.VARCHAR, max_length=_ID_BYTES, is_primary=True)
    schema.add_field("document", kinds.VARCHAR, max_length=_ID_BYTES)
    schema.add_field("language", kinds.VARCHAR, max_length=64)
    schema.add_field("published", kinds.INT64)
    schema.add_field("draw", kinds.INT64)
    schema.add_field("vector", kinds.FLOAT_VECTOR, dim=dims)
    if words:
        # The tokens are ours (see server_words); `standard` splits them at spaces and no more.
        analyzer = {"type": "standard"}
        schema.add_field(
            "words",
            kinds.VARCHAR,
            max_length=_WORDS_BYTES,
            enable_analyzer=True,
            enable_match=True,
            analyzer_params=analyzer,
        )
        schema.add_field("bm25", kinds.SPARSE_FLOAT_VECTOR)
        schema.add_function(
            milvus.package.Function(
                name="bm25_of_words",
                function_type=milvus.package.FunctionType.BM25,
                input_field_names=["words"],
                output_field_names=["bm25"],
            )
        )
    return schema


def record_of(row: EngineRow, dims: int, *, words: bool) -> tuple[dict[str, Any], bool]:
    """Return a row as it is stored, and whether some of its words did not fit into 65,535 bytes.

    Raises IndexBuildError for an id that Milvus cannot hold.
    """
    for name in (row.id, row.document_id):
        if len(name.encode()) > _ID_BYTES or "\0" in name:
            raise IndexBuildError(
                "Milvus cannot hold this id",
                where=repr(name[:80]),
                hint=f"ids of at most {_ID_BYTES} bytes, without the null character",
            )
    vector = np.zeros(dims, dtype=np.float32) if row.vector is None else row.vector
    record: dict[str, Any] = {
        "id": row.id,
        "document": row.document_id,
        "language": base_language(row.language)[:16],
        "published": stored(row.published_at),
        "draw": -1 - draw_of(row.id) if row.vector is None else draw_of(row.id),
        "vector": np.asarray(vector, dtype=np.float32),
    }
    cut = False
    if words:
        record["words"], cut = joined(words_of(row), _WORDS_BYTES)
    return record, cut


class Rows:
    """Reads the rows of one collection. Nothing here changes it."""

    def __init__(self, milvus: Milvus, place: str, dims: int, vectors: int) -> None:
        self._milvus = milvus
        self._place = place
        self._dims = dims
        self._vectors = vectors

    def query(self, where: str, fields: Sequence[str], limit: int = MOST) -> Sequence[Mapping[str, Any]]:
        """Return the rows that an expression lets through, in no order."""
        out: Sequence[Mapping[str, Any]] = self._milvus.call(
            "query", self._place, filter=where, output_fields=list(fields), limit=limit, consistency_level=BOUNDED
        )
        return out

    def count(self, where: str, consistency: str = BOUNDED) -> int:
        """Count the rows that an expression lets through."""
        found = self._milvus.call(
            "query", self._place, filter=where, output_fields=["count(*)"], consistency_level=consistency
        )
        return int(found[0]["count(*)"])

    def windows(self, fields: Sequence[str], where: str = "") -> Iterator[Sequence[Mapping[str, Any]]]:
        """Yield the rows with a vector that an expression lets through, lowest draws first, some thousand at a time."""
        size = max(64, min(4096, _READ_BYTES // (4 * self._dims)))
        for low, high in _ranges(self._vectors, size):
            both = f"draw >= {low} and draw < {high}" + (f" and {where}" if where else "")
            yield self.query(both, ["id", *fields])

    def distinct(self, rows: int) -> int:
        """Count the different ids of about `rows` rows: a server that was sent a row twice holds it twice."""
        ids = 0
        for low, high in _ranges(self._vectors, 4096):
            ids += len({row["id"] for row in self.query(f"draw >= {low} and draw < {high}", ["id"])})
        for low, high in _ranges(rows - self._vectors, 4096):
            ids += len({row["id"] for row in self.query(f"draw < {-low} and draw >= {-high}", ["id"])})
        return ids

    def vectors(self, ids: Sequence[str]) -> tuple[list[str], Matrix]:
        """Return those of the chunks that have a vector, in id order, with their vectors."""
        size = max(64, min(1000, _READ_BYTES // (4 * self._dims)))
        found: list[Mapping[str, Any]] = []
        ordered = sorted(set(ids))
        for begin in range(0, len(ordered), size):
            found += self.query(f"{HAS_VECTOR} and {any_of('id', ordered[begin : begin + size])}", ["id", "vector"])
        found.sort(key=lambda row: str(row["id"]))
        return [str(row["id"]) for row in found], matrix_of(found, self._dims)

    def languages(self) -> list[str]:
        """Return the languages of the chunks."""
        known: list[str] = []
        while True:
            where = f"language not in [{', '.join(map(quoted, known))}]" if known else 'id != ""'
            found = self.query(where, ["language"], limit=1)
            if not found:
                return sorted(known)
            known.append(str(found[0]["language"]))


def _ranges(rows: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut the draws so that about `size` of the rows fall into each part."""
    parts = max(1, -(-rows // size))
    for at in range(parts):
        yield _DRAWS * at // parts, _DRAWS * (at + 1) // parts


def matrix_of(rows: Sequence[Mapping[str, Any]], dims: int) -> Matrix:
    """Return the vectors of rows as a matrix."""
    out = np.empty((len(rows), dims), dtype=np.float32)
    for at, row in enumerate(rows):
        out[at] = row["vector"]
    return out
