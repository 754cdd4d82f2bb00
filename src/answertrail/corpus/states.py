"""States of a corpus that can be compared: one in the database, or one in a dump."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Protocol

from answertrail.corpus import dump_format
from answertrail.corpus.dump_reader import DumpFile
from answertrail.corpus.report import Progress, Silent
from answertrail.errors import InputError, MismatchError
from answertrail.records.document import Document
from answertrail.records.embedder import EmbedderIdentity
from answertrail.records.jsonl import parse
from answertrail.store import corpora, dump_rows, dump_tables
from answertrail.store.connection import Connection
from answertrail.store.rows import Corpus


class State(Protocol):
    """A corpus or a dump, read as often as needed."""

    name: str
    snapshot: str
    settings: Mapping[str, Any]

    def documents(self) -> AsyncIterator[Document]:
        """Yield all documents."""
        ...

    def chunks(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield all chunks by document and place, as `dump_tables.CHUNKS` has them."""
        ...

    def raw_texts(self) -> AsyncIterator[tuple[str, int, str]]:
        """Yield document id, place and words as captioned of every segment that cleaning changed, in this order."""
        ...

    def check(self, found: str) -> None:
        """Raise MismatchError when the snapshot of what was read, `found`, is not the one the state says."""
        ...


def settings_of(identity: EmbedderIdentity, context: Iterable[str], asked_in: Iterable[str]) -> dict[str, Any]:
    """Return the settings that decide how a corpus is searched."""
    return {
        "embedder": identity.name,
        "embedder_revision": identity.revision,
        "dims": identity.dims,
        "context": list(context),
        "asked_in": list(asked_in),
    }


class StoredState:
    """A corpus in the database, as the caller sees it in a transaction of `db.reading()`."""

    def __init__(self, conn: Connection, corpus: Corpus, snapshot: str) -> None:
        self._conn = conn
        self._corpus = corpus
        self.name = corpus.name
        self.snapshot = snapshot
        self.settings: Mapping[str, Any] = settings_of(corpus.identity, corpus.context, corpus.asked_in)

    @classmethod
    async def read(cls, conn: Connection, corpus: Corpus) -> StoredState:
        """Return the corpus with its snapshot."""
        return cls(conn, corpus, await corpora.snapshot_in(conn, corpus))

    def documents(self) -> AsyncIterator[Document]:
        """Yield all documents."""
        return dump_rows.documents_in(self._conn, self._corpus)

    def chunks(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield all chunks."""
        return dump_rows.rows_in(self._conn, self._corpus, dump_tables.CHUNKS)

    async def raw_texts(self) -> AsyncIterator[tuple[str, int, str]]:
        """Yield the words as captioned."""
        async for row in dump_rows.raw_texts_in(self._conn, self._corpus):
            yield row["document_id"], row["ordinal"], row["raw_text"]

    def check(self, found: str) -> None:
        """Pass: the snapshot says nothing of its own, it is that of these rows."""


class DumpedState:
    """A dump, checked member by member; `check` then does what a restore does last."""

    def __init__(self, file: DumpFile, progress: Progress | None = None) -> None:
        file.check(progress or Silent())
        self._file = file
        made = file.manifest.corpus
        self.name = str(file.path)
        self.snapshot = file.manifest.snapshot
        self.settings: Mapping[str, Any] = settings_of(made.embedder.identity, made.context, made.asked_in)

    async def documents(self) -> AsyncIterator[Document]:
        """Yield all documents."""
        for place, value in self._file.values(dump_format.DOCUMENTS):
            yield parse(Document, value, where=place)

    async def chunks(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield all chunks."""
        table = dump_tables.CHUNKS
        for place, value in self._file.values(f"{table.name}.jsonl"):
            dump_tables.as_row(table, value, where=place)
            yield value

    async def raw_texts(self) -> AsyncIterator[tuple[str, int, str]]:
        """Yield the words as captioned."""
        for place, value in self._file.values(dump_format.RAW_TEXTS):
            held = value if isinstance(value, dict) else {}
            document_id, ordinal, text = (held.get(name) for name in ("document_id", "ordinal", "raw_text"))
            if not (isinstance(document_id, str) and isinstance(ordinal, int) and isinstance(text, str)):
                raise InputError("expected document_id, the place of a segment as ordinal, and raw_text", where=place)
            yield document_id, ordinal, text

    def check(self, found: str) -> None:
        """Raise MismatchError, naming the file, when its manifest says another snapshot."""
        if found != self.snapshot:
            raise MismatchError(
                f"the chunks and dates in the dump have the snapshot {found}, its manifest says {self.snapshot}",
                where=self.name,
                hint="the file was changed after it was written, its sums with it; take another copy of it",
            )
