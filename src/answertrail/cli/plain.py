"""Text from corpora, models and run files, made fit for a terminal: links and JSON.

What is taken out of every text is said in `answertrail.plain_text`.
"""

from __future__ import annotations

import json

from rich.style import Style
from rich.text import Text

from answertrail.plain_text import BIDI, SURROGATES, one_line, plain

__all__ = ["escaped", "json_text", "linked", "one_line", "plain"]

# JSON escapes C0 by itself and would write the others as they are.
_ESCAPED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, *BIDI)}


def linked(text: str, url: str | None) -> Text:
    """Return text on one line that opens `url`, where that is a web address."""
    from answertrail.agent.render import web_url

    return Text(one_line(text), style=Style(link=web_url(url)))


def json_text(value: object) -> str:
    """Return JSON that reads back exactly and moves nothing on a terminal."""
    return escaped(json.dumps(value, ensure_ascii=False, allow_nan=False))


def escaped(json_line: str) -> str:
    """Return JSON with the characters written as escapes that a terminal would act upon."""
    return SURROGATES.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json_line.translate(_ESCAPED))
