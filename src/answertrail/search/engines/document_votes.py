"""Votes of whole documents for engines that index chunks alone, as `LexicalIndex.document_votes` gives them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np

from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.hits import ChunkRow
from answertrail.search.lexical import LexicalIndex
from answertrail.search.said_before import contexts


class DocumentVotes:
    """BM25 of each document, by a row a document of the catalogue. See `HoldsDocuments`."""

    def __init__(self, catalogue: Catalogue, lexical: LexicalIndex) -> None:
        if lexical.rows != len(catalogue.documents):
            raise ValueError(f"words of {lexical.rows} rows for {len(catalogue.documents)} documents")
        self._catalogue = catalogue
        self._lexical = lexical

    async def document_votes(self, query: str) -> Mapping[str, float] | None:
        """Return BM25 times the weight among documents; None where there is but one document."""
        if self._lexical.rows < 2:
            return None
        scores, weight = await asyncio.to_thread(self._lexical.scores, query)
        votes = scores * np.float32(weight)
        return {self._catalogue.documents[at]: float(votes[at]) for at in np.flatnonzero(votes).tolist()}


def document_index(catalogue: Catalogue, rows: Sequence[ChunkRow]) -> LexicalIndex:
    """Index the documents of a catalogue by the texts of their chunks and the further words of the first."""
    texts: list[list[str]] = [[] for _ in catalogue.documents]
    heads = [""] * len(texts)
    languages: list[str | None] = [None] * len(texts)
    for row, context in zip(rows, contexts(rows), strict=True):
        at = catalogue.numbers[row.document_id]
        if not texts[at]:
            heads[at], languages[at] = context, row.language
        texts[at].append(row.text)
    return LexicalIndex.build(["\n".join(parts) for parts in texts], languages, heads)
