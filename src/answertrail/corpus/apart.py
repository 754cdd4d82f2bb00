"""An ingest beside the live corpus, put in its place when it is whole."""

from __future__ import annotations

import os
from dataclasses import replace

from answertrail.corpus.ingest import ingest
from answertrail.corpus.paths import file_of, of_origin, within
from answertrail.corpus.publish import Published, begin_apart, publish
from answertrail.corpus.report import IngestReport, Progress
from answertrail.corpus.request import IngestRequest
from answertrail.errors import MismatchError, NotFoundError
from answertrail.settings import Settings
from answertrail.store import copies, corpora, names, turns
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus


async def ingest_apart(
    db: Database, request: IngestRequest, progress: Progress | None = None, settings: Settings | None = None
) -> tuple[IngestReport, Published | None]:
    """Ingest into a copy of the corpus and let it take the corpus's name; questions meanwhile go to what it was.

    Several may build one state together, also from different sources; it is published when the last has ended.
    Not published, and taken up by the next such ingest, is what a service's refusal cut short: the
    second value is then None. Raises what `ingest` and `publish` raise, and MismatchError when the
    copy was deleted meanwhile, or holds what an ingest of other sources left there that did not end.
    """
    async with turns.building(db, request.corpus) as turn:
        apart = await begin_apart(db, request.corpus)
        async with turn.entering(apart):
            await _need_own(db, request, apart)
            await turn.rely_on(apart)
        begun = await _named(db, apart)
        if begun is None and apart != names.next_name(request.corpus, None):
            raise _dropped(request.corpus)
        try:
            report = await ingest(db, replace(request, corpus=apart), progress, settings)
        except NotFoundError:
            if begun is not None and await _now(db, begun) is None:
                raise _dropped(request.corpus) from None
            raise
        built = begun or await _named(db, apart)  # made by the ingest where there was no corpus
        report.corpus = request.corpus
        if report.stopped or (report.cleaning is not None and report.cleaning.stopped is not None):
            return report, None
        await turn.publish()
        # Known by its id: another ingest that shared the work may have published it, and only that renames it.
        now = None if built is None else await _now(db, built)
        if now is None:
            raise _dropped(request.corpus)
        if now.name == apart:
            published = await publish(db, request.corpus)
        else:
            published = Published(request.corpus, await corpora.snapshot(db, now), changed=True, kept=None)
        report.snapshot = published.snapshot  # others may have added to it since this ingest ended
        return report, published


async def _need_own(db: Database, request: IngestRequest, apart: str) -> None:
    """Raise MismatchError when a copy that nobody is at holds documents of sources that this ingest does not read.

    An ingest that was stopped, of the wrong folder say, left them; publishing would make half of it live.
    Where channels or feeds are read, what came from any of them counts as this ingest's.
    """
    live, copy = await _named(db, request.corpus), await _named(db, apart)
    if copy is None:
        return
    async with db.transaction() as conn:
        left = await copies.new_sources_in(conn, live, copy) if await turns.is_left(conn, apart) else []
    roots = [os.path.normpath(path.expanduser().absolute()) for path in request.sources]
    strange = [
        source
        for source in left
        if not (bool(request.origins) if of_origin(source) else within(file_of(source), roots))
    ]
    if strange:
        raise MismatchError(
            f"an ingest apart that did not end left {len(strange)} documents of other sources, {strange[0]} for one",
            where=apart,
            hint="name all that did not end, and what is new, in one command with --apart, or drop what was done: "
            f'answertrail corpus delete "{apart}"',
        )


async def _named(db: Database, name: str) -> Corpus | None:
    return next((corpus for corpus in await corpora.list_all(db) if corpus.name == name), None)


async def _now(db: Database, known: Corpus) -> Corpus | None:
    return next((corpus for corpus in await corpora.list_all(db) if corpus.id == known.id), None)


def _dropped(name: str) -> MismatchError:
    return MismatchError("what was built was dropped", where=name, hint="ingest with --apart again")
