"""HNSW in Postgres: as many rows as there are, in a stable order, near the true ones, and exact where it must be."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import pytest_asyncio

from answertrail.errors import InputError, MismatchError
from answertrail.search.engines.base import ANY, IndexBuildError, NoIndexError, StaleIndexError, UnsupportedError
from answertrail.search.engines.hnsw import HnswKind, HnswSettings
from answertrail.search.engines.source import reading
from answertrail.search.hits import Filter
from answertrail.store import embeddings, nearest
from answertrail.store.nearest import Graph
from tests.search.engines.stored import embed, say, stored_corpus, synthetic
from tests.search.worlds import START, unit
from tests.soak import rounds

pytestmark = pytest.mark.asyncio

ROWS, DIMS = rounds(8_000, 20_000), 24


async def built(db, corpus, settings=None):
    # Nothing is left to the exact search of a narrow filter, so that the index has to answer.
    kind = HnswKind(db, corpus, settings or HnswSettings(exact_below=0))
    async with reading(db, corpus) as source:
        made = await kind.build(source)
    return kind, made, await kind.open(made.place, corpus.identity.dims)


def query_of(rng: np.random.Generator, dims: int) -> np.ndarray:
    return unit(rng.normal(size=dims)).astype(np.float32)


def ids(found):
    return [hit.chunk_id for hit in found.hits]


@pytest_asyncio.fixture
async def small(database):
    corpus = await stored_corpus(database)
    return corpus, *await built(database, corpus)


def random_within(rng: random.Random, held: dict[str, datetime | None], chunks: list[str]) -> Filter:
    day = lambda: START + timedelta(days=rng.randrange(-30, 400))  # noqa: E731
    some = lambda pool, most: frozenset(rng.sample(pool, min(len(pool), rng.randrange(most))))  # noqa: E731
    return Filter(
        start=day() if rng.random() < 0.4 else None,
        end=day() if rng.random() < 0.4 else None,
        documents=some([*held, "nowhere"], 6) if rng.random() < 0.4 else None,
        exclude=some([*chunks, "gone:00000"], 60) if rng.random() < 0.4 else frozenset(),
    )


def matches(within: Filter, document: str, at: datetime | None, chunk: str) -> bool:
    if (within.start or within.end) and at is None:
        return False
    if (within.start and at < within.start) or (within.end and at >= within.end):
        return False
    return (within.documents is None or document in within.documents) and chunk not in within.exclude


async def test_random_filtered_searches_return_min_k_matching_rows_and_the_same_ones_again(database, small):
    corpus, _, _, engine = small
    held = {f"d{at:03}": None if at % 4 == 3 else START + timedelta(days=30 * at) for at in range(12)}
    chunks, _ = await embeddings.matrix(database, corpus)
    rng, numbers = random.Random(3), np.random.default_rng(3)
    for _ in range(rounds(250, 10_000)):
        within, k = random_within(rng, held, chunks), rng.choice([1, 3, 10, 40, 100, 240, 500])
        vector = query_of(numbers, 16)
        wanted = [chunk for chunk in chunks if matches(within, chunk[:4], held[chunk[:4]], chunk)]
        found = await engine.dense(vector, k, within)
        assert len(found.hits) == min(k, len(wanted))
        assert set(ids(found)) <= set(wanted)
        assert len(set(ids(found))) == len(found.hits)
        keys = [(-hit.score, hit.chunk_id) for hit in found.hits]
        assert keys == sorted(keys)
        assert await engine.count(within) == len(wanted)
        assert found == await engine.dense(vector, k, within)


async def test_a_filter_that_lets_few_rows_through_is_searched_exactly_without_a_fallback(database, small):
    corpus, _, made, by_index = small
    by_rows = await HnswKind(database, corpus).open(made.place, 16)
    rng = np.random.default_rng(9)
    for _ in range(20):
        vector, within = query_of(rng, 16), Filter(START, START + timedelta(days=95))
        found = await by_rows.dense(vector, 10, within)
        assert found.fallback is None
        assert found.hits == (await by_index.exactly(vector, 10, within)).hits


async def test_paging_by_exclude_visits_each_chunk_once(small):
    _, _, _, engine = small
    vector, visited = query_of(np.random.default_rng(4), 16), []
    while page := ids(await engine.dense(vector, 37, Filter(exclude=frozenset(visited)))):
        visited += page
    assert len(visited) == len(set(visited)) == 240


async def test_equally_near_chunks_go_by_id_also_where_the_last_place_is_among_them(database):
    corpus = await stored_corpus(database, documents=4)
    # One text said in thirty places has one vector.
    for at in range(3):
        await say(database, corpus, f"x{at}", 0, ["the very same words"] * 10)
    await embed(database, corpus)
    _, _, engine = await built(database, corpus)
    chunks, matrix = await embeddings.matrix(database, corpus)
    vector = matrix[chunks.index("x0:00000")]
    same = [chunk for chunk in chunks if chunk.startswith("x")]
    for k in (1, 5, 29, 30, 31):
        found = await engine.dense(vector, k)
        assert ids(found)[:30] == same[:k]
        assert (found.fallback is not None) == (k < 30)


async def test_a_chunk_without_a_vector_is_not_found_and_not_counted(database):
    corpus = await stored_corpus(database, without=17)
    _, made, engine = await built(database, corpus)
    assert (made.rows, made.vectors) == (240, 223)
    found = await engine.dense(query_of(np.random.default_rng(1), 16), 500)
    assert len(found.hits) == found.matching == await engine.count() == 223


async def test_cosines_and_sample_say_what_the_search_says(small):
    _, _, _, engine = small
    vector = query_of(np.random.default_rng(2), 16)
    scores = {hit.chunk_id: hit.score for hit in (await engine.dense(vector, 240)).hits}
    assert await engine.cosines(vector, [*scores, "gone:00000"]) == scores
    assert await engine.cosines(vector, []) == {}
    names, vectors = await engine.sample(100)
    assert (len(set(names)), vectors.shape) == (100, (100, 16))
    again = await engine.sample(100)
    assert list(again[0]) == list(names)
    np.testing.assert_array_equal(again[1], vectors)
    np.testing.assert_allclose(vectors @ vector, [scores[name] for name in names], atol=1e-3)
    assert len((await engine.sample(999))[0]) == 240


@pytest.mark.parametrize(
    ("vector", "k", "error"),
    [
        (np.ones(15, np.float32), 5, MismatchError),
        (np.ones((1, 16), np.float32), 5, MismatchError),
        (np.full(16, np.nan, np.float32), 5, InputError),
        (np.zeros(16, np.float32), 5, InputError),
        (np.ones(16, np.float32), 0, InputError),
    ],
)
async def test_a_query_without_direction_or_of_another_length_is_refused(small, vector, k, error):
    with pytest.raises(error):
        await small[3].dense(vector, k)


async def test_an_index_of_other_dimensions_or_one_that_is_gone_is_refused(database, small):
    _, kind, made, _ = small
    with pytest.raises(StaleIndexError, match="16 dimensions"):
        await kind.open(made.place, 32)
    assert await kind.sweep(small[0].id, []) == [made.place]
    with pytest.raises(NoIndexError):
        await kind.open(made.place, 16)


async def test_an_index_postgres_calls_invalid_is_never_used(database, small):
    _, kind, made, _ = small
    async with database.transaction() as conn:
        await conn.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", (f"{made.place}_graph",)
        )
    with pytest.raises(NoIndexError, match="never finished"):
        await kind.open(made.place, 16)


async def test_a_build_that_fails_leaves_nothing_and_the_old_index_in_use(database, small, monkeypatch):
    corpus, kind, made, engine = small

    async def broken(*_):
        raise IndexBuildError("the disk is full")

    monkeypatch.setattr(nearest, "build_index", broken)
    async with reading(database, corpus) as source:
        with pytest.raises(IndexBuildError):
            await kind.build(source)
    async with database.transaction() as conn:
        assert await nearest.places(conn, corpus.id) == [made.place]
    assert len((await engine.dense(query_of(np.random.default_rng(1), 16), 10)).hits) == 10


async def test_vectors_that_are_too_long_to_index_are_refused_with_what_to_do(database):
    corpus = await stored_corpus(database, dims=2001, documents=1, chunks=3)
    async with reading(database, corpus) as source:
        with pytest.raises(UnsupportedError, match="halfvec"):
            await HnswKind(database, corpus, HnswSettings(storage="vector")).build(source)
    _, _, engine = await built(database, corpus)
    assert len((await engine.dense(query_of(np.random.default_rng(1), 2001), 9)).hits) == 3


@pytest.mark.parametrize(
    "wrong", [{"ef_search": 1001}, {"m": 1}, {"ef_construction": 8}, {"storage": "bit"}, {"speed": 3}, {"workers": -1}]
)
async def test_settings_that_pgvector_would_not_take_are_refused(wrong):
    with pytest.raises(InputError):
        HnswSettings.of(wrong)


async def test_settings_come_back_as_they_were_kept():
    chosen = HnswSettings(ef_search=77, storage="vector", graph=Graph(m=8, memory_mb=100))
    assert HnswSettings.of(chosen.as_json()) == chosen


# --- many rows: here the planner takes the index, and the index is approximate -------------------


async def plan_of(db, statement, query, *, without_seqscan=False) -> str:
    async with db.transaction() as conn:
        if without_seqscan:
            await conn.execute("SET LOCAL enable_seqscan = off")
        values = {"query": nearest.as_kind(query, "halfvec"), "k": 11}
        cursor = await conn.execute(b"EXPLAIN " + statement.as_bytes(conn), values)
        return "\n".join(line for (line,) in await cursor.fetchall())


async def test_over_many_rows_it_finds_nearly_all_the_nearest_and_never_too_few(database):
    corpus = await synthetic(database, ROWS, DIMS)
    _, made, engine = await built(database, corpus)
    assert (made.rows, made.vectors) == (ROWS, ROWS)
    assert made.seconds > 0
    assert made.bytes > ROWS * DIMS * 2
    numbers = np.random.default_rng(6)
    chunks, matrix = await embeddings.matrix(database, corpus)
    queries = matrix[numbers.choice(ROWS, 50)] + 0.3 * numbers.normal(size=(50, DIMS)) / np.sqrt(DIMS)
    queries = (queries / np.linalg.norm(queries, axis=1, keepdims=True)).astype(np.float32)

    # It finds nearly all of the true nearest, without falling back.
    found = [await engine.dense(query, 10) for query in queries]
    true = [{chunks[at] for at in np.argsort(-(matrix @ query))[:10]} for query in queries]
    assert np.mean([len(set(ids(one)) & wanted) / 10 for one, wanted in zip(found, true, strict=True)]) >= 0.95
    assert not any(one.fallback for one in found)
    assert found == [await engine.dense(query, 10) for query in queries]

    # A filter that keeps three rows returns three, and one that keeps a sixteenth returns ten.
    three = frozenset({"d000007"})
    rest = frozenset(chunk for chunk in chunks if chunk.startswith("d000007:")) - {
        f"d000007:{30 * at:05}" for at in range(3)
    }
    few = await engine.dense(queries[0], 10, Filter(documents=three, exclude=rest))
    assert sorted(ids(few)) == ["d000007:00000", "d000007:00030", "d000007:00060"]
    assert few.fallback
    window = Filter(datetime(2020, 2, 1, tzinfo=UTC), datetime(2020, 2, 26, tzinfo=UTC))
    for query in queries[:10]:
        inside = await engine.dense(query, 10, window)
        assert len(inside.hits) == 10
        assert all("d000031" <= chunk[:7] < "d000056" for chunk in ids(inside))
    paged = await engine.dense(queries[0], 10, Filter(exclude=frozenset(ids(found[0]))))
    assert not set(ids(paged)) & set(ids(found[0]))
    assert (await engine.dense(queries[0], 1500)).fallback is not None

    # The exact way is exact, and never planned onto the index.
    exact = await engine.exactly(queries[0], 10, ANY)
    assert set(ids(exact)) == true[0]
    where, _ = nearest.where_of(nearest.Bounds())
    graph = f"{made.place}_graph"
    assert graph in await plan_of(database, nearest.index_statement(made.place, where), queries[0])
    exactly = nearest.exact_statement(made.place, where)
    assert graph not in await plan_of(database, exactly, queries[0], without_seqscan=True)
