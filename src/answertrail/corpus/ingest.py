"""`ingest`: files into documents, chunks and vectors. Incremental, idempotent, crash-safe.

One document is one transaction. A bad source is recorded and reported and stops nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from answertrail.corpus.context import context_parts, contexts_of
from answertrail.corpus.discovery import Discovery, discover
from answertrail.corpus.embedding import embed_missing
from answertrail.corpus.report import Gone, IngestReport, LeftOut, Progress, Silent
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Group, Read, read
from answertrail.corpus.sources.loading import display
from answertrail.corpus.sources.manifest import LEVELS_UP, MANIFEST
from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.models.embedding.base import Embedder
from answertrail.models.embedding.choice import check_asked_in, unread_language
from answertrail.models.embedding.language import language_codes
from answertrail.models.embedding.load import AUTO, load_embedder, resolve_spec
from answertrail.records import jsonl
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document
from answertrail.store import corpora, documents, sources
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus, SourceItem

_NAME = re.compile(r"(?![-\s])[\w .\-/]{1,100}(?<!\s)")
_SAMPLE_DOCUMENTS = 12
_SAMPLE_CHARS = 2000
_OF_A_LINE = re.compile(r"(.+\.(?:jsonl|ndjson)):[0-9]+", re.IGNORECASE | re.DOTALL)
_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """What to ingest.

    `embedder` is a spec; None means `auto` for a new corpus, its own for a known one. `prune`
    deletes the documents that the report lists as gone. `context` is what is embedded beside each
    text (`context.context_parts`); None means `none` for a new corpus, its own for a known one.
    `asked_in` are the languages in which the corpus will be asked (`language.language_codes`), which
    its embedder has to read; None means nothing is known, or what the corpus was made with.
    """

    corpus: str
    sources: Sequence[Path]
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    embedder: str | None = None
    prune: bool = False
    context: str | None = None
    asked_in: str | None = None


_Mark: TypeAlias = tuple[int, int, int] | None
"""Inode, size in bytes and time of change in ns of a file; None when it cannot be looked at."""


@dataclass(slots=True)
class _Run:
    """The state of one ingest.

    `known` are the rows of the sources and `owners` the source of each document, both as they
    were before; `in_reach` are the files to be read and `marks` how they were when found. `touched`
    are rows written or confirmed, `given` the documents met, by id; `read` are the files that were
    looked at, `faulty` those that failed, wholly or in a line.
    """

    db: Database
    corpus: Corpus
    known: dict[str, SourceItem]
    report: IngestReport
    owners: Mapping[str, str]
    in_reach: frozenset[str]
    marks: Mapping[Path, _Mark]
    touched: set[str] = field(default_factory=set)
    given: dict[str, str] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    faulty: set[str] = field(default_factory=set)


async def ingest(db: Database, request: IngestRequest, progress: Progress | None = None) -> IngestReport:
    """Bring a corpus up to date with its sources; the corpus is made when new.

    Raises InputError for a source that does not exist or holds nothing to read, MismatchError for
    an embedder that is not the corpus's own, ServiceError when embedder or database are down.
    """
    if not request.sources:
        raise InputError("name at least one file or folder")
    if not _NAME.fullmatch(request.corpus):
        raise InputError(
            f"{request.corpus[:60]!r} cannot name a corpus",
            hint="1 to 100 letters, digits, spaces and . _ - /, not - first",
        )
    shown = progress or Silent()
    paths = [path.expanduser().absolute() for path in request.sources]
    found = await asyncio.to_thread(discover, paths, request.include, request.exclude)
    marks = await asyncio.to_thread(_marks, [path for group in found.groups for path in group.files])
    corpus, embedder = await _corpus(db, request, found)
    run = _Run(
        db=db,
        corpus=corpus,
        known=await sources.source_items(db, corpus),
        owners=await documents.document_sources(db, corpus),
        report=IngestReport(corpus=corpus.name, ignored=found.ignored),
        in_reach=frozenset(group.source for group in found.groups),
        marks=marks,
    )
    shown.begin("reading", len(found.groups))
    for group in found.groups:
        await _group(run, group)
        shown.advance()
    shown.end()
    await _left_out(run, found)
    roots = [os.path.normpath(path) for path in paths]
    await _forget_mended(run, roots)
    await _gone(run, roots)
    if request.prune and not _in_doubt(found, roots):
        await _prune(run)
    run.report.embedded = await embed_missing(db, corpus, embedder, shown)
    run.report.snapshot = await corpora.snapshot(db, corpus)
    return run.report


async def _corpus(db: Database, request: IngestRequest, found: Discovery) -> tuple[Corpus, Embedder]:
    context = None if request.context is None else context_parts(request.context)
    asked_in = None if request.asked_in is None else language_codes(request.asked_in)
    try:
        corpus = await corpora.get(db, request.corpus)
    except NotFoundError:
        spec = request.embedder or AUTO
        sample = await asyncio.to_thread(_sample, found) if spec == AUTO else []
        concrete = resolve_spec(spec, sample, asked_in or ())
        check_asked_in(concrete, asked_in or ())
        embedder = load_embedder(concrete)
        try:
            made = await corpora.create(
                db, request.corpus, concrete, embedder.identity, context=context or (), asked_in=asked_in or ()
            )
            return made, embedder
        except InputError as error:
            try:
                corpus = await corpora.get(db, request.corpus)  # another ingest made it meanwhile
            except NotFoundError:
                raise error from None  # the name itself is at fault
    # `auto` chose when the corpus was made; asking for it again asks for nothing else.
    if request.embedder not in (None, AUTO) and resolve_spec(request.embedder) != corpus.spec:
        raise MismatchError(
            f"corpus {corpus.name!r} was made with the embedder {corpus.spec}, not {request.embedder}",
            hint="leave --embedder out, or ingest into a new corpus",
        )
    if context is not None and context != corpus.context:
        raise MismatchError(
            f"corpus {corpus.name!r} was made with the context {','.join(corpus.context) or 'none'}, "
            f"not {','.join(context) or 'none'}",
            hint="leave --context out, or ingest into a new corpus",
        )
    if asked_in is not None and asked_in != corpus.asked_in:
        raise MismatchError(
            f"corpus {corpus.name!r} was made to be asked in {','.join(corpus.asked_in) or 'any language'}, "
            f"not {','.join(asked_in)}; its embedder was chosen by that",
            hint="leave --asked-in out, or ingest into a new corpus",
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
    if before and _is_unchanged(run, group, before):
        run.report.unchanged += 1
        run.touched.add(group.source)
        run.read.update(display(path) for path in group.files)
        run.given[before.document_id or ""] = group.source
        return
    # Parsing is the slow part; a thread keeps the async core free for whoever shares it.
    results = await asyncio.to_thread(_read, group)
    if await asyncio.to_thread(_marks, group.files) != {path: run.marks[path] for path in group.files}:
        # What was read may be half of one version and half of another.
        await _failed(run, group.source, "changed or deleted while it was read; ingest it again", None)
        return
    if not any(isinstance(item, Failure) and item.line is None for item, _ in results):
        run.read.update(display(path) for path in group.files)
    for item, chunks in results:
        if isinstance(item, Read):
            await _document(run, group, item, chunks)
        else:
            await _failed(run, item.source, item.reason, item.line)


def _is_unchanged(run: _Run, group: Group, before: SourceItem) -> bool:
    same = before.state == "ok" and before.fingerprint == group.fingerprint
    # The document may have come from another file since, and this one be back as it was.
    return same and run.owners.get(before.document_id or "") == group.source


def _marks(paths: Iterable[Path]) -> dict[Path, _Mark]:
    return {path: _mark(path) for path in paths}


def _mark(path: Path) -> _Mark:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


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
                contexts=contexts_of(item.document, chunks, run.corpus.context),
            )
    except InputError as error:
        await _failed(run, item.source, str(error), None)
        return
    run.touched.add(item.source)
    run.given[item.document.id] = item.source
    setattr(run.report, change, getattr(run.report, change) + 1)
    if item.notes:
        run.report.notes[item.source] = item.notes
    if change != "unchanged":
        _count_unread(run, item.document)


def _count_unread(run: _Run, document: Document) -> None:
    code = unread_language(run.corpus.spec, _words(document)[:_SAMPLE_CHARS], document.language)
    if code is not None:
        run.report.unread[code] = run.report.unread.get(code, 0) + 1


def _rival(run: _Run, item: Read) -> str | None:
    """Return another source of this document id: earlier in this ingest, or still there outside it."""
    if item.document.id in run.given:
        return run.given[item.document.id]
    for source, known in run.known.items():
        if known.document_id != item.document.id or known.state != "ok" or source == item.source:
            continue
        if _file_of(source) not in run.in_reach and source not in run.touched and _exists(_file_of(source)):
            return source
    return None


def content_hash(document: Document) -> str:
    """Return `sha256:` over the document's record."""
    # A title made from a file name may hold half a surrogate pair; that the store refuses it is a
    # failure of this file, and it could not be hashed here.
    return "sha256:" + hashlib.sha256(jsonl.dumps(document).encode("utf-8", "backslashreplace")).hexdigest()


async def _failed(run: _Run, source: str, reason: str, line: int | None) -> None:
    # One row a line, so that two bad lines of one file are two failures.
    row = source if line is None else f"{source}:{line}"
    async with run.db.transaction() as conn:
        await sources.record_failed(conn, run.corpus, row, reason, line=line)
    run.touched.add(row)
    run.faulty.add(_file_of(source))
    run.report.failed.append(LeftOut(source, reason, line))


async def _left_out(run: _Run, found: Discovery) -> None:
    for failure in found.failed:
        await _failed(run, failure.source, failure.reason, failure.line)
    for item in found.skipped:
        async with run.db.transaction() as conn:
            await sources.record_skipped(conn, run.corpus, item.source, item.reason)
        run.touched.add(item.source)
        run.report.skipped.append(LeftOut(item.source, item.reason))


async def _forget_mended(run: _Run, roots: Sequence[str]) -> None:
    """Drop failures and skips of files that are gone, or were read again without that fault.

    What this ingest did not look at, because of `--include` for one, stays as it was.
    """
    for source, item in run.known.items():
        file = _file_of(source, item.line)
        if item.state == "ok" or source in run.touched or not _within(file, roots):
            continue
        if not _exists(file) or _was_read(run, file):
            async with run.db.transaction() as conn:
                await sources.forget(conn, run.corpus, source)


def _was_read(run: _Run, file: str) -> bool:
    """Whether this ingest read the file for a document, or as a manifest beside one; folders always are."""
    if file in run.read or _is(file, stat.S_ISDIR):
        return True
    folder, name = os.path.split(file)
    return name == MANIFEST and any(folder in map(str, Path(read).parents[: LEVELS_UP + 1]) for read in run.read)


async def _gone(run: _Run, roots: Sequence[str]) -> None:
    """List the documents whose file under the roots is gone, or was read and no longer gives them.

    A file with any fault counts as not read: what it gave before stays.
    """
    for document_id, source in (await documents.document_sources(run.db, run.corpus)).items():
        file = _file_of(source)
        if document_id in run.given or file in run.faulty or not _within(file, roots):
            continue
        if file in run.in_reach or not _exists(file):
            run.report.gone.append(Gone(source, document_id))


def _in_doubt(found: Discovery, roots: Sequence[str]) -> bool:
    """Whether something could not be looked at, so that what seems gone may only be out of sight.

    A folder that cannot be listed, a link that leads nowhere, a disk that was taken away. A file
    that is there and cannot be used is no such thing.
    """
    unseen = any(not _is(_file_of(item.source), stat.S_ISREG) for item in found.failed)
    return unseen or not all(_exists(display(root)) for root in roots)


async def _prune(run: _Run) -> None:
    for item in run.report.gone:
        async with run.db.transaction() as conn:
            run.report.removed += await documents.delete(conn, run.corpus, item.document_id)


def _file_of(source: str, line: int | None = None) -> str:
    """Return the file of a source: those of a document/1 file and of a bad line are `FILE:LINE`."""
    if line is not None:
        return source.removesuffix(f":{line}")
    of_a_line = _OF_A_LINE.fullmatch(source)
    return of_a_line[1] if of_a_line else source


def _within(file: str, roots: Sequence[str]) -> bool:
    return any(file == display(root) or file.startswith(display(root).rstrip(os.sep) + os.sep) for root in roots)


def _is(file: str, kind: Callable[[int], bool]) -> bool:
    """Whether a file is there and of this kind; False when that cannot be told."""
    try:
        return kind(Path(file).stat().st_mode)
    except (OSError, ValueError):
        return False


def _exists(file: str) -> bool:
    """Whether there is a file of this displayed name; True when that cannot be told."""
    # `display` shows bytes that are no UTF-8 as `\xNN`, which another name may hold as it is.
    for name in {os.fsencode(file), _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), os.fsencode(file))}:
        try:
            os.lstat(name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            pass
        return True
    return False
