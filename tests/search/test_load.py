"""Opening a corpus: one instant of the database, and a cache that never shows another."""

from __future__ import annotations

import json
import os
import shutil

import pytest
import pytest_asyncio

from answertrail.errors import NotFoundError
from answertrail.search import checked, load
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.store import chunks, corpora, documents, embeddings
from tests.search.worlds import TinyEmbedder
from tests.store.samples import put, timed

pytestmark = pytest.mark.asyncio

OLD = ("We moved the kiln to the barn.", "The glaze kept crawling.")
NEW = ("Nobody fired anything this week.", "A tractor stood in the way.", "The river rose.")


@pytest.fixture
def embedder(monkeypatch):
    tiny = TinyEmbedder(8)
    monkeypatch.setattr(load, "load_embedder", lambda _: tiny)
    return tiny


@pytest_asyncio.fixture
async def corpus(database, embedder):
    made = await corpora.create(database, "talks", "tiny", embedder.identity)
    await say(database, made, embedder, OLD)
    return made


async def say(db, corpus, embedder, texts, *, embed=True, **facts):
    """Put the document `a` with these texts in place of what was there, embedded or not."""
    async with db.transaction() as conn:
        await put(conn, corpus, *timed("a", *texts, **facts))
    if embed:
        missing = await embeddings.pending(db, corpus, 100)
        if missing:
            vectors = await embedder.embed([text for _, text in missing], "passage")
            async with db.transaction() as conn:
                await embeddings.save(conn, corpus.embedder_id, [key for key, _ in missing], vectors)


async def found(opened, query="kiln barn"):
    """Return everything a user would see, by mode."""
    out = {}
    for mode in MODES:
        hits = (await opened.search(query, mode=mode, k=9)).hits
        out[mode] = [(hit.text, hit.title, hit.dense, hit.lexical) for hit in hits]
    return out


def folders(settings, corpus):
    return sorted((settings.cache / str(corpus.id)).iterdir())


@pytest.fixture
def built(monkeypatch):
    """Count how often an index is built."""
    calls = []
    real = load._build
    monkeypatch.setattr(load, "_build", lambda *given: calls.append(1) or real(*given))
    return calls


async def test_a_second_opening_uses_the_cache_and_finds_the_same(database, settings, corpus, built):
    first = await found(await open_corpus(database, settings, "talks"))
    assert first["lexical"][0][0] == OLD[0]
    assert await found(await open_corpus(database, settings, "talks")) == first
    assert len(built) == 1
    assert len(folders(settings, corpus)) == 1


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (corpora, "snapshot_in"),
        (chunks, "chunk_table_in"),
        (embeddings, "pending_count_in"),
        (embeddings, "matrix_in"),
    ],
)
async def test_an_ingest_between_two_reads_is_not_seen_and_poisons_nothing(
    database, settings, corpus, embedder, monkeypatch, module, name
):
    expected = await found(await open_corpus(database, settings, "talks"))
    snapshot = await corpora.snapshot(database, corpus)
    shutil.rmtree(settings.cache)
    real = getattr(module, name)
    once = iter([NEW])

    async def interrupted(conn, of):
        result = await real(conn, of)
        for texts in once:
            await say(database, corpus, embedder, texts)
        return result

    monkeypatch.setattr(module, name, interrupted)
    opened = await open_corpus(database, settings, "talks")
    assert await found(opened) == expected
    assert opened.ref.snapshot == snapshot
    new = await open_corpus(database, settings, "talks")
    assert new.ref.snapshot == await corpora.snapshot(database, corpus) != snapshot
    assert {row.text for row in new.index.rows} == set(NEW)
    assert (await new.search("tractor", mode="lexical", k=9)).hits[0].text == NEW[1]
    # Back to the old file: what is cached under its key is the old index.
    await say(database, corpus, embedder, OLD)
    restored = await open_corpus(database, settings, "talks")
    assert await found(restored) == expected
    assert restored.ref.snapshot == snapshot


@pytest.mark.parametrize("facts", [{"title": "Kiln barn talk"}, {"language": "ko"}])
async def test_what_the_snapshot_leaves_out_and_the_index_holds_is_part_of_the_key(
    database, settings, corpus, embedder, built, facts
):
    await open_corpus(database, settings, "talks")
    await say(database, corpus, embedder, OLD, **facts)
    await open_corpus(database, settings, "talks")
    assert len(built) == 2


async def test_no_two_contents_are_written_down_alike():
    from datetime import UTC, datetime

    from answertrail.store.rows import StoredChunk

    def digest(title, *speakers):
        _, (chunk,) = timed("a", "one")
        object.__setattr__(chunk, "speakers", speakers)
        stored = StoredChunk(chunk, chunk.text_hash, title, datetime(2024, 1, 1, tzinfo=UTC), None, None, "en", None)
        return load.content_digest([stored], TinyEmbedder(8).identity)

    titles = [digest("a\tb"), digest("a", "b"), digest("a\tb\n"), digest("a", "b", ""), digest("a', ('b',)")]
    assert len(set(titles)) == len(titles)


async def test_a_matrix_with_vectors_still_to_come_is_not_cached(database, settings, corpus, embedder):
    await say(database, corpus, embedder, NEW, embed=False)
    opened = await open_corpus(database, settings, "talks")
    assert (await opened.search("tractor", mode="dense", k=9)).matching == 0
    assert not (settings.cache / str(corpus.id)).exists()
    await say(database, corpus, embedder, NEW)
    opened = await open_corpus(database, settings, "talks")
    assert (await opened.search("tractor", mode="dense", k=9)).matching == 3


def flip_a_byte(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-1])


def delete(path):
    path.unlink()


@pytest.mark.parametrize("harm", [flip_a_byte, cut_short, delete])
async def test_any_broken_file_of_the_cache_is_rebuilt(database, settings, corpus, built, harm):
    expected = await found(await open_corpus(database, settings, "talks"))
    (folder,) = folders(settings, corpus)
    names = [path.name for path in folder.iterdir()]
    assert {"dense.npy", "lexical.json", "manifest.json"} < set(names)
    for count, name in enumerate(names, start=2):
        harm(folder / name)
        assert await found(await open_corpus(database, settings, "talks")) == expected, name
        assert len(built) == count, name


async def test_an_index_under_another_key_is_not_served(database, settings, corpus, embedder, built):
    await open_corpus(database, settings, "talks")
    (old,) = folders(settings, corpus)
    await say(database, corpus, embedder, OLD, title="Another title")
    await open_corpus(database, settings, "talks")
    (new,) = set(folders(settings, corpus)) - {old}
    shutil.rmtree(new)
    old.rename(new)  # the same shape, and another content
    opened = await open_corpus(database, settings, "talks")
    assert len(built) == 3
    assert (await opened.search("another", mode="lexical", k=9)).matching == 2
    assert json.loads((new / "manifest.json").read_text())["digest"] == new.name


async def test_the_newest_three_indexes_are_kept_and_half_made_ones_are_cleared(
    database, settings, corpus, embedder, monkeypatch
):
    made = []
    for number in range(5):
        await say(database, corpus, embedder, OLD, title=f"Title {number}")
        await open_corpus(database, settings, "talks")
        (fresh,) = [folder for folder in folders(settings, corpus) if folder not in made]
        os.utime(fresh, (number, number))  # folders made within one tick have one age
        made.append(fresh)
    assert folders(settings, corpus) == sorted(made[-3:])
    fresh, stale = (settings.cache / str(corpus.id) / f".making-{name}" for name in ("fresh", "stale"))
    fresh.mkdir()
    stale.mkdir()
    os.utime(stale, (0, 0))
    # What cannot be removed harms nothing.
    monkeypatch.setattr(checked.shutil, "rmtree", lambda path, ignore_errors=False: None)
    await say(database, corpus, embedder, OLD, title="Title 5")
    await open_corpus(database, settings, "talks")
    monkeypatch.undo()
    monkeypatch.setattr(load, "load_embedder", lambda _: embedder)
    await say(database, corpus, embedder, OLD, title="Title 6")
    await open_corpus(database, settings, "talks")
    left = [folder.name for folder in folders(settings, corpus)]
    assert fresh.name in left
    assert stale.name not in left
    assert len(left) == 4


async def test_a_cache_that_cannot_be_written_costs_speed_only(database, settings, corpus):
    settings.home.mkdir(parents=True, exist_ok=True)
    settings.cache.write_text("a file where the folder should be")
    assert (await found(await open_corpus(database, settings, "talks")))["lexical"]


async def test_an_empty_corpus_opens_and_is_not_cached(database, settings, corpus, embedder):
    async with database.transaction() as conn:
        await documents.delete(conn, corpus, "a")
    opened = await open_corpus(database, settings, "talks")
    assert (await opened.search("kiln", mode="fused", k=9)).hits == ()
    assert not settings.cache.exists()
    with pytest.raises(NotFoundError):
        await open_corpus(database, settings, "nowhere")
