"""Text from corpora, models and run files, made fit for a terminal.

A title or an answer is data. It may hold escape sequences that recolour the screen or hide a link,
and direction marks that show the words in another order. None of it reaches the terminal.
"""

from __future__ import annotations

import json
import re

from rich.style import Style
from rich.text import Text

_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DROPPED = dict.fromkeys({*_CONTROLS, *_BIDI} - {ord("\n"), ord("\t")})
# JSON escapes C0 by itself and would write the others as they are.
_ESCAPED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, *_BIDI)}
# A file name that is no UTF-8 comes from the system with these; no stream can write them.
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """Return the text without control characters (newline and tab stay) and direction overrides."""
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text.translate(_DROPPED))


def one_line(text: str) -> str:
    """Return the plain text on one line, for what must not look like a line of ours."""
    return plain(" ".join(text.split())).strip()


def linked(text: str, url: str | None) -> Text:
    """Return text on one line that opens `url`, where that is a web address."""
    from answertrail.agent.render import web_url

    return Text(one_line(text), style=Style(link=web_url(url)))


def json_text(value: object) -> str:
    """Return JSON that reads back exactly and moves nothing on a terminal."""
    return escaped(json.dumps(value, ensure_ascii=False, allow_nan=False))


def escaped(json_line: str) -> str:
    """Return JSON with the characters written as escapes that a terminal would act upon."""
    return _SURROGATES.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json_line.translate(_ESCAPED))
