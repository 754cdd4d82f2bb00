"""What a translated query is, and where translations are remembered."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answertrail.models.chat.base import ChatReply


@dataclass(frozen=True, slots=True)
class Translation:
    """A query in another language (a primary subtag), and the model whose words it is in."""

    language: str
    text: str
    model: str

    def as_json(self) -> dict[str, str]:
        """Return it as `search --json` and a run's `meta` show it."""
        return {"language": self.language, "text": self.text, "model": self.model}


@dataclass(frozen=True, slots=True)
class Translated:
    """The translations of one query, what could not be translated and why, and the calls it took.

    `calls` holds the reply of each call of the model, None where it failed and its cost is not
    known; a translation that was remembered took none.
    """

    translations: tuple[Translation, ...] = ()
    warnings: tuple[str, ...] = ()
    calls: tuple[ChatReply | None, ...] = ()


class TranslationCache:
    """Remembers translations in memory and, with a folder, on disk, one file each.

    A key holds all that a translation depends on. A file that cannot be read or written, or whose
    text is empty, is as if it were not there.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}

    def get(self, key: Sequence[str]) -> str | None:
        """Return what was kept under a key, None when nothing was."""
        name = _name(key)
        if name not in self._known and self._folder is not None:
            with contextlib.suppress(OSError, ValueError, RecursionError):
                kept: Any = json.loads((self._folder / name).read_text(encoding="utf-8"))
                text = kept.get("text") if isinstance(kept, dict) and kept.get("key") == list(key) else None
                if isinstance(text, str) and text.strip():
                    self._known[name] = text
        return self._known.get(name)

    def put(self, key: Sequence[str], text: str) -> None:
        """Keep a translation, on disk by an atomic rename."""
        name = _name(key)
        self._known[name] = text
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            number, scratch = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as stream:
                json.dump({"key": list(key), "text": text}, stream, ensure_ascii=False)
            Path(scratch).replace(self._folder / name)


def _name(key: Sequence[str]) -> str:
    return hashlib.sha256(repr(tuple(key)).encode("utf-8", "backslashreplace")).hexdigest() + ".json"
