"""The guards on sentences that people really said: good repairs are kept, each kind of damage is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from answertrail.corpus.cleaning.guards import judge
from answertrail.corpus.discovery import discover
from answertrail.corpus.source_sentences import sentence_spans
from answertrail.corpus.sources import Read, read

EPISODES = 3
ALIKE = {
    "their": "there",
    "there": "their",
    "then": "than",
    "than": "then",
    "too": "to",
    "its": "it's",
    "whole": "hole",
}
_ENDS = re.compile(r"[.,!?;:\"“”…](?=\s|$)|[\"“”—–]")


@cache
def sentences(root: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_sentences(root / "practical_ai" / "episodes")))


def _sentences(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir())[:EPISODES]:
        for result in (result for group in discover([path]).groups for result in read(group)):
            assert isinstance(result, Read)
            for segment in (result.document.segments or [])[:120]:
                for begin, end in sentence_spans(segment.text):
                    sentence = " ".join(segment.text[begin:end].split())
                    if len(sentence.split()) >= 4 and not set("[](){}<>") & set(sentence):
                        yield sentence


def as_recognised(sentence: str) -> str:
    """Return a sentence as speech recognition writes it: small letters, no punctuation."""
    return " ".join(_ENDS.sub(" ", sentence).lower().split())


def inner(pattern: str, sentence: str, new: str) -> str | None:
    """Replace the first match that does not begin the sentence; None without one."""
    found = re.search(pattern, sentence[1:])
    return None if found is None else sentence[: found.start() + 1] + new + sentence[found.end() + 1 :]


def test_capitals_and_punctuation_of_a_thousand_real_sentences_are_all_kept(transcripts: Path) -> None:
    pairs = [(as_recognised(sentence), sentence) for sentence in sentences(transcripts)]
    pairs = [(before, after) for before, after in pairs if before and before != after]
    assert len(pairs) > 1000
    assert [pair for pair in pairs if not judge(*pair).kept] == []


def test_real_sentences_with_one_word_misheard_are_mended(transcripts: Path) -> None:
    pairs = []
    for sentence in sentences(transcripts):
        words = as_recognised(sentence).split()
        place = next((n for n, word in enumerate(words) if word in ALIKE), None)
        if place is not None:
            pairs.append((" ".join([*words[:place], ALIKE[words[place]], *words[place + 1 :]]), sentence))
    assert len(pairs) > 100
    assert [pair for pair in pairs if not judge(*pair).kept] == []


DAMAGE = {
    "a number": lambda s: inner(r"\b\d+\b", s, "7319"),
    "a number word": lambda s: inner(r"\b(two|three|four|five|ten|hundred|first|second)\b", s, "six"),
    "a number in digits": lambda s: inner(r"\btwo\b", s, "2"),
    "a negation lost": lambda s: inner(r"\b(not|never|no) ", s, ""),
    "a negation contracted away": lambda s: inner(r"n't\b", s, ""),
    "a negation put in": lambda s: inner(r"\b(is|are|was|can|do|have|will)\b", s, "is not"),
    "a name": lambda s: inner(r"(?<=[a-z] )[A-Z][a-z]+\b", s, "Smith"),
    "a name without its capital": lambda s: next(
        (s[: m.start()] + m[0].lower() + s[m.end() :] for m in re.finditer(r"(?<=[a-z] )[A-Z][a-z]{2,}\b", s)), None
    ),
    "a word dropped": lambda s: inner(r"\b[a-z]{4,} ", s, ""),
    "a word added": lambda s: inner(r"(?<=[a-z]) (?=[a-z])", s, " really "),
    "an opposite": lambda s: inner(r"\b(more|always|before|good|up)\b", s, "less"),
    "half of it": lambda s: " ".join(s.split()[: len(s.split()) // 2]),
    "an answer": lambda s: "Yes, that is right, and I would say so too." if s.endswith("?") else None,
}


@pytest.mark.parametrize("kind", sorted(DAMAGE))
def test_damage_to_real_sentences_is_all_refused(transcripts: Path, kind: str) -> None:
    pairs = [(sentence, DAMAGE[kind](sentence)) for sentence in sentences(transcripts)]
    harmed = [(before, after) for before, after in pairs if after is not None and before != after]
    assert len(harmed) >= 10
    assert [pair for pair in harmed if judge(*pair).kept] == []


def test_the_next_sentence_is_not_taken_for_this_one(transcripts: Path) -> None:
    spoken = sentences(transcripts)
    assert [pair for pair in pairwise(spoken) if judge(*pair).kept] == []
