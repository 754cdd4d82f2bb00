"""The fetching stage: every item that is due, one at a time, one transaction each.

Several workers may fetch from one origin at once: each claims the item it is at. A crash loses at
most the item in hand, and its claim ends with the worker.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from answertrail.corpus.context import contexts_of
from answertrail.corpus.origins.base import Blocked, Fetched, Origin, Withheld, WithheldKind
from answertrail.corpus.origins.listings import family_of, from_row, list_origin, with_listing
from answertrail.corpus.origins.report import FetchReport, NoWords
from answertrail.corpus.reading import content_hash
from answertrail.corpus.report import Progress, Silent
from answertrail.corpus.source_chunks import chunks_of
from answertrail.errors import InputError
from answertrail.records.document import Document
from answertrail.records.jsonl import parse
from answertrail.store import claims, documents, origins
from answertrail.store.connection import Connection, Database
from answertrail.store.origins import STATES, OriginItem, State
from answertrail.store.rows import Corpus

__all__ = ["STAGE", "Pace", "fetch_pending", "list_origin", "states"]

STAGE = "fetch"
_LONGEST = {"skipped": timedelta(days=30), "failed": timedelta(days=1)}
_TIMED: frozenset[WithheldKind] = frozenset({"live", "upcoming", "blocked"})
_SUSPECT: frozenset[WithheldKind] = frozenset({"network", "empty_body", "other"})


def _utc_now() -> datetime:
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
    clock: Callable[[], datetime] = field(default=_utc_now)

    async def wait(self) -> None:
        """Wait between two items."""
        if self.seconds > 0:
            spread = self.jitter * self.seconds
            await self.sleep(self.seconds + random.uniform(-spread, spread))  # noqa: S311 - no secret


@dataclass(slots=True)
class _Run:
    db: Database
    corpus: Corpus
    origin: Origin
    worker: str
    pace: Pace
    recheck: frozenset[str]
    report: FetchReport
    faults: int = 0
    asked: bool = False

    def is_due(self, item: OriginItem) -> bool:
        state = item.state(self.pace.clock())
        again = state in ("skipped", "failed") and item.kind in self.recheck and not item.listing.get("left_out")
        return state == "pending" or again


async def states(db: Database, corpus: Corpus, origin: str, now: datetime | None = None) -> dict[State, int]:
    """Count the items of an origin by state, all states named. `pending` is what the next run takes.

    `origins.items` has the items themselves, with reasons and times.
    """
    at = now or _utc_now()
    found = Counter(item.state(at) for item in await origins.items(db, corpus, origin))
    return {state: found[state] for state in STATES}


async def fetch_pending(
    db: Database,
    corpus: Corpus,
    origin: Origin,
    worker: str,
    progress: Progress | None = None,
    *,
    pace: Pace | None = None,
    recheck: Collection[WithheldKind] = (),
    limit: int | None = None,
) -> FetchReport:
    """Fetch what is listed and due and put it into the corpus: what was never tried first, newest first.

    Due is what was never tried, and what gave no words and whose time of another look has come;
    items of the kinds in `recheck` are due at once. `limit` bounds the number of items. The report
    says when to go on where the service refused.

    Raises ServiceError when the database or a needed package fails; what was fetched stays.
    """
    shown = progress or Silent()
    run = _Run(db, corpus, origin, worker, pace or Pace(), frozenset(recheck), FetchReport(origin=origin.key))
    due = [item for item in await origins.items(db, corpus, origin.key) if run.is_due(item)]
    # What failed before goes last, so that an item which always fails keeps none from its turn.
    due.sort(key=lambda item: item.attempts)
    if limit is not None:
        due = due[:limit]
    shown.begin("fetching", len(due))
    for done, item in enumerate(due):
        await _step(run, item.id)
        if run.report.stopped is not None:
            run.report.left = len(due) - done - 1
            break
        shown.advance()
    shown.end()
    return run.report


async def _step(run: _Run, item_id: str) -> None:
    if not await claims.claim(run.db, run.corpus, STAGE, [item_id], run.worker):
        run.report.held += 1
        return
    try:
        # What was read before the claim may be done by now.
        item = await origins.item(run.db, run.corpus, run.origin.key, item_id)
        if item is not None and run.is_due(item) and not await _from_here(run, item):
            await _from_there(run, item)
    finally:
        async with run.db.transaction() as conn:
            await claims.release(conn, run.corpus, STAGE, [item_id], run.worker)


async def _from_here(run: _Run, item: OriginItem) -> bool:
    """Deal with an item that needs no network: its words are here already, or its id is another's."""
    key, family = run.origin.key, family_of(run.origin.key)
    async with run.db.transaction() as conn:
        source = await origins.source_of(conn, run.corpus, item.id)
        kept = await origins.fetched_document(conn, run.corpus, item.id, own=key, family=family)
    if source is not None and not source.startswith(family if family != key else f"{key}#"):
        reason = f"the id {item.id} already belongs to {source}"
        await _without(run, item, Withheld("other", reason, retry_at=run.pace.clock(), failed=True))
        return True
    if kept is None:
        return False
    document = with_listing(parse(Document, kept[0], where=item.id), from_row(item.id, item.listing))
    if source is None:
        await _keep(run, item, Fetched(document, kept[1]), run.report.shared)
        return True
    # The document stays as it is: its words may have been cleaned since.
    async with run.db.transaction() as conn:
        await origins.record_fetched(conn, run.corpus, key, item.id, document.as_json(), kept[1])
        await _release(conn, run, item)
    run.report.shared.append(item.id)
    run.report.unchanged += 1
    return True


async def _from_there(run: _Run, item: OriginItem) -> None:
    if run.asked:
        await run.pace.wait()
    run.asked = True
    try:
        fetched = await run.origin.fetch(from_row(item.id, item.listing))
    except Withheld as outcome:
        await _without(run, item, outcome)
        run.faults = run.faults + 1 if outcome.failed and outcome.kind in _SUSPECT else 0
        if run.faults >= run.pace.faults:
            run.report.stopped = f"{run.faults} items in a row failed: {outcome.reason}"
            run.report.resume_at = run.pace.clock() + run.pace.rest
        return
    except Blocked as block:
        await _without(run, item, Withheld("blocked", block.reason, retry_at=block.resume_at, failed=True))
        run.report.stopped, run.report.resume_at = block.reason, block.resume_at
        return
    run.faults = 0
    await _keep(run, item, fetched, run.report.fetched)


async def _keep(run: _Run, item: OriginItem, fetched: Fetched, into: list[str]) -> None:
    document = fetched.document
    chunks = await asyncio.to_thread(chunks_of, document)
    if not chunks:
        await _without(run, item, _unusable(run, "the words it gave make no passage"))
        return
    try:
        async with run.db.transaction() as conn:
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
            await _release(conn, run, item)
    except InputError as error:
        await _without(run, item, _unusable(run, str(error)))
        return
    into.append(item.id)
    setattr(run.report, change, getattr(run.report, change) + 1)
    if fetched.notes:
        run.report.notes[item.id] = fetched.notes


def _unusable(run: _Run, reason: str) -> Withheld:
    return Withheld("not_captions", reason, retry_at=run.pace.clock() + timedelta(days=7), failed=True)


async def _without(run: _Run, item: OriginItem, outcome: Withheld) -> None:
    state: Literal["skipped", "failed"] = "failed" if outcome.failed else "skipped"
    retry_at = _stretched(outcome, item, run.pace.clock())
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
        )
        await _release(conn, run, item)
    title = str(item.listing.get("title", item.id))
    run.report.without.append(NoWords(item.id, title, outcome.kind, outcome.reason, retry_at, outcome.failed))


def _stretched(outcome: Withheld, item: OriginItem, now: datetime) -> datetime | None:
    """Return when to look again: each time nothing has changed, the wait doubles, within bounds."""
    if outcome.retry_at is None or outcome.kind in _TIMED or item.kind != outcome.kind:
        return outcome.retry_at
    wait = outcome.retry_at - now
    longest = max(wait, _LONGEST["failed" if outcome.failed else "skipped"])
    return now + min(wait * (1 << min(item.attempts, 12)), longest)


async def _release(conn: Connection, run: _Run, item: OriginItem) -> None:
    await claims.release(conn, run.corpus, STAGE, [item.id], run.worker)
