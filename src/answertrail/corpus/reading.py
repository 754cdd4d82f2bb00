"""The reading stage: every file found becomes documents and chunks, one transaction a document.

Several workers may read the same folders at once: each claims the file it is at, and what another
has done meanwhile is not done again.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from answertrail.corpus.context import contexts_of
from answertrail.corpus.paths import exists, file_of, of_origin
from answertrail.corpus.report import LeftOut, Progress
from answertrail.corpus.run import IngestRun, failed, marks_of, row_of
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Group, Read, read
from answertrail.corpus.sources.loading import display
from answertrail.errors import InputError
from answertrail.models.embedding.choice import unread_language
from answertrail.records import jsonl
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document
from answertrail.store import claims, documents, sources
from answertrail.store.connection import Connection
from answertrail.store.holding import Hold, holding
from answertrail.store.rows import SourceItem

STAGE = "read"
_log = logging.getLogger(__name__)
_BLOCK = 64
"""So many documents of one file are in memory at once."""
_WAIT_S = 0.3
_SAMPLE_CHARS = 2000

_Result: TypeAlias = tuple[Read | Failure, list[Chunk]]


async def read_groups(run: IngestRun, groups: Sequence[Group], shown: Progress) -> None:
    """Read every group that is not in the corpus as it is; return when none is left, here or in other hands."""
    shown.begin("reading", len(groups))
    spare = [path for group in groups for other in group.fallbacks for path in other.files]
    run.marks = {**run.marks, **await asyncio.to_thread(marks_of, spare)}
    waiting = [group for group in _failed_first(run, groups) if not await _step(run, group, shown)]
    while waiting:
        await asyncio.sleep(_WAIT_S)
        waiting = [group for group in waiting if not await _step(run, group, shown)]
    shown.end()


def _failed_first(run: IngestRun, groups: Sequence[Group]) -> list[Group]:
    """Put what owns documents and failed last time first: once it is read, what it gave may come from elsewhere.

    What failed since its id is another's stays behind that one, or the two would take turns.
    """
    owning = set(run.owners.values())
    files = {file_of(source) for source in owning}
    faulty = {
        file_of(source, item.line)
        for source, item in run.known.items()
        if item.state == "failed" and (source in owning or (item.line is None and source in files))
    }
    return sorted(groups, key=lambda group: not any(one.source in faulty for one in group.candidates))


async def _step(run: IngestRun, group: Group, shown: Progress) -> bool:
    """Deal with one group; False when another worker has it in hand."""
    before = run.known.get(group.source)
    if before and _is_unchanged(run, group, before):
        run.report.unchanged += 1
        _met(run, group, before)
        await _leave_aside(run, group, group.source)
    elif not await claims.claim(run.db, run.corpus, STAGE, [group.source], run.worker):
        return False
    else:
        async with holding(run.db, run.corpus, STAGE, [group.source], run.worker) as hold:
            done = await _done_elsewhere(run, group, before) or await _group(run, group, hold)
        await claims.give_back(run.db, run.corpus, STAGE, [group.source], run.worker)
        if not done:
            # Its first part will be met again, here or as another's.
            run.given = {name: source for name, source in run.given.items() if not group.holds(file_of(source))}
            run.report.failed = [item for item in run.report.failed if not group.holds(file_of(item.source))]
            return False
    shown.advance()
    return True


async def _done_elsewhere(run: IngestRun, group: Group, before: SourceItem | None) -> bool:
    """Whether another worker has read the group since this ingest began; what it came to is reported here too."""
    now = await sources.rows_of(run.db, run.corpus, group.source)
    read_now = next((item for item in now if item.source == group.source), None)
    faults = [item for item in now if item.state == "failed" and item != run.known.get(item.source)]
    as_it_is = read_now is not None and read_now.state == "ok" and read_now.fingerprint == group.fingerprint
    done = as_it_is and read_now != before
    if not done and (group.kind == "documents" or group.fallbacks or not faults):
        return False
    for item in faults:
        run.touched.add(item.source)
        run.report.failed.append(LeftOut(group.source, item.reason or "", item.line))
    if faults:
        run.faulty.update(display(path) for path in group.files)
    if group.kind == "documents":
        given = await sources.documents_of(run.db, run.corpus, group.source)
        run.report.elsewhere += len(given)
        run.given |= given
        run.touched |= {group.source, *given.values()}
        run.read.update(display(path) for path in group.files)
    elif read_now is not None and not faults:
        run.report.elsewhere += 1
        _met(run, group, read_now)
        await _leave_aside(run, group, group.source)
    return True


def _met(run: IngestRun, group: Group, item: SourceItem) -> None:
    run.touched.add(group.source)
    run.read.update(display(path) for path in group.files)
    run.given[item.document_id or ""] = group.source


def _is_unchanged(run: IngestRun, group: Group, before: SourceItem) -> bool:
    same = before.state == "ok" and before.fingerprint == group.fingerprint
    # The document may have come from another file since, and this one be back as it was.
    return same and run.owners.get(before.document_id or "") == group.source


async def _leave_aside(run: IngestRun, group: Group, read_last: str) -> None:
    """Report the files of a document that were not needed, those behind the one read last."""
    candidates = [candidate.source for candidate in group.candidates]
    for source in candidates[candidates.index(read_last) + 1 :]:
        reason = f"duplicate of {read_last}"
        async with run.db.transaction() as conn:
            await sources.record_skipped(conn, run.corpus, source, reason)
        run.touched.add(source)
        run.report.skipped.append(LeftOut(source, reason))


async def _group(run: IngestRun, group: Group, hold: Hold) -> bool:
    """Read one group to its end; False when another worker took it meanwhile, to whom the rest is left."""
    _log.debug("reading %s", group.source)
    # Parsing is the slow part; a thread keeps the async core free for whoever shares it.
    results = _read(group)
    looked_at = [group]
    unread: set[str] = set()
    rows: list[str] = []
    while block := await asyncio.to_thread(_next, results):
        looked_at += [one for item, _ in block if (one := group.candidate(item.source)) not in looked_at]
        files = {path for candidate in looked_at for path in candidate.files}
        if await asyncio.to_thread(marks_of, files) != {path: run.marks[path] for path in files}:
            # What was read may be half of one version and half of another.
            await failed(run, group.source, "changed or deleted while it was read; ingest it again", None)
            return True
        if hold.lost:
            return False
        rows += [row_of(item.source, item.line if isinstance(item, Failure) else None) for item, _ in block]
        for item, chunks in block:
            if isinstance(item, Read):
                await _document(run, group, item, chunks)
            else:
                if item.line is None:
                    unread.add(item.source)
                await failed(run, item.source, item.reason, item.line)
    await _leave_aside(run, group, looked_at[-1].source)
    for candidate in looked_at:
        if candidate.source not in unread:
            run.read.update(display(path) for path in candidate.files)
    if group.kind == "documents" and not unread:
        # That the file was read to its end, for whoever comes to it next.
        async with run.db.transaction() as conn:
            await sources.record_ok(conn, run.corpus, group.source, document_id=None, fingerprint=group.fingerprint)
            await sources.forget_lines(conn, run.corpus, group.source, but=rows)
        run.touched.add(group.source)
    return True


def _read(group: Group) -> Iterator[_Result]:
    for item in read(group):
        yield item, chunks_of(item.document) if isinstance(item, Read) else []


def _next(results: Iterator[_Result]) -> list[_Result]:
    return list(islice(results, _BLOCK))


async def _document(run: IngestRun, group: Group, item: Read, chunks: Sequence[Chunk]) -> None:
    if not chunks:
        await failed(run, item.source, "the document holds no words", None)
        return
    rival = _rival(run, group, item)
    if rival is None:
        try:
            async with run.db.transaction() as conn:
                rival = await _rival_elsewhere(conn, run, group, item)
                if rival is None:
                    change = await documents.replace(
                        conn,
                        run.corpus,
                        item.document,
                        chunks,
                        content_hash=content_hash(item.document),
                        source=item.source,
                        fingerprint=group.candidate(item.source).fingerprint,
                        notes=item.notes,
                        contexts=contexts_of(item.document, chunks, run.corpus.context),
                    )
        except InputError as error:
            await failed(run, item.source, str(error), None)
            return
    if rival is not None:
        run.refused.add(item.document.id)
        await failed(run, item.source, _taken(run, item.document.id, rival), None)
        return
    run.touched.add(item.source)
    run.given[item.document.id] = item.source
    setattr(run.report, change, getattr(run.report, change) + 1)
    if item.notes:
        run.report.notes[item.source] = item.notes
    if change != "unchanged":
        _count_unread(run, item.document)


def _count_unread(run: IngestRun, document: Document) -> None:
    code = unread_language(run.corpus.spec, document.words()[:_SAMPLE_CHARS], document.language)
    if code is not None:
        run.report.unread[code] = run.report.unread.get(code, 0) + 1


def _rival(run: IngestRun, group: Group, item: Read) -> str | None:
    """Return another source of this document id: earlier in this ingest, or still there outside it."""
    if item.document.id in run.given:
        return run.given[item.document.id]
    owner = run.owners.get(item.document.id)
    if owner is None or group.holds(owner) or (file := file_of(owner)) == group.source:
        return None
    within_reach = file in run.in_reach or owner in run.aside or owner in run.touched
    before = run.known.get(owner)
    failed_last = file in run.faulty or (before is not None and before.state == "failed")
    if within_reach and (file in run.read or not failed_last):
        return None
    return owner if of_origin(owner) or exists(file) else None


async def _rival_elsewhere(conn: Connection, run: IngestRun, group: Group, item: Read) -> str | None:
    """Return the document's owner where it gave it elsewhere, or failed, since this ingest began."""
    now = await sources.owner_in(conn, run.corpus, item.document.id)
    if now is None or now.source == item.source or group.holds(now.source) or now == run.known.get(now.source):
        return None
    return None if now.state == "skipped" else now.source


def _taken(run: IngestRun, document_id: str, rival: str) -> str:
    taken = f"the id {document_id} already belongs to {rival}"
    failed_before = rival in run.known and run.known[rival].state == "failed"
    if document_id not in run.given and (file_of(rival) in run.faulty or failed_before):
        return f"{taken}, which could not be read; mend or remove that one, or rename one"
    if document_id in run.given or file_of(rival) in run.in_reach:
        return f"two sources give the id {document_id} in one ingest, this one and {rival}; rename one"
    return f"{taken}; ingest both in one command or rename one"


def content_hash(document: Document) -> str:
    """Return `sha256:` over the document's record."""
    # A title made from a file name may hold half a surrogate pair; that the store refuses it is a
    # failure of this file, and it could not be hashed here.
    return "sha256:" + hashlib.sha256(jsonl.dumps(document).encode("utf-8", "backslashreplace")).hexdigest()
