"""BM25 against hand-computed values and against fifteen lines of numpy."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.search.lexical import LexicalIndex
from answertrail.search.tokens import index_tokens, query_tokens

KILN = ["red kiln", "red glaze on red clay", "barn"]  # lengths 2, 5, 1; average 8/3


def build(texts, language="en"):
    return LexicalIndex.build(texts, [language] * len(texts))


def test_three_documents_by_hand():
    # idf(kiln) = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) = ln(8/3) = 0.980829
    # tf part = 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / (8/3))) = 1 / 2.21875 = 0.450704
    scores, share = build(KILN).scores("kiln")
    assert scores == pytest.approx([0.980829 * 0.450704, 0, 0], abs=1e-5)
    assert scores[0] == pytest.approx(0.442064, abs=1e-5)
    assert share == 1.0
    # idf(red) = ln(1 + 1.5 / 2.5) = 0.470004
    # row 0: 1 / 2.21875; row 1: 2 / (2 + 1.5 * (0.25 + 0.75 * 15/8)) = 2 / 4.484375 = 0.445993
    scores, _ = build(KILN).scores("red")
    assert scores == pytest.approx([0.470004 * 0.450704, 0.470004 * 0.445993, 0], abs=1e-5)
    both, _ = build(KILN).scores("red kiln")
    assert both == pytest.approx([0.980829 * 0.450704 + 0.470004 * 0.450704, 0.470004 * 0.445993, 0], abs=1e-5)


def reference(texts: list[str], query: str, k1: float = 1.5, b: float = 0.75) -> np.ndarray:
    documents = [Counter(index_tokens(text, "en")) for text in texts]
    lengths = np.array([sum(d.values()) for d in documents], dtype=float)
    average = lengths.mean() or 1.0
    out = np.zeros(len(texts))
    for term in query_tokens(query, ["en"]):
        tf = np.array([d[term] for d in documents], dtype=float)
        n = (tf > 0).sum()
        if n:
            idf = np.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
            out += idf * tf / (tf + k1 * (1 - b + b * lengths / average))
    return out


WORDS = st.sampled_from(
    ["kiln", "kilns", "glaze", "barn", "the", "tractor's", "유약을", "유약", "1,240", "1240", "clay"]
)
TEXTS = st.lists(st.lists(WORDS, max_size=15).map(" ".join), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(WORDS, min_size=1, max_size=5).map(" ".join))
def test_scores_equal_an_independent_bm25(texts, query):
    index = build(texts)
    scores, share = index.scores(query)
    assert scores == pytest.approx(reference(texts, query), rel=1e-4, abs=1e-6)
    assert scores.shape == (len(texts),)
    assert 0 <= share <= 1
    for term, count in index.terms(query).items():
        assert count == sum(term in index_tokens(text, "en") for text in texts)


def test_terms_say_how_many_chunks_hold_each_word_of_the_query():
    assert build(KILN).terms("the red kilns of Peru") == {"red": 2, "kiln": 1, "peru": 0}


def test_a_repeated_query_word_counts_once():
    once, _ = build(KILN).scores("kiln")
    thrice, _ = build(KILN).scores("kiln kilns KILN")
    assert np.array_equal(once, thrice)


def test_the_matched_share_is_idf_known_over_idf_of_all():
    # kiln: n=1 of 3, ln(8/3); peru: n=0, ln(1 + 3.5/0.5) = ln 8
    _, share = build(KILN).scores("kiln Peru")
    assert share == pytest.approx(log(8 / 3) / (log(8 / 3) + log(8)))
    # a frequent word is a smaller part of a query than a rare one
    _, rare = build(KILN).scores("kiln Peru")
    _, frequent = build(KILN).scores("red Peru")
    assert frequent < rare


def test_unknown_words_alone_match_nothing_and_have_no_share():
    scores, share = build(KILN).scores("zeppelin Peru")
    assert (scores.tolist(), share) == ([0, 0, 0], 0.0)
    assert build(KILN).scores("…")[1] == 0.0


@pytest.mark.parametrize("texts", [[], ["", "  ", "?!"]])
def test_a_corpus_without_words_can_be_asked(texts, tmp_path):
    index = build(texts)
    scores, share = index.scores("kiln")
    assert (scores.tolist(), share) == ([0.0] * len(texts), 0.0)
    assert index.terms("kiln") == {"kiln": 0}
    index.save(tmp_path)
    assert LexicalIndex.load(tmp_path).scores("kiln")[0].tolist() == [0.0] * len(texts)


def test_a_saved_index_gives_the_same_scores(tmp_path):
    texts = ["the red kiln", "유약을 두 번 발랐다", "la canción", "", "kiln kiln"]
    index = LexicalIndex.build(texts, ["en", "ko", "es", None, "en-US"])
    index.save(tmp_path)
    again = LexicalIndex.load(tmp_path)
    for query in ("kiln", "유약", "canciones", "nothing here", "red kiln 유약"):
        one, other = index.scores(query), again.scores(query)
        assert np.array_equal(one[0], other[0])
        assert one[1] == other[1]
        assert index.terms(query) == again.terms(query)
    assert (again.rows, again.languages) == (index.rows, index.languages)


def test_korean_is_found_with_another_particle_in_a_corpus_of_two_languages():
    index = LexicalIndex.build(["The glaze crawled.", "유약을 두 번 발랐다"], ["en", "ko"])
    scores, _ = index.scores("유약이")
    assert scores[1] > 0
    assert scores[0] == 0


def test_texts_and_languages_must_pair_up():
    with pytest.raises(ValueError):
        LexicalIndex.build(["a", "b"], ["en"])
