"""Runs: begun, followed by events as they happen, finished, and read back with their texts.

The texts of retrieved chunks are kept once, by hash, whatever becomes of the corpus. A run
whose process died is read as `interrupted`, as far as its last `snapshot` event goes.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from answertrail.errors import InputError, NotFoundError
from answertrail.records.base import instant
from answertrail.records.chunk import text_hash
from answertrail.records.jsonl import parse
from answertrail.records.run import Run
from answertrail.store.connection import Connection, Database
from answertrail.store.texts import is_unicode

# Stands for `text` in a stored chunk.
_REFERENCE = "text_ref"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A line of the list of runs. `cost_usd` None means unknown, `finished_at` None unfinished."""

    run_id: str
    corpus_name: str | None
    question: str
    status: str
    outcome: str | None
    recipe: str | None
    started_at: datetime
    finished_at: datetime | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a run; `seq` counts from 1 without gaps."""

    seq: int
    at: datetime
    event: dict[str, Any]


async def start(db: Database, run: Run) -> None:
    """Record that a run begins; `run` holds what is known of it, with status `interrupted`.

    Raises InputError when the id is taken or the status is another.
    """
    if run.status != "interrupted":
        raise InputError(f"a run begins as interrupted, not as {run.status}", where=run.run_id)
    try:
        async with db.transaction() as conn:
            await _put(conn, run, finished=False)
    except psycopg.errors.UniqueViolation:
        raise InputError("a run of this id exists", where=run.run_id) from None


async def append_event(db: Database, run_id: str, event: Mapping[str, Any]) -> int:
    """Append an event (a JSON object) and return its number; it is on disk on return.

    An event `{"type": "snapshot", "record": {...}}` holds the run/1 record so far; the last one
    is what an interrupted run is read back from. Raises NotFoundError for an unknown run.
    """
    async with db.transaction() as conn:
        kept = dict(event)
        if _is_snapshot(kept):
            kept["record"] = await _keep_texts(conn, kept["record"])
        cursor = await conn.execute(
            """
            WITH run AS (
                UPDATE runs SET event_count = event_count + 1 WHERE run_id = %s RETURNING run_id, event_count
            )
            INSERT INTO run_events (run_id, seq, is_snapshot, event)
            SELECT run_id, event_count, %s, %s::json FROM run
            RETURNING seq
            """,
            (run_id, _is_snapshot(kept), json.dumps(kept, allow_nan=False)),
        )
        row = await cursor.fetchone()
    if row is None:
        raise NotFoundError("no such run", where=run_id)
    return int(row[0])


async def finish(db: Database, run: Run) -> None:
    """Write the final record, in one transaction, over what `start` wrote.

    A run that was never started here (an imported one) is added; one of the same id replaced.
    """
    async with db.transaction() as conn:
        await _put(conn, run, finished=True)


async def get(db: Database, run_id: str) -> Run:
    """Return a run with the texts of its chunks; NotFoundError when there is none."""
    async with db.reading() as conn:
        cursor = await conn.execute("SELECT 1 FROM runs WHERE run_id = %s", (run_id,))
        if await cursor.fetchone() is not None:
            return await _read(conn, run_id)
    raise NotFoundError("no such run", where=run_id, hint="`answertrail runs list` shows them")


async def list_runs(
    db: Database, *, corpus: str | None = None, status: str | None = None, limit: int = 50
) -> tuple[RunSummary, ...]:
    """Return the latest runs, newest first, at most `limit`."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            """
            SELECT run_id, corpus_name, question, status, outcome, recipe, started_at, finished_at, cost_usd
            FROM runs
            WHERE (%(corpus)s::text IS NULL OR corpus_name = %(corpus)s)
              AND (%(status)s::text IS NULL OR status = %(status)s)
            ORDER BY started_at DESC, run_id LIMIT %(limit)s
            """,
            {"corpus": corpus, "status": status, "limit": limit},
        )
        return tuple(RunSummary(*row) for row in await cursor.fetchall())


async def events(db: Database, run_id: str, *, after: int = 0) -> tuple[RunEvent, ...]:
    """Return a run's events in order, those numbered above `after`. Snapshots hold no texts."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT seq, at, event FROM run_events WHERE run_id = %s AND seq > %s ORDER BY seq",
            (run_id, after),
        )
        return tuple(RunEvent(*row) for row in await cursor.fetchall())


async def export(db: Database, run_ids: Collection[str] | None = None) -> AsyncIterator[Run]:
    """Yield runs with their texts, oldest first: those named, or all for None.

    Unknown ids are left out.
    """
    async with db.reading() as conn:
        cursor = await conn.execute(
            "SELECT run_id FROM runs WHERE %(ids)s::text[] IS NULL OR run_id = ANY (%(ids)s)"
            " ORDER BY started_at, run_id",
            {"ids": None if run_ids is None else list(run_ids)},
        )
        for (run_id,) in await cursor.fetchall():
            yield await _read(conn, run_id)


async def _read(conn: Connection, run_id: str) -> Run:
    cursor = await conn.execute(
        """
        SELECT r.finished_at, r.record,
               (SELECT e.event FROM run_events e
                WHERE e.run_id = r.run_id AND r.finished_at IS NULL AND e.is_snapshot
                ORDER BY e.seq DESC LIMIT 1)
        FROM runs r WHERE r.run_id = %s
        """,
        (run_id,),
    )
    row = await cursor.fetchone()
    assert row is not None
    finished_at, record, last = row
    if finished_at is None:
        record = {**record, **(last or {}).get("record", {}), "status": "interrupted"}
    return parse(Run, await _join_texts(conn, record), where=run_id)


async def _put(conn: Connection, run: Run, *, finished: bool) -> None:
    record = await _keep_texts(conn, run.as_json())
    values = {
        "run_id": run.run_id,
        "corpus": run.corpus.name if run.corpus else None,
        "question": _shown(run.question),
        "status": run.status,
        "outcome": run.answer.outcome if run.answer else None,
        "recipe": run.recipe.name if run.recipe else None,
        "started_at": instant(run.started_at) if run.started_at else None,
        "finished": finished,
        "cost": run.cost_usd,
        "record": json.dumps(record, allow_nan=False),
    }
    if finished:
        cursor = await conn.execute(_UPDATE, values)
        if cursor.rowcount:
            return
    await conn.execute(_INSERT, values)


_UPDATE = """
    UPDATE runs SET
        corpus_name = %(corpus)s, question = %(question)s, status = %(status)s, outcome = %(outcome)s,
        recipe = %(recipe)s, started_at = coalesce(%(started_at)s, started_at),
        finished_at = clock_timestamp(), cost_usd = %(cost)s, record = %(record)s
    WHERE run_id = %(run_id)s
"""

_INSERT = """
    INSERT INTO runs (run_id, corpus_name, question, status, outcome, recipe, started_at,
                      finished_at, cost_usd, record)
    VALUES (%(run_id)s, %(corpus)s, %(question)s, %(status)s, %(outcome)s, %(recipe)s,
            coalesce(%(started_at)s, now()), CASE WHEN %(finished)s THEN clock_timestamp() END,
            %(cost)s, %(record)s)
"""


async def _keep_texts(conn: Connection, record: Mapping[str, Any]) -> dict[str, Any]:
    """Move the texts of a record's chunks to `texts`; what Postgres cannot hold as text stays."""
    texts: dict[str, str] = {}
    chunks = []
    for chunk in record.get("chunks") or ():
        text = chunk.get("text")
        if isinstance(text, str) and "\0" not in text and is_unicode(text):
            key = text_hash(text)
            texts[key] = text
            # In the place of `text`, so that the order of the keys comes back too.
            chunk = {(_REFERENCE if name == "text" else name): value for name, value in chunk.items()}
            chunk[_REFERENCE] = key
        chunks.append(chunk)
    # A run writes all its chunks again after every turn: only the texts of the last turn are sent.
    lacking = await _lacking(conn, texts) if texts else []
    if lacking:
        await conn.cursor().executemany(
            "INSERT INTO texts (text_hash, text) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            # Sorted, so that two runs that keep the same texts cannot block each other.
            [(key, texts[key]) for key in sorted(lacking)],
        )
    return {**record, "chunks": chunks} if "chunks" in record else dict(record)


async def _lacking(conn: Connection, keys: Collection[str]) -> list[str]:
    """Return those of the hashes whose text is not kept yet."""
    cursor = await conn.execute(
        "SELECT key FROM unnest(%s::text[]) AS key WHERE NOT EXISTS (SELECT FROM texts t WHERE t.text_hash = key)",
        (list(keys),),
    )
    return [key for (key,) in await cursor.fetchall()]


async def _join_texts(conn: Connection, record: dict[str, Any]) -> dict[str, Any]:
    keys = [chunk[_REFERENCE] for chunk in record.get("chunks") or () if _REFERENCE in chunk]
    if not keys:
        return record
    cursor = await conn.execute("SELECT text_hash, text FROM texts WHERE text_hash = ANY (%s)", (keys,))
    texts: dict[str, str] = dict(await cursor.fetchall())
    chunks = [
        {
            ("text" if name == _REFERENCE else name): (texts[value] if name == _REFERENCE else value)
            for name, value in chunk.items()
        }
        for chunk in record["chunks"]
    ]
    return {**record, "chunks": chunks}


def _is_snapshot(event: Mapping[str, Any]) -> bool:
    return event.get("type") == "snapshot" and isinstance(event.get("record"), Mapping)


def _shown(text: str) -> str:
    """The question for the list of runs; the record keeps it as it was."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
