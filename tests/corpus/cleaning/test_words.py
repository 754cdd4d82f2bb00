"""Words, their kinds and which of them are names."""

from __future__ import annotations

import pytest

from answertrail.corpus.cleaning.words import joined, words_of


def keys(text: str) -> list[str]:
    return [word.key for word in words_of(text)]


def of_kind(text: str, kind: str) -> list[str]:
    return [word.text for word in words_of(text) if word.kind == kind and word.text]


def names(text: str) -> list[str]:
    return [word.text for word in words_of(text) if word.name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("— … !", []),
        ("So, the whole thing works.", ["so", "the", "whole", "thing", "works"]),
        ("It's the dogs' bone", ["its", "the", "dogs", "bone"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("we can't, won’t and cannot", ["we", "can", "not", "will", "not", "and", "can", "not"]),
        ("dont isnt", ["do", "not", "is", "not"]),
        ("C++ and C# on node.js at AT&T", ["c++", "and", "c#", "on", "node.js", "at", "at&t"]),
        ("$5, 20% or -3 at 2:30 and 5'6", ["$5", "20%", "or", "-3", "at", "2:30", "and", "5'6"]),
        ("10-12", ["10", "12"]),
        ("Straße", ["strasse"]),
        ("मैं ठीक हूँ", ["मैं", "ठीक", "हूँ"]),
        ("나는 학교에 갔다", ["나는", "학교에", "갔다"]),
        ("我不去", ["我", "不", "去"]),
    ],
)
def test_words(text, expected):
    assert keys(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty people in May at 3 am", ["twenty", "May", "3", "am"]),
        ("i am here", []),
        ("H2O, mp3 and ½", ["H2O", "mp3", "½"]),
        ("fünfundzwanzig Leute", ["fünfundzwanzig"]),
        ("hace veinte años", ["veinte"]),
        ("il y a quatre-vingts ans", ["quatre", "vingts"]),
        ("이십오 명이 다섯 개를 월요일에", ["이십오", "다섯", "월요일에"]),
        ("三百", ["三", "百"]),
        ("two point five", ["two", "point", "five"]),
    ],
)
def test_numbers_and_dates(text, expected):
    assert of_kind(text, "number") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we don't, never, without", ["don't", "never", "without"]),
        ("ich habe kein Geld, nicht hier", ["kein", "nicht"]),
        ("no lo sé nunca", ["no", "nunca"]),
        ("ce n'est pas rien", ["n'est", "pas", "rien"]),
        ("안 갔어요 가지 않아요 없어요", ["안", "않아요", "없어요"]),
        ("안녕하세요", []),
        ("note the knot", []),
    ],
)
def test_negations(text, expected):
    assert of_kind(text, "negation") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The plan. So Alice left", ["Alice"]),
        ("Kubernetes is here", ["Kubernetes"]),
        ("I think I'm right and I've seen it", []),
        ("we asked The New York Times", ["The", "New", "York", "Times"]),
        ('he said: "There we go"', []),
        ("the US and iOS", ["US", "iOS"]),
        ("US rules", ["US"]),
    ],
)
def test_names_are_capitals_that_no_sentence_explains(text, expected):
    assert names(text) == expected


def test_joined_words_are_one_word_unless_they_count_or_deny():
    def both(one: str, other: str) -> tuple[list[str], list[str]]:
        a, b = words_of(one), words_of(other)
        return [w.key for w in joined(a, b)], [w.key for w in joined(b, a)]

    assert both("the data base", "the database") == (["the", "database"],) * 2
    assert both("a w s here", "AWS here") == (["aws", "here"],) * 2
    assert both("not able", "notable") == (["not", "able"], ["notable"])
    assert both("20 20", "2020") == (["20", "20"], ["2020"])
    assert both("some one", "someone") == (["some", "one"], ["someone"])
