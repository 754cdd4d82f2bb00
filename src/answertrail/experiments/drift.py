"""Retrieval drift of runs: the vectors come from an embedder, the distances from `metrics/trajectory`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from answertrail.agent.coverage import AROUND_MODE
from answertrail.metrics.trajectory.drift import Drift, retrieval_drift
from answertrail.models.embedding.base import Embedder
from answertrail.records import Run


async def run_drifts(runs: Iterable[Run], embedder: Embedder) -> Mapping[str, Drift]:
    """Return the drift of each run's queries from its question, by run id.

    Question and queries are embedded alike, as queries; each distinct text once. A run that does
    not carry its searches is left out. Raises ServiceError when the embedder cannot be had.
    """
    kept = [run for run in runs if run.searches is not None]
    texts = sorted({text for run in kept for text in (run.question, *_queries(run))})
    vectors: dict[str, Sequence[float]] = {}
    for batch in _batches(texts, embedder.batch_size):
        rows = await embedder.embed(batch, "query")
        vectors.update(zip(batch, ([float(x) for x in row] for row in rows), strict=True))
    return {run.run_id: retrieval_drift(vectors[run.question], [vectors[q] for q in _queries(run)]) for run in kept}


def _queries(run: Run) -> list[str]:
    # Reading on around a passage asks no question: its query is the passage's id.
    return [search.query for search in run.searches or [] if search.mode != AROUND_MODE]


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
