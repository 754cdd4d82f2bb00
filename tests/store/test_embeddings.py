from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import numpy as np
import pytest

from answertrail.errors import InputError
from answertrail.records.chunk import text_hash
from answertrail.records.embedder import EmbedderIdentity
from answertrail.store import Database, corpora, embeddings
from answertrail.store.rows import Corpus
from tests.store.samples import IDENTITY, corpus_of, put, timed, unit

pytestmark = pytest.mark.asyncio


async def keep(db: Database, corpus: Corpus, vectors: dict[str, tuple[float, ...]]) -> None:
    async with db.transaction() as conn:
        hashes = [text_hash(text) for text in vectors]
        await embeddings.save(conn, corpus.embedder_id, hashes, unit(*vectors.values()))


async def test_register_once_also_at_the_same_instant(database: Database) -> None:
    ids = await asyncio.gather(*(embeddings.register(database, IDENTITY) for _ in range(5)))
    assert len(set(ids)) == 1
    other = EmbedderIdentity(name="toy", revision="r2", dims=3)
    assert await embeddings.register(database, other) != ids[0]


async def test_equal_text_is_embedded_once_per_model(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "same", "other"), timed("b", "same"))
    missing = await embeddings.pending(database, corpus, 10)
    assert sorted(text for _, text in missing) == ["other", "same"]
    assert await embeddings.pending(database, corpus, 1) == missing[:1]
    await keep(database, corpus, {"same": (1, 0, 0), "other": (0, 1, 0)})
    assert await embeddings.pending(database, corpus, 10) == []
    second = await corpus_of(database, timed("c", "same"), name="second")
    assert await embeddings.pending(database, second, 10) == []
    identity = EmbedderIdentity(name="other", revision="r", dims=3)
    third = await corpora.create(database, "third", "other", identity)
    async with database.transaction() as conn:
        await put(conn, third, *timed("c", "same"))
    assert len(await embeddings.pending(database, third, 10)) == 1


async def test_matrix_in_order_of_ids(database: Database) -> None:
    corpus = await corpus_of(database, timed("b", "x", "y"), timed("a", "x", "none yet"))
    await keep(database, corpus, {"x": (1, 0, 0), "y": (0.6, 0.8, 0)})
    ids, vectors = await embeddings.matrix(database, corpus)
    assert ids == ["a:00000", "b:00000", "b:00030"]
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, unit((1, 0, 0), (1, 0, 0), (0.6, 0.8, 0)))


async def test_vectors_of_some_chunks_are_rows_of_the_matrix(database: Database) -> None:
    corpus = await corpus_of(database, timed("b", "x", "y"), timed("a", "x", "none yet"))
    await keep(database, corpus, {"x": (1, 0, 0), "y": (0.6, 0.8, 0)})
    other = await corpus_of(database, timed("c", "x"), name="second")
    # "a:00030" has none yet, "c:00000" is of another corpus, "gone" of none; equal texts share a vector.
    found = await embeddings.vectors_of(
        database, corpus, ["b:00030", "a:00000", "b:00000", "a:00030", "c:00000", "gone"]
    )
    assert {chunk: vector.tolist() for chunk, vector in found.items()} == {
        "a:00000": [1, 0, 0], "b:00000": [1, 0, 0], "b:00030": unit((0.6, 0.8, 0))[0].tolist(),
    }  # fmt: skip
    assert all(vector.dtype == np.float32 for vector in found.values())
    assert await embeddings.vectors_of(database, corpus, []) == {}
    assert set(await embeddings.vectors_of(database, other, {"b:00000", "c:00000"})) == {"c:00000"}


async def test_vectors_of_chunks_that_are_embedded_with_a_context(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "x", "y"))
    async with database.transaction() as conn:
        await conn.execute(
            "UPDATE chunks SET context = 'said before', embedded_hash = %s WHERE chunk_id = 'a:00030'",
            (text_hash("said before\ny"),),
        )
    await keep(database, corpus, {"x": (1, 0, 0), "y": (0, 1, 0), "said before\ny": (0, 0, 1)})
    found = await embeddings.vectors_of(database, corpus, ["a:00000", "a:00030"])
    assert {chunk: vector.tolist() for chunk, vector in found.items()} == {"a:00000": [1, 0, 0], "a:00030": [0, 0, 1]}


async def test_empty_matrix(database: Database) -> None:
    corpus = await corpus_of(database)
    ids, vectors = await embeddings.matrix(database, corpus)
    assert (ids, vectors.shape) == ([], (0, 3))


@pytest.mark.parametrize("dims", [1, 1536, 2000, 2001, 3072, 4001])
async def test_every_length_comes_back(database: Database, dims: int) -> None:
    identity = EmbedderIdentity(name="long", revision="r", dims=dims)
    corpus = await corpora.create(database, "talks", "long", identity)
    async with database.transaction() as conn:
        await put(conn, corpus, *timed("a", "x"))
        given = unit(tuple(np.random.default_rng(1).normal(size=dims)))
        await embeddings.save(conn, corpus.embedder_id, [text_hash("x")], given)
    _, vectors = await embeddings.matrix(database, corpus)
    np.testing.assert_allclose(vectors, given, rtol=0 if dims <= 2000 else 1e-3, atol=1e-6 if dims > 2000 else 0)
    ranking = await embeddings.dense_sql(database, corpus, given[0], 1)
    assert ranking.hits[0][1] == pytest.approx(1, abs=1e-3)
    some = await embeddings.vectors_of(database, corpus, ["a:00000", "a:00030"])
    assert {chunk: vector.dtype for chunk, vector in some.items()} == {"a:00000": np.float32}
    np.testing.assert_array_equal(some["a:00000"], vectors[0])


@pytest.mark.parametrize(
    "vectors",
    [
        np.zeros((1, 3), np.float32),
        np.full((1, 3), np.nan, np.float32),
        np.array([[1, np.inf, 0]], np.float32),
        np.ones((1, 4), np.float32),
        np.ones((2, 3), np.float32),
    ],
)
async def test_vectors_without_direction_or_of_another_shape_are_refused(
    database: Database, vectors: embeddings.Vectors
) -> None:
    corpus = await corpus_of(database, timed("a", "x"))
    with pytest.raises(InputError):
        async with database.transaction() as conn:
            await embeddings.save(conn, corpus.embedder_id, [text_hash("x")], vectors)
    assert len(await embeddings.pending(database, corpus, 10)) == 1


async def test_dense_sql_ranks_exactly_with_filters(database: Database) -> None:
    corpus = await corpus_of(
        database,
        timed("a", "x", published_at="2024-01-01"),
        timed("b", "x", "y", published_at="2024-02-01"),
        timed("c", "z", published_at=None),
    )
    await keep(database, corpus, {"x": (1, 0, 0), "y": (0.6, 0.8, 0), "z": (0, 0, 1)})
    query = unit((1, 0, 0))[0]
    everything = await embeddings.dense_sql(database, corpus, query, 10)
    assert [chunk_id for chunk_id, _ in everything.hits] == ["a:00000", "b:00000", "b:00030", "c:00000"]
    assert [score for _, score in everything.hits] == pytest.approx([1, 1, 0.6, 0])
    assert everything.matching == 4

    async def ids(k: int = 10, **filters: object) -> tuple[list[str], int]:
        found = await embeddings.dense_sql(database, corpus, query, k, **filters)  # type: ignore[arg-type]
        return [chunk_id for chunk_id, _ in found.hits], found.matching

    january, february = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)
    assert await ids(start=january, end=february) == (["a:00000"], 1)
    assert await ids(start=february) == (["b:00000", "b:00030"], 2)
    assert await ids(documents={"c", "b"}, exclude={"b:00000"}) == (["b:00030", "c:00000"], 2)
    assert await ids(documents=set()) == ([], 0)
    assert await ids(k=1) == (["a:00000"], 4)
    assert await ids(k=0) == ([], 4)


async def test_dense_sql_agrees_with_the_matrix(database: Database) -> None:
    generator = np.random.default_rng(7)
    texts = [f"t{n}" for n in range(60)]
    corpus = await corpus_of(database, timed("a", *texts))
    await keep(database, corpus, {text: tuple(generator.normal(size=3)) for text in texts})
    ids, vectors = await embeddings.matrix(database, corpus)
    query = unit(tuple(generator.normal(size=3)))[0]
    ranking = await embeddings.dense_sql(database, corpus, query, 10)
    best = np.argsort(-(vectors @ query), kind="stable")[:10]
    assert [chunk_id for chunk_id, _ in ranking.hits] == [ids[at] for at in best]
