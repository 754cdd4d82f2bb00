"""What counts as the same word."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.search.tokens import base_language, character_pairs, index_tokens, is_stop_word, query_tokens, words


def same(one: str, other: str, language: str) -> bool:
    return index_tokens(one, language) == index_tokens(other, language)


@pytest.mark.parametrize(
    ("one", "other"),
    [("kilns", "kiln"), ("Moving", "moved"), ("GLAZES", "glaze"), ("the kiln's roof", "the kiln roof"),
     ("the potters' wheel", "the potters wheel"), ("O’Brien don’t", "O'Brien don't"), ("kiln’s", "kiln")],
)  # fmt: skip
def test_english_forms_of_a_word_are_one(one, other):
    assert same(one, other, "en")


@pytest.mark.parametrize(("one", "other"), [("kiln", "killed"), ("barn", "burn"), ("1240", "1250"), ("3.5", "35")])
def test_different_words_and_numbers_stay_different(one, other):
    assert not same(one, other, "en")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("1,240 degrees", ["1240", "degre"]), ("1,240,000", ["1240000"]), ("3.5", ["3.5"]), ("1,5", ["1,5"]),
     ("12,34", ["12,34"]), ("GPT-4o", ["gpt", "4", "o"]), ("in 2025, we", ["in", "2025", "we"]), ("", []), ("?!…", [])],
)  # fmt: skip
def test_a_number_loses_its_thousands_commas_and_nothing_else(text, tokens):
    assert index_tokens(text, "en") == tokens


def test_korean_is_found_by_pairs_so_a_particle_does_not_hide_a_noun():
    # agents.md 55: a tokenizer that keeps noun and particle together found 0 of 10.
    assert index_tokens("유약을 발랐다", "ko") == ["유", "약", "을", "유약", "약을", "발", "랐", "다", "발랐", "랐다"]
    assert query_tokens("유약", ["ko"]) == ["유약"]
    assert set(query_tokens("유약", ["ko"])) <= set(index_tokens("그는 유약을 두 번 발랐다", "ko"))


def test_one_shared_character_is_no_evidence_unless_the_query_has_only_one():
    assert not set(query_tokens("유리", ["ko"])) & set(index_tokens("유약", "ko"))
    assert query_tokens("窯", ["zh"]) == ["窯"]
    assert set(query_tokens("窯", ["zh"])) <= set(index_tokens("我們把窯搬走", "zh"))


def test_chinese_and_japanese_and_thai_runs_become_overlapping_pairs():
    assert query_tokens("我们搬窑", ["zh"]) == ["我们", "们搬", "搬窑"]
    assert query_tokens("カメラ", ["ja"]) == ["カメ", "メラ"]
    assert character_pairs("เตา") == ["เต", "ตา"]
    assert character_pairs("kiln") == []


def test_a_mixed_text_is_cut_where_the_script_changes():
    assert words("GPT모델 2025년 kiln을") == ["GPT", "모델", "2025", "년", "kiln", "을"]
    assert index_tokens("kiln을 샀다", "ko")[0] == "kiln"


@pytest.mark.parametrize(
    ("text", "language"),
    [("유약을 두 번", "ko"), ("camión niño", "es"), ("Größe naïve", "de"), ("ガラス", "ja"), ("Ångström", "sv")],
)
def test_decomposed_text_equals_composed_text(text, language):
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert same(decomposed, text, language)
    assert query_tokens(decomposed, [language]) == query_tokens(text, [language])


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [("camión", "camion", "es"), ("¿Dónde?", "donde", "es"), ("canciones", "canción", "es"), ("café", "cafe", "fr"),
     ("كِتَاب", "كتاب", "ar"), ("كِتَاب", "كتاب", "en"), ("الكتاب", "كتاب", "ar"), ("أحمد", "احمد", "ar"),
     ("שָׁלוֹם", "שלום", "he")],
)  # fmt: skip
def test_accents_and_vowel_marks_do_not_hide_a_word(one, other, language):
    assert same(one, other, language)


@pytest.mark.parametrize(("text", "count"), [("हिन्दी भाषा", 2), ("தமிழ் மொழி", 2), ("বাংলা ভাষা", 2)])
def test_vowel_signs_do_not_cut_a_word_into_consonants(text, count):
    assert len(index_tokens(text, "hi")) == count


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [("كـــتاب", "كتاب", "ar"), ("إلى آخر", "الى اخر", "ar"), ("موسى", "موسي", "ar"), ("والكتاب", "كتاب", "ar"),
     ("فالكتاب", "الكتاب", "ar"), ("کتاب", "كتاب", "fa"), ("ایران", "ايران", "fa"), ("کتاب", "كتاب", "ur"),
     ("đường", "duong", "vi"), ("Łódź", "lodz", "pl"), ("ısparta", "ISPARTA", "tr"), ("Øre", "ore", "da"),
     ("Straße", "STRASSE", "de")],
)  # fmt: skip
def test_variants_of_a_letter_do_not_hide_a_word(one, other, language):
    assert same(one, other, language)
    assert query_tokens(one, [language]) == query_tokens(other, [language])


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [("ＧＰＴ　２０２４年", "GPT 2024年", "ja"), ("ｶﾒﾗとｶﾞﾗｽ", "カメラとガラス", "ja"), ("𝐤𝐢𝐥𝐧", "kiln", "en"),
     ("हिन्\u200dदी", "हिन्दी", "hi"), ("ki\u00adln", "kiln", "en"), ("เตา\u200bเผา", "เตาเผา", "th"),
     ("ปี๒๕๖๗", "ปี 2567", "th"), ("၂၀၂၄", "2024", "my"), ("២០២៤", "2024", "km")],
)  # fmt: skip
def test_how_a_text_is_drawn_does_not_hide_a_word(one, other, language):
    assert same(one, other, language)


def test_an_arabic_word_that_only_begins_like_and_the_is_left_alone():
    assert not same("والدين", "الدين", "ar")


def test_persian_parts_words_where_it_does_not_join_them():
    assert len(index_tokens("می\u200cخواهم", "fa")) == 2
    assert same("می\u200cخواهم", "می خواهم", "fa")


def test_marks_between_words_are_no_part_of_them():
    assert words("コーヒー・カップ") == ["コーヒー", "カップ"]
    assert words("佐々木と〆切") == ["佐々木と〆切"]
    assert words("သည်။ ၎င်း") == ["သည်", "၎င်း"]
    assert index_tokens("ـ", "ar") == []
    assert query_tokens("ـ كتاب", ["ar"]) == query_tokens("كتاب", ["ar"])


def test_code_urls_and_emoji_in_a_korean_sentence():
    assert words("우리는 get_user_name()을 v2에 썼다") == ["우리는", "get", "user", "name", "을", "v2", "에", "썼다"]
    assert query_tokens("https://example.com/kiln 가마🔥", ["ko"])[-2:] == ["kiln", "가마"]
    assert query_tokens("🔥", ["en"]) == []


def test_traditional_and_simplified_characters_are_not_the_same_word():
    # Only what is written alike is found by words; docs/search.md says so.
    assert not set(query_tokens("学习", ["zh"])) & set(index_tokens("學習", "zh"))
    assert set(query_tokens("模型", ["zh"])) <= set(index_tokens("學習模型", "zh"))


def test_cyrillic_й_and_greek_accents_are_kept_apart_from_their_bases():
    assert not same("й", "и", "xx")


def test_stop_words_and_question_words_leave_a_query_unless_nothing_else_is_there():
    assert query_tokens("Where did the kiln go?", ["en"]) == ["kiln", "go"]
    assert query_tokens("the who", ["en"]) == ["the", "who"]
    assert query_tokens("Who is it?", ["en"]) != []
    assert index_tokens("the who", "en") == ["the", "who"]


def test_a_query_term_is_kept_once_in_order_of_appearance():
    assert query_tokens("kiln glaze kilns Kiln", ["en"]) == ["kiln", "glaze"]


def test_every_language_of_the_corpus_gives_its_stem():
    both = query_tokens("casas", ["en", "es"])
    assert set(query_tokens("casas", ["es"])) | set(query_tokens("casas", ["en"])) == set(both)
    assert set(both) & set(index_tokens("casa", "es"))
    assert set(both) & set(index_tokens("casas", "en"))
    assert query_tokens("kiln", ["es", "en"]) == query_tokens("kiln", ["en", "es"])


def test_a_region_or_script_of_a_language_tag_does_not_change_the_language():
    assert [base_language(tag) for tag in ("en-US", "zh_Hant", "PT-br", None, "")] == ["en", "zh", "pt", "en", "en"]
    assert same("kilns", "kiln", "en-GB")


def test_a_possessive_stop_word_is_a_stop_word():
    assert is_stop_word("The")
    assert is_stop_word("it’s")
    assert not is_stop_word("kiln's")


@given(st.text(max_size=60), st.sampled_from(["en", "ko", "es", "ar", "tr", "xx"]))
def test_any_text_gives_tokens_that_are_never_empty_and_do_not_depend_on_its_composition(text, language):
    tokens = index_tokens(text, language)
    assert all(tokens)
    assert index_tokens(unicodedata.normalize("NFD", text), language) == index_tokens(
        unicodedata.normalize("NFC", text), language
    )


@given(st.text(alphabet="kiln glaze 유약을 窯 1,240 é", max_size=40))
def test_a_text_is_found_by_each_of_its_own_words(text):
    indexed = set(index_tokens(text, "en"))
    assert set(query_tokens(text, ["en"])) <= indexed
