"""Documents that items of channels and feeds gave: whose they are, and what their listing says of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from answertrail.records.base import instant
from answertrail.records.chunk import embedded_text, text_hash
from answertrail.records.document import Document
from answertrail.store import corpora
from answertrail.store.connection import Connection
from answertrail.store.rows import Corpus
from answertrail.store.texts import check_storable

# What a listing knows of a document; all else (language, words, who made the captions) was fetched.
_LISTED_FIELDS = ("title", "published_at", "published_at_source", "url", "description", "tags")


async def source_of(conn: Connection, corpus: Corpus, document_id: str) -> str | None:
    """Return the source that gave a document, None when there is none of this id."""
    cursor = await conn.execute(
        "SELECT source FROM documents WHERE corpus_id = %s AND document_id = %s", (corpus.id, document_id)
    )
    row = await cursor.fetchone()
    return None if row is None else str(row[0])


async def hand_over(conn: Connection, corpus: Corpus, origin: str, item_ids: Collection[str], *, family: str) -> None:
    """Give documents whose items `origin` lists no more to an origin of its family that still lists them.

    One that lists an item only to leave it out (a deleted video in a playlist) does not count.
    """
    await corpora.lock(conn, corpus)
    cursor = await conn.execute(
        """
        SELECT d.document_id, d.source, min(i.origin) FROM documents d
        JOIN origin_items i ON i.corpus_id = d.corpus_id AND i.item_id = d.document_id
        WHERE d.corpus_id = %s AND d.document_id = ANY (%s) AND d.source = %s || '#' || d.document_id
          AND i.origin <> %s AND starts_with(i.origin, %s) AND i.gone_at IS NULL AND i.listing->>'left_out' IS NULL
        GROUP BY d.document_id, d.source ORDER BY d.document_id
        """,
        (corpus.id, list(item_ids), origin, origin, family),
    )
    for document_id, source, heir in await cursor.fetchall():
        now = f"{heir}#{document_id}"
        await conn.execute(
            "UPDATE documents SET source = %s WHERE corpus_id = %s AND document_id = %s", (now, corpus.id, document_id)
        )
        await conn.execute("DELETE FROM source_items WHERE corpus_id = %s AND source = %s", (corpus.id, now))
        await conn.execute(
            "UPDATE source_items SET source = %s WHERE corpus_id = %s AND source = %s", (now, corpus.id, source)
        )


async def chunk_words(conn: Connection, corpus: Corpus, document_id: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return id, text and speakers of a document's chunks, in order."""
    cursor = await conn.execute(
        "SELECT chunk_id, text, speakers FROM chunks WHERE corpus_id = %s AND document_id = %s ORDER BY ordinal",
        (corpus.id, document_id),
    )
    return [(chunk_id, text, tuple(speakers)) for chunk_id, text, speakers in await cursor.fetchall()]


async def update_listed(
    conn: Connection,
    corpus: Corpus,
    document: Document,
    *,
    given_by: str,
    content_hash: str,
    contexts: Mapping[str, str],
) -> bool:
    """Bring title, date, page, description and tags of a document up to date; its words stay, cleaned or not.

    `given_by` is how its source begins: a file's document of the same id is left alone.

    So does what is known of their cleaning: it is of these words, and is not done anew.

    `contexts` are the new contexts of its chunks by id, where the corpus embeds any. Returns
    whether there is such a document. The corpus revision grows.
    """
    full = document.as_json()
    check_storable(full, where=document.id)
    known = {name: full[name] for name in _LISTED_FIELDS if name in full}
    await corpora.lock(conn, corpus)
    await conn.execute(
        """
        UPDATE cleanings c SET raw_hash = %s FROM documents d
        WHERE c.corpus_id = %s AND c.document_id = %s AND d.corpus_id = c.corpus_id
          AND d.document_id = c.document_id AND c.raw_hash = d.content_hash AND starts_with(d.source, %s)
        """,
        (content_hash, corpus.id, document.id, given_by),
    )
    cursor = await conn.execute(
        """
        UPDATE documents SET title = %s, published_at = %s, published_at_text = %s, url = %s, description = %s,
            tags = %s, record = (record - %s::text[]) || %s::jsonb, content_hash = %s
        WHERE corpus_id = %s AND document_id = %s AND starts_with(source, %s)
        """,
        (
            document.title,
            instant(document.published_at) if document.published_at else None,
            document.published_at,
            document.url,
            document.description,
            document.tags,
            list(_LISTED_FIELDS),
            json.dumps(known, ensure_ascii=False),
            content_hash,
            corpus.id,
            document.id,
            given_by,
        ),
    )
    if cursor.rowcount == 0:
        return False
    texts = {chunk_id: text for chunk_id, text, _ in await chunk_words(conn, corpus, document.id)} if contexts else {}
    for chunk_id, context in contexts.items():
        await conn.execute(
            "UPDATE chunks SET context = %s, embedded_hash = %s WHERE corpus_id = %s AND chunk_id = %s",
            (
                context or None,
                text_hash(embedded_text(context, texts[chunk_id])) if context else None,
                corpus.id,
                chunk_id,
            ),
        )
    await corpora.bump_revision(conn, corpus)
    return True
