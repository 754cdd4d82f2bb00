"""All rows of a corpus, to tell whether two corpora are the same one."""

from __future__ import annotations

import hashlib

from psycopg import sql

from answertrail.store import corpora, embeddings
from answertrail.store.connection import Database

# When something was done, how often it was tried and when it is tried again are no part of what was done.
_TIMES = {"retry_at", "attempts", "ingested_at", "seen_at", "listed_at", "fetched_at", "cleaned_at"}
_TABLES = (
    "documents",
    "segments",
    "chunks",
    "source_items",
    "origin_items",
    "fetched_items",
    "withheld_items",
    "cleanings",
    "cleaning_edits",
)


async def corpus_rows(db: Database, name: str) -> dict[str, list[str]]:
    """Return the rows of each table as sorted text, without times and the corpus's own number, and the vectors."""
    corpus = await corpora.get(db, name)
    out: dict[str, list[str]] = {}
    async with db.reading() as conn:
        for table in _TABLES:
            cursor = await conn.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position",
                (table,),
            )
            columns = [name for (name,) in await cursor.fetchall() if name not in _TIMES | {"corpus_id"}]
            query = sql.SQL("SELECT ({})::text FROM {} t WHERE corpus_id = %s").format(
                sql.SQL("ROW({})").format(sql.SQL(", ").join(sql.Identifier("t", name) for name in columns)),
                sql.Identifier(table),
            )
            out[table] = sorted(row for (row,) in await (await conn.execute(query, (corpus.id,))).fetchall())
        vectors = sql.SQL(
            "SELECT DISTINCT e.text_hash || e.embedding::text FROM chunks c"
            " JOIN {} e ON e.text_hash = coalesce(c.embedded_hash, c.text_hash) WHERE c.corpus_id = %s"
        ).format(embeddings.table(corpus.embedder_id))
        out["vectors"] = sorted(row for (row,) in await (await conn.execute(vectors, (corpus.id,))).fetchall())
        claimed = await conn.execute("SELECT item FROM claims WHERE corpus_id = %s", (corpus.id,))
        out["claims"] = [item for (item,) in await claimed.fetchall()]
    return out


def digest(rows: dict[str, list[str]]) -> dict[str, tuple[int, str]]:
    """Return the number of rows of each table and a hash over them: a difference one can read."""
    return {table: (len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()) for table, lines in rows.items()}
