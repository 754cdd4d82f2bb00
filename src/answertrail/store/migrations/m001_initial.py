"""Corpora, documents, chunks, embedders, runs.

Ids are compared bytewise (COLLATE "C"), so that order never depends on the server's locale.
Embedding tables are made one per embedder, by `embeddings.register`.
"""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

_STATEMENTS = (
    """
    CREATE TABLE embedders (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL,
        revision text NOT NULL,
        dims integer NOT NULL CHECK (dims > 0),
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (name, revision, dims)
    )
    """,
    """
    CREATE TABLE unembeddable (
        embedder_id integer NOT NULL REFERENCES embedders ON DELETE CASCADE,
        text_hash text COLLATE "C" NOT NULL,
        reason text NOT NULL,
        PRIMARY KEY (embedder_id, text_hash)
    )
    """,
    """
    CREATE TABLE corpora (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text COLLATE "C" NOT NULL UNIQUE,
        embedder_spec text NOT NULL,
        embedder_id integer NOT NULL REFERENCES embedders,
        language text,
        revision bigint NOT NULL DEFAULT 0,
        snapshot text,
        snapshot_revision bigint,
        created_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE documents (
        corpus_id integer NOT NULL REFERENCES corpora ON DELETE CASCADE,
        document_id text COLLATE "C" NOT NULL,
        title text NOT NULL,
        published_at timestamptz,
        published_at_text text,
        url text,
        language text,
        captions text,
        duration_s double precision,
        kind text,
        type text,
        description text,
        tags text[],
        aliases text[],
        links text[],
        meta jsonb,
        record jsonb NOT NULL,
        body text,
        source text NOT NULL,
        content_hash text NOT NULL,
        chunks_hash text NOT NULL,
        ingested_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, document_id)
    )
    """,
    """
    CREATE TABLE segments (
        corpus_id integer NOT NULL,
        document_id text COLLATE "C" NOT NULL,
        ordinal integer NOT NULL,
        start_s double precision NOT NULL,
        end_s double precision,
        text text NOT NULL,
        speaker text,
        PRIMARY KEY (corpus_id, document_id, ordinal),
        FOREIGN KEY (corpus_id, document_id) REFERENCES documents ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE chunks (
        corpus_id integer NOT NULL,
        chunk_id text COLLATE "C" NOT NULL,
        document_id text COLLATE "C" NOT NULL,
        ordinal integer NOT NULL,
        start_s double precision,
        end_s double precision,
        char_start integer,
        char_end integer,
        text text NOT NULL,
        lines text[] NOT NULL,
        speakers text[] NOT NULL,
        text_hash text COLLATE "C" NOT NULL,
        time_precision text,
        PRIMARY KEY (corpus_id, chunk_id),
        UNIQUE (corpus_id, document_id, ordinal),
        FOREIGN KEY (corpus_id, document_id) REFERENCES documents ON DELETE CASCADE
    )
    """,
    "CREATE INDEX chunks_text_hash ON chunks (corpus_id, text_hash)",
    """
    CREATE TABLE source_items (
        corpus_id integer NOT NULL REFERENCES corpora ON DELETE CASCADE,
        source text COLLATE "C" NOT NULL,
        fingerprint text,
        state text NOT NULL CHECK (state IN ('ok', 'skipped', 'failed')),
        document_id text COLLATE "C",
        line integer,
        reason text,
        notes jsonb NOT NULL DEFAULT '[]',
        seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (corpus_id, source),
        CHECK (state = 'ok' OR reason IS NOT NULL)
    )
    """,
    """
    CREATE TABLE texts (
        text_hash text COLLATE "C" PRIMARY KEY,
        text text NOT NULL
    )
    """,
    # `json` and not `jsonb`: a record is evidence and comes back as it was written, key order
    # and escapes included.
    """
    CREATE TABLE runs (
        run_id text COLLATE "C" PRIMARY KEY,
        corpus_name text,
        question text NOT NULL,
        status text NOT NULL,
        outcome text,
        recipe text,
        started_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        cost_usd double precision,
        record json NOT NULL
    )
    """,
    "CREATE INDEX runs_started_at ON runs (started_at DESC, run_id)",
)


async def apply(connection: AsyncConnection[Any]) -> None:
    """Make the tables."""
    for statement in _STATEMENTS:
        await connection.execute(statement)
