"""A public set opened as a corpus without a database: the same rows, BM25 index and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from answertrail.corpus.context import contexts_of
from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.models.embedding.load import load_embedder
from answertrail.records import Question
from answertrail.records.base import instant
from answertrail.records.chunk import embedded_text
from answertrail.records.run import CorpusRef
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex
from answertrail.search.load import lexical_index
from answertrail.search.open_corpus import OpenCorpus
from benchmarks.sets.base import Cut, PublicSet

_SAMPLE_DOCUMENTS, _SAMPLE_CHARS = 12, 2000


class Opened:
    """A corpus of a set in memory, and what is asked of it. `fresh` gives one that has seen no query yet."""

    def __init__(
        self,
        name: str,
        questions: Sequence[Question],
        rows: Sequence[ChunkRow],
        vectors: Vectors,
        lexical: LexicalIndex,
        embedder: Embedder,
        context: Sequence[str],
    ):
        self.questions = questions
        self._context = tuple(context)
        self._parts = (rows, vectors, lexical, embedder)
        self._ref = CorpusRef(name=name, snapshot="in memory")

    def fresh(self) -> OpenCorpus:
        """Return the corpus with an empty cache of queries, so that no mode is timed on another's vectors."""
        return OpenCorpus(self._ref, CorpusIndex(*self._parts), context=self._context)


async def open_in_memory(found: PublicSet, embedder: Embedder, context: Sequence[str] = ()) -> list[Opened]:
    """Embed and index the corpora of a set as `ingest` and `open_corpus` would.

    `context` are the parts that are embedded before each text, see `answertrail.corpus.context`.
    """
    out = []
    for cuts, questions in found.corpora():
        rows = sorted((row for cut in cuts for row in _rows(cut)), key=lambda row: row.id)
        texts = {chunk: text for cut in cuts for chunk, text in _embedded(cut, context)}
        vectors = await embedder.embed([texts[row.id] for row in rows], "passage")
        out.append(Opened(found.name, questions, rows, vectors, lexical_index(rows), embedder, context))
    return out


def embedder_for(found: PublicSet, spec: str) -> Embedder:
    """Return the embedder of a spec; `auto` looks at some of the set's texts, as `ingest` does.

    The languages of the questions are what a user would name with `--asked-in`.
    """
    step = max(1, len(found.cuts) // _SAMPLE_DOCUMENTS)
    sample = [
        " ".join(chunk.text for chunk in cut.chunks)[:_SAMPLE_CHARS] for cut in found.cuts[::step][:_SAMPLE_DOCUMENTS]
    ]
    return load_embedder(spec, sample=sample, asked_in=asked_in(found))


def asked_in(found: PublicSet) -> tuple[str, ...]:
    """Return the languages of a set's questions, sorted; those without a language are left out."""
    return tuple(sorted({q.language for q in found.questions.questions if q.language}))


def _embedded(cut: Cut, context: Sequence[str]) -> Iterator[tuple[str, str]]:
    before = contexts_of(cut.document, cut.chunks, context)
    for chunk, said in zip(cut.chunks, before, strict=True):
        yield chunk.id, embedded_text(said, chunk.text)


def _rows(cut: Cut) -> list[ChunkRow]:
    document = cut.document
    published_at = instant(document.published_at) if document.published_at else None
    return [
        ChunkRow(
            id=chunk.id,
            document_id=document.id,
            title=document.title,
            published_at=published_at,
            url=document.url,
            language=document.language,
            duration_s=document.duration_s,
            start_s=chunk.start_s,
            end_s=chunk.end_s,
            text=chunk.text,
            lines=chunk.lines,
            speakers=chunk.speakers,
        )
        for chunk in cut.chunks
    ]
