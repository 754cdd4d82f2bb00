"""PDF files with text in them. A scanned page is a picture, and no text is made of it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pypdf
from pypdf.errors import DependencyError, PyPdfError

from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.formats import Converted
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import language_tag, storable

MAX_PAGES = 5000

_SPLIT_WORD = re.compile(r"([^\W\d_]{2,40})-\n([^\W\d_]{2,40})")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SPACE = re.compile(r"[^\S\n]+")
# Letters set as one piece of type: `misﬁts` would not be found as `misfits`.
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# What programs write when nobody gave a title.
_NO_TITLE = re.compile(
    r"untitled.*|(?:microsoft )?(?:word|powerpoint|excel)\b.*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|qxd|pdf|rtf|odt)"
    r"|document\d*|presentation\d*|(?:slide|page|seite) ?\d+|title|print|layout \d+",
    re.IGNORECASE,
)


def convert(path: Path) -> Converted:
    """Read a PDF; `meta["page_starts"]` are the character offsets at which its pages begin.

    Raises SourceFault for one that is encrypted, broken, longer than 5,000 pages, or without text.
    """
    try:
        with pypdf.PdfReader(path) as reader:
            return _read(reader)
    except DependencyError:
        raise SourceFault("encrypted with AES: pip install 'answertrail[documents]'") from None
    except (PyPdfError, RecursionError) as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise SourceFault(f"not a readable PDF file: {said}") from None


def _read(reader: pypdf.PdfReader) -> Converted:
    # Many files are locked against printing only, and open with the empty password.
    if reader.is_encrypted and not reader.decrypt(""):
        raise SourceFault("the PDF file is encrypted with a password")
    count = len(reader.pages)
    if count > MAX_PAGES:
        raise SourceFault(f"the PDF file has {count:,} pages, more than {MAX_PAGES:,}")
    pages: list[str] = []
    bad: list[int] = []
    for number in range(count):
        try:
            pages.append(_tidy(reader.pages[number].extract_text()))
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - one broken page must not lose the others
            bad.append(number + 1)
            pages.append("")
    if not any(pages):
        if bad:
            raise SourceFault("none of its pages can be read")
        raise SourceFault("holds no text (scanned?)")
    text, starts = _joined(pages)
    facts, made, notes = _metadata(reader)
    empty = sum(not page for page in pages) - len(bad)
    if bad:
        notes.append(f"{len(bad)} of {count} pages cannot be read: {_some(bad)}")
    if empty:
        notes.append(f"{empty} of {count} pages hold no text (pictures?)")
    return Converted(
        text,
        replace(facts, meta={**facts.meta, "page_starts": starts}),
        made_at=made,
        made_at_source="PDF CreationDate" if made else None,
        notes=tuple(notes),
    )


def _tidy(text: str) -> str:
    plain = storable(text).translate(_LIGATURES).replace("\r", "\n").replace("\u00ad\n", "-\n")
    lines = [_SPACE.sub(" ", line).strip() for line in plain.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _joined(pages: Sequence[str]) -> tuple[str, list[int]]:
    """Join pages and mend words cut at line ends. Returns the text and the start of each page."""
    known = {word.casefold() for page in pages for word in _WORD.findall(page)}

    def mended(match: re.Match[str]) -> str:
        first, second = match[1], match[2]
        # A hyphen that stands elsewhere within a line belongs to the word; so does one before a capital.
        if f"{first}-{second}".casefold() in known or not second[0].islower():
            return f"{first}-{second}"
        return f"{first}{second}"

    parts: list[str] = []
    starts: list[int] = []
    at = 0
    for page in pages:
        fixed = _SPLIT_WORD.sub(mended, page)
        starts.append(at)
        if fixed:
            parts.append(fixed)
            at += len(fixed) + 2
    return "\n\n".join(parts), starts


def _metadata(reader: pypdf.PdfReader) -> tuple[Facts, str | None, list[str]]:
    notes: list[str] = []
    title = author = subject = None
    made: str | None = None
    try:
        info = reader.metadata
        if info is not None:
            title, author, subject = _clean(info.title), _clean(info.author), _clean(info.subject)
            created: datetime | None = info.creation_date
            made = contract_date(created)
    except Exception as error:  # noqa: BLE001 - its metadata is no reason to lose the text
        notes.append(f"the file's metadata cannot be read: {type(error).__name__}")
    if title and _NO_TITLE.fullmatch(title):
        title = None
    language = None
    with contextlib.suppress(Exception):
        language = _clean(reader.root_object.get("/Lang"))
    return (
        Facts(
            title=title,
            description=subject,
            language=language_tag(language),
            meta={"authors": [author]} if author else {},
        ),
        made,
        notes,
    )


def _clean(value: object) -> str | None:
    return " ".join(storable(str(value)).replace("\ufffd", " ").split())[:1000] or None if value else None


def _some(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return f"{shown}, ..." if len(numbers) > 10 else shown
