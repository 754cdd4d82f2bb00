"""Excerpts: the pieces of chunks that can be quoted. Sentences, or runs of whole caption cues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .evidence import Hit, Pool, adjacent
from .text import count_words, sentences

SHORTEST_RUN, LONGEST_RUN = 12, 40
"""Words in a run of cues; a run stops growing at the first, and never passes the second unless a
single cue does."""


@dataclass(frozen=True)
class Excerpt:
    """A verbatim piece of one chunk, or of two neighbours (`ids` then holds both, in order)."""

    text: str
    ids: tuple[str, ...]
    hit: Hit


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


def excerpts(pool: Pool, hits: Sequence[Hit]) -> tuple[Excerpt, ...]:
    """Every excerpt that begins in one of `hits`; it may run on into the next window when seen."""
    known = pool.by_id()
    out: dict[tuple[str, tuple[str, ...]], Excerpt] = {}
    for hit in hits:
        following = adjacent(known, hit)
        for excerpt in _of_hit(hit, following):
            out.setdefault((excerpt.text, excerpt.ids), excerpt)
    return tuple(out.values())


def _of_hit(hit: Hit, following: Hit | None) -> Iterator[Excerpt]:
    own = pieces(hit.text)
    later = pieces(following.text) if following is not None else ()
    chain = [(p, hit.id) for p in own] + [(p, following.id) for p in later if following is not None]
    for i in range(len(own)):
        taken: list[tuple[str, str]] = []
        length = 0
        for piece, owner in chain[i:]:
            size = count_words(piece)
            if taken and (length + size > LONGEST_RUN or length >= SHORTEST_RUN):
                break
            taken.append((piece, owner))
            length += size
            if length >= SHORTEST_RUN and _ends_sentence(piece):
                break
        ids = tuple(dict.fromkeys(owner for _, owner in taken))
        yield Excerpt(" ".join(p for p, _ in taken), ids, hit)
