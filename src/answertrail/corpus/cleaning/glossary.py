"""What speech recognition is known to mishear: `heard -> written`, from a file of the user's."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import reprlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from answertrail.corpus.cleaning.words import Word, words_of
from answertrail.errors import InputError, NotFoundError

_ARROW = re.compile(r"\s*(?:->|→)\s*")
# The loader lets the errors of its constructors through, as for `!!bool x`.
_YAML_ERRORS = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_HINT = "expected `heard -> written`, such as: cube net ease -> Kubernetes"


@dataclass(frozen=True, slots=True)
class Term:
    """One entry: what is heard, and what is to be written for it."""

    heard: str
    written: str

    def __str__(self) -> str:
        return f"{self.heard} -> {self.written}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A term found in a line: its words are those from `begin` to before `end`."""

    begin: int
    end: int
    term: Term


@dataclass(frozen=True)
class Glossary:
    """Terms in order of their text, each `heard` once. The empty one permits nothing."""

    terms: tuple[Term, ...] = ()

    @cached_property
    def hash(self) -> str:
        """`sha256:` over the terms, whatever file they came from; "" when there are none."""
        if not self.terms:
            return ""
        pairs = json.dumps([[term.heard, term.written] for term in self.terms])
        return "sha256:" + hashlib.sha256(pairs.encode()).hexdigest()

    def hits(self, words: Sequence[Word]) -> list[Hit]:
        """Return where terms are heard: from the left, the longest first, none inside another. Case is no matter."""
        out: list[Hit] = []
        place = 0
        keys = [word.key for word in words]
        while place < len(keys):
            end, term = self._at(keys, place)
            if term is not None:
                out.append(Hit(place, end, term))
            place = end
        return out

    def heard_in(self, texts: Iterable[str]) -> tuple[Term, ...]:
        """Return the terms that are heard in any of the texts, in their order."""
        found = {hit.term for text in texts for hit in self.hits(words_of(text))} if self.terms else set()
        return tuple(term for term in self.terms if term in found)

    def _at(self, keys: Sequence[str], place: int) -> tuple[int, Term | None]:
        for heard, term in self._by_first.get(keys[place], ()):
            if tuple(keys[place : place + len(heard)]) == heard:
                return place + len(heard), term
        return place + 1, None

    @cached_property
    def _by_first(self) -> dict[str, list[tuple[tuple[str, ...], Term]]]:
        out: dict[str, list[tuple[tuple[str, ...], Term]]] = {}
        for term in self.terms:
            heard = _keys(term.heard)
            out.setdefault(heard[0], []).append((heard, term))
        for entries in out.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        return out


def glossary_of(terms: Iterable[tuple[str, Term]]) -> Glossary:
    """Make a glossary of terms, each with the place it comes from.

    Raises InputError for a side without a word, and for something heard that is to be written in two ways.
    """
    known: dict[tuple[str, ...], Term] = {}
    for where, term in terms:
        heard = _keys(term.heard)
        if not heard or not words_of(term.written):
            raise InputError(f"{str(term)!r} has a side without a word", where=where, hint=_HINT)
        other = known.setdefault(heard, term)
        if other.written != term.written:
            raise InputError(
                f"{term.heard!r} is to be written {other.written!r} and {term.written!r}",
                where=where,
                hint="keep one of the two",
            )
    return Glossary(tuple(sorted(known.values(), key=lambda term: (term.heard, term.written))))


def read_glossary(path: Path) -> Glossary:
    """Read a glossary: YAML (`.yaml`, `.yml`), CSV (`.csv`), or plain lines `heard -> written`.

    YAML maps what is heard to what is written, or what is written to a list of what is heard. CSV
    has two columns, with or without the heading `heard,written`. In plain lines `#` begins a
    comment line. Raises NotFoundError and InputError, the latter with the line where one is to blame.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NotFoundError(f"the glossary cannot be read: {error.strerror}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("the glossary is not UTF-8", where=str(path), hint="save it as UTF-8") from error
    match path.suffix.lower():
        case ".yaml" | ".yml":
            return glossary_of(_yaml(text, str(path)))
        case ".csv":
            return glossary_of(_csv(text, str(path)))
    return glossary_of(_lines(text, str(path)))


def _lines(text: str, where: str) -> Iterator[tuple[str, Term]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        sides = _ARROW.split(line.strip())
        if len(sides) != 2:
            raise InputError(f"no glossary entry: {line.strip()[:80]!r}", where=f"{where}:{number}", hint=_HINT)
        yield f"{where}:{number}", _term(*sides)


def _csv(text: str, where: str) -> Iterator[tuple[str, Term]]:
    reader = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            heading = reader.line_num == 1 and [cell.lower() for cell in cells] == ["heard", "written"]
            if heading or not any(cells):
                continue
            if len(cells) != 2:
                hint = "expected two columns, heard and written"
                raise InputError(f"{len(cells)} columns", where=f"{where}:{reader.line_num}", hint=hint)
            yield f"{where}:{reader.line_num}", _term(*cells)
    except csv.Error as error:
        raise InputError(f"no CSV: {error}", where=f"{where}:{reader.line_num}") from error


def _yaml(text: str, where: str) -> Iterator[tuple[str, Term]]:
    hint = "expected `heard: written`, or `written:` with a list of what is heard; quote numbers, yes and no"
    try:
        value = yaml.safe_load(text)
    except _YAML_ERRORS as error:
        mark = getattr(error, "problem_mark", None)
        place = where if mark is None else f"{where}:{mark.line + 1}"
        raise InputError("the glossary is no YAML", where=place, hint=hint) from error
    if value is None:
        return
    if not isinstance(value, dict):
        raise InputError("the glossary is no mapping", where=where, hint=hint)
    for key, entry in value.items():
        heard = entry if isinstance(entry, list) else [key]
        written = key if isinstance(entry, list) else entry
        for one in heard:
            if not isinstance(one, str) or not isinstance(written, str):
                # reprlib, since with aliases a few lines of YAML can be gigabytes of text.
                said = f"no glossary entry: {reprlib.repr(key)}: {reprlib.repr(entry)}"
                raise InputError(said, where=where, hint=hint)
            yield where, _term(one, written)


def _term(heard: str, written: str) -> Term:
    return Term(" ".join(heard.split()), " ".join(written.split()))


def _keys(text: str) -> tuple[str, ...]:
    return tuple(word.key for word in words_of(text))
