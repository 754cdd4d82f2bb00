"""A corpus to fill a search server from, and what a right answer to a search in it is."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from answertrail.search.engines.base import EngineRow
from answertrail.search.hits import Filter
from tests.search.engines.worlds import clustered
from tests.search.worlds import WORDS

START = datetime(2023, 1, 1, tzinfo=UTC)
ODD = [
    'q"uo\\te',
    "a'b",
    "한국:어",
    "emoji😀",
    "per%cent",
    "{brace}",
    "new\nline",
    "tab\tbed",
    "\x01ctl",
    '] or id != ""',
]
"""Document ids that would break out of a careless expression."""


@dataclasses.dataclass
class ListSource:
    """A snapshot held in a list. `at_batch` is called before each batch with its number."""

    held: Sequence[EngineRow]
    dims: int
    corpus_id: int = 7
    snapshot: str = "sha256:one"
    claimed: int | None = None
    at_batch: Callable[[int], None] | None = None

    @property
    def rows(self) -> int:
        return len(self.held) if self.claimed is None else self.claimed

    @property
    def vectors(self) -> int:
        return sum(row.vector is not None for row in self.held)

    async def batches(self, size: int = 1000) -> AsyncIterator[Sequence[EngineRow]]:
        for number, begin in enumerate(range(0, len(self.held), size)):
            if self.at_batch is not None:
                self.at_batch(number)
            yield self.held[begin : begin + size]


def engine_rows(seed: int, count: int, dims: int, *, odd: bool = True) -> list[EngineRow]:
    """Chunks of documents of twelve: some undated, some without a vector, many vectors and texts twice."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    matrix = clustered(numbers, count, dims, centres=max(4, count // 40))
    out = []
    for at in range(count):
        number = at // 12
        document = ODD[number] if odd and number < len(ODD) else f"d{number:05}"
        if at and rng.random() < 0.15:
            matrix[at] = matrix[rng.randrange(at)]
        text = "가마 유약" if rng.random() < 0.05 else " ".join(rng.choices(WORDS, k=rng.randrange(3, 12)))
        out.append(
            EngineRow(
                id=f"{document}:{30 * (at % 12):05}",
                document_id=document,
                published_at=None if number % 5 == 4 else START + timedelta(days=9 * number, microseconds=number),
                text=text,
                context=f"Title {number % 7}",
                language="ko" if "가" in text else "en",
                vector=None if rng.random() < 0.04 else matrix[at],
            )
        )
    return sorted(out, key=lambda row: row.id)


def a_filter(rng: random.Random, rows: Sequence[EngineRow], shown: int = 30) -> Filter:
    """Dates, documents and excluded ids, each left out half of the time; some match nothing."""
    days = sorted(rng.uniform(-30, 9 * len(rows) / 12 + 30) for _ in range(2))
    start, end = (START + timedelta(days=day) for day in days)
    if rng.random() < 0.2:
        # A bound on the very date of a document: it belongs to the later period.
        start = rng.choice(rows).published_at or start
    documents = sorted({row.document_id for row in rows})
    return Filter(
        start=start if rng.random() < 0.5 else None,
        end=end if rng.random() < 0.5 else None,
        documents=frozenset(rng.sample(documents, rng.randrange(min(8, len(documents)))))
        if rng.random() < 0.4
        else None,
        exclude=frozenset(row.id for row in rng.sample(rows, min(len(rows), rng.randrange(shown))))
        if rng.random() < 0.5
        else frozenset(),
    )


def lets_through(within: Filter, row: EngineRow) -> bool:
    """The filter, said again in the plainest way."""
    if within.documents is not None and row.document_id not in within.documents:
        return False
    if row.published_at is None and (within.start is not None or within.end is not None):
        return False
    if within.start is not None and row.published_at < within.start:
        return False
    if within.end is not None and row.published_at >= within.end:
        return False
    return row.id not in within.exclude


def nearest(rows: Sequence[EngineRow], vector: np.ndarray, within: Filter) -> list[tuple[str, float]]:
    """All matching chunks by cosine, ties by id."""
    through = [row for row in rows if row.vector is not None and lets_through(within, row)]
    scores = [np.float32(np.dot(row.vector.astype(np.float64), vector.astype(np.float64))) for row in through]
    return sorted(
        ((row.id, float(s)) for row, s in zip(through, scores, strict=True)), key=lambda one: (-one[1], one[0])
    )


def a_query(rng: np.random.Generator, rows: Sequence[EngineRow]) -> np.ndarray:
    """A unit vector near that of some chunk."""
    near = next(row.vector for row in rng.permutation(np.array(rows, dtype=object)) if row.vector is not None)
    made = near + 0.3 * rng.normal(size=near.shape) / np.sqrt(len(near))
    return (made / np.linalg.norm(made)).astype(np.float32)
