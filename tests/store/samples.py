"""Small documents and vectors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from answertrail.records import Document, Segment
from answertrail.records.chunk import Chunk
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store import Connection, Database, corpora, documents
from answertrail.store.rows import Corpus

IDENTITY = EmbedderIdentity(name="toy", revision="r1", dims=3)


def timed(document_id: str, *texts: str, **more: object) -> tuple[Document, list[Chunk]]:
    """A timed document with one segment and one chunk per text, 30 s each."""
    segments = [Segment(start_s=30.0 * n, end_s=30.0 * n + 29, text=text) for n, text in enumerate(texts)]
    fields: dict[str, object] = {"title": f"About {document_id}", "published_at": "2024-06-14"}
    document = Document(id=document_id, segments=segments, **(fields | more))  # type: ignore[arg-type]
    chunks = [
        Chunk(
            id=f"{document_id}:{30 * n:05d}",
            document_id=document_id,
            ordinal=n,
            text=text,
            lines=(text,),
            start_s=30.0 * n,
            end_s=30.0 * n + 29,
            time_precision="cue",
        )
        for n, text in enumerate(texts)
    ]
    return document, chunks


async def corpus_of(db: Database, *items: tuple[Document, list[Chunk]], name: str = "talks") -> Corpus:
    corpus = await corpora.create(db, name, "toy:3", IDENTITY, "en")
    for document, chunks in items:
        async with db.transaction() as conn:
            await put(conn, corpus, document, chunks)
    return corpus


async def put(conn: Connection, corpus: Corpus, document: Document, chunks: list[Chunk], **more: str) -> str:
    content = str(hash(document.model_dump_json()))
    source = more.get("source", f"{document.id}.vtt")
    return await documents.replace(conn, corpus, document, chunks, content_hash=content, source=source)


def unit(*rows: tuple[float, ...]) -> npt.NDArray[np.float32]:
    array = np.array(rows, dtype=np.float32)
    return (array / np.linalg.norm(array, axis=1, keepdims=True)).astype(np.float32)
