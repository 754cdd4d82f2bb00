"""An open corpus: one snapshot, its index, and the chunks an answer may cite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from answertrail.models.embedding.base import EmbeddingSpend
from answertrail.records.embedder import embedder_key
from answertrail.records.run import CorpusRef
from answertrail.search.around import Surroundings
from answertrail.search.engines.index import EngineIndex
from answertrail.search.hits import ChunkRow, Filter, SearchResult
from answertrail.search.index import CorpusIndex
from answertrail.search.ranking import Mode
from answertrail.search.translate import Translator
from answertrail.search.wordings import Wordings

Captions = Callable[[Mapping[str, str]], Awaitable[Mapping[str, str]]]
"""Given the texts of chunks by id, tells the words as captioned of those that show others."""


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """What the agent reads: one snapshot, never two of them mixed.

    Searched exactly, all of it is in memory, and it stays what it is while a newer one is ingested.
    Over an engine the texts are read from the database: where an ingest changed one that is to be
    shown, StaleIndexError says to open the corpus again.

    `pending` counts the texts an interrupted ingest left without a vector: dense search cannot
    see them. `context` is what was embedded beside each text. With a `translator` every query is put
    into the corpus's languages and searched in all wordings. `note` says why it is not searched with
    the engine that was set for it. `captions` tells what cleaning changed; None where it cannot be looked up.
    """

    ref: CorpusRef
    index: CorpusIndex | EngineIndex
    pending: int = 0
    context: tuple[str, ...] = ()
    translator: Translator | None = None
    note: str | None = None
    captions: Captions | None = None

    @property
    def document_ids(self) -> frozenset[str]:
        """The ids of its documents."""
        if isinstance(self.index, EngineIndex):
            return frozenset(self.index.catalogue.documents)
        return frozenset(row.document_id for row in self.index.rows)

    @property
    def timed_documents(self) -> frozenset[str]:
        """Those of its documents that have times within."""
        if isinstance(self.index, EngineIndex):
            catalogue = self.index.catalogue
            return frozenset(name for name, timed in zip(catalogue.documents, catalogue.timed, strict=True) if timed)
        return frozenset(row.document_id for row in self.index.rows if row.start_s is not None)

    def holds(self, chunk_id: str) -> bool:
        """Say whether the snapshot has a chunk of this id."""
        return chunk_id in (self.index.catalogue if isinstance(self.index, EngineIndex) else self.index.by_id)

    @property
    def some_rows(self) -> Sequence[ChunkRow]:
        """All chunks where they are in memory, else a few hundred of them."""
        return self.index.some_rows if isinstance(self.index, EngineIndex) else self.index.rows

    @property
    def embedder_key(self) -> str:
        """How its vectors were made: the embedder, and the context where there is one."""
        return embedder_key(self.index.embedder.identity, self.context)

    @property
    def author(self) -> str | None:
        """The model that puts queries into its languages; None where none does."""
        return None if self.translator is None else self.translator.model.name

    def spend(self) -> EmbeddingSpend | None:
        """What its embedder has cost so far; None for one that runs here."""
        spend: EmbeddingSpend | None = getattr(self.index.embedder, "spend", None)
        return spend

    async def search(
        self,
        query: str,
        *,
        mode: str | Mode,
        k: int,
        within: Filter | None = None,
        reworded: Sequence[str] = (),
        like: Sequence[str] = (),
    ) -> SearchResult:
        """Search the snapshot, in translation too where there is a translator; see `CorpusIndex.search`.

        `reworded` is the query in other words, `like` are ids of passages that others are to be like;
        ids the snapshot does not have are left out. Rewordings of a query that is translated are left
        out too, since nobody translates them.
        """
        words = await self._telling(like)
        translated = None
        if self.translator is not None and query.strip():
            translated = await self.translator.translate(query)
            if translated.translations:
                reworded = ()
        reworded = tuple(text for text in dict.fromkeys(reworded) if text.strip() and text != query)
        result = await self.index.search(
            query,
            mode=mode,
            k=k,
            within=within,
            also=[translation.text for translation in translated.translations] if translated else (),
            wordings=Wordings(reworded, tuple(words.values())),
        )
        result = replace(self._noted(result), reworded=reworded, like=words)
        if translated is None:
            return result
        return replace(result, translated=translated, warnings=(*translated.warnings, *result.warnings))

    async def _telling(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the words by which each passage finds others; one without such words is left out."""
        rows = await self.cited(ids) if ids else {}
        found = {chunk: await self.index.telling_words(rows[chunk]) for chunk in dict.fromkeys(ids) if chunk in rows}
        return {chunk: words for chunk, words in found.items() if words}

    async def read_around(self, chunk_id: str, before: int = 1, after: int = 1) -> Surroundings:
        """Return a chunk with its neighbours in document order; see `CorpusIndex.around`."""
        if isinstance(self.index, EngineIndex):
            return await self.index.around(chunk_id, before, after)
        return self.index.around(chunk_id, before, after)

    async def cited(self, ids: Iterable[str]) -> Mapping[str, ChunkRow]:
        """Return those of the ids that are chunks of the snapshot."""
        if isinstance(self.index, EngineIndex):
            return await self.index.cited(list(ids))
        rows, by_id = self.index.rows, self.index.by_id
        return {chunk: rows[by_id[chunk]] for chunk in ids if chunk in by_id}

    async def captioned(self, rows: Iterable[ChunkRow]) -> Mapping[str, str]:
        """Return the words as captioned, by id, of those of these chunks that show mended ones.

        They are read from the database; a chunk that shows other words there by now has none.
        """
        return {} if self.captions is None else await self.captions({row.id: row.text for row in rows})

    def _noted(self, result: SearchResult) -> SearchResult:
        """Say in the result what made it another engine's."""
        return result if self.note is None else replace(result, fallback=self.note)
