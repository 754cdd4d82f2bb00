"""Scripted models that read the lines they are given, and small corpora of captions."""

from __future__ import annotations

import json
from collections.abc import Callable

from answertrail.corpus.source_chunks import chunks_of
from answertrail.models.chat.base import ChatReply, ChatRequest, Usage
from answertrail.models.chat.scripted import ScriptedModel, say
from answertrail.records import Document, Segment
from answertrail.store import Database, chunks, corpora, documents
from tests.store.samples import IDENTITY

SLIPS = (("hole", "whole"), ("their is", "there is"))

USAGE = Usage(input_tokens=100, output_tokens=10)


def data_of(request: ChatRequest) -> dict:
    text = request.messages[1].text.removeprefix("CAPTIONS:\n")
    return json.JSONDecoder().raw_decode(text)[0]


def reply_of(texts: list[str]) -> ChatReply:
    return say(json.dumps({"lines": [{"i": n, "text": text} for n, text in enumerate(texts, 1)]}), usage=USAGE)


def mending(*pairs: tuple[str, str], name: str = "scripted:mender") -> ScriptedModel:
    """Replace words in every line."""

    def change(text: str) -> str:
        for old, new in pairs:
            text = text.replace(old, new)
        return text

    return model(lambda data: [change(line["text"]) for line in data["lines"]], name=name)


def model(answer: Callable[[dict], list[str]], *, name: str = "scripted:mender") -> ScriptedModel:
    """Answer each batch with the texts that a function makes of its data."""
    return ScriptedModel(lambda request: reply_of(answer(data_of(request))), name=name)


def talk(document_id: str, *texts: str, captions: str | None = "auto", **more) -> Document:
    segments = [Segment(start_s=30.0 * n, end_s=30.0 * n + 20, text=text) for n, text in enumerate(texts)]
    return Document(id=document_id, title=f"About {document_id}", captions=captions, segments=segments, **more)


def many(document_id: str, count: int) -> Document:
    return talk(document_id, *(f"line {n} of the hole thing" for n in range(count)))


async def put(db: Database, corpus, document: Document, **more) -> str:
    parts = chunks_of(document)
    async with db.transaction() as conn:
        return await documents.replace(
            conn,
            corpus,
            document,
            parts,
            content_hash=str(hash(document.model_dump_json())),
            source=f"{document.id}.vtt",
            fingerprint="f1",
            **more,
        )


async def corpus_with(db: Database, *items: Document):
    corpus = await corpora.create(db, "talks", "toy:3", IDENTITY, "en", context=("previous",))
    for item in items:
        await put(db, corpus, item)
    return corpus


async def texts(db: Database, corpus, document_id: str) -> list[str]:
    return [row.chunk.text for row in await chunks.chunks_of(db, corpus, document_id)]


async def raw(db: Database, corpus, document_id: str) -> Document:
    found = await documents.get_document(db, corpus, document_id, raw=True)
    assert found is not None
    return found.document
