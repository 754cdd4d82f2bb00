"""What is embedded beside a chunk's words, and that it is nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from answertrail.corpus import making
from answertrail.corpus.context import context_parts, contexts_of
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.errors import InputError, MismatchError
from answertrail.records.chunk import Chunk, text_hash
from answertrail.search import load
from answertrail.search.load import open_corpus
from answertrail.store import chunks, corpora, embeddings
from tests.search.worlds import TinyEmbedder
from tests.store.samples import timed

FIRST = "Welcome back. So we moved the kiln to the barn."
SECOND = "It was cold there."
THIRD = "Nobody complained."


def contexts(parts, **facts):
    return contexts_of(*timed("a", FIRST, SECOND, THIRD, **facts), context_parts(parts))


def test_title_date_and_the_last_sentence_before_are_two_lines():
    assert contexts("title,date,previous") == [
        "About a | 2024-06-14",
        "About a | 2024-06-14\nSo we moved the kiln to the barn.",
        "About a | 2024-06-14\nIt was cold there.",
    ]
    assert contexts("previous") == ["", "So we moved the kiln to the barn.", "It was cold there."]
    assert contexts("none") == ["", "", ""]


def test_what_is_not_known_is_left_out():
    assert contexts("title,date", published_at=None) == ["About a"] * 3
    assert contexts("title,date", title="", published_at=None) == [""] * 3
    assert contexts("speakers") == [""] * 3
    document, made = timed("a", FIRST, SECOND)
    spoken = [Chunk(**{**{f: getattr(c, f) for f in Chunk.__slots__}, "speakers": ("Ann", "Bo")}) for c in made]
    assert contexts_of(document, spoken, ("speakers",)) == ["Ann, Bo"] * 2


def test_a_long_sentence_is_cut_at_a_word_where_there_are_any():
    words = " ".join(f"word{n}" for n in range(90))
    (_, context) = contexts_of(*timed("a", words, "x"), ("previous",))
    assert len(context) <= 200
    assert words.endswith(" " + context)
    (_, context) = contexts_of(*timed("a", "窯" * 500, "x"), ("previous",))
    assert context == "窯" * 200


def test_a_setting_names_known_parts_in_any_order():
    assert context_parts("previous, title,title") == ("title", "previous")
    assert context_parts("none") == ()
    for wrong in ("topic", "", "none,title", "title,,date"):
        with pytest.raises(InputError, match="nothing to embed"):
            context_parts(wrong)


# --- over the database ---------------------------------------------------------------------------


class Listening(TinyEmbedder):
    """Remembers the passages it embedded."""

    def passages(self):
        return [text for text, role in self.asked if role == "passage"]


@pytest.fixture
def embedder(monkeypatch):
    listening = Listening(8)
    for module in (making, load):
        monkeypatch.setattr(module, "load_embedder", lambda _: listening)
    return listening


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "talks"
    path.mkdir()
    text = f"0:00 {FIRST}\n0:31 {SECOND}\n1:02 {THIRD}\n"
    (path / "20240614_one.txt").write_text(text)
    (path / "20240620_two.txt").write_text(text)
    return path


async def made(database, folder, name, context=None):
    return await ingest(database, IngestRequest(name, [folder], embedder="fast", context=context))


@pytest.mark.asyncio
async def test_the_context_is_embedded_and_the_cited_text_is_not_touched(database, settings, folder, embedder):
    plain = await made(database, folder, "plain")
    assert sorted(embedder.passages()) == sorted([FIRST, SECOND, THIRD])
    embedder.asked.clear()
    found = await made(database, folder, "found", "previous,date")
    assert sorted(embedder.passages()) == sorted(
        f"{day}\n{line}" for day in ("2024-06-14", "2024-06-20")
        for line in (FIRST, f"So we moved the kiln to the barn.\n{SECOND}", f"It was cold there.\n{THIRD}")
    )  # fmt: skip
    assert (plain.embedded, found.embedded) == (3, 6)
    # Same words and dates: one snapshot, and what is shown and hashed is the text alone.
    assert plain.snapshot == found.snapshot
    opened = {name: await open_corpus(database, settings, name) for name in ("plain", "found")}
    assert [row.text for row in opened["found"].index.rows] == [FIRST, SECOND, THIRD] * 2
    corpus = await corpora.get(database, "found")
    stored = await chunks.get_chunk(database, corpus, "20240614_one:00030")
    assert (stored.chunk.text, stored.text_hash) == (SECOND, text_hash(SECOND))
    hits = (await opened["found"].search(f"2024-06-20\nIt was cold there.\n{THIRD}", mode="dense", k=1)).hits
    assert (hits[0].chunk_id, hits[0].text) == ("20240620_two:00060", THIRD)
    assert hits[0].dense == pytest.approx(1.0, abs=1e-6)
    # The text alone is not what is close to it any more.
    hits = (await opened["plain"].search(THIRD, mode="dense", k=2)).hits
    assert [hit.dense for hit in hits] == pytest.approx([1.0, 1.0], abs=1e-6)
    hits = (await opened["found"].search(THIRD, mode="dense", k=1)).hits
    assert hits[0].dense < 0.99


@pytest.mark.asyncio
async def test_the_setting_is_recorded_and_named_with_the_embedder(database, settings, folder, embedder):
    await made(database, folder, "plain")
    await made(database, folder, "found", "previous,title")
    assert (await corpora.get(database, "found")).context == ("title", "previous")
    assert (await open_corpus(database, settings, "plain")).embedder_key == "tiny@1/8"
    assert (await open_corpus(database, settings, "found")).embedder_key == "tiny@1/8+title,previous"


@pytest.mark.asyncio
async def test_the_setting_is_fixed_once_the_corpus_is_made(database, folder, embedder):
    await made(database, folder, "found", "title")
    embedder.asked.clear()
    for same in (None, "title"):
        assert (await made(database, folder, "found", same)).unchanged == 2
    for other in ("none", "title,date"):
        with pytest.raises(MismatchError, match="made with the context title") as caught:
            await made(database, folder, "found", other)
        assert "new corpus" in caught.value.hint
    with pytest.raises(InputError, match="nothing to embed"):
        await made(database, folder, "another", "topic")
    assert embedder.asked == []
    assert [corpus.name for corpus in await corpora.list_all(database)] == ["found"]


@pytest.mark.asyncio
async def test_a_changed_context_is_embedded_anew_and_opened_anew(database, settings, folder, embedder):
    await made(database, folder, "found", "previous,date")
    before = await open_corpus(database, settings, "found")
    (folder / "20240614_one.txt").rename(folder / "20240701_one.txt")  # another date, in the id as well
    (folder / "20240620_two.txt").write_text(f"0:00 {FIRST} Or so.\n0:31 {SECOND}\n1:02 {THIRD}\n")
    embedder.asked.clear()
    await made(database, folder, "found")
    assert sorted(embedder.passages()) == sorted([
        f"2024-07-01\n{FIRST}", f"2024-07-01\nSo we moved the kiln to the barn.\n{SECOND}",
        f"2024-07-01\nIt was cold there.\n{THIRD}",
        f"2024-06-20\n{FIRST} Or so.", f"2024-06-20\nOr so.\n{SECOND}",
    ])  # fmt: skip
    after = await open_corpus(database, settings, "found")
    assert after.pending == 0
    matrix = after.index._matrix
    for row, vector in zip(after.index.rows, matrix, strict=True):
        assert np.isfinite(vector).all(), row.id
    assert before.ref.snapshot != after.ref.snapshot


@pytest.mark.asyncio
async def test_the_cache_of_a_corpus_whose_dates_are_embedded_lapses_with_a_date():
    from datetime import UTC, datetime

    from answertrail.search.load import content_digest
    from answertrail.store.rows import StoredChunk

    def digest(day, context):
        _, [chunk] = timed("a", "kiln")
        date = datetime.fromisoformat(day).replace(tzinfo=UTC)
        stored = StoredChunk(chunk, chunk.text_hash, "T", date, day, None, "en", None)
        return content_digest([stored], TinyEmbedder().identity, context)

    assert digest("2024-01-01", ()) == digest("2024-01-02", ())
    assert digest("2024-01-01", ("date",)) != digest("2024-01-02", ("date",))
    assert (
        len({digest("2024-01-01", context) for context in ((), ("title",), ("previous",), ("title", "previous"))}) == 4
    )


@pytest.mark.asyncio
async def test_exact_search_in_the_database_ranks_by_the_same_vectors(database, folder, embedder):
    await made(database, folder, "found", "previous,date")
    corpus = await corpora.get(database, "found")
    query = (await embedder.embed([f"2024-06-20\nIt was cold there.\n{THIRD}"], "query"))[0]
    ranking = await embeddings.dense_sql(database, corpus, query, 1)
    assert ranking.hits[0][0] == "20240620_two:00060"
    assert ranking.matching == 6
