"""`ingest`: files into documents, chunks and vectors. Incremental, idempotent, crash-safe.

One document is one transaction. A bad source is recorded and reported and stops nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from answertrail.corpus.discovery import Discovery, discover
from answertrail.corpus.embedding import embed_missing
from answertrail.corpus.report import IngestReport, LeftOut, Progress, Silent
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Group, Read, read
from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.models.embedding.base import Embedder
from answertrail.models.embedding.load import AUTO, load_embedder, resolve_spec
from answertrail.records import jsonl
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document
from answertrail.store import corpora, documents, sources
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus, SourceItem

_SAMPLE_DOCUMENTS = 12
_SAMPLE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """What to ingest. `embedder` is a spec; None means `auto` for a new corpus, its own for a known one."""

    corpus: str
    sources: Sequence[Path]
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    embedder: str | None = None


@dataclass(slots=True)
class _Run:
    """The state of one ingest."""

    db: Database
    corpus: Corpus
    known: dict[str, SourceItem]
    report: IngestReport
    in_reach: frozenset[str]
    touched: set[str] = field(default_factory=set)
    given: dict[str, str] = field(default_factory=dict)


async def ingest(db: Database, request: IngestRequest, progress: Progress | None = None) -> IngestReport:
    """Bring a corpus up to date with its sources; the corpus is made when new.

    Raises InputError for a source that does not exist or holds nothing to read, MismatchError for
    an embedder that is not the corpus's own, ServiceError when embedder or database are down.
    """
    if not request.sources:
        raise InputError("name at least one file or folder")
    shown = progress or Silent()
    paths = [path.expanduser().absolute() for path in request.sources]
    found = await asyncio.to_thread(discover, paths, request.include, request.exclude)
    corpus, embedder = await _corpus(db, request, found)
    run = _Run(
        db=db,
        corpus=corpus,
        known=await sources.source_items(db, corpus),
        report=IngestReport(corpus=corpus.name, ignored=found.ignored),
        in_reach=frozenset(group.source for group in found.groups),
    )
    shown.begin("reading", len(found.groups))
    for group in found.groups:
        await _group(run, group)
        shown.advance()
    shown.end()
    await _left_out(run, found)
    await _forget_mended(run, paths)
    run.report.embedded = await embed_missing(db, corpus, embedder, shown)
    run.report.snapshot = await corpora.snapshot(db, corpus)
    return run.report


async def _corpus(db: Database, request: IngestRequest, found: Discovery) -> tuple[Corpus, Embedder]:
    try:
        corpus = await corpora.get(db, request.corpus)
    except NotFoundError:
        spec = request.embedder or AUTO
        sample = await asyncio.to_thread(_sample, found) if spec == AUTO else []
        concrete = resolve_spec(spec, sample)
        embedder = load_embedder(concrete)
        return await corpora.create(db, request.corpus, concrete, embedder.identity), embedder
    if request.embedder and resolve_spec(request.embedder) != corpus.spec:
        raise MismatchError(
            f"corpus {corpus.name!r} was made with the embedder {corpus.spec}, not {request.embedder}",
            hint="leave --embedder out, or ingest into a new corpus",
        )
    return corpus, load_embedder(corpus.spec)


def _sample(found: Discovery) -> list[str]:
    """Read the beginnings of some documents, spread over the sources, to tell their language."""
    step = max(1, len(found.groups) // _SAMPLE_DOCUMENTS)
    out = []
    for group in found.groups[::step][:_SAMPLE_DOCUMENTS]:
        for item in read(group):
            if isinstance(item, Read):
                out.append(_words(item.document)[:_SAMPLE_CHARS])
                break
    return out


def _words(document: Document) -> str:
    return document.text or " ".join(segment.text for segment in document.segments or [])


async def _group(run: _Run, group: Group) -> None:
    before = run.known.get(group.source)
    if before and before.state == "ok" and before.fingerprint == group.fingerprint:
        run.report.unchanged += 1
        run.touched.add(group.source)
        run.given[before.document_id or ""] = group.source
        return
    # Parsing is the slow part; a thread keeps the async core free for whoever shares it.
    for item, chunks in await asyncio.to_thread(_read, group):
        if isinstance(item, Read):
            await _document(run, group, item, chunks)
        else:
            await _failed(run, item.source, item.reason, item.line)


def _read(group: Group) -> list[tuple[Read | Failure, list[Chunk]]]:
    return [(item, chunks_of(item.document) if isinstance(item, Read) else []) for item in read(group)]


async def _document(run: _Run, group: Group, item: Read, chunks: Sequence[Chunk]) -> None:
    if not chunks:
        await _failed(run, item.source, "the document holds no words", None)
        return
    rival = _rival(run, item)
    if rival:
        reason = f"the id {item.document.id} already belongs to {rival}; ingest both in one command or rename one"
        await _failed(run, item.source, reason, None)
        return
    try:
        async with run.db.transaction() as conn:
            change = await documents.replace(
                conn,
                run.corpus,
                item.document,
                chunks,
                content_hash=content_hash(item.document),
                source=item.source,
                fingerprint=group.fingerprint,
                notes=item.notes,
            )
    except InputError as error:
        await _failed(run, item.source, str(error), None)
        return
    run.touched.add(item.source)
    run.given[item.document.id] = item.source
    setattr(run.report, change, getattr(run.report, change) + 1)
    if item.notes:
        run.report.notes[item.source] = item.notes


def _rival(run: _Run, item: Read) -> str | None:
    """Return another source of this document id: earlier in this ingest, or still there outside it."""
    if item.document.id in run.given:
        return run.given[item.document.id]
    for source, known in run.known.items():
        if known.document_id != item.document.id or known.state != "ok" or source == item.source:
            continue
        if source not in run.in_reach and source not in run.touched and Path(source).exists():
            return source
    return None


def content_hash(document: Document) -> str:
    """Return `sha256:` over the document's record."""
    return "sha256:" + hashlib.sha256(jsonl.dumps(document).encode("utf-8")).hexdigest()


async def _failed(run: _Run, source: str, reason: str, line: int | None) -> None:
    # One row a line, so that two bad lines of one file are two failures.
    row = source if line is None else f"{source}:{line}"
    async with run.db.transaction() as conn:
        await sources.record_failed(conn, run.corpus, row, reason, line=line)
    run.touched.add(row)
    run.report.failed.append(LeftOut(source, reason, line))


async def _left_out(run: _Run, found: Discovery) -> None:
    for failure in found.failed:
        await _failed(run, failure.source, failure.reason, failure.line)
    for item in found.skipped:
        async with run.db.transaction() as conn:
            await sources.record_skipped(conn, run.corpus, item.source, item.reason)
        run.touched.add(item.source)
        run.report.skipped.append(LeftOut(item.source, item.reason))


async def _forget_mended(run: _Run, paths: Sequence[Path]) -> None:
    """Drop failures and skips of files that this ingest would have met and did not."""
    roots = [str(path) for path in paths]
    for source, item in run.known.items():
        within = any(source == root or source.startswith((root + "/", root + "\\", root + ":")) for root in roots)
        if within and source not in run.touched and item.state != "ok":
            async with run.db.transaction() as conn:
                await sources.forget(conn, run.corpus, source)
