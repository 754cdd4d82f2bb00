"""The fewest words that must change to make one line of another, and where."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from answertrail.corpus.cleaning.words import Word

_TOO_MANY = 1_000_000
_EDIT = 1 << 20
"""One edit weighs more than any number of touched fixed words, which only decide between equals."""


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of words that was replaced by another; one of the two may be empty, not both."""

    before: tuple[Word, ...]
    after: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """`edits` words substituted, added or dropped; the pairs that stay, and the regions that do not."""

    edits: int
    same: tuple[tuple[Word, Word], ...]
    regions: tuple[Region, ...]


def align(before: Sequence[Word], after: Sequence[Word]) -> Alignment | None:
    """Align two lines by Levenshtein's distance over words, None when they are too long and too different to try.

    Of alignments with equally few edits the one that touches the fewest fixed words is taken.
    """
    head = 0
    while head < min(len(before), len(after)) and before[head].key == after[head].key:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail].key == after[-1 - tail].key:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(old) * len(new) > _TOO_MANY:
        return None
    steps = list(_steps(old, new))
    same = [*zip(before[:head], after[:head], strict=True)]
    same += [(a, b) for a, b in steps if a is not None and b is not None and a.key == b.key]
    if tail:
        same += zip(before[-tail:], after[-tail:], strict=True)
    edits = sum(1 for a, b in steps if a is None or b is None or a.key != b.key)
    return Alignment(edits, tuple(same), tuple(_regions(steps)))


def distance(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    """Return Levenshtein's distance of two sequences."""
    row = list(range(len(after) + 1))
    for place, old in enumerate(before, 1):
        diagonal, row[0] = row[0], place
        for column, new in enumerate(after, 1):
            best = diagonal if old == new else 1 + min(diagonal, row[column], row[column - 1])
            diagonal, row[column] = row[column], best
    return row[-1]


def _steps(old: Sequence[Word], new: Sequence[Word]) -> Iterator[tuple[Word | None, Word | None]]:
    """Yield pairs in order: two words, or one word and None where it was dropped or added."""
    costs = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, a in enumerate(old):
        costs[i + 1][0] = costs[i][0] + _EDIT + a.fixed
    for j, b in enumerate(new):
        costs[0][j + 1] = costs[0][j] + _EDIT + b.fixed
    for i, a in enumerate(old):
        for j, b in enumerate(new):
            costs[i + 1][j + 1] = min(
                costs[i][j] + _swap(a, b),
                costs[i][j + 1] + _EDIT + a.fixed,
                costs[i + 1][j] + _EDIT + b.fixed,
            )
    back: list[tuple[Word | None, Word | None]] = []
    i, j = len(old), len(new)
    while i or j:
        if i and j and costs[i][j] == costs[i - 1][j - 1] + _swap(old[i - 1], new[j - 1]):
            i, j = i - 1, j - 1
            back.append((old[i], new[j]))
        elif i and costs[i][j] == costs[i - 1][j] + _EDIT + old[i - 1].fixed:
            i -= 1
            back.append((old[i], None))
        else:
            j -= 1
            back.append((None, new[j]))
    return iter(reversed(back))


def _swap(a: Word, b: Word) -> int:
    return 0 if a.key == b.key else _EDIT + a.fixed + b.fixed


def _regions(steps: Sequence[tuple[Word | None, Word | None]]) -> Iterator[Region]:
    old: list[Word] = []
    new: list[Word] = []
    for a, b in [*steps, (None, None)]:
        stays = (a is None and b is None) or (a is not None and b is not None and a.key == b.key)
        if stays and (old or new):
            yield Region(tuple(old), tuple(new))
            old, new = [], []
        elif not stays:
            old += [a] if a is not None else []
            new += [b] if b is not None else []
