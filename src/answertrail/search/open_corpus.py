"""An open corpus: one snapshot, its index, and the chunks an answer may cite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from answertrail.models.embedding.base import EmbeddingSpend
from answertrail.records.embedder import embedder_key
from answertrail.records.run import CorpusRef
from answertrail.search.around import Surroundings
from answertrail.search.hits import ChunkRow, Filter, SearchResult
from answertrail.search.index import CorpusIndex
from answertrail.search.ranking import Mode


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """What the agent reads. It stays the same snapshot while a newer one is ingested.

    `pending` counts the texts an interrupted ingest left without a vector: dense search cannot
    see them. `context` is what was embedded beside each text.
    """

    ref: CorpusRef
    index: CorpusIndex
    pending: int = 0
    context: tuple[str, ...] = ()

    @property
    def embedder_key(self) -> str:
        """How its vectors were made: the embedder, and the context where there is one."""
        return embedder_key(self.index.embedder.identity, self.context)

    def spend(self) -> EmbeddingSpend | None:
        """What its embedder has cost so far; None for one that runs here."""
        spend: EmbeddingSpend | None = getattr(self.index.embedder, "spend", None)
        return spend

    async def search(self, query: str, *, mode: str | Mode, k: int, within: Filter | None = None) -> SearchResult:
        """Search the snapshot; see `CorpusIndex.search`."""
        return await self.index.search(query, mode=mode, k=k, within=within)

    async def read_around(self, chunk_id: str, before: int = 1, after: int = 1) -> Surroundings:
        """Return a chunk with its neighbours in document order; see `CorpusIndex.around`."""
        return self.index.around(chunk_id, before, after)

    async def cited(self, ids: Iterable[str]) -> Mapping[str, ChunkRow]:
        """Return those of the ids that are chunks of the snapshot."""
        rows, by_id = self.index.rows, self.index.by_id
        return {chunk: rows[by_id[chunk]] for chunk in ids if chunk in by_id}
