"""Which search engine a corpus uses, and what each engine was filled with."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    "ALTER TABLE corpora ADD COLUMN engine text NOT NULL DEFAULT 'exact'",
    """
    CREATE TABLE search_indexes (
        corpus_id integer NOT NULL REFERENCES corpora ON DELETE CASCADE,
        engine text COLLATE "C" NOT NULL,
        place text NOT NULL,
        snapshot text NOT NULL,
        revision bigint NOT NULL,
        embedder text NOT NULL,
        chunks bigint NOT NULL,
        vectors bigint NOT NULL,
        pending bigint NOT NULL,
        seconds double precision NOT NULL,
        bytes bigint,
        settings jsonb NOT NULL,
        built_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, engine)
    )
    """,
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the column and the table."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
