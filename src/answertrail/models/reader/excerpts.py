"""The pieces of a chunk that can be quoted: sentences, or whole caption cues."""

from __future__ import annotations

from functools import lru_cache

from .text import count_words, sentences


@lru_cache(maxsize=4096)
def pieces(text: str) -> tuple[str, ...]:
    """The smallest whole pieces of a chunk: sentences within a line, else the line itself.

    Lines without punctuation at their end (captions) are kept as lines. Sentences of fewer than
    four words join the piece before them.
    """
    out: list[str] = []
    for line in text.split("\n"):
        line = line.strip()
        if not line:
            continue
        for start, end in sentences(line):
            piece = line[start:end]
            if out and count_words(piece) < 4 and _ends_sentence(out[-1]):
                out[-1] = f"{out[-1]} {piece}"
            else:
                out.append(piece)
    return tuple(out)


def _ends_sentence(text: str) -> bool:
    return text.rstrip("\"')]\u201d\u2019").endswith((".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f"))
