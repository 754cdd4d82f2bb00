"""What a catalogue knows of the chunks beside a chunk, whatever the order of the ids."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from answertrail.search.engines.catalogue import Catalogue
from tests.soak import rounds

# Ids interleave: "a-b:00000" comes before "a:00000", and between two chunks of "a" those of "a:00050".
NAMES = ["a", "a-b", "a:00050", "a:00120", "a:1", "ab", "b", "b:0", "b:00000", "z"]
# As ids 100000 seconds come before 99990, and in the document after.
OFFSETS = [0, 30, 60, 90, 120, 99960, 99990, 100000, 100020, 100050]


def catalogue_of(chunks: Iterable[tuple[str, int]]) -> Catalogue:
    """Make one of (document, offset)."""
    ids = sorted((f"{document}:{offset:05}", document) for document, offset in chunks)
    return Catalogue.of((chunk, document, None, True, chunk, True) for chunk, document in ids)


def by_hand(chunks: Iterable[tuple[str, int]], asked: Iterable[str]) -> list[str]:
    """Return every chunk of the documents of at most 4 that one of those asked for is of."""
    held: dict[str, list[str]] = {}
    for document, offset in chunks:
        held.setdefault(document, []).append(f"{document}:{offset:05}")
    wanted = set(asked)
    return sorted(chunk for ids in held.values() if len(ids) <= 4 and wanted & set(ids) for chunk in ids)


def test_all_of_the_short_documents_that_passages_are_of_by_hand():
    four = [("a", 0), ("a", 99990), ("a", 100000), ("a", 100020)]
    five = [("b", offset) for offset in (0, 30, 60, 90, 120)]
    found = catalogue_of([*four, *five, ("a-b", 0), ("a-b", 30), ("a:00050", 0)]).rest_of_short
    all_of_a = ["a:00000", "a:100000", "a:100020", "a:99990"]
    for chunk in all_of_a:
        assert found([chunk]) == all_of_a
    assert found(["a-b:00030"]) == ["a-b:00000", "a-b:00030"]
    assert found(["a:00050:00000"]) == ["a:00050:00000"]
    assert found(["b:00000", "b:00120"]) == []
    assert found(["b:00060", "a:100000", "a-b:00000"]) == ["a-b:00000", "a-b:00030", *all_of_a]
    assert found(["a:00030", "nowhere:00000"]) == []
    assert found([]) == []


@pytest.mark.parametrize("seed", range(rounds(40, 2000)))
def test_the_rest_of_short_documents_is_what_counting_them_gives(seed):
    rng = random.Random(seed)
    chunks = [
        (name, offset)
        for name in rng.sample(NAMES, rng.randrange(1, len(NAMES) + 1))
        for offset in rng.sample(OFFSETS, rng.randrange(1, 7))
    ]
    catalogue = catalogue_of(chunks)
    assert set(catalogue.chunks_of.tolist()) <= {1, 2, 3, 4, 5, 6}
    for size in (0, 1, 2, 5, len(chunks)):
        asked = rng.sample(catalogue.ids, min(size, len(chunks)))
        assert catalogue.rest_of_short([*asked, "nowhere:00000"]) == by_hand(chunks, asked)


def test_an_empty_catalogue_has_no_rest():
    empty = catalogue_of([])
    assert len(empty) == 0
    assert empty.rest_of_short([]) == []
    assert empty.rest_of_short(["a:00000"]) == []
