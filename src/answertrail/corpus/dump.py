"""`corpus dump`: everything of one corpus in one file, read in one transaction and written in one pass."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answertrail import __version__
from answertrail.corpus import dump_format
from answertrail.corpus.dump_format import Embedder, Manifest, Settings
from answertrail.corpus.dump_writer import DumpWriter, writing
from answertrail.corpus.report import Progress, Silent
from answertrail.records import jsonl
from answertrail.store import corpora, dump_rows, dump_tables, embeddings, search_indexes, vector_rows
from answertrail.store.connection import Connection, Database
from answertrail.store.rows import Corpus


@dataclass(frozen=True, slots=True)
class DumpReport:
    """What was written: `pending` texts have no vector yet; `vectors` is None where they were left out."""

    file: Path
    corpus: str
    snapshot: str
    documents: int
    chunks: int
    vectors: int | None
    pending: int
    bytes: int

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "snapshot": self.snapshot,
            "corpus": self.corpus,
            "file": str(self.file),
            "documents": self.documents,
            "chunks": self.chunks,
            "vectors": self.vectors,
            "pending": self.pending,
            "bytes": self.bytes,
        }


async def dump(
    db: Database, name: str, path: Path, *, vectors: bool = True, progress: Progress | None = None
) -> DumpReport:
    """Write a corpus as it is now to `path`; what others ingest meanwhile is not in it.

    Without `vectors` the texts are embedded again when it is restored. Runs are not in it.
    Raises NotFoundError for an unknown name, OSError when the file cannot be written.
    """
    corpus = await corpora.get(db, name)
    shown = progress or Silent()
    async with db.reading() as conn:
        snapshot = await corpora.snapshot_in(conn, corpus)
        documents, chunks = await dump_rows.counts_in(conn, corpus)
        pending = await embeddings.pending_count_in(conn, corpus)
        made = Settings(
            name=corpus.name,
            embedder_spec=corpus.spec,
            embedder=Embedder(name=corpus.identity.name, revision=corpus.identity.revision, dims=corpus.identity.dims),
            context=list(corpus.context),
            asked_in=list(corpus.asked_in),
            language=corpus.language,
            engine=await search_indexes.engine_in(conn, corpus),
            created_at=dump_tables.instant_text(corpus.created_at),
        )
        with writing(path) as writer:
            await _rows(conn, corpus, writer, shown, documents, chunks)
            if vectors:
                await _vectors(conn, corpus, writer, shown)
            manifest = Manifest(
                program=f"answertrail {__version__}", corpus=made, snapshot=snapshot, members=writer.members
            )
            writer.manifest(manifest)
    return DumpReport(
        file=path,
        corpus=corpus.name,
        snapshot=snapshot,
        documents=documents,
        chunks=chunks,
        vectors=manifest.member(dump_format.VECTORS).rows if vectors else None,
        pending=pending,
        bytes=path.stat().st_size,
    )


async def _rows(
    conn: Connection, corpus: Corpus, writer: DumpWriter, shown: Progress, documents: int, chunks: int
) -> None:
    shown.begin("documents", documents)
    with writer.member(dump_format.DOCUMENTS) as member:
        async for document in dump_rows.documents_in(conn, corpus):
            member.line(jsonl.dumps(document))
            shown.advance()
    shown.end()
    with writer.member(dump_format.DOCUMENT_ROWS) as member:
        async for row in dump_rows.document_rows_in(conn, corpus):
            member.json_line(row)
    with writer.member(dump_format.RAW_TEXTS) as member:
        async for row in dump_rows.raw_texts_in(conn, corpus):
            member.json_line(row)
    for table in dump_tables.TABLES:
        counted = table is dump_tables.CHUNKS
        if counted:
            shown.begin("chunks", chunks)
        with writer.member(f"{table.name}.jsonl") as member:
            async for row in dump_rows.rows_in(conn, corpus, table):
                member.json_line(row)
                if counted:
                    shown.advance()
        if counted:
            shown.end()
    with writer.member(dump_format.UNEMBEDDABLE) as member:
        async for row in vector_rows.unembeddable_in(conn, corpus):
            member.json_line(row)


async def _vectors(conn: Connection, corpus: Corpus, writer: DumpWriter, shown: Progress) -> None:
    with writer.member(dump_format.HASHES) as member:
        async for text_hash in vector_rows.hashes_in(conn, corpus):
            member.line(text_hash)
    count = writer.members[-1].rows
    shown.begin("vectors", count)
    # Not packed: numbers of this kind do not shrink, and as they are the file can be mapped.
    with writer.member(dump_format.VECTORS, packed=False) as member:
        dims = corpus.identity.dims
        member.write(_npy_header(count, dims))
        async for block in vector_rows.blocks_in(conn, corpus):
            member.write(block.tobytes(), len(block))
            shown.advance(len(block))
    shown.end()


def _npy_header(count: int, dims: int) -> bytes:
    header = io.BytesIO()
    kind = vector_rows.stored_type(dims).str
    np.lib.format.write_array_header_1_0(header, {"descr": kind, "fortran_order": False, "shape": (count, dims)})
    return header.getvalue()
