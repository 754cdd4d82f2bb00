"""Random filtered, stratified and paged searches: rows are min(k, matching), pages are one list cut up."""

from __future__ import annotations

import asyncio
import random

from answertrail.search.diverse import DiverseSettings, diverse_mode
from answertrail.search.hits import Filter
from answertrail.search.modes import SCORING, mode_named
from answertrail.search.spread import SpreadSettings, spread_mode
from answertrail.search.timeline import TimelineSettings, timeline_mode
from tests.search.test_index import random_filter
from tests.search.worlds import WORDS, TinyEmbedder, index_of, random_rows
from tests.soak import rounds

ROUNDS = rounds(ci=400, soak=10_000)


def random_mode(rng):
    kind = rng.choice([*SCORING, "reranked", "timeline", "diverse", "spread"])
    if kind == "timeline":
        return timeline_mode(
            TimelineSettings(
                by=rng.choice([None, "month", "quarter", "year"]),
                per_period=rng.choice([None, 1, 2, 5]),
                floor=rng.choice([None, -9.0, 0.0, 1.5]),
            )
        )
    if kind == "diverse":
        return diverse_mode(DiverseSettings(alpha=rng.choice([0.0, 0.3, 0.5, 0.9]), pool=rng.choice([1, 10, 200])))
    if kind == "spread":
        return spread_mode(SpreadSettings(keep=rng.choice([0.3, 0.8, 1.0]), pool=rng.choice([1, 10, 400])))
    return mode_named(f"{rng.choice(list(SCORING))}+terms" if kind == "reranked" else kind)


async def check(rng, rows, index, pool=None):
    """Try one search and its next page; `pool` is how many candidates an engine gives the modes that rank them.

    Where more are asked for than the pool has, it grows from page to page, and near the end of one page two
    passages may change places (docs/engines.md); elsewhere the pages are one list cut up.
    """
    mode, k = random_mode(rng), rng.choice([1, 3, 10, 40, 41, 500])
    query = " ".join(rng.choices([*WORDS, "zeppelin", "유약을"], k=rng.randrange(1, 5)))
    within = random_filter(rng, rows)
    by_id = {item.id: item for item in rows}
    first = await index.search(query, mode=mode, k=k, within=within)
    found = [hit.chunk_id for hit in first.hits]
    assert len(found) == len(set(found)) == min(k, first.matching)
    keys = [(-hit.score, hit.chunk_id) for hit in first.hits]
    assert keys == sorted(keys)
    for name in found:
        item = by_id[name]
        assert name not in within.exclude
        assert within.documents is None or item.document_id in within.documents
        assert within.start is None or (item.published_at is not None and item.published_at >= within.start)
        assert within.end is None or (item.published_at is not None and item.published_at < within.end)
    again = await index.search(query, mode=mode, k=k, within=within)
    assert again == first
    # The next page, with what was shown excluded, goes on where this one stopped.
    seen = Filter(within.start, within.end, within.documents, within.exclude | set(found))
    second = await index.search(query, mode=mode, k=k, within=seen)
    after = [hit.chunk_id for hit in second.hits]
    assert len(after) == min(k, second.matching)
    assert not set(after) & set(found)
    capped = first.coverage is not None and second.matching > first.matching - len(found)
    asked = 2 * (2 * k + len(within.exclude))
    grows = pool is not None and asked > pool and mode.name not in mode.needs
    if not capped and not grows:  # a cap per period counts anew on every page
        whole = await index.search(query, mode=mode, k=2 * k, within=within)
        assert [hit.chunk_id for hit in whole.hits] == found + after
    return mode.name.split("+")[-1], len(found), first.matching


def test_random_filtered_stratified_and_paged_searches():
    rng = random.Random(33)
    kinds: dict[str, set[bool]] = {}
    for number in range(ROUNDS):
        if number % 50 == 0:
            rows = random_rows(rng, documents=rng.randrange(1, 16), chunks=rng.randrange(1, 9))
            index = index_of(rows, TinyEmbedder())
        kind, rows_given, matching = asyncio.run(check(rng, rows, index))
        kinds.setdefault(kind, set()).add(rows_given < matching)
    # Every kind of search was cut off by k at least once, and at least once was not.
    assert kinds == {kind: {True, False} for kind in [*SCORING, "terms", "timeline", "diverse", "spread"]}
