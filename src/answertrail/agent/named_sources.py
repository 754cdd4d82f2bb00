"""Sources named in the text of a statement itself, which would reach the reader unchecked."""

from __future__ import annotations

import re

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE if fold else 0)
    for pattern, fold in (
        # Brackets around anything with a chunk id in it, or around the small numbers of a footnote.
        (r"[\[(【](?:[^\[\]()【】]*\S:\d{4,}[^\[\]()【】]*)[\])】]", True),
        (r"[\[【]\s*\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*[\]】]", True),
        # Markdown links and images, HTML.
        (r"!?\[[^\[\]]*\]\([^()]*\)", True),
        (r"</?[a-z!][^<>]*>", True),
        # Addresses, with or without a scheme.
        (r"(?:https?:)?//[^\s()]+|www\.[^\s()]+", True),
        (r"\b(?:[a-z0-9-]+\.)+(?:com|org|net|info|edu|gov|io|ai|dev|co|uk|de|fr|eu|tv|me|ly)\b(?:/[^\s()]*)?", True),
        # Author and year, as papers cite.
        (r"\(\s*[A-Z][\w'’-]+(?:\s+(?:et al\.?|and|&)(?:\s+[A-Z][\w'’-]+)?)?,?\s+\d{4}[a-z]?\s*\)", False),
        (r"\b[A-Z][\w'’-]+(?:\s+et al\.?)?\s+\(\d{4}[a-z]?\)", False),
    )
)


def named_sources(text: str, spoken: str) -> list[str]:
    """Return the sources `text` names, in order of kind, each once.

    What stands in `spoken` (the cited passages; for what was not found, the question) was said by
    others and is no source of the model's own.
    """
    found = (match.rstrip(".,;:") for pattern in _PATTERNS for match in pattern.findall(text))
    return list(dict.fromkeys(mark for mark in found if mark not in spoken))
