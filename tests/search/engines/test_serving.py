"""A corpus over its engine: what is indexed is what is searched, and an old or half-made index never is."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
import time

import numpy as np
import pytest
import pytest_asyncio

from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.search import checked, load
from answertrail.search.engines import local
from answertrail.search.engines.base import IndexBuildError, NoIndexError, StaleIndexError
from answertrail.search.engines.hnsw import HnswEngine, HnswKind
from answertrail.search.engines.serving import delete_corpus, drop_index, index_corpus, stale, use_engine
from answertrail.search.engines.source import reading
from answertrail.search.hits import Filter
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.search.said_before import contexts
from answertrail.store import chunks, corpora, documents, embeddings, nearest, search_indexes
from tests.search.engines.stored import embed, say, stored_corpus
from tests.search.worlds import TinyEmbedder

pytestmark = pytest.mark.asyncio

QUERIES = ("kiln glaze", "winter river stone", "zeppelin")


@pytest_asyncio.fixture
async def corpus(database, monkeypatch):
    tiny = TinyEmbedder(16)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    return await stored_corpus(database)


async def places(database, corpus):
    async with database.transaction() as conn:
        return await nearest.places(conn, corpus.id)


def shown(result):
    return [(hit.chunk_id, hit.text, hit.title, hit.published_at, hit.url) for hit in result.hits]


async def test_every_mode_shows_what_exact_search_shows(database, settings, corpus):
    await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
    exact = await open_corpus(database, settings, "talks", "exact")
    served = await open_corpus(database, settings, "talks")
    assert served.ref == exact.ref
    assert served.document_ids == exact.document_ids
    assert served.timed_documents == exact.timed_documents
    for mode in MODES:
        for query in QUERIES:
            for within in (
                None,
                Filter(documents=frozenset({"d001", "d003"})),
                Filter(exclude=frozenset({"d000:00000"})),
            ):
                wanted = await exact.search(query, mode=mode, k=12, within=within)
                found = await served.search(query, mode=mode, k=12, within=within)
                assert shown(found) == shown(wanted), (mode, query)
                assert (found.matching, found.held_back) == (wanted.matching, wanted.held_back)
                assert (found.engine, wanted.engine, wanted.fallback) == ("hnsw", "exact", None)


async def test_an_engine_is_filled_with_every_chunk_its_words_and_its_vector(database, corpus):
    await say(database, corpus, "zz", 3, ["no vector yet", "nor here"])
    _, matrix = await embeddings.matrix(database, corpus)
    async with reading(database, corpus) as source:
        rows = [row async for batch in source.batches(50) for row in batch]
        assert (source.rows, source.vectors) == (len(rows), len(matrix)) == (242, 240)
    shown = [load.chunk_row(one) for one in await chunks.chunk_table(database, corpus)]
    assert [row.id for row in rows] == [row.id for row in shown]
    assert [row.context for row in rows] == contexts(shown)
    assert [(row.text, row.published_at, row.language) for row in rows] == [
        (row.text, row.published_at, row.language) for row in shown
    ]
    np.testing.assert_array_equal(np.stack([row.vector for row in rows if row.vector is not None]), matrix)


async def test_around_and_cited_are_those_of_the_corpus(database, settings, corpus):
    exact = await open_corpus(database, settings, "talks")
    await index_corpus(database, settings, corpus, "hnsw")
    served = await open_corpus(database, settings, "talks")
    assert await served.read_around("d002:00090", 2, 1) == await exact.read_around("d002:00090", 2, 1)
    assert await served.cited(["d001:00030", "gone:00000"]) == await exact.cited(["d001:00030", "gone:00000"])
    assert served.holds("d001:00030")
    assert not served.holds("gone:00000")
    with pytest.raises(NotFoundError):
        await served.read_around("gone:00000")


async def test_texts_without_a_vector_are_found_by_their_words(database, settings, monkeypatch):
    tiny = TinyEmbedder(16)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    corpus = await stored_corpus(database, without=25)
    made = await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
    assert (made.chunks, made.vectors, made.pending) == (240, 215, 25)
    exact = await open_corpus(database, settings, "talks", "exact")
    served = await open_corpus(database, settings, "talks")
    for mode in ("dense", "lexical", "fused", "hybrid"):
        one, other = [await opened.search("kiln glaze barn", mode=mode, k=500) for opened in (served, exact)]
        assert shown(one) == shown(other)
        assert one.matching == other.matching == len(one.hits)
    await embed(database, corpus)
    assert "got their vectors" in (await stale(database, corpus, made) or "")
    with pytest.raises(StaleIndexError):
        await open_corpus(database, settings, "talks", "hnsw")


async def test_a_corpus_that_changed_is_searched_exactly_and_says_so_until_it_is_indexed_again(
    database, settings, corpus
):
    await index_corpus(database, settings, corpus, "hnsw")
    [old] = await places(database, corpus)
    await say(database, corpus, "new", 0, ["a zeppelin over the barn"])
    await embed(database, corpus)
    opened = await open_corpus(database, settings, "talks")
    found = await opened.search("zeppelin", mode="lexical", k=3)
    assert [hit.document_id for hit in found.hits] == ["new"]
    assert found.engine == "exact"
    assert "corpus index talks --engine hnsw" in found.fallback
    with pytest.raises(StaleIndexError, match="changed after it was indexed"):
        await open_corpus(database, settings, "talks", "hnsw")

    await index_corpus(database, settings, corpus, "hnsw")
    again = await (await open_corpus(database, settings, "talks")).search("zeppelin", mode="lexical", k=3)
    assert ([hit.document_id for hit in again.hits], again.engine, again.fallback) == (["new"], "hnsw", None)
    assert old not in await places(database, corpus)
    assert len(await places(database, corpus)) == 1


async def test_an_open_corpus_never_shows_a_text_it_was_not_indexed_with(database, settings, corpus):
    await index_corpus(database, settings, corpus, "hnsw")
    opened = await open_corpus(database, settings, "talks")
    for at in range(12):
        await say(database, corpus, f"d{at:03}", at, [f"other words {at} {chunk}" for chunk in range(20)])
    with pytest.raises(StaleIndexError, match="changed after it was opened"):
        await opened.search("kiln", mode="fused", k=5)


async def test_the_engine_is_remembered_and_can_be_chosen_for_one_search(database, settings, corpus):
    assert (await search_indexes.engine_of(database, corpus)) == "exact"
    with pytest.raises(NoIndexError, match="no hnsw index"):
        await use_engine(database, corpus, "hnsw")
    with pytest.raises(NoIndexError):
        await open_corpus(database, settings, "talks", "hnsw")
    with pytest.raises(NotFoundError, match="quantum"):
        await open_corpus(database, settings, "talks", "quantum")
    await index_corpus(database, settings, corpus, "hnsw")
    await use_engine(database, corpus, "exact")
    by_default = await open_corpus(database, settings, "talks")
    named = await open_corpus(database, settings, "talks", "hnsw")
    assert [(await one.search("kiln", mode="dense", k=1)).engine for one in (by_default, named)] == ["exact", "hnsw"]
    await use_engine(database, corpus, "hnsw")
    assert await drop_index(database, settings, corpus, "hnsw")
    assert (await search_indexes.engine_of(database, corpus)) == "exact"
    assert await places(database, corpus) == []


@pytest.mark.parametrize("mode", ["dense", "fused"])
async def test_a_corpus_whose_index_is_made_again_while_it_is_open_is_searched_with_the_new_one(
    database, settings, corpus, mode
):
    await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
    opened = await open_corpus(database, settings, "talks")
    wanted = await opened.search("kiln", mode=mode, k=3)
    for _ in range(2):
        await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
        found = await asyncio.gather(*(opened.search("kiln", mode=mode, k=3) for _ in range(4)))
        assert found == [wanted] * 4
    await opened.index.close()


@pytest.mark.parametrize("mode", ["dense", "fused"])
async def test_a_corpus_whose_index_is_dropped_while_it_is_open_is_searched_exactly_and_says_so(
    database, settings, corpus, mode
):
    await index_corpus(database, settings, corpus, "hnsw", {"storage": "vector"})
    opened = await open_corpus(database, settings, "talks")
    await drop_index(database, settings, corpus, "hnsw")
    for _ in range(2):
        found = await opened.search("kiln", mode=mode, k=3)
        exact = await (await open_corpus(database, settings, "talks")).search("kiln", mode=mode, k=3)
        assert shown(found) == shown(exact)
        assert (found.engine, found.fallback) == (
            "exact",
            "searched exactly, since the hnsw index was dropped after it was opened",
        )


async def test_an_open_corpus_is_never_searched_with_the_index_of_a_later_state(database, settings, corpus):
    await index_corpus(database, settings, corpus, "hnsw")
    opened = await open_corpus(database, settings, "talks")
    await say(database, corpus, "new", 0, ["a zeppelin over the barn"])
    await embed(database, corpus)
    await index_corpus(database, settings, corpus, "hnsw")
    with pytest.raises(StaleIndexError, match="replaced or dropped"):
        await opened.search("kiln", mode="dense", k=3)
    await drop_index(database, settings, corpus, "hnsw")
    with pytest.raises(StaleIndexError, match="replaced or dropped"):
        await opened.search("kiln", mode="dense", k=3)


async def test_settings_are_kept_with_the_index_and_bad_ones_refused(database, settings, corpus):
    made = await index_corpus(database, settings, corpus, "hnsw", {"ef_search": 60, "m": 8, "workers": 0})
    assert (made.settings["ef_search"], made.settings["m"], made.settings["storage"]) == (60, 8, "halfvec")
    with pytest.raises(InputError, match="ef_search"):
        await index_corpus(database, settings, corpus, "hnsw", {"ef_search": 0})
    assert await places(database, corpus) == [made.place]


async def test_a_table_that_somebody_dropped_is_an_index_that_is_gone(database, settings, corpus):
    made = await index_corpus(database, settings, corpus, "hnsw")
    async with database.transaction() as conn:
        await nearest.drop(conn, made.place)
    found = await (await open_corpus(database, settings, "talks")).search("kiln", mode="dense", k=3)
    assert found.engine == "exact"
    assert "gone" in found.fallback


def half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def other_scores(path):
    """Change what a file says: what is read has the right shape and is wrong."""
    np.save(path, 2 * np.load(path))


BREAKS = {
    "no archive": lambda folder: (folder / "catalogue.npz").write_bytes(b"nonsense"),
    "cut archive": lambda folder: half(folder / "catalogue.npz"),
    "no index": lambda folder: (folder / "lexical.json").write_text("[]"),
    "other scores": lambda folder: other_scores(folder / "data.csc.index.npy"),
    "a file is gone": lambda folder: (folder / "indices.csc.index.npy").unlink(),
    "no manifest": lambda folder: (folder / "manifest.json").unlink(),
    "not a manifest": lambda folder: (folder / "manifest.json").write_text("7"),
}


@pytest.mark.parametrize("how", BREAKS)
async def test_broken_or_missing_files_are_made_again(database, settings, corpus, how):
    made = await index_corpus(database, settings, corpus, "hnsw")
    wanted = await (await open_corpus(database, settings, "talks")).search("kiln", mode="fused", k=5)
    folder = local.folder_of(settings, made.place)
    BREAKS[how](folder)
    assert await (await open_corpus(database, settings, "talks")).search("kiln", mode="fused", k=5) == wanted
    assert checked.is_whole(folder)


async def test_files_that_are_whole_but_of_something_else_are_made_again(database, settings, corpus):
    made = await index_corpus(database, settings, corpus, "hnsw")
    wanted = await (await open_corpus(database, settings, "talks")).search("kiln", mode="fused", k=5)

    def nonsense(folder):
        (folder / "catalogue.npz").write_bytes(b"PK\x03\x04")
        (folder / "lexical.json").write_text('["a list"]')

    checked.save(local.folder_of(settings, made.place), nonsense)
    assert await (await open_corpus(database, settings, "talks")).search("kiln", mode="fused", k=5) == wanted


async def test_old_folders_and_those_of_killed_processes_are_swept(database, settings, corpus):
    made = await index_corpus(database, settings, corpus, "hnsw")
    root = local.folder_of(settings, made.place).parent
    long_ago = time.time() - 2 * 3600
    owner = made.place.rpartition("_")[0]
    names = (".making-old", *(f"{owner}_{n:08x}-6" for n in range(4)), "answertrail_c9_0123456789ab_5_5_00000000-6")
    for name in names:
        (root / name).mkdir(parents=True)
        os.utime(root / name, (long_ago, long_ago))
    (root / ".making-now").mkdir()
    await open_corpus(database, settings, "talks")
    left = {path.name for path in root.iterdir()}
    assert {".making-now", "answertrail_c9_0123456789ab_5_5_00000000-6", f"{made.place}-{load.CACHE_VERSION}"} <= left
    assert ".making-old" not in left
    assert len(left) == 2 + 3


async def test_an_engine_is_closed_where_its_corpus_cannot_be_opened(database, settings, corpus, monkeypatch):
    closed = []

    async def close(engine):
        closed.append(engine.place)

    monkeypatch.setattr(HnswEngine, "close", close)
    made = await index_corpus(database, settings, corpus, "hnsw")
    async with database.transaction() as conn:
        await conn.execute("UPDATE search_indexes SET vectors = vectors - 1")
    with pytest.raises(StaleIndexError, match="239"):
        await open_corpus(database, settings, "talks", "hnsw")
    assert closed == [made.place]


async def test_a_corpus_that_changes_while_it_is_indexed_is_not_indexed(database, settings, corpus):
    async with reading(database, corpus) as source:
        await say(database, corpus, "new", 0, ["a zeppelin"])
        with pytest.raises(IndexBuildError, match="changed while"):
            await HnswKind(database, corpus).build(source)
    assert await places(database, corpus) == []


async def test_two_processes_do_not_index_one_corpus_at_once(database, settings, corpus):
    async with reading(database, corpus):
        with pytest.raises(ServiceError, match="another process"):
            await index_corpus(database, settings, corpus, "hnsw")
    await index_corpus(database, settings, corpus, "hnsw")


async def test_deleting_a_corpus_drops_its_tables_and_an_empty_one_is_not_indexed(database, settings, corpus):
    await index_corpus(database, settings, corpus, "hnsw")
    await open_corpus(database, settings, "talks", "hnsw")
    await open_corpus(database, settings, "talks", "exact")
    assert await delete_corpus(database, settings, corpus) == []
    assert await places(database, corpus) == []
    assert [path for path in settings.cache.rglob("*") if path.is_file()] == []
    empty = await corpora.create(database, "empty", "tiny", TinyEmbedder(16).identity)
    with pytest.raises(IndexBuildError, match="no vectors"):
        await index_corpus(database, settings, empty, "hnsw")


KILLED = """
    import asyncio, sys
    from pathlib import Path
    from answertrail.search.engines.serving import index_corpus
    from answertrail.settings import Settings
    from answertrail.store import connect, corpora, nearest

    real = nearest.build_index

    async def slow(conn, *given):
        out = await real(conn, *given)
        print("indexed", flush=True)
        await asyncio.sleep(60)
        return out

    nearest.build_index = slow

    async def main():
        settings = Settings(home=Path(sys.argv[1]), database_url=sys.argv[2])
        async with connect(settings) as db:
            await index_corpus(db, settings, await corpora.get(db, "talks"), "hnsw")

    asyncio.run(main())
"""


async def test_a_killed_build_leaves_nothing_and_the_old_index_in_use(database, settings, corpus):
    made = await index_corpus(database, settings, corpus, "hnsw")
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(settings.home), settings.database_url]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert (await process.stdout.readline()).strip() == b"indexed"
    process.kill()
    await process.wait()
    assert await places(database, corpus) == [made.place]
    assert (await (await open_corpus(database, settings, "talks")).search("kiln", mode="dense", k=3)).engine == "hnsw"
    # The dead process's lock went with its connection.
    for _ in range(50):
        try:
            await index_corpus(database, settings, corpus, "hnsw")
            break
        except ServiceError:
            await asyncio.sleep(0.1)
    assert len(await places(database, corpus)) == 1


async def test_documents_that_go_make_the_index_old(database, settings, corpus):
    made = await index_corpus(database, settings, corpus, "hnsw")
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "d001")
    assert await stale(database, corpus, made) == "the corpus changed after it was indexed"
