"""Does the cited text support the statement? A plain lexical and numeric check, replaceable.

It can say MISS for a number or a topic that the cited text does not have. It cannot see
negation or who did what to whom, and it says UNSCORED where words cannot be compared.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from answertrail.agent.numbers import is_number_word, numbers_in
from answertrail.records.run import Support
from answertrail.search.tokens import character_pairs, is_stop_word, stem, words

MINIMUM_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class SupportVerdict:
    """HIT, MISS or UNSCORED, with the reason in one sentence."""

    verdict: Support
    reason: str


def evidence_text(title: str, published: datetime | None, text: str) -> str:
    """Return what a cited chunk lends to a statement: its text, and its title and date (UTC)."""
    day = published.astimezone(UTC) if published else None
    date = f"{day:%Y-%m-%d} {day.day} {day:%B %Y}" if day else ""
    return f"{title} {date} {text}"


class SupportCheck(Protocol):
    """Anything that can judge a statement against the texts it cites."""

    def judge(self, statement: str, texts: Sequence[str]) -> SupportVerdict:
        """Judge one statement; `texts` are the cited chunks with title and date."""
        ...


class LexicalSupport:
    """Share of the statement's content stems in the cited texts, and all of its numbers."""

    def judge(self, statement: str, texts: Sequence[str]) -> SupportVerdict:
        """HIT when at least half of the content stems and every number occur in the texts."""
        if not texts:
            return SupportVerdict("MISS", "nothing is cited")
        numbers = numbers_in(statement)
        missing = sorted(numbers - set().union(*(numbers_in(text, parts=True) for text in texts)))
        if missing:
            return SupportVerdict("MISS", f"the cited text does not have {', '.join(missing)}")
        terms = _content(statement)
        evidence = set().union(*(_content(text, keep_stops=True) for text in texts))
        if not terms:
            if numbers:
                return SupportVerdict("HIT", "every number occurs in the cited text")
            return SupportVerdict("UNSCORED", "the statement has no content words to look for")
        shared = terms & evidence
        if not shared and _script(terms) != _script(evidence):
            return SupportVerdict("UNSCORED", "statement and cited text are in different scripts")
        share = len(shared) / len(terms)
        detail = f"{len(shared)} of {len(terms)} content words occur in the cited text"
        return SupportVerdict("HIT" if share >= MINIMUM_SHARE else "MISS", detail)


def _content(text: str, *, keep_stops: bool = False) -> set[str]:
    """Return the stems of a text, its numbers apart; runs of scripts without spaces give pairs."""
    out: set[str] = set()
    for word in words(text):
        if pairs := character_pairs(word):
            out.update(pairs)
        elif word[0].isdigit() or is_number_word(word):
            continue
        elif keep_stops or not is_stop_word(word):
            out.add(stem(word))
    return out


def _script(tokens: set[str]) -> str:
    """Return the script most of the tokens are written in; kana counts as Han."""
    scripts = Counter(unicodedata.name(token[0], "").split(" ")[0] for token in tokens if not token[0].isdigit())
    scripts["CJK"] += scripts.pop("HIRAGANA", 0) + scripts.pop("KATAKANA", 0)
    return max(scripts, key=lambda script: (scripts[script], script))
