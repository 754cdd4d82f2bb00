"""An open corpus: one snapshot, its index, and the chunks an answer may cite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from answertrail.models.embedding.base import EmbeddingSpend
from answertrail.records.run import CorpusRef
from answertrail.search.hits import ChunkRow, Filter, SearchResult
from answertrail.search.index import CorpusIndex


@dataclass(frozen=True, slots=True)
class OpenCorpus:
    """What the agent reads. It stays the same snapshot while a newer one is ingested.

    `pending` counts the texts an interrupted ingest left without a vector: dense search cannot
    see them.
    """

    ref: CorpusRef
    index: CorpusIndex
    pending: int = 0

    @property
    def embedder_key(self) -> str:
        """The identity of the embedder its vectors came from."""
        return self.index.embedder.identity.key

    def spend(self) -> EmbeddingSpend | None:
        """What its embedder has cost so far; None for one that runs here."""
        spend: EmbeddingSpend | None = getattr(self.index.embedder, "spend", None)
        return spend

    async def search(self, query: str, *, mode: str, k: int, within: Filter | None = None) -> SearchResult:
        """Search the snapshot; see `CorpusIndex.search`."""
        return await self.index.search(query, mode=mode, k=k, within=within)

    async def cited(self, ids: Iterable[str]) -> Mapping[str, ChunkRow]:
        """Return those of the ids that are chunks of the snapshot."""
        rows, by_id = self.index.rows, self.index.by_id
        return {chunk: rows[by_id[chunk]] for chunk in ids if chunk in by_id}
