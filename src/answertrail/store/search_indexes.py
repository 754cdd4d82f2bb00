"""What is known of the search indexes of a corpus: one record for each engine it was indexed with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from answertrail.errors import NotFoundError
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """A complete index. `place` is the name of its table or collection in the engine.

    `snapshot`, `revision` and `embedder` (its key) say of what. `chunks` are all of the corpus,
    `vectors` those with one, `pending` the texts that were still waiting for one. `seconds` is
    how long it took; `bytes` what it takes, None where the engine does not say.
    """

    engine: str
    place: str
    snapshot: str
    revision: int
    embedder: str
    chunks: int
    vectors: int
    pending: int
    seconds: float
    bytes: int | None
    settings: Mapping[str, Any]
    built_at: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "engine": self.engine,
            "place": self.place,
            "snapshot": self.snapshot,
            "embedder": self.embedder,
            "chunks": self.chunks,
            "vectors": self.vectors,
            "pending": self.pending,
            "seconds": round(self.seconds, 3),
            "bytes": self.bytes,
            "settings": dict(self.settings),
            "built_at": self.built_at.isoformat().replace("+00:00", "Z") if self.built_at else None,
        }


_COLUMNS = "engine, place, snapshot, revision, embedder, chunks, vectors, pending, seconds, bytes, settings, built_at"


async def all_of(db: Database, corpus: Corpus) -> tuple[SearchIndex, ...]:
    """Return the records of a corpus by name of the engine; () when it has none."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            f"SELECT {_COLUMNS} FROM search_indexes WHERE corpus_id = %s ORDER BY engine",  # noqa: S608 - a constant
            (corpus.id,),
        )
        return tuple(SearchIndex(*row) for row in await cursor.fetchall())


async def find(db: Database, corpus: Corpus, engine: str) -> SearchIndex | None:
    """Return the record of one engine, None when the corpus was not indexed with it."""
    return next((found for found in await all_of(db, corpus) if found.engine == engine), None)


async def record_in(conn: Connection, corpus: Corpus, made: SearchIndex) -> None:
    """Put a record in place of the engine's older one, in the caller's transaction."""
    await conn.execute("DELETE FROM search_indexes WHERE (corpus_id, engine) = (%s, %s)", (corpus.id, made.engine))
    await conn.execute(
        "INSERT INTO search_indexes (corpus_id, engine, place, snapshot, revision, embedder, chunks, vectors,"
        " pending, seconds, bytes, settings) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            corpus.id,
            made.engine,
            made.place,
            made.snapshot,
            made.revision,
            made.embedder,
            made.chunks,
            made.vectors,
            made.pending,
            made.seconds,
            made.bytes,
            json.dumps(dict(made.settings)),
        ),
    )


async def forget_in(conn: Connection, corpus: Corpus, engine: str) -> None:
    """Delete the record of one engine."""
    await conn.execute("DELETE FROM search_indexes WHERE (corpus_id, engine) = (%s, %s)", (corpus.id, engine))


async def engine_of(db: Database, corpus: Corpus) -> str:
    """Return the engine a corpus is searched with unless another is named; `exact` unless it was set."""
    async with db.transaction() as conn:
        return await engine_in(conn, corpus)


async def engine_in(conn: Connection, corpus: Corpus) -> str:
    """Return what `engine_of` does, as the caller's transaction sees it."""
    cursor = await conn.execute("SELECT engine FROM corpora WHERE id = %s", (corpus.id,))
    row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("the corpus was deleted meanwhile", where=corpus.name)
    return str(row[0])


async def choose_in(conn: Connection, corpus: Corpus, engine: str) -> None:
    """Set the engine a corpus is searched with."""
    await conn.execute("UPDATE corpora SET engine = %s WHERE id = %s", (engine, corpus.id))
