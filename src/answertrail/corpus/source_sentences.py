"""Where sentences end, in any script, fast and without a model."""

from __future__ import annotations

import re

_END = re.compile(
    # A heading is a sentence of its own, whatever marks it holds.
    r"(?m:^[ ]{0,3}#{1,6}[ \t]+[^\n]*$)"
    # Western marks count before white space only: `3.5`, `example.org` and `v1.2` go on.
    # The look-behind tries a run of marks once only: `!!!!` must not cost its length squared.
    r"|(?P<west>(?<![.!?…؟۔।॥])[.!?…؟۔।॥]++[\"'”’»)\]*_]*+)(?=\s)"
    # East Asian full-width marks end a sentence wherever they stand.
    r"|[。！？｡]+[」』”’）】\"']*"
    # An empty line ends whatever stands above it, a list item or a heading starts anew.
    r"|(?=\n[ \t]*\n)"
    r"|(?=\n[ \t]{0,8}(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|```|\|))"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])"
    r"(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Mt|Gen|Sen|Rep|Gov|Capt|Lt|Col|Sgt|Rev|Hon|vs|cf|al|approx"
    r"|e\.g|i\.e|etc|Fig|No|Nr|Vol|pp?|Inc|Ltd|Corp|Co|Bros|dept|est|bzw|z\.B|d\.h|usw|ca"
    r"|[A-HJ-Z]|(?:[A-Za-z]\.)+[A-Za-z]|\d{1,3})$"
)
_LONGEST_ABBREVIATION = 12
_NEXT = re.compile(r"\s*(?P<char>\S)")
_CLAUSE = re.compile(r"(?<![,;:)])[,;:)]++(?=\s)|[、，；：]+|\s[-–—]+(?=\s)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence; together they hold every non-space character.

    Spans are in order, do not overlap, and begin and end with a non-space character. Text
    without marks is one sentence. A mark ends a sentence unless it closes an abbreviation, an
    initial or a list number, or a lower-case letter follows.
    """
    spans: list[tuple[int, int]] = []
    begin = 0
    for match in _END.finditer(text):
        end = match.end()
        if match["west"] is not None and not _is_end(text, match):
            continue
        _add(spans, text, begin, end)
        begin = end
    _add(spans, text, begin, len(text))
    return spans


def clause_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut text[start:end] after clause marks, as `sentence_spans` does after sentences."""
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _CLAUSE.finditer(text, start, end):
        _add(spans, text, begin, match.end())
        begin = match.end()
    _add(spans, text, begin, end)
    return spans


def _is_end(text: str, match: re.Match[str]) -> bool:
    mark = match["west"]
    if mark[0] not in ".…":
        return True
    following = _NEXT.match(text, match.end())
    if following is not None and following["char"].islower():
        return False
    if len(mark.rstrip("\"'”’»)]*_")) > 1:
        return True
    before = text[max(0, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    if before[-1:].isdigit():
        # `1.` opens a list item only at the start of its line; `in 2024.` ends a sentence.
        line = text.rfind("\n", 0, match.start()) + 1
        return text[line : match.start()].strip() != before.split()[-1] or mark != "."
    return _ABBREVIATION.search(before) is None


def _add(spans: list[tuple[int, int]], text: str, begin: int, end: int) -> None:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    if begin < end:
        spans.append((begin, end))
