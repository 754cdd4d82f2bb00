"""Whom an origin asks. A service that refuses one origin refuses all that ask it."""

from __future__ import annotations

from datetime import datetime

from answertrail.store.blocks import Block, blocks
from answertrail.store.connection import Database
from answertrail.store.families import family_of
from answertrail.store.rows import Corpus


def service_of(origin: str) -> str:
    """Return the service behind an origin's key: `youtube:` for all of YouTube, the host of a feed, else the key."""
    if origin.startswith("rss:"):
        _, _, host, *_ = *origin.split("/", 3), "", ""
        return f"rss:{host}" if host else origin
    return family_of(origin)


async def block_of(
    db: Database, corpus: Corpus, origin: str, now: datetime, *, since: datetime | None = None
) -> Block | None:
    """Return the refusal of the origin's service that holds longest, met at any origin of it; None when none holds."""
    service = service_of(origin)
    found = await blocks(db, corpus, now, since=since)
    return next((block for block in found if service_of(block.origin) == service), None)
