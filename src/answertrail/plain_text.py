"""Text from corpora, models and run files, made fit to be shown: in a terminal, on a page, in a figure.

A title or an answer is data. It may hold escape sequences that recolour a screen or hide a link,
and direction marks that show the words in another order. None of it reaches a reader.
"""

from __future__ import annotations

import re

BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DROPPED = dict.fromkeys({*_CONTROLS, *BIDI} - {ord("\n"), ord("\t")})
# A file name that is no UTF-8 comes from the system with these; no stream can write them.
SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """Return the text without control characters (newline and tab stay) and direction overrides."""
    return SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text.translate(_DROPPED))


def one_line(text: str) -> str:
    """Return the plain text on one line, for what must not look like a line of ours."""
    return plain(" ".join(text.split())).strip()
