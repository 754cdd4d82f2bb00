"""What Postgres cannot hold, found before it is sent."""

from __future__ import annotations

import json
import re
from typing import Any

from answertrail.errors import InputError

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def check_storable(value: Any, *, where: str) -> str:
    """Return a JSON value as text; InputError when it holds a NUL or half a surrogate pair."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if _NUL.search(text):
        raise InputError("holds a NUL character (U+0000)", where=where, hint="remove it from the source")
    if not is_unicode(text):
        raise InputError("holds half a surrogate pair", where=where, hint="save the source as UTF-8")
    return text


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
