"""File formats that a converter turns into text: the registry, and what a converter gives.

A format is one module with one function, `convert(path) -> Converted`; docs/adding-a-source.md
builds one from nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from answertrail.corpus.sources.facts import Facts


@dataclass(frozen=True, slots=True)
class Converted:
    """The text of a file and what the file says about itself.

    `text` is plain, with `# ` before headings and an empty line between paragraphs. `made_at` is
    when the file was made, a contract date, and `made_at_source` the field that says so: it counts
    as the document's date only when nothing else knows one. `notes` say what was guessed.
    """

    text: str
    facts: Facts = field(default_factory=Facts)
    made_at: str | None = None
    made_at_source: str | None = None
    notes: tuple[str, ...] = ()


Converter = Callable[[Path], Converted]
"""Reads one file. Raises SourceFault for a file that cannot be used, with the reason."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `suffixes` are lower case, with the dot.

    `convert` is `module:function`, imported and run in a process of its own with bounded time and
    memory (`worker`), as is right for files from anywhere; or a function, which runs here. `needs`
    are the packages it imports, and `extra` the extra of ours that brings them.
    """

    name: str
    suffixes: tuple[str, ...]
    convert: str | Converter
    needs: tuple[str, ...] = ()
    extra: str | None = None

    def missing(self) -> str | None:
        """Say what to install before this format can be read; None when nothing is missing."""
        absent = [name for name in self.needs if importlib.util.find_spec(name) is None]
        if not absent:
            return None
        what = f"pip install 'answertrail[{self.extra}]'" if self.extra else f"pip install {' '.join(absent)}"
        return f"{self.name} is read with {', '.join(absent)}, which is not installed: {what}"


_HERE = "answertrail.corpus.sources"
FORMATS = [
    Format(
        "HTML",
        (".html", ".htm", ".xhtml", ".mhtml", ".mht"),
        f"{_HERE}.html:convert",
        ("lxml", "trafilatura"),
        "documents",
    ),
    Format("EPUB", (".epub",), f"{_HERE}.epub:convert", ("lxml",), "documents"),
    Format("DOCX", (".docx",), f"{_HERE}.docx:convert", ("lxml", "mammoth"), "documents"),
    Format("PDF", (".pdf",), f"{_HERE}.pdf:convert", ("pypdf",), "documents"),
]
"""Best first: of several files of one document the one whose text is most surely whole is read."""


def format_of(path: Path) -> Format | None:
    """The format of a file by its suffix; None when no converter is needed, or none is known."""
    suffix = path.suffix.lower()
    return next((known for known in FORMATS if suffix in known.suffixes), None)


def loaded(convert: str) -> Converter:
    """Import a converter by its `module:function`."""
    module, _, function = convert.partition(":")
    found: Converter = getattr(importlib.import_module(module), function)
    return found
