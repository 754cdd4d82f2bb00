"""A process that fetches what is pending of `@talks`; its arguments are database, site and corpus."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from answertrail.corpus.origins.stage import Pace, fetch_pending
from answertrail.corpus.origins.youtube import youtube_origin
from answertrail.settings import Settings
from answertrail.store import claims, connect, corpora
from tests.corpus.origins.youtube_server import KEY


async def main(database: str, site: str, name: str) -> None:
    settings = Settings(
        Path("unused"), database_url=database, youtube_key=KEY, youtube_api=f"{site}/youtube/v3", youtube_site=site
    )
    origin = youtube_origin("@talks", settings)
    assert origin is not None
    await origin.resolve()
    async with connect(settings) as db, claims.working(db) as worker:
        await fetch_pending(db, await corpora.get(db, name), origin, worker, pace=Pace(seconds=0))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
