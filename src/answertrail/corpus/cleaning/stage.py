"""The cleaning stage: documents with automatic captions that were not cleaned under this stamp, one at a time.

What is to be done is a query, each batch of a model's replies is kept as soon as it is paid for, and
a document is written in one transaction. Several workers share the stage by claims.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from answertrail.corpus.cleaning.asking import IN_A_ROW, Refused, ask, ask_plainly, is_refusal
from answertrail.corpus.cleaning.batching import Batch, batches, lines_of
from answertrail.corpus.cleaning.glossary import Glossary
from answertrail.corpus.cleaning.mending import edits_of, mend
from answertrail.corpus.cleaning.prompt import PROMPT_VERSION, batch_key, render
from answertrail.corpus.cleaning.report import CleaningReport, RawBatch
from answertrail.corpus.cleaning.settings import CleaningSettings
from answertrail.corpus.context import contexts_of
from answertrail.corpus.report import Progress, Silent
from answertrail.corpus.source_chunks import chunks_of
from answertrail.errors import ServiceError
from answertrail.models.chat.base import ChatModel
from answertrail.records.document import Document
from answertrail.store import claims, cleaning, corpora, documents
from answertrail.store.cleaning import Edit, KeptReply, Stamp
from answertrail.store.connection import Database
from answertrail.store.holding import Hold, holding
from answertrail.store.rows import Corpus

STAGE = "clean"
_WAIT_S = 0.5


@dataclass(slots=True)
class _Refusals:
    """How many batches the endpoint refused since it last answered one."""

    in_a_row: int = 0


@dataclass(frozen=True, slots=True)
class _Run:
    db: Database
    corpus: Corpus
    model: ChatModel
    glossary: Glossary
    settings: CleaningSettings
    stamp: Stamp
    worker: str
    report: CleaningReport
    refusals: _Refusals = field(default_factory=_Refusals)

    async def pending(self, only: Sequence[str] | None = None) -> list[str]:
        unlabelled = self.settings.unlabelled
        return await cleaning.pending(self.db, self.corpus, self.stamp, unlabelled=unlabelled, only=only)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A batch with the data the model reads and the key of its reply."""

    batch: Batch
    rendered: str
    key: str


class _ModelError(Exception):
    """The model's service failed, which ends the stage; a ServiceError beside it is the database's."""

    def __init__(self, error: ServiceError) -> None:
        super().__init__(str(error))
        self.error = error


async def clean_pending(
    db: Database,
    corpus: Corpus,
    model: ChatModel | None,
    glossary: Glossary | None = None,
    worker: str | None = None,
    progress: Progress | None = None,
    settings: CleaningSettings | None = None,
) -> CleaningReport:
    """Clean every document that needs it; return when none is left, here or in other hands.

    Documents with automatic captions are cleaned; human and translated ones never, and those of
    unknown origin only with `settings.unlabelled`. Without a model nothing is done and the report
    says so. `worker` names this one; None makes a new one. A ServiceError of the model ends the
    stage: it is in the report, with what was done before; one of the database is raised.
    """
    settings = settings or CleaningSettings()
    glossary = glossary or Glossary()
    report = CleaningReport(None if model is None else model.name, await cleaning.supply(db, corpus))
    candidates = report.supply.auto + (report.supply.unknown if settings.unlabelled else 0)
    if model is None:
        report.pending = await cleaning.uncleaned(db, corpus, unlabelled=settings.unlabelled)
        stay = "1 document stays" if report.pending == 1 else f"{report.pending} documents stay"
        report.skipped = f"no model is named for it; {stay} with automatic captions as they are"
        return report
    stamp = Stamp(model.name, PROMPT_VERSION, glossary.hash)
    if worker is None:
        async with claims.working(db) as own:
            await _clean_all(_Run(db, corpus, model, glossary, settings, stamp, own, report), candidates, progress)
    else:
        await _clean_all(_Run(db, corpus, model, glossary, settings, stamp, worker, report), candidates, progress)
    return report


async def _clean_all(run: _Run, candidates: int, progress: Progress | None) -> None:
    todo = await run.pending()
    run.report.already = candidates - len(todo)
    if not todo:
        return
    shown = progress or Silent()
    shown.begin("cleaning", len(todo))
    while todo := [document_id for document_id in todo if not await _step(run, document_id, shown)]:
        if run.report.stopped:
            break
        await asyncio.sleep(_WAIT_S)  # others are at the rest
    run.report.pending = len(await run.pending())
    shown.end()


async def _step(run: _Run, document_id: str, shown: Progress) -> bool:
    """Deal with one document; False when it is in other hands, changed meanwhile, or the stage stopped."""
    if run.report.stopped or not await claims.claim(run.db, run.corpus, STAGE, [document_id], run.worker):
        return False
    done = True
    if await run.pending(only=[document_id]):
        try:
            async with holding(run.db, run.corpus, STAGE, [document_id], run.worker) as hold:
                done = await _clean(run, document_id, hold)
        except _ModelError as fault:
            run.report.stopped = fault.error
            done = False
    else:
        run.report.elsewhere += 1
    async with run.db.transaction() as conn:
        await claims.release(conn, run.corpus, STAGE, [document_id], run.worker)
    if done:
        shown.advance()
    return done


async def _clean(run: _Run, document_id: str, hold: Hold) -> bool:
    """Clean one document or put it off; False when it changed, went or was lost while the model was at work."""
    stored = await documents.get_document(run.db, run.corpus, document_id, raw=True)
    if stored is None:
        return True
    captioned = stored.document
    asked = _asked(run, captioned)
    known = await _replies(run, asked, hold)
    if hold.lost:
        return False
    replies = [known[one.key] for one in asked]
    refused = [reply for reply in replies if isinstance(reply, Refused)]
    if refused and len(refused) == len(replies):
        run.report.put_off[document_id] = refused[0].reason
        return True
    if refused and run.refusals.in_a_row:
        # Its last word was a refusal: of these batches only, or of everything from there on?
        await _ask_plainly(run)
    # A long document has thousands of lines, at some milliseconds each.
    edits = await asyncio.to_thread(_edits, asked, replies, run.glossary)
    lines = sum(len(one.batch.lines) for one in asked)
    if not await hold.renew() or not await _write(run, captioned, stored.content_hash, lines, edits):
        return False
    _count(run.report, captioned, asked, replies, lines, edits)
    return True


def _edits(asked: Sequence[_Asked], replies: Sequence[KeptReply], glossary: Glossary) -> list[Edit]:
    pairs = zip(asked, replies, strict=True)
    return [edit for one, reply in pairs for edit in edits_of(one.batch, reply, glossary)]


def _asked(run: _Run, document: Document) -> list[_Asked]:
    sizes = run.settings
    lines = lines_of([segment.text for segment in document.segments or ()])
    out = []
    for batch in batches(lines, size=sizes.lines, neighbours=sizes.neighbours, characters=sizes.characters):
        terms = run.glossary.heard_in(line.text for line in batch.lines)
        rendered = render(batch, title=document.title, description=document.description, terms=terms)
        out.append(_Asked(batch, rendered, batch_key(run.model.name, rendered)))
    return out


async def _replies(run: _Run, asked: Sequence[_Asked], hold: Hold) -> dict[str, KeptReply]:
    """Return a reply to each batch by its key: the one paid for before, or a new one, a few calls at a time.

    A fault stops new calls; those under way end and are kept before it is raised. So does the loss of
    the document to another worker: then not all batches have their reply.
    """
    known = await cleaning.kept_replies(run.db, run.corpus, [one.key for one in asked])
    run.report.batches += len(asked)
    run.report.remembered += sum(one.key in known for one in asked)
    todo = iter(list({one.key: one for one in asked if one.key not in known}.values()))
    faults: list[BaseException] = []

    async def work() -> None:
        for one in todo:
            if faults or hold.lost:
                return
            try:
                known[one.key] = await _reply(run, one)
            except Exception as fault:
                faults.append(fault)
                raise

    ended = await asyncio.gather(*(work() for _ in range(run.settings.concurrency)), return_exceptions=True)
    for fault in ended:
        if fault is not None:
            raise fault
    return known


async def _reply(run: _Run, one: _Asked) -> KeptReply:
    count, spent = len(one.batch.lines), run.report.spent
    try:
        reply = await ask(run.model, one.rendered, count, run.settings, spent)
    except ServiceError as error:
        if not is_refusal(error):
            raise _ModelError(error) from error
        run.refusals.in_a_row += 1
        has_answered = spent.calls > spent.failed
        if run.refusals.in_a_row == (IN_A_ROW if has_answered else 1):
            await _ask_plainly(run)
        return Refused(None, f"the endpoint refused it: {error.message}")
    run.refusals.in_a_row = 0
    await cleaning.keep_reply(run.db, run.corpus, one.key, reply)
    return reply


async def _ask_plainly(run: _Run) -> None:
    """Go on when the endpoint answers a plain batch, and end the stage when it refuses that too."""
    try:
        await ask_plainly(run.model, run.settings, run.report.spent)
    except ServiceError as error:
        raise _ModelError(error) from error
    run.refusals.in_a_row = 0


async def _write(run: _Run, captioned: Document, raw_hash: str, lines: int, edits: Sequence[Edit]) -> bool:
    """Put the mended document in place, with its record; False when it is not the one that was read any more."""
    mended = mend(captioned, edits)
    chunks = await asyncio.to_thread(chunks_of, mended.document)
    contexts = contexts_of(mended.document, chunks, run.corpus.context)
    async with run.db.transaction() as conn:
        await corpora.lock(conn, run.corpus)
        if not await cleaning.is_as_captioned(conn, run.corpus, captioned.id, raw_hash):
            return False
        if mended.raw or await cleaning.is_rewritten(conn, run.corpus, captioned.id):
            await cleaning.rewrite(conn, run.corpus, mended.document, chunks, contexts, mended.raw)
        await cleaning.record(conn, run.corpus, captioned.id, run.stamp, raw_hash, lines, edits)
    return True


def _count(
    report: CleaningReport,
    document: Document,
    asked: Sequence[_Asked],
    replies: Sequence[KeptReply],
    lines: int,
    edits: Sequence[Edit],
) -> None:
    report.documents += 1
    report.lines += lines
    report.changed += sum(edit.kept for edit in edits)
    report.refused += sum(not edit.kept and edit.after is not None for edit in edits)
    report.unanswered += sum(edit.after is None for edit in edits)
    segments = document.segments or []
    for one, reply in zip(asked, replies, strict=True):
        if reply.texts is None:
            begin = segments[one.batch.lines[0].ordinal].start_s
            report.raw_batches.append(RawBatch(document.id, begin, len(one.batch.lines), reply.reason))
