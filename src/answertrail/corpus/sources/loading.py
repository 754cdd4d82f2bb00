"""From a file to text, with bounded memory: what is too big, binary or empty is refused."""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from charset_normalizer import from_bytes

from answertrail.corpus.sources.legacy import reconsidered
from answertrail.corpus.sources.outcome import SourceFault

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_FILE_BYTES = 256 * 1024 * 1024
_BLOCK = 1024 * 1024
_GUESS_BYTES = 64 * 1024
# UTF-32 before UTF-16: the little-endian mark of the first begins with that of the second.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text with `\\n` line ends and no byte-order mark, and notes about the guess."""

    text: str
    notes: tuple[str, ...] = ()


def load(path: Path) -> Text:
    """Read and decode a text file.

    Raises SourceFault for a file that is missing, unreadable, not regular, empty, over 256 MB,
    has a line over 4 MB, or is binary.
    """
    return decode(b"".join(_checked_blocks(path)))


def head(path: Path, size: int = _GUESS_BYTES) -> str:
    """Decode the first `size` bytes for a look at the layout; a cut character is dropped.

    Raises SourceFault as `load` does, except for faults further on.
    """
    with _opened(path) as stream:
        try:
            raw = stream.read(size)
        except OSError as error:
            raise SourceFault(_why(error)) from None
    if len(raw) == size:
        wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        cut = raw.rfind(b"\n") + 1
        raw = raw[: size - size % 4] if wide or cut == 0 else raw[:cut]
    return decode(raw).text


def fingerprint(paths: Iterable[Path], *, extra: str, text: Path | None = None) -> str:
    """Return `sha256:<hex>` over `extra` and the bytes of the files, in the order given.

    Raises SourceFault for a file that cannot be read or is too large, and as soon as the file
    `text` shows a line over 4 MB: it is refused without reading on.
    """
    digest = hashlib.sha256(extra.encode("utf-8", "surrogateescape"))
    for path in paths:
        inner = hashlib.sha256()
        for block in _checked_blocks(path, longest_line=MAX_LINE_BYTES if path == text else None):
            inner.update(block)
        digest.update(inner.digest())
    return "sha256:" + digest.hexdigest()


def raw_lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """Yield (number from 1, bytes without the newline) of each line; None for one over 4 MB.

    Only one line is in memory at a time. Raises SourceFault when the file cannot be read.
    """
    with _opened(path) as stream:
        number = 0
        while True:
            try:
                raw = stream.readline(MAX_LINE_BYTES + 1)
                too_long = len(raw) > MAX_LINE_BYTES
                while too_long and raw and not raw.endswith(b"\n"):
                    raw = stream.readline(_BLOCK)
            except OSError as error:
                raise SourceFault(_why(error), number + 1) from None
            if not raw and not too_long:
                return
            number += 1
            yield number, None if too_long else raw.rstrip(b"\r\n")


def decode(raw: bytes) -> Text:
    """Decode bytes: byte-order mark, then UTF-8, then a reported guess.

    Raises SourceFault for no bytes, for binary content and when no encoding fits.
    """
    if not raw.strip():
        raise SourceFault("the file is empty")
    for mark, name in _MARKS:
        if raw.startswith(mark):
            try:
                return _text(raw.decode(name), name)
            except UnicodeDecodeError as error:
                where = f"byte {error.start}"
                raise SourceFault(f"marked as {name.upper()} but {where} is not") from None
    if b"\0" in raw:
        hint = "; UTF-16 without a byte-order mark? save it as UTF-8" if _looks_wide(raw) else ""
        raise SourceFault(f"the file is binary (it holds NUL bytes){hint}")
    try:
        return _text(raw.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        broken = error.start
    damaged = raw.decode("utf-8", "replace")
    lost = damaged.count("\ufffd")
    if sum(not char.isascii() for char in damaged) > 10 * lost:
        plain = _text(damaged, "utf-8")
        return Text(plain.text, (f"{lost} bytes that are not UTF-8 were replaced by U+FFFD",))
    # Every non-ASCII byte is evidence; the ASCII between them only slows the guess down.
    evidence = _evidence(raw)
    best = from_bytes(evidence).best()
    if best is None:
        raise SourceFault(f"not UTF-8 (byte {broken}) and no other encoding fits")
    encoding = reconsidered(evidence, best.encoding)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        # The guess saw a part only; replacing is honest as long as it is said.
        text = raw.decode(encoding, "replace")
    note = f"not UTF-8 (byte {broken}); read as {encoding}, which is a guess"
    plain = _text(text, encoding)
    return Text(plain.text, (note, *plain.notes))


def _looks_wide(raw: bytes) -> bool:
    """Whether about every second byte is NUL, as in UTF-16 of a script whose letters have small numbers."""
    first, second = raw[:_GUESS_BYTES:2], raw[1:_GUESS_BYTES:2]
    few, many = sorted((first.count(0) / len(first), second.count(0) / max(1, len(second))))
    return few < 0.1 and many > 0.9


def _evidence(raw: bytes) -> bytes:
    """A part of the file that holds its first odd bytes, cut at line ends."""
    if len(raw) <= _GUESS_BYTES:
        return raw
    kept: list[bytes] = []
    size = 0
    for line in raw.split(b"\n"):
        if line.isascii():
            continue
        kept.append(line)
        size += len(line) + 1
        if size >= _GUESS_BYTES:
            break
    return b"\n".join(kept)[: 4 * _GUESS_BYTES]


def _text(text: str, encoding: str) -> Text:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise SourceFault(f"the file is binary (it holds NUL characters as {encoding})")
    if not text.strip():
        raise SourceFault("the file is empty")
    return Text(text)


def _checked_blocks(path: Path, longest_line: int | None = MAX_LINE_BYTES) -> Iterator[bytes]:
    with _opened(path) as stream:
        line = 1
        length = 0
        while True:
            try:
                block = stream.read(_BLOCK)
            except OSError as error:
                raise SourceFault(_why(error)) from None
            if not block:
                return
            if longest_line is not None:
                first, *others = block.split(b"\n")
                length += len(first)
                for other in others:
                    if length > longest_line:
                        break
                    line += 1
                    length = len(other)
                if length > longest_line:
                    raise SourceFault(f"the line is longer than {longest_line // 2**20} MB", line)
            yield block


class _opened:  # noqa: N801 - used like a function
    """Open a regular file of allowed size for reading bytes; a pipe or device is never opened."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> BufferedReader:
        try:
            status = self._path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise SourceFault("not a regular file")
            if status.st_size > MAX_FILE_BYTES:
                limit = MAX_FILE_BYTES // (1024 * 1024)
                size = status.st_size // (1024 * 1024)
                raise SourceFault(f"the file is larger than {limit} MB ({size} MB)")
            self._stream = self._path.open("rb")
        except OSError as error:
            raise SourceFault(_why(error)) from None
        except ValueError as error:
            raise SourceFault(str(error)) from None
        return self._stream

    def __exit__(self, *_: object) -> None:
        self._stream.close()


def _why(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def display(path: str | os.PathLike[str]) -> str:
    """Return a path as printable text; bytes that are no UTF-8 are shown as `\\xNN`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
