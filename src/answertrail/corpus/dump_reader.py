"""Reads a dump that anyone may have made: nothing is unpacked to disk, and no more is read than was announced."""

from __future__ import annotations

import errno
import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

import numpy as np

from answertrail.corpus import dump_format
from answertrail.corpus.dump_format import LONGEST_LINE, MANIFEST, Manifest, read_manifest
from answertrail.corpus.report import Progress
from answertrail.errors import InputError
from answertrail.records.jsonl import loads
from answertrail.store import vector_rows
from answertrail.store.vector_rows import Block

_BLOCK = 2**20
_MOST_MANIFEST = 2**20
_MOST_HEADER = 4096
# Text of a corpus shrinks to a third or a tenth; what grows by more than this was made to fill a disk.
_MOST_GROWTH = 200
_ALWAYS_ALLOWED = 64 * 2**20
_HINT = "the file was damaged or changed after it was written; take another copy of it"
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OverflowError,
    RuntimeError,
    NotImplementedError,
    ValueError,
)


class DumpFile:
    """An open dump; its manifest is checked, its members are not until `check` has read them.

    Raises InputError for a file that is no whole dump, MismatchError for a newer format, OSError
    for one that cannot be opened. `where` of an error is the file and the member.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: IO[bytes] = path.open("rb")
        try:
            self._archive = self._opened()
            self.manifest: Manifest = self._manifest()
            self._check_size()
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()
        self._stream.close()

    def where(self, name: str, line: int | None = None) -> str:
        """Name a member, or a line of it."""
        return f"{self.path}: {name}" + ("" if line is None else f":{line}")

    def check(self, progress: Progress) -> None:
        """Read every member once; InputError names the first that is not what the manifest says."""
        progress.begin("checking", len(self.manifest.members))
        for member in self.manifest.members:
            digest, size = hashlib.sha256(), 0
            with self._member(member.name) as stream:
                while block := stream.read(_BLOCK):
                    size += len(block)
                    if size > member.bytes:
                        break
                    digest.update(block)
            if size != member.bytes:
                much = "more" if size > member.bytes else f"{size:,}"
                raise InputError(
                    f"the member holds {much} and not {member.bytes:,} bytes", where=self.where(member.name), hint=_HINT
                )
            if digest.hexdigest() != member.sha256:
                raise InputError(
                    "the member is not what was written: its SHA-256 differs from the manifest's",
                    where=self.where(member.name),
                    hint=_HINT,
                )
            progress.advance()
        progress.end()

    def lines(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield each line of a member with where it stands; InputError when it has others than announced."""
        expected, number = self.manifest.member(name), 0
        with self._member(name) as stream, io.BufferedReader(cast(io.RawIOBase, stream), _BLOCK) as lines:
            while raw := lines.readline(LONGEST_LINE + 1):
                number += 1
                if len(raw) > LONGEST_LINE:
                    raise InputError("the line is too long", where=self.where(name, number))
                try:
                    yield self.where(name, number), raw.decode("utf-8").removesuffix("\n")
                except UnicodeDecodeError as error:
                    message = f"byte {error.start} of the line is not UTF-8"
                    raise InputError(message, where=self.where(name, number)) from None
        if number != expected.rows:
            raise InputError(f"the member has {number:,} and not {expected.rows:,} lines", where=self.where(name))

    def values(self, name: str) -> Iterator[tuple[str, Any]]:
        """Yield each JSON value of a member with where it stands."""
        for place, line in self.lines(name):
            try:
                value = loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"not valid JSON: {error}", where=place) from None
            yield place, value

    def vectors(self) -> Iterator[tuple[list[str], Block]]:
        """Yield the hashes of some texts and their vectors, a block at a time."""
        dims = self.manifest.corpus.embedder.dims
        kind, hashes = vector_rows.stored_type(dims), self._hashes()
        left = self.manifest.member(dump_format.HASHES).rows
        with self._member(dump_format.VECTORS) as stream:
            self._check_header(stream, (left, dims), kind)
            while left:
                rows = min(left, vector_rows.rows_at_once(dims))
                data = stream.read(rows * dims * kind.itemsize)
                if len(data) < rows * dims * kind.itemsize:
                    raise InputError("the vectors end too early", where=self.where(dump_format.VECTORS))
                block = np.frombuffer(data, dtype=kind).reshape(rows, dims)
                yield [next(hashes) for _ in range(rows)], block
                left -= rows
            if stream.read(1):
                raise InputError("more follows after the vectors", where=self.where(dump_format.VECTORS))
        for _ in hashes:  # so that its lines are counted
            pass

    def _hashes(self) -> Iterator[str]:
        before = ""
        for place, line in self.lines(dump_format.HASHES):
            digits = line.removeprefix("sha256:")
            if len(line) != 71 or len(digits) != 64 or set(digits) - set("0123456789abcdef"):
                raise InputError("expected sha256: and 64 hexadecimal digits", where=place)
            if line <= before:
                raise InputError("the hashes are not in order, or one is given twice", where=place)
            before = line
            yield line

    def _check_header(self, stream: IO[bytes], shape: tuple[int, int], kind: np.dtype[Any]) -> None:
        where = self.where(dump_format.VECTORS)
        try:
            if np.lib.format.read_magic(stream) != (1, 0):
                raise ValueError("not version 1.0")
            found, fortran, number = np.lib.format.read_array_header_1_0(stream, max_header_size=_MOST_HEADER)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
            raise InputError(f"not an .npy file: {str(error)[:100]}", where=where) from None
        if (found, fortran, number) != (shape, False, kind):
            raise InputError(f"expected an array of shape {shape} of {kind.str}, got {found} of {number}", where=where)

    def _opened(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._stream)
        except (*_BROKEN, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise
            raise InputError(
                "not a whole dump: it is no zip file, or its end is missing", where=str(self.path), hint=_HINT
            ) from None

    def _manifest(self) -> Manifest:
        found = self._archive.namelist()
        if len(set(found)) != len(found):
            raise InputError("the file holds two members of one name", where=str(self.path))
        if MANIFEST not in found:
            raise InputError(
                f"not a dump: it holds no {MANIFEST}", where=str(self.path), hint="`answertrail corpus dump` makes one"
            )
        with self._member(MANIFEST) as stream:
            raw = stream.read(_MOST_MANIFEST + 1)
        if len(raw) > _MOST_MANIFEST:
            raise InputError("the manifest is too long", where=self.where(MANIFEST))
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("the manifest is not UTF-8", where=self.where(MANIFEST)) from None
        manifest = read_manifest(text, where=self.where(MANIFEST))
        named = {member.name for member in manifest.members}
        if missing := sorted(named - set(found)):
            raise InputError("the member is missing", where=self.where(missing[0]), hint=_HINT)
        if strange := sorted(set(found) - named - {MANIFEST}):
            raise InputError("the manifest does not name this member", where=self.where(repr(strange[0])[:100]))
        return manifest

    def _check_size(self) -> None:
        announced = sum(member.bytes for member in self.manifest.members)
        size = self.path.stat().st_size
        if announced > max(_ALWAYS_ALLOWED, _MOST_GROWTH * size):
            raise InputError(
                f"its {size:,} bytes would unpack to {announced:,}, more than {_MOST_GROWTH} times as many",
                where=str(self.path),
                hint="this is no dump of a corpus; do not restore it",
            )

    @contextmanager
    def _member(self, name: str) -> Iterator[IO[bytes]]:
        """Open a member; what the zip finds wrong with it is said as a fault of this member."""
        try:
            info = self._archive.getinfo(name)
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise InputError("the member is encrypted, or packed in an unknown way", where=self.where(name))
            with self._archive.open(info) as stream:
                yield stream
        except OSError as error:
            # A place in the file that cannot be is the file's fault; anything else is the disk's.
            if error.errno != errno.EINVAL:
                raise
            raise InputError("the member is damaged: it is nowhere", where=self.where(name), hint=_HINT) from None
        except _BROKEN as error:
            message = f"the member is damaged: {str(error)[:100]}"
            raise InputError(message, where=self.where(name), hint=_HINT) from None
