"""The vectors of one corpus, a block at a time, in order of the hash: out of the store and into it, bit for bit.

A block is an array of the stored type, `<f4` or `<f2`, of shape (texts, dims).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from psycopg import sql

from answertrail.errors import InputError
from answertrail.store.connection import Connection
from answertrail.store.embeddings import EMBEDDED_HASH, table
from answertrail.store.rows import Corpus

Block = npt.NDArray[Any]

_VECTOR_LIMIT = 2000
_HASHES_AT_ONCE = 1000
_VECTORS_AT_ONCE = 1000
_BLOCK_BYTES = 4 * 2**20
_HASH_BYTES = len("sha256:") + 64
_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_TRAILER = b"\xff\xff"


def stored_type(dims: int) -> np.dtype[Any]:
    """Return the number type in which vectors of this length are stored."""
    return np.dtype("<f4") if dims <= _VECTOR_LIMIT else np.dtype("<f2")


def rows_at_once(dims: int) -> int:
    """Return how many vectors make one block."""
    return max(1, min(_VECTORS_AT_ONCE, _BLOCK_BYTES // (dims * stored_type(dims).itemsize)))


async def hashes_in(conn: Connection, corpus: Corpus) -> AsyncIterator[str]:
    """Yield the hash of every text of the corpus that has a vector, each once, in bytewise order.

    The caller's transaction must be one of `db.reading()`, here and in `blocks_in`.
    """
    async with conn.cursor(name="dump_hashes") as cursor:
        await cursor.execute(
            sql.SQL("SELECT e.text_hash FROM {} e WHERE {} ORDER BY e.text_hash").format(
                table(corpus.embedder_id), of_corpus(corpus)
            )
        )
        while rows := await cursor.fetchmany(_HASHES_AT_ONCE):
            for (text_hash,) in rows:
                yield text_hash


async def blocks_in(conn: Connection, corpus: Corpus) -> AsyncIterator[Block]:
    """Yield the vectors of those texts, in the same order."""
    dims = corpus.identity.dims
    kind = stored_type(dims)
    async with conn.cursor(name="dump_vectors", binary=True) as cursor:
        await cursor.execute(
            sql.SQL("SELECT e.embedding FROM {} e WHERE {} ORDER BY e.text_hash").format(
                table(corpus.embedder_id), of_corpus(corpus)
            )
        )
        while rows := await cursor.fetchmany(rows_at_once(dims)):
            block = np.empty((len(rows), dims), dtype=kind)
            for place, (vector,) in enumerate(rows):
                block[place] = vector.to_numpy() if hasattr(vector, "to_numpy") else vector
            yield block


def of_corpus(corpus: Corpus) -> sql.Composed:
    """Return the condition that the text of a row `e` is one that the corpus embeds."""
    return sql.SQL("EXISTS (SELECT FROM chunks c WHERE c.corpus_id = {} AND {} = e.text_hash)").format(
        sql.Literal(corpus.id), EMBEDDED_HASH
    )


async def unembeddable_in(conn: Connection, corpus: Corpus) -> AsyncIterator[dict[str, str]]:
    """Yield the texts of the corpus that its embedder has no vector for, with the reason, in order of the hash."""
    async with conn.cursor(name="dump_unembeddable") as cursor:
        await cursor.execute(
            sql.SQL(
                "SELECT u.text_hash, u.reason FROM unembeddable u WHERE u.embedder_id = {embedder} AND EXISTS"
                " (SELECT FROM chunks c WHERE c.corpus_id = {corpus} AND {hash} = u.text_hash) ORDER BY u.text_hash"
            ).format(embedder=sql.Literal(corpus.embedder_id), corpus=sql.Literal(corpus.id), hash=EMBEDDED_HASH)
        )
        while rows := await cursor.fetchmany(_HASHES_AT_ONCE):
            for text_hash, reason in rows:
                yield {"text_hash": text_hash, "reason": reason}


async def put(conn: Connection, corpus: Corpus, blocks: Iterable[tuple[Sequence[str], Block]], *, where: str) -> int:
    """Keep the vectors of texts of the corpus; texts that have one already keep it. Return how many were given.

    Raises InputError for a row of zeros, NaN or infinity, a hash that is none, is given twice, or
    is of no text of the corpus: vectors are shared with every corpus of the embedder, so nothing
    may be planted among them.
    """
    dims = corpus.identity.dims
    kind = "vector" if stored_type(dims).itemsize == 4 else "halfvec"
    await conn.execute(
        sql.SQL(
            'CREATE TEMPORARY TABLE given_vectors (text_hash text COLLATE "C" PRIMARY KEY, embedding {}({}) NOT NULL)'
            " ON COMMIT DROP"
        ).format(sql.SQL(kind), sql.Literal(dims))
    )
    given = 0
    async with conn.cursor().copy("COPY given_vectors (text_hash, embedding) FROM STDIN (FORMAT binary)") as copy:
        await copy.write(_COPY_HEADER)
        for hashes, block in blocks:
            await copy.write(_records(hashes, block, where))
            given += len(hashes)
        await copy.write(_COPY_TRAILER)
    await conn.execute("ANALYZE given_vectors")
    cursor = await conn.execute(
        sql.SQL("SELECT count(*) FROM given_vectors e WHERE NOT {}").format(of_corpus(corpus)),
    )
    (strange,) = await cursor.fetchone() or (0,)
    if strange:
        raise InputError(f"{strange} vectors are of no text of the corpus", where=where)
    await conn.execute(
        sql.SQL(
            # Ordered, so that two processes that keep the same texts cannot block each other.
            "INSERT INTO {} (text_hash, embedding) SELECT text_hash, embedding FROM given_vectors ORDER BY text_hash"
            " ON CONFLICT DO NOTHING"
        ).format(table(corpus.embedder_id))
    )
    return given


def _records(hashes: Sequence[str], block: Block, where: str) -> bytes:
    """Return rows as Postgres takes them in a binary COPY: counts and numbers in network order."""
    lengths = np.linalg.norm(block.astype(np.float64), axis=1)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise InputError("a vector of zeros, NaN or infinity has no direction", where=where)
    dims, number = block.shape[1], block.dtype.newbyteorder(">")
    record = np.dtype(
        [
            ("fields", ">i2"),
            ("hash_bytes", ">i4"),
            ("hash", f"S{_HASH_BYTES}"),
            ("vector_bytes", ">i4"),
            ("dims", ">i2"),
            ("unused", ">i2"),
            ("vector", number, (dims,)),
        ]
    )
    rows = np.zeros(len(block), dtype=record)
    rows["fields"], rows["hash_bytes"], rows["dims"] = 2, _HASH_BYTES, dims
    rows["vector_bytes"] = 4 + dims * number.itemsize
    rows["hash"] = [text_hash.encode("ascii") for text_hash in hashes]
    rows["vector"] = block
    return rows.tobytes()
