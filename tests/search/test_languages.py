"""One corpus, many languages: each is found in its own words, and none takes the others' share."""

from __future__ import annotations

import asyncio

import pytest

from answertrail.search.lexical import LexicalIndex
from answertrail.search.tokens import index_tokens, query_terms, query_tokens, stem
from tests.search.worlds import TinyEmbedder, index_of, row

TALKS = {
    "en": "We moved the kilns to the barn in winter.",
    "ko": "우리는 겨울에 가마를 헛간으로 옮겼습니다. GPT models도 써 봤어요.",
    "zh": "冬天我们把窑搬到了谷仓。",
    "ja": "冬に窯を納屋へ移しました。",
    "ar": "نقلنا الأفران إلى الحظيرة في الشتاء عام ٢٠٢٤.",
    "ru": "Зимой мы перенесли печи в сарай.",
    "th": "เราย้ายเตาเผาไปที่ยุ้งฉางในฤดูหนาว",
    "my": "ဆောင်းရာသီတွင် မီးဖိုကို ကျီသို့ရွှေ့ခဲ့သည်။",
    "he": "העברנו את התנורים לאסם בחורף.",
    "hi": "हमने सर्दियों में भट्ठी को खलिहान में रखा।",
    "el": "Μεταφέραμε τους φούρνους στον αχυρώνα τον χειμώνα.",
    "de": "Wir haben die Öfen im Winter in die Scheune gebracht.",
    "bo": "དགུན་ཁར་མེ་ཐབ་སྤོས་པ་ཡིན།",
    "am": "በክረምት ምድጃውን ወደ ጎተራ አዛወርን።",
}
ASKED = {
    "en": "moving kiln", "ko": "가마 헛간", "zh": "窑搬到哪里", "ja": "窯を移した",
    "ar": "فرن الحظيرة", "ru": "печь в сарае",
    "th": "เตาเผา", "my": "မီးဖို", "he": "התנורים", "hi": "भट्ठी खलिहान", "el": "φούρνους αχυρώνα", "de": "Öfen Scheune",
    "bo": "མེ་ཐབ", "am": "ምድጃውን",
}  # fmt: skip


def mixed(tagged: bool = True):
    rows = [row(f"{code}:00000", text, language=code if tagged else None) for code, text in TALKS.items()]
    return index_of(rows, TinyEmbedder(), {item.id: None for item in rows})


def found(index, query, mode="fused"):
    result = asyncio.run(index.search(query, mode=mode, k=20))
    return [hit.document_id for hit in result.hits]


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize("language", TALKS)
def test_every_language_is_found_in_its_own_words_tagged_or_not(language, tagged):
    assert found(mixed(tagged), ASKED[language])[:1] == [language]


@pytest.mark.parametrize("language", TALKS)
def test_no_text_is_left_without_tokens(language):
    tokens = index_tokens(TALKS[language], language)
    letters = [character for character in TALKS[language] if character.isalpha()]
    assert sum(map(len, tokens)) >= len(letters) // 2


def test_a_query_in_two_languages_finds_both():
    assert set(found(mixed(), "kiln 가마")) == {"en", "ko"}
    assert set(found(mixed(), "谷仓 barn сарай")) == {"zh", "en", "ru"}


def test_a_word_in_a_foreign_script_has_the_stem_of_its_own_language():
    assert stem("kilns", "ko") == stem("kilns", "en") == "kiln"
    assert stem("печами", "en") == stem("печами", "ru")
    assert stem("الأفران", "en") == stem("الأفران", "ar")
    assert stem("канала", "uk") == "канала"  # no stemmer, and none borrowed within one script
    assert found(mixed(), "model")[0] == "ko"  # `models` in a Korean talk


def test_a_number_is_the_same_in_the_digits_of_any_script():
    assert index_tokens("٢٠٢٤", "ar") == index_tokens("2024", "en") == index_tokens("२०२४", "hi") == ["2024"]
    assert found(mixed(), "2024") == ["ar"]


def test_stop_words_of_one_language_do_not_come_back_because_another_has_no_list():
    assert query_tokens("Where is the kiln?", ["en", "ko", "ar", "zh"]) == ["kiln"]
    assert query_tokens("the", ["en", "ko"]) == ["the"]


def test_another_language_in_the_corpus_does_not_lower_the_lexical_vote():
    english = ["We moved the kilns.", "The houses are new.", "A barn."]
    alone = LexicalIndex.build([*english, "Öfen"], ["en"] * 4)
    # German stems `houses` to `hous`, too, and `moving` to `moving`: one word, two tokens.
    among = LexicalIndex.build([*english, "Öfen"], ["en", "en", "en", "de"])
    assert query_terms("moving", ["en", "de"]) == [("moving", "move")]
    assert alone.scores("moving")[1] == among.scores("moving")[1] > 0
    assert among.terms("moving") == {"move": 1}
    assert 0 < among.scores("moving zeppelin")[1] < among.scores("moving")[1]


def test_a_lexical_search_in_a_language_the_corpus_has_not_is_no_match_and_says_which_terms():
    result = asyncio.run(mixed().search("kominek piec", mode="lexical", k=5))
    assert (result.hits, result.matching) == ((), 0)
    assert result.terms
    assert set(result.terms.values()) == {0}
