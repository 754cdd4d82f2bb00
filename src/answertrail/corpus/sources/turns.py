"""Split a cue at its marks of who speaks: `>>`, `>> NAME:`, and rows that begin with a dash.

A mark is no word: it goes, and what each speaker says stands on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from answertrail.corpus.sources.markup import folded

_NAME = r"[^\W\d_a-z][^\s:<>]*(?:[ ][^\W\d_a-z][^\s:<>]*){0,3}"
_ARROWS = re.compile(rf"(?P<mark>\s*>>>?(?!>))\s*(?:(?P<name>{_NAME}):(?:\s+|$))?")
_ANY_ARROWS = re.compile(r"(?:^|(?<=\s))>>>?(?=\s|$)")
_DASH = re.compile(r"\s*[-–]\s*(?=[^\W\d_]|[\"'“‘¿¡\[(♪])")


def turns(rows: Sequence[str], *, automatic: bool = False) -> list[tuple[str | None, str]]:
    """Return (speaker or None, words on one line) of each turn in the rows of a cue, without markup.

    `>>` counts at the beginning of a row, and in automatic captions between words too: in typed
    ones it may be code. A dash counts when two rows begin with one; one alone is a pause.
    """
    dashes = sum(_DASH.match(row) is not None for row in rows) >= 2
    found: list[tuple[str | None, list[str]]] = []
    for row in rows:
        for part in _parts(row) if automatic else (row,):
            name, text, new = _opened(part, dashes=dashes)
            if new or not found:
                found.append((name, []))
            found[-1][1].append(text)
    folds = ((name, folded(" ".join(texts))) for name, texts in found)
    return [(name, words) for name, words in folds if words]


def _parts(row: str) -> Iterator[str]:
    """Cut a row before each `>>` that stands alone."""
    if ">>" not in row:
        yield row
        return
    begin = 0
    for match in _ANY_ARROWS.finditer(row):
        if row[begin : match.start()].strip():
            yield row[begin : match.start()]
        begin = match.start()
    yield row[begin:]


def _opened(row: str, *, dashes: bool) -> tuple[str | None, str, bool]:
    """Return the speaker a row names, the row without its mark, and whether it had one."""
    if ">>" in row:
        match = _ARROWS.match(row)
        if match is not None:
            # Only capitals are surely a name: `>> Listen: ...` is speech.
            name = match["name"] if match["name"] and match["name"].isupper() else None
            return name, row[match.end() if name else match.end("mark") :], True
    match = _DASH.match(row) if dashes else None
    return (None, row[match.end() :], True) if match is not None else (None, row, False)
