"""Seeds that follow from the questions, so that two readers get the same interval."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import numpy as np


def seed_of(question_ids: Iterable[str]) -> int:
    """Return the first 8 bytes, big-endian, of SHA-256 over the distinct ids, sorted, joined by newlines (UTF-8).

    Order and repeats of the ids change nothing; ids sort by code point. No ids give the hash of
    nothing. Raises ValueError for an id with a newline, which could stand for two.
    """
    ids = sorted(set(question_ids))
    for question_id in ids:
        if "\n" in question_id:
            raise ValueError(f"question id {question_id!r} holds a newline")
    return int.from_bytes(sha256("\n".join(ids).encode()).digest()[:8], "big")


def generator(seed: int, stream: int = 0) -> np.random.Generator:
    """Return numpy's PCG64 seeded with `seed`; a `stream` above 0 is one that does not overlap with it."""
    bits = np.random.PCG64(seed)
    return np.random.Generator(bits.jumped(stream) if stream else bits)
