"""Items of channels and feeds: what was listed, what was fetched, and why something was not."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    """
    CREATE TABLE origin_items (
        corpus_id integer NOT NULL REFERENCES corpora ON DELETE CASCADE,
        origin text COLLATE "C" NOT NULL,
        item_id text COLLATE "C" NOT NULL,
        listing jsonb NOT NULL,
        listed_at timestamptz NOT NULL DEFAULT now(),
        gone_at timestamptz,
        PRIMARY KEY (corpus_id, origin, item_id)
    )
    """,
    """
    CREATE TABLE fetched_items (
        corpus_id integer NOT NULL,
        origin text COLLATE "C" NOT NULL,
        item_id text COLLATE "C" NOT NULL,
        -- Not jsonb, which sorts keys: the hash of a document goes over its text.
        document json NOT NULL,
        notes jsonb NOT NULL DEFAULT '[]',
        fetched_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, origin, item_id),
        FOREIGN KEY (corpus_id, origin, item_id) REFERENCES origin_items ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE withheld_items (
        corpus_id integer NOT NULL,
        origin text COLLATE "C" NOT NULL,
        item_id text COLLATE "C" NOT NULL,
        state text NOT NULL CHECK (state IN ('skipped', 'failed')),
        kind text NOT NULL,
        reason text NOT NULL,
        retry_at timestamptz,
        attempts integer NOT NULL DEFAULT 1,
        -- What was asked for: another wish may be met at once.
        wish text,
        seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, origin, item_id),
        FOREIGN KEY (corpus_id, origin, item_id) REFERENCES origin_items ON DELETE CASCADE
    )
    """,
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the tables."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
