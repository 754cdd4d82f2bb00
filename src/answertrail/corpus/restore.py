"""`corpus restore`: a corpus as a dump has it, all of it or nothing, checked by its snapshot."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answertrail.corpus import dump_format
from answertrail.corpus.context import context_parts
from answertrail.corpus.dump_reader import DumpFile
from answertrail.corpus.embedding import embed_missing
from answertrail.corpus.report import Progress, Silent
from answertrail.corpus.restore_words import with_words_checked
from answertrail.errors import AnswerTrailError, InputError, MismatchError, NotFoundError
from answertrail.models.embedding.language import language_codes
from answertrail.models.embedding.load import load_embedder
from answertrail.records.document import Document
from answertrail.records.jsonl import parse
from answertrail.store import corpora, dump_rows, dump_tables, embeddings, names, restore_rows, vector_rows
from answertrail.store.connection import Connection, Database
from answertrail.store.restore_rows import GivenDocument
from answertrail.store.rows import Corpus

_ROW = ("document_id", "source", "content_hash", "chunks_hash", "ingested_at")
_EXACT = "exact"


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What was restored. `vectors` were in the file, `embedded` were made anew, `pending` have none yet.

    `warnings` are sentences about what is not as it was.
    """

    corpus: str
    snapshot: str
    documents: int
    chunks: int
    vectors: int
    embedded: int
    pending: int
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `--json`; `warnings` only where there are any."""
        held = {
            "snapshot": self.snapshot,
            "corpus": self.corpus,
            "documents": self.documents,
            "chunks": self.chunks,
            "vectors": self.vectors,
            "embedded": self.embedded,
            "pending": self.pending,
        }
        return held | ({"warnings": list(self.warnings)} if self.warnings else {})


async def restore(
    db: Database,
    path: Path,
    name: str | None = None,
    *,
    vectors: bool = True,
    engines: Collection[str] | None = None,
    progress: Progress | None = None,
) -> RestoreReport:
    """Make a corpus from a dump, named `name` or as it was; its snapshot is that of the dump.

    All rows are written in one transaction. What then lacks a vector (all of them when `vectors`
    is False or the dump has none) is embedded where the embedder runs on this machine. `engines`
    are the search engines known here; a corpus that was searched with another is searched exactly.

    Raises InputError for a file that is not a whole dump, naming the member, and for a name that
    is taken; MismatchError for a newer format, and when the snapshot came out another.
    """
    shown = progress or Silent()
    with DumpFile(path) as file:
        made, warnings = file.manifest.corpus, []
        chosen = names.check_name(name if name is not None else names.live_name(made.name))
        await _need_free(db, chosen)
        _need_known(made, file.where(dump_format.MANIFEST))
        file.check(shown)
        engine = made.engine
        if engines is not None and engine not in engines:
            engine = _EXACT
            warnings.append(f"this program knows no search engine {made.engine!r}; the corpus is searched exactly")
        settings = restore_rows.Settings(
            spec=made.embedder_spec,
            identity=made.embedder.identity,
            language=made.language,
            context=made.context,
            asked_in=made.asked_in,
            engine=engine,
            created_at=dump_tables.instant_of(made.created_at, "created_at", file.where(dump_format.MANIFEST)),
        )
        embedder_id = await embeddings.register(db, settings.identity)
        async with db.transaction() as conn:
            corpus = await restore_rows.begin(conn, chosen, embedder_id, settings)
            given = await _content(conn, corpus, file, vectors, shown)
            snapshot = await corpora.snapshot_in(conn, corpus)
            if snapshot != file.manifest.snapshot:
                raise MismatchError(
                    f"the restored corpus has the snapshot {snapshot}, the dump says {file.manifest.snapshot}; "
                    "nothing was kept",
                    where=str(path),
                )
            documents, chunks = await dump_rows.counts_in(conn, corpus)
    embedded, doubts = await _embed(db, corpus, shown)
    return RestoreReport(
        corpus=corpus.name,
        snapshot=await corpora.snapshot(db, corpus),
        documents=documents,
        chunks=chunks,
        vectors=given,
        embedded=embedded,
        pending=await embeddings.pending_count(db, corpus),
        warnings=(*warnings, *doubts),
    )


def _need_known(made: dump_format.Settings, where: str) -> None:
    """A later ingest uses these settings; InputError for one that this program does not know."""
    for read, held in ((context_parts, made.context), (language_codes, made.asked_in)):
        try:
            if held and list(read(",".join(held))) != held:
                raise InputError(f"unknown setting: {', '.join(held)[:100]}")
        except InputError as error:
            raise InputError(error.message, where=where, hint=error.hint) from None


async def _need_free(db: Database, name: str) -> None:
    try:
        await corpora.get(db, name)
    except NotFoundError:
        return
    raise InputError(
        "a corpus of this name exists", where=name, hint="restore it under another name with --as, or delete that one"
    )


async def _content(conn: Connection, corpus: Corpus, file: DumpFile, vectors: bool, shown: Progress) -> int:
    """Write all rows; return how many vectors were given."""
    members = len(dump_tables.TABLES) + 3
    shown.begin("restoring", members)
    documents = _documents(file)
    await restore_rows.put_documents(conn, corpus, documents, where=file.where(dump_format.DOCUMENTS))
    shown.advance()
    for table in dump_tables.TABLES:
        member = f"{table.name}.jsonl"
        rows = with_words_checked(file) if table is dump_tables.CHUNKS else file.values(member)
        await restore_rows.put_rows(conn, corpus, table, rows, where=file.where(member))
        shown.advance()
    await corpora.analyze_in(conn)
    given = 0
    if vectors and file.manifest.has_vectors:
        where = file.where(dump_format.VECTORS)
        given = await vector_rows.put(conn, corpus, file.vectors(), where=where)
    shown.advance()
    if vectors:
        where = file.where(dump_format.UNEMBEDDABLE)
        await restore_rows.put_unembeddable(conn, corpus, _unembeddable(file), where=where)
    shown.advance()
    shown.end()
    return given


def _documents(file: DumpFile) -> Iterator[GivenDocument]:
    """Put together what three members say of each document; all are in order of the ids."""
    rows = file.values(dump_format.DOCUMENT_ROWS)
    raw = _RawTexts(file)
    for place, value in file.values(dump_format.DOCUMENTS):
        document = parse(Document, value, where=place)
        row_place, row = next(rows, (file.where(dump_format.DOCUMENT_ROWS), None))
        if not isinstance(row, dict) or sorted(row) != sorted(_ROW) or not all(isinstance(row[n], str) for n in _ROW):
            raise InputError(f"expected an object of the texts {', '.join(_ROW)}", where=row_place)
        if row["document_id"] != document.id:
            raise InputError(f"is of {row['document_id'][:100]!r}, expected {document.id!r}", where=row_place)
        yield GivenDocument(
            document=document,
            source=row["source"],
            content_hash=row["content_hash"],
            chunks_hash=row["chunks_hash"],
            ingested_at=dump_tables.instant_of(row["ingested_at"], "ingested_at", row_place),
            raw_texts=raw.of(document),
            where=place,
        )
    raw.end()
    for row_place, _ in rows:
        raise InputError("is of no document", where=row_place)


class _RawTexts:
    """The words as captioned, taken document by document in the order in which they are written."""

    def __init__(self, file: DumpFile) -> None:
        self._values = file.values(dump_format.RAW_TEXTS)
        self._next = next(self._values, None)

    def of(self, document: Document) -> dict[int, str]:
        """Return those of a document by place of the segment; InputError where there is no such segment."""
        out: dict[int, str] = {}
        while self._next is not None:
            place, value = self._next
            if not isinstance(value, dict) or value.get("document_id") != document.id:
                break
            ordinal, text = value.get("ordinal"), value.get("raw_text")
            known = isinstance(ordinal, int) and 0 <= ordinal < len(document.segments or ())
            if len(value) != 3 or not known or not isinstance(text, str):
                raise InputError("expected the place of a segment as ordinal, and its raw_text", where=place)
            out[int(ordinal or 0)] = text
            self._next = next(self._values, None)
        return out

    def end(self) -> None:
        """Raise InputError when one is left."""
        if self._next is not None:
            raise InputError("is of no document, or not in order", where=self._next[0])


def _unembeddable(file: DumpFile) -> Iterator[tuple[str, str]]:
    for place, value in file.values(dump_format.UNEMBEDDABLE):
        held = value if isinstance(value, dict) else {}
        text_hash, reason = held.get("text_hash"), held.get("reason")
        if len(held) != 2 or not isinstance(text_hash, str) or not isinstance(reason, str):
            raise InputError("expected a text_hash and a reason", where=place)
        yield text_hash, reason


async def _embed(db: Database, corpus: Corpus, shown: Progress) -> tuple[int, list[str]]:
    """Embed what lacks a vector where that costs nothing; return how many, and what is amiss with the embedder."""
    try:
        embedder = load_embedder(corpus.spec)
        corpora.check_identity(corpus, embedder.identity)
    except AnswerTrailError as error:
        return 0, [f"the corpus cannot be searched here yet: {error.message}"]
    if ":" not in corpus.spec:
        return await embed_missing(db, corpus, embedder, shown), []
    if not await embeddings.pending_count(db, corpus):
        return 0, []
    return 0, [f"texts without a vector are left: {corpus.spec} is hosted and may cost; the next ingest embeds them"]
