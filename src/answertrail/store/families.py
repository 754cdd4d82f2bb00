"""Origins that share their items: a video is one, in a channel and in a playlist."""

from __future__ import annotations

_SHARED = frozenset({"youtube"})
"""Kinds of origins whose ids are the same in all of them."""


def family_of(origin: str) -> str:
    """Return the beginning of the keys whose origins share their items, the key itself where none does."""
    kind = origin.split(":", 1)[0]
    return f"{kind}:" if kind in _SHARED else origin


def sources_begin(origin: str) -> str:
    """Return how the sources of documents begin that an origin, or one of its family, gave."""
    family = family_of(origin)
    # The key of one feed may begin with that of another.
    return family if family != origin else f"{origin}#"
