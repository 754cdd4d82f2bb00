"""What became of one item of an origin, written in one transaction: its document, or why it has none."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from answertrail.corpus.context import contexts_of
from answertrail.corpus.origins.base import Fetched, Origin, Withheld, WithheldKind
from answertrail.corpus.origins.report import FetchReport, NoWords
from answertrail.corpus.reading import content_hash
from answertrail.corpus.source_chunks import chunks_of
from answertrail.errors import InputError
from answertrail.store import claims, corpora, documents, origin_documents, origins
from answertrail.store.connection import Connection, Database
from answertrail.store.families import sources_begin
from answertrail.store.origins import OriginItem
from answertrail.store.rows import Corpus

STAGE = "fetch"
_LONGEST = {"skipped": timedelta(days=30), "failed": timedelta(days=1)}
_TIMED: frozenset[WithheldKind] = frozenset({"live", "upcoming", "blocked"})
_OF_THE_WISH: frozenset[WithheldKind] = frozenset({"no_captions_in_languages"})


def utc_now() -> datetime:
    """Return the time now, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Pace:
    """How politely an origin is asked: the seconds between two items, give or take `jitter` of them.

    After `faults` items in a row that failed, the fault is the network's or the service's: the
    batch stops for `rest`.
    """

    seconds: float = 1.0
    jitter: float = 0.5
    faults: int = 3
    rest: timedelta = timedelta(minutes=15)
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)
    clock: Callable[[], datetime] = field(default=utc_now)

    async def wait(self) -> None:
        """Wait between two items."""
        if self.seconds > 0:
            spread = self.jitter * self.seconds
            await self.sleep(self.seconds + random.uniform(-spread, spread))  # noqa: S311 - no secret


@dataclass(slots=True)
class Run:
    """One run over one origin. `faults` counts the last items in a row that failed."""

    db: Database
    corpus: Corpus
    origin: Origin
    worker: str
    pace: Pace
    recheck: frozenset[str]
    wish: str
    report: FetchReport
    faults: int = 0
    asked: bool = False

    def is_due(self, item: OriginItem) -> bool:
        """Whether this run takes the item; see `stage.fetch_pending`."""
        state = item.state(self.pace.clock())
        if state not in ("skipped", "failed") or item.listing.get("left_out"):
            return state == "pending"
        return item.kind in self.recheck or (item.kind in _OF_THE_WISH and item.wish != self.wish)


def is_anothers(run: Run, source: str | None) -> bool:
    """Whether a document of this source was given by something that shares no items with the origin."""
    return source is not None and not source.startswith(sources_begin(run.origin.key))


def taken_by(run: Run, item: OriginItem, source: str | None) -> Withheld:
    """Return the outcome for an item whose id another source has; the next run looks again."""
    reason = f"the id {item.id} already belongs to {source}"
    return Withheld("other", reason, retry_at=run.pace.clock(), failed=True)


async def keep(run: Run, item: OriginItem, fetched: Fetched, into: list[str]) -> None:
    """Put the words of an item into the corpus and its id into `into`; or keep why they cannot be."""
    document = fetched.document
    chunks = await asyncio.to_thread(chunks_of, document)
    if not chunks:
        await keep_without(run, item, _unusable(run, "the words it gave make no passage"))
        return
    try:
        async with run.db.transaction() as conn:
            # Since the first look a file may have given a document of this id.
            await corpora.lock(conn, run.corpus)
            owner = await origin_documents.source_of(conn, run.corpus, item.id)
            if is_anothers(run, owner):
                raise taken_by(run, item, owner)
            change = await documents.replace(
                conn,
                run.corpus,
                document,
                chunks,
                content_hash=content_hash(document),
                source=f"{run.origin.key}#{item.id}",
                notes=fetched.notes,
                contexts=contexts_of(document, chunks, run.corpus.context),
            )
            await origins.record_fetched(conn, run.corpus, run.origin.key, item.id, document.as_json(), fetched.notes)
            await release(conn, run, item)
    except Withheld as taken:
        await keep_without(run, item, taken)
        return
    except InputError as error:
        await keep_without(run, item, _unusable(run, str(error)))
        return
    into.append(item.id)
    setattr(run.report, change, getattr(run.report, change) + 1)
    if fetched.notes:
        run.report.notes[item.id] = fetched.notes


def _unusable(run: Run, reason: str) -> Withheld:
    return Withheld("not_captions", reason, retry_at=run.pace.clock() + timedelta(days=7), failed=True)


async def keep_without(run: Run, item: OriginItem, outcome: Withheld) -> None:
    """Keep why an item gave no words, and when to look again."""
    state: Literal["skipped", "failed"] = "failed" if outcome.failed else "skipped"
    retry_at = _stretched(outcome, item, run.pace.clock()) if item.wish == run.wish else outcome.retry_at
    async with run.db.transaction() as conn:
        await origins.record_withheld(
            conn,
            run.corpus,
            run.origin.key,
            item.id,
            state=state,
            kind=outcome.kind,
            reason=outcome.reason,
            retry_at=retry_at,
            wish=run.wish,
        )
        await release(conn, run, item)
    title = str(item.listing.get("title", item.id))
    run.report.without.append(NoWords(item.id, title, outcome.kind, outcome.reason, retry_at, outcome.failed))


def _stretched(outcome: Withheld, item: OriginItem, now: datetime) -> datetime | None:
    """Return when to look again: each time nothing has changed, the wait doubles, within bounds."""
    if outcome.retry_at is None or outcome.kind in _TIMED or item.kind != outcome.kind:
        return outcome.retry_at
    wait = outcome.retry_at - now
    longest = max(wait, _LONGEST["failed" if outcome.failed else "skipped"])
    return now + min(wait * (1 << min(item.attempts, 12)), longest)


async def release(conn: Connection, run: Run, item: OriginItem) -> None:
    """Give the item back, in the transaction that writes what became of it."""
    await claims.release(conn, run.corpus, STAGE, [item.id], run.worker)
