"""BM25 against hand-computed values and against fifteen lines of numpy."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.search.lexical import LexicalIndex, language_factor, native_scripts
from answertrail.search.tokens import index_tokens, query_tokens

KILN = ["red kiln", "red glaze on red clay", "barn"]  # lengths 2, 5, 1; average 8/3


def build(texts, language="en"):
    return LexicalIndex.build(texts, [language] * len(texts))


def test_three_documents_by_hand():
    # idf(kiln) = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) = ln(8/3) = 0.980829
    # tf part = 1 / (1 + 1.2 * (0.4 + 0.6 * 2 / (8/3))) = 1 / 2.02 = 0.495050
    scores, weight = build(KILN).scores("kiln")
    assert scores == pytest.approx([0.980829 * 0.495050, 0, 0], abs=1e-5)
    assert scores[0] == pytest.approx(0.485559, abs=1e-5)
    # The whole query is known; its spread is idf x sqrt(1/3 x (1.1 - 1/3)).
    assert weight == pytest.approx(1 / (0.980829 * np.sqrt(1 / 3 * (1.1 - 1 / 3))), rel=1e-5)
    # idf(red) = ln(1 + 1.5 / 2.5) = 0.470004
    # row 0: 1 / 2.02; row 1: 2 / (2 + 1.2 * (0.4 + 0.6 * 15/8)) = 2 / 3.83 = 0.522193
    scores, _ = build(KILN).scores("red")
    assert scores == pytest.approx([0.470004 * 0.495050, 0.470004 * 0.522193, 0], abs=1e-5)
    both, _ = build(KILN).scores("red kiln")
    assert both == pytest.approx([0.980829 * 0.495050 + 0.470004 * 0.495050, 0.470004 * 0.522193, 0], abs=1e-5)


def reference(texts: list[str], query: str, k1: float = 1.2, b: float = 0.6) -> np.ndarray:
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
    scores, weight = index.scores(query)
    assert scores == pytest.approx(reference(texts, query), rel=1e-4, abs=1e-6)
    assert scores.shape == (len(texts),)
    assert np.isfinite(weight)
    assert (weight > 0) == bool(scores.any())
    for term, count in index.terms(query).items():
        assert count == sum(term in index_tokens(text, "en") for text in texts)


def test_terms_say_how_many_chunks_hold_each_word_of_the_query():
    assert build(KILN).terms("the red kilns of Peru") == {"red": 2, "kiln": 1, "peru": 0}


def test_a_repeated_query_word_counts_once():
    once, _ = build(KILN).scores("kiln")
    thrice, _ = build(KILN).scores("kiln kilns KILN")
    assert np.array_equal(once, thrice)


def test_the_weight_falls_with_the_part_of_the_query_the_corpus_does_not_know():
    # kiln: n=1 of 3, ln(8/3); peru: n=0, ln(1 + 3.5/0.5) = ln 8
    _, known = build(KILN).scores("kiln")
    _, half = build(KILN).scores("kiln Peru")
    assert half == pytest.approx(known * log(8 / 3) / (log(8 / 3) + log(8)))


def test_unknown_words_alone_match_nothing_and_have_no_weight():
    scores, weight = build(KILN).scores("zeppelin Peru")
    assert (scores.tolist(), weight) == ([0, 0, 0], 0.0)


def test_a_document_votes_for_all_its_rows():
    rows, of = ["red kiln", "a barn", "the shed", "grey clay"], ["a", "a", "b", "b"]
    index = LexicalIndex.build(rows, ["en"] * 4, documents=of)
    votes = index.document_votes("kiln")
    assert votes is not None
    # Two documents of three and four words, "kiln" in the first: BM25 of a text beside one that has none.
    pair, weight = LexicalIndex.build(["red kiln a barn", "the shed grey clay"], ["en"] * 2).scores("kiln")
    assert votes.tolist() == pytest.approx([pair[0] * weight] * 2 + [0, 0])
    assert build(KILN).document_votes("kiln") is None
    assert LexicalIndex.build(rows, ["en"] * 4, documents=["a"] * 4).document_votes("kiln") is None


def test_a_title_counts_once_for_its_document_however_many_chunks_stand_below_it():
    few = LexicalIndex.build(["a barn", "a shed"], ["en"] * 2, ["kiln", "kiln"], ["a", "b"]).document_votes("kiln")
    many = LexicalIndex.build(
        ["a barn", "a barn", "a barn", "a shed"], ["en"] * 4, ["kiln"] * 4, ["a", "a", "a", "b"]
    ).document_votes("kiln")
    assert few is not None
    assert many is not None
    assert few[0] == pytest.approx(few[1])
    # The longer text about something else is less about the title than the short one.
    assert many[0] < many[3]


def test_documents_are_kept_with_the_index(tmp_path):
    index = LexicalIndex.build(["red kiln", "barn", "clay kiln"], ["en"] * 3, documents=["a", "a", "b"])
    index.save(tmp_path)
    again = LexicalIndex.load(tmp_path)
    assert np.array_equal(again.document_votes("kiln barn"), index.document_votes("kiln barn"))
    assert np.array_equal(again.scores("kiln barn")[0], index.scores("kiln barn")[0])
    assert build(KILN).scores("…")[1] == 0.0


@pytest.mark.parametrize("texts", [[], ["", "  ", "?!"]])
def test_a_corpus_without_words_can_be_asked(texts, tmp_path):
    index = build(texts)
    scores, weight = index.scores("kiln")
    assert (scores.tolist(), weight) == ([0.0] * len(texts), 0.0)
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


def test_a_query_in_a_script_the_corpus_is_not_written_in_has_a_quarter_of_the_weight():
    """A Korean page with a few English names must not win an English question by those names alone."""
    pages = ["화면 잠금 설정", "GNOME 설정 열기", "프린터 추가"]
    korean = LexicalIndex.build(pages, ["ko"] * 3)
    both = LexicalIndex.build([*pages, "How to lock the screen"], ["ko", "ko", "ko", "en"])
    question = "How do I open the settings of GNOME?"
    assert korean.scores(question)[0].argmax() == 1
    untagged = LexicalIndex.build(pages, [None] * 3)
    assert korean.scores(question)[1] == pytest.approx(untagged.scores(question)[1])
    assert korean.scores("GNOME 설정은 어디에 있나요")[1] > korean.scores(question)[1]
    korean_scripts = native_scripts(pages, ["ko"] * 3)
    assert language_factor(question, korean_scripts) == 0.25
    assert language_factor(question, korean_scripts | {"LATIN"}) == 1.0
    assert language_factor("GNOME", korean_scripts) == 1.0  # which language that is cannot be told
    assert language_factor("韓國 經濟", korean_scripts) == 1.0  # Korean is written so too
    assert both.scores(question)[1] > korean.scores(question)[1]


@pytest.mark.parametrize(
    ("tag", "text", "query"),
    [
        ("ja", "東京大地震の後に復興計画が作られた。", "東京大地震"),
        ("nb", "Byggingen av den nye broen begynte i mai.", "når begynte byggingen av broen"),
        ("bg", "Инфлацията в България остава висока.", "инфлацията в България"),
        ("uk", "Будування мосту почалось у травні.", "коли почалось будування мосту"),
        ("be", "Падаткі і цэны растуць.", "падаткі"),
        ("fa", "تورم در ایران بالا است.", "تورم در ایران"),
        ("mr", "नवीन पुलाचे बांधकाम मे महिन्यात सुरू झाले.", "नवीन पुलाचे बांधकाम"),
        ("de", "Die Inflation in Berlin steigt.", "Inflation in Berlin"),
        ("eng", "When inflation is up, prices are.", "when is inflation up"),
        ("iw", "בניית הגשר החדש התחילה במאי.", "מתי התחילה בניית הגשר"),
        ("en", "가마를 헛간으로 옮겼다.", "가마 헛간"),  # the text is the truth, not its tag
        (None, "Die Inflation in Berlin steigt.", "inflation in Berlin, what is it"),  # one script
    ],
)
def test_a_query_in_the_script_of_the_corpus_keeps_its_weight_whatever_either_is_taken_for(tag, text, query):
    scripts = native_scripts([text] * 3, [tag] * 3)
    assert language_factor(query, scripts) == 1.0


@pytest.mark.parametrize("query", ["where is the kiln", "где печь", "أين الفرن", "가마는 어디에", "भट्ठी कहाँ है"])
def test_a_query_in_another_script_than_a_chinese_corpus_loses_weight(query):
    assert language_factor(query, native_scripts(["窑在谷仓里，温度是1240度。"], ["zh"])) == 0.25


def test_a_tag_of_three_letters_is_stemmed_as_its_language():
    assert build(["The kilns"], "eng").scores("kiln")[0][0] > 0
