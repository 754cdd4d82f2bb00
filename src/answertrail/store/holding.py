"""Holding: a claim lasts for as long as its items are in hand, however slow the work is.

A claim runs out when its worker is out of touch, so a worker that is at work renews it, every third
of its time. When a renewal finds that an item is not this worker's any more, the holder learns it,
and leaves the item to whoever has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from answertrail.store import claims
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus

_log = logging.getLogger(__name__)


class Hold:
    """Claimed items in the hands of one worker. `lost` once one of them is not its own any more: it stays so."""

    def __init__(
        self, db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str, lease: timedelta
    ) -> None:
        self.lost = False
        self._claim = (db, corpus, stage, items, worker, lease)
        self._every = lease.total_seconds() / 3

    async def renew(self) -> bool:
        """Renew at once, before something is written for instance; False when an item was lost."""
        items = self._claim[3]
        if not self.lost and len(await claims.renew(*self._claim)) < len(set(items)):
            self.lost = True
        return not self.lost

    async def keep_renewing(self) -> None:
        """Renew on a timer until an item is lost."""
        while not self.lost:
            await asyncio.sleep(self._every)
            try:
                await self.renew()
            except Exception as error:  # noqa: BLE001 - a timer that ends says nothing
                # Whatever it was, whether the claim outlasts the fault, a later renewal tells.
                _log.debug("a claim could not be renewed: %s", error)


@asynccontextmanager
async def holding(
    db: Database, corpus: Corpus, stage: str, items: Sequence[str], worker: str, lease: timedelta | None = None
) -> AsyncIterator[Hold]:
    """Hold items that were claimed before; giving them back stays with the caller.

    A `lease` of None is `claims.DEFAULT_LEASE`, as it is for `claims.claim`.
    """
    hold = Hold(db, corpus, stage, items, worker, lease or claims.DEFAULT_LEASE)
    renewing = asyncio.create_task(hold.keep_renewing())
    try:
        yield hold
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
