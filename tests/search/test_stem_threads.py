"""Stems are right when several runs work at once: the stemmer itself is not made for threads."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from answertrail.models.reader.text import stem as reader_stem
from answertrail.search.tokens import stem as search_stem


@pytest.mark.parametrize("stem", [reader_stem, search_stem])
def test_threads_do_not_get_each_others_stems(stem: Callable[[str], str]) -> None:
    chance = random.Random(5)
    ends = ["ational", "fulness", "ingly", "ization", "iveness", "ed", "s", ""]
    words = ["".join(chance.choices("bcdfglmnprstaeiou", k=6)) + chance.choice(ends) for _ in range(4000)]
    plain = stem.__wrapped__  # type: ignore[attr-defined]  # the cache would hide the race
    expected = [plain(word) for word in words]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: [plain(word) for word in words], range(4)))
    finally:
        sys.setswitchinterval(before)
    assert all(stems == expected for stems in found)
