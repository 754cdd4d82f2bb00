"""`ingest`: files into documents, chunks and vectors. Incremental, idempotent, crash-safe.

One document is one transaction. A bad source is recorded and reported and stops nothing else. Any
number of processes may ingest the same sources into one corpus at once: they share the work.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from answertrail.corpus.cleaning_run import clean, prepared
from answertrail.corpus.discovery import Discovery, discover
from answertrail.corpus.embedding import embed_missing
from answertrail.corpus.fetching import fetch_all, report_error, resolved, titles
from answertrail.corpus.gone import forget_mended, in_doubt, list_gone, prune
from answertrail.corpus.making import beginnings, opened
from answertrail.corpus.origins.base import Origin
from answertrail.corpus.reading import read_groups
from answertrail.corpus.report import IngestReport, LeftOut, Progress, Silent
from answertrail.corpus.request import IngestRequest
from answertrail.corpus.run import IngestRun, failed, marks_of
from answertrail.errors import InputError
from answertrail.settings import Settings
from answertrail.store import claims, corpora, documents, names, sources
from answertrail.store.connection import Database

__all__ = ["IngestRequest", "ingest"]

_NO_FILES = Discovery((), (), (), 0)


async def ingest(
    db: Database, request: IngestRequest, progress: Progress | None = None, settings: Settings | None = None
) -> IngestReport:
    """Bring a corpus up to date with its sources; the corpus is made when new.

    `settings` None means those of the environment. Raises InputError for a source that does not
    exist or holds nothing to read, MismatchError for an embedder that is not the corpus's own,
    ServiceError when embedder or database are down. A channel or feed that cannot be listed is in
    the report's `errors`; when all are, and there are no files, the first of the errors is raised. So
    it is where the corpus is new and nothing else gave words to choose its embedder by.
    """
    if not request.sources and not request.origins:
        raise InputError("name at least one file, folder, channel, playlist, video or feed")
    if names.begun_at(request.corpus) is None:
        names.check_name(request.corpus)
    shown = progress or Silent()
    settings = settings or Settings.from_environment()
    model, glossary = prepared(request.cleaning, settings)
    paths = [path.expanduser().absolute() for path in request.sources]
    found = await asyncio.to_thread(discover, paths, request.include, request.exclude) if paths else _NO_FILES
    marks = await asyncio.to_thread(marks_of, [path for group in found.groups for path in group.files])
    async with resolved(request, settings) as (given, errors):
        corpus, embedder = await opened(db, request, lambda: _sample(found, given))
        async with claims.working(db) as worker:
            run = IngestRun(
                db=db,
                corpus=corpus,
                known=await sources.source_items(db, corpus),
                owners=await documents.document_sources(db, corpus),
                report=IngestReport(corpus=corpus.name, ignored=found.ignored),
                in_reach=frozenset(group.source for group in found.groups),
                aside=frozenset(item.source for item in found.skipped),
                marks=marks,
                worker=worker,
            )
            for key, error in errors.items():
                report_error(run.report, key, error)
            await fetch_all(db, corpus, given, request.fetching, worker, run.report, shown)
            if run.report.errors and not paths and len(run.report.errors) == len(run.report.origins):
                raise next(iter(run.report.errors.values()))  # nothing else was to be done
            await _files(run, found, paths, request, shown)
            run.report.cleaning = await clean(db, corpus, request.cleaning, model, glossary, worker, shown)
            run.report.embedded = await embed_missing(db, corpus, embedder, shown, worker=worker)
    run.report.snapshot = await corpora.snapshot(db, corpus)
    return run.report


async def _sample(found: Discovery, given: Sequence[Origin]) -> list[str]:
    heard, error = await titles(given)
    sample = [*await asyncio.to_thread(beginnings, found), *heard]
    if error is not None and not sample:
        raise error  # the embedder is chosen once: not by no words at all
    return sample


async def _files(run: IngestRun, found: Discovery, paths: list[Path], request: IngestRequest, shown: Progress) -> None:
    await read_groups(run, found.groups, shown)
    await _left_out(run, found)
    roots = [os.path.normpath(path) for path in paths]
    await forget_mended(run, roots)
    await list_gone(run, roots)
    if request.prune and not in_doubt(found, roots):
        await prune(run)


async def _left_out(run: IngestRun, found: Discovery) -> None:
    for failure in found.failed:
        await failed(run, failure.source, failure.reason, failure.line)
    for item in found.skipped:
        async with run.db.transaction() as conn:
            await sources.record_skipped(conn, run.corpus, item.source, item.reason)
        run.touched.add(item.source)
        run.report.skipped.append(LeftOut(item.source, item.reason))
