"""Open zip files of documents (DOCX, EPUB) without trusting what they say of their size."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from answertrail.corpus.sources.outcome import SourceFault

MAX_MEMBERS = 20_000
MAX_MEMBER_BYTES = 64 * 1024 * 1024
MAX_TEXT_BYTES = 256 * 1024 * 1024
"""All XML and HTML members together, unpacked. Pictures do not count: they are never unpacked."""

_TEXT = (".xml", ".xhtml", ".html", ".htm", ".opf", ".rels", ".ncx")
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those that the formats allow. Of others zipfile unpacks whole blocks, whatever size is asked for."""
_PIECE_BYTES = 64 * 1024
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)


class Archive:
    """A zip file whose members are read within bounds. Raises SourceFault for a file that is none."""

    def __init__(self, path: Path, kind: str) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise SourceFault(f"not a readable {kind} file: {error}") from None
        self._kind = kind
        self.names = frozenset(self._zip.namelist())
        try:
            self._check(kind)
        except SourceFault:
            self.close()
            raise

    def _check(self, kind: str) -> None:
        infos = self._zip.infolist()
        if len(infos) > MAX_MEMBERS:
            raise SourceFault(f"the {kind} file holds more than {MAX_MEMBERS:,} parts")
        # `read` takes no more of a member than it states, so what is stated bounds it.
        if sum(info.file_size for info in infos if info.filename.lower().endswith(_TEXT)) > MAX_TEXT_BYTES:
            raise SourceFault(f"the {kind} file unpacks to more than {MAX_TEXT_BYTES // 2**20} MB of text")
        if any(info.flag_bits & 1 for info in infos):
            raise SourceFault(f"the {kind} file is encrypted with a password")

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def read(self, name: str) -> bytes:
        """Unpack one member. Raises SourceFault when it is missing, broken, over 64 MB or defines entities."""
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            raise SourceFault(f"the {self._kind} file holds no {name}") from None
        if info.file_size > MAX_MEMBER_BYTES:
            raise SourceFault(f"{name} unpacks to more than {MAX_MEMBER_BYTES // 2**20} MB")
        if info.compress_type not in _PACKED:
            raise SourceFault(f"{name} is packed in a way that no sound {self._kind} file is")
        try:
            raw = self._pieces(info)
        except Exception as error:  # noqa: BLE001 - zlib.error, BadZipFile, EOFError, ...: whatever the bytes bring about
            raise SourceFault(f"{name} cannot be unpacked: {error}") from None
        if _ENTITY.search(raw[:100_000]):
            # Neither format needs any, and a few lines of them expand to gigabytes.
            raise SourceFault(f"{name} defines entities, which no sound {self._kind} file does")
        return raw

    def _pieces(self, info: zipfile.ZipInfo) -> bytes:
        """Unpack a member a piece at a time: asked for all at once, zipfile unpacks first and then cuts to size."""
        out = bytearray()
        with self._zip.open(info) as member:
            while piece := member.read(_PIECE_BYTES):
                out += piece
        return bytes(out)
