"""Writes a dump: member after member, each counted and summed, the whole put in place at the end."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from answertrail.corpus.dump_format import LONGEST_LINE, MANIFEST, Manifest, Member
from answertrail.corpus.dump_place import check_target, draft_of
from answertrail.errors import InputError

# Of every file in the zip: the same state must give the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
# Some readers take these for the end of a line.
_LINE_ENDS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u0085\u2028\u2029"}
_ANYONE_MAY_READ = 0o100644 << 16


class MemberWriter:
    """One member while it is written."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self._name = name
        self._stream = stream
        self._sum = hashlib.sha256()
        self._bytes = 0
        self._rows = 0

    def write(self, data: bytes, rows: int = 0) -> None:
        """Append bytes that hold so many rows."""
        self._stream.write(data)
        self._sum.update(data)
        self._bytes += len(data)
        self._rows += rows

    def line(self, text: str) -> None:
        """Append one row as a line."""
        data = text.encode("utf-8") + b"\n"
        if len(data) > LONGEST_LINE:
            raise InputError(f"a line of {len(data):,} bytes is longer than a dump may hold", where=self._name)
        self.write(data, 1)

    def json_line(self, value: dict[str, Any]) -> None:
        """Append one row as a JSON object."""
        self.line(json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS))

    def entry(self) -> Member:
        """Return what the manifest says of it."""
        return Member(name=self._name, sha256=self._sum.hexdigest(), bytes=self._bytes, rows=self._rows)


class DumpWriter:
    """A zip while it is written; `members` are the entries of those that are complete."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.members: list[Member] = []

    @contextmanager
    def member(self, name: str, *, packed: bool = True) -> Iterator[MemberWriter]:
        """Yield the writer of the next member; `packed` says whether its bytes are deflated."""
        with self._open(name, packed) as stream:
            writer = MemberWriter(name, stream)
            yield writer
        self.members.append(writer.entry())

    def manifest(self, manifest: Manifest) -> None:
        """Write the last member."""
        text = json.dumps(manifest.as_json(), ensure_ascii=False, indent=1) + "\n"
        with self._open(MANIFEST, packed=True) as stream:
            stream.write(text.encode("utf-8"))

    def _open(self, name: str, packed: bool) -> IO[bytes]:
        info = zipfile.ZipInfo(name, _DATE)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.create_system = 3
        info.external_attr = _ANYONE_MAY_READ
        return self._archive.open(info, "w", force_zip64=True)


@contextmanager
def writing(path: Path) -> Iterator[DumpWriter]:
    """Yield the writer of a dump; the file is there, or in place of an older one, only when all went well.

    Raises InputError where a file is there that is no dump, OSError, naming `path`.
    """
    try:
        target = path.resolve()
        check_target(path)
        with draft_of(target) as stream, zipfile.ZipFile(stream, "w") as archive:
            yield DumpWriter(archive)
    except OSError as error:
        # The draft's name means nothing to whoever asked for the file.
        raise type(error)(error.errno, error.strerror, str(path)) from None
