"""The words as captioned of chunks that show mended ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from answertrail.corpus.source_chunks import chunks_of
from answertrail.store import cleaning, documents
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus, StoredDocument


async def captioned_words(db: Database, corpus: Corpus, shown: Mapping[str, str]) -> dict[str, str]:
    """Return the words as captioned, by id, of those of these chunks that show others; {} when none does.

    `shown` maps the ids of chunks to their texts. A chunk is the same stretch of time in both. Where
    a segment runs over several windows, other words may move its sentences from one to the next: a
    chunk that only the mended words make has none as captioned. A chunk that shows another text by
    now is left out too: its corpus changed, and nobody knows what it was made from.
    """
    if not shown:
        return {}
    async with db.reading() as conn:
        mended = await cleaning.mended_in(conn, corpus, shown)
        same = {chunk_id: document for chunk_id, (document, text) in mended.items() if text == shown[chunk_id]}
        names = sorted(set(same.values()))
        found = [await documents.get_document_in(conn, corpus, name, raw=True) for name in names]
    if not found:
        return {}
    # A long document has thousands of lines.
    raw = await asyncio.to_thread(_texts, found)
    return {name: raw[name] for name, text in shown.items() if name in same and raw.get(name, text) != text}


def _texts(captioned: Sequence[StoredDocument | None]) -> dict[str, str]:
    return {chunk.id: chunk.text for stored in captioned if stored for chunk in chunks_of(stored.document)}
