"""An ingest beside the live corpus, put in its place when it is whole."""

from __future__ import annotations

from dataclasses import replace

from answertrail.corpus.ingest import ingest
from answertrail.corpus.publish import Published, begin_apart, publish
from answertrail.corpus.report import IngestReport, Progress
from answertrail.corpus.request import IngestRequest
from answertrail.settings import Settings
from answertrail.store import corpora, turns
from answertrail.store.connection import Database


async def ingest_apart(
    db: Database, request: IngestRequest, progress: Progress | None = None, settings: Settings | None = None
) -> tuple[IngestReport, Published | None]:
    """Ingest into a copy of the corpus and let it take the corpus's name; questions meanwhile go to what it was.

    Several may build one state together, also from different sources; it is published when the last has ended.
    Not published, and taken up by the next such ingest, is what a service's refusal cut short: the
    second value is then None. Raises what `ingest` and `publish` raise.
    """
    async with turns.building(db, request.corpus):
        apart = await begin_apart(db, request.corpus)
        report = await ingest(db, replace(request, corpus=apart), progress, settings)
        report.corpus = request.corpus
    if report.stopped or (report.cleaning is not None and report.cleaning.stopped is not None):
        return report, None
    async with turns.publishing(db, request.corpus):
        published = await _published_by_another(db, request.corpus, apart)
        return report, published or await publish(db, request.corpus)


async def _published_by_another(db: Database, name: str, apart: str) -> Published | None:
    """Return what another ingest, which shared the work, published meanwhile; None where there is no such thing."""
    known = {corpus.name: corpus for corpus in await corpora.list_all(db)}
    if apart in known or name not in known:
        return None
    return Published(name, await corpora.snapshot(db, known[name]), changed=True, kept=None)
