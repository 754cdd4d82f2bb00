"""The fetching stage: every item that is due, one at a time, one transaction each.

Several workers may fetch from one origin at once: each claims the item it is at. A crash loses at
most the item in hand, and its claim ends with the worker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime

from answertrail.corpus.origins.base import Blocked, Fetched, Origin, Withheld, WithheldKind
from answertrail.corpus.origins.keeping import (
    STAGE,
    Pace,
    Run,
    is_anothers,
    keep,
    keep_without,
    release,
    taken_by,
    utc_now,
)
from answertrail.corpus.origins.listings import from_row, list_origin, with_listing
from answertrail.corpus.origins.report import FetchReport
from answertrail.corpus.origins.services import block_of
from answertrail.corpus.report import Progress, Silent
from answertrail.records.document import Document
from answertrail.records.jsonl import parse
from answertrail.store import claims, origin_documents, origins
from answertrail.store.connection import Database
from answertrail.store.families import family_of
from answertrail.store.holding import Hold, holding
from answertrail.store.origins import STATES, OriginItem, State
from answertrail.store.rows import Corpus

__all__ = ["STAGE", "Pace", "fetch_pending", "list_origin", "states"]

_SUSPECT: frozenset[WithheldKind] = frozenset({"network", "empty_body", "other"})


async def states(db: Database, corpus: Corpus, origin: str, now: datetime | None = None) -> dict[State, int]:
    """Count the items of an origin by state, all states named. `pending` is what the next run takes.

    `fetched` counts every item that has its document; `item_states.stated` tells how far each has come,
    with reasons and times.
    """
    at = now or utc_now()
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
    wish: str = "",
    without: Collection[str] = (),
    since: datetime | None = None,
) -> FetchReport:
    """Fetch what is listed and due and put it into the corpus: what was never tried first, newest first.

    Due is what was never tried, and what gave no words and whose time of another look has come;
    items of the kinds in `recheck` are due at once. `wish` says which languages are asked for: what
    had none in other ones is due at once too. `limit` bounds the number of items, `without` names
    items to pass over. The report says when to go on where the service refused, here or at another
    origin of the corpus; before that time nothing is asked. With `since`, a time of the database,
    refusals met before it do not count.

    Raises ServiceError when the database or a needed package fails; what was fetched stays.
    """
    shown = progress or Silent()
    run = Run(db, corpus, origin, worker, pace or Pace(), frozenset(recheck), wish, FetchReport(origin=origin.key))
    known = await origins.items(db, corpus, origin.key)
    due = [item for item in known if run.is_due(item) and item.id not in without]
    if due and await _stays_away(run, since):
        run.report.left = len(due)
        return run.report
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


async def _stays_away(run: Run, since: datetime | None) -> bool:
    """Whether the service refuses us until a time that is yet to come; the report then says so."""
    block = await block_of(run.db, run.corpus, run.origin.key, run.pace.clock(), since=since)
    if block is None:
        return False
    run.report.stopped, run.report.resume_at = block.reason, block.until
    return True


async def _step(run: Run, item_id: str) -> None:
    if not await claims.claim(run.db, run.corpus, STAGE, [item_id], run.worker):
        run.report.held += 1
        return
    try:
        async with holding(run.db, run.corpus, STAGE, [item_id], run.worker) as hold:
            # What was read before the claim may be done by now.
            item = await origins.item(run.db, run.corpus, run.origin.key, item_id)
            if item is not None and run.is_due(item) and not await _from_here(run, item):
                await _from_there(run, item, hold)
    finally:
        async with run.db.transaction() as conn:
            await claims.release(conn, run.corpus, STAGE, [item_id], run.worker)


async def _from_here(run: Run, item: OriginItem) -> bool:
    """Deal with an item that needs no network: its words are here already, or its id is another's."""
    key, family = run.origin.key, family_of(run.origin.key)
    async with run.db.transaction() as conn:
        source = await origin_documents.source_of(conn, run.corpus, item.id)
        kept = await origins.fetched_document(conn, run.corpus, item.id, own=key, family=family)
    if is_anothers(run, source):
        await keep_without(run, item, taken_by(run, item, source))
        return True
    if kept is None:
        return False
    document = with_listing(parse(Document, kept[0], where=item.id), from_row(item.id, item.listing))
    if source is None:
        await keep(run, item, Fetched(document, kept[1]), run.report.shared)
        return True
    # The document stays as it is: its words may have been cleaned since.
    async with run.db.transaction() as conn:
        await origins.record_fetched(conn, run.corpus, key, item.id, document.as_json(), kept[1])
        await release(conn, run, item)
    run.report.shared.append(item.id)
    run.report.unchanged += 1
    return True


async def _from_there(run: Run, item: OriginItem, hold: Hold) -> None:
    if run.asked:
        await run.pace.wait()
    if hold.lost:
        run.report.held += 1
        return
    run.asked = True
    try:
        fetched = await run.origin.fetch(from_row(item.id, item.listing))
    except Withheld as outcome:
        await keep_without(run, item, outcome)
        run.faults = run.faults + 1 if outcome.failed and outcome.kind in _SUSPECT else 0
        if run.faults >= run.pace.faults:
            run.report.stopped = f"{run.faults} items in a row failed: {outcome.reason}"
            run.report.resume_at = run.pace.clock() + run.pace.rest
        return
    except Blocked as block:
        await keep_without(run, item, Withheld("blocked", block.reason, retry_at=block.resume_at, failed=True))
        run.report.stopped, run.report.resume_at = block.reason, block.resume_at
        return
    run.faults = 0
    if not await hold.renew():
        run.report.held += 1
        return
    await keep(run, item, fetched, run.report.fetched)
