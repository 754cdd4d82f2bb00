"""What a served corpus keeps beside its engine: the catalogue, and the words the engine has not.

They are files that can be rebuilt, in `cache/engines/<place>-<version>`; a broken, missing or
foreign one is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from answertrail.search import checked
from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.engines.document_votes import document_index
from answertrail.search.hits import ChunkRow
from answertrail.search.lexical import LexicalIndex
from answertrail.search.load import CACHE_VERSION, chunk_row, lexical_index
from answertrail.settings import Settings
from answertrail.store import chunks, snapshot_rows
from answertrail.store.connection import Connection
from answertrail.store.rows import Corpus
from answertrail.store.search_indexes import SearchIndex

_CATALOGUE = "catalogue.npz"
_KEPT = 3
"""Folders kept of a corpus and engine: other processes may have older ones open."""
_OWNER = re.compile(r"(.+_c?\d+)(?:_[0-9a-f]{12}_\d+_\d+)?_[0-9a-f]{8}-[^-]+")


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The catalogue, and BM25: a row a chunk where `words` says so, else a row a document of the catalogue."""

    catalogue: Catalogue
    lexical: LexicalIndex
    words: bool


def folder_of(settings: Settings, place: str) -> Path:
    """Return where the files of a place are; another version of tokens or files has another folder."""
    return _root(settings) / f"{place}-{CACHE_VERSION}"


def _root(settings: Settings) -> Path:
    return settings.cache / "engines"


async def load_or_make(
    conn: Connection, corpus: Corpus, settings: Settings, record: SearchIndex, *, words: bool
) -> Held:
    """Return what is kept of a place as the caller's transaction sees the corpus.

    `words` asks for BM25 of every chunk; without it there is BM25 of whole documents alone. The
    transaction must be one of `db.reading()`, of the state that the place was filled from.
    """
    folder = folder_of(settings, record.place)
    held = await asyncio.to_thread(_load, folder, words)
    if held is not None and (len(held.catalogue), int(held.catalogue.has_vector.sum())) == (
        record.chunks,
        record.vectors,
    ):
        return held
    catalogue = Catalogue.of(await snapshot_rows.held_in(conn, corpus))
    rows = [chunk_row(stored) for stored in await chunks.chunk_table_in(conn, corpus)]
    held = await asyncio.to_thread(_make, catalogue, rows, words)
    await asyncio.to_thread(_save, folder, held)
    return held


def _load(folder: Path, words: bool) -> Held | None:
    if not checked.is_whole(folder):
        return None
    try:
        held = Held(Catalogue.load(folder / _CATALOGUE), LexicalIndex.load(folder), words)
    except checked.BROKEN:
        return None
    catalogue = held.catalogue
    return held if held.lexical.rows == len(catalogue if words else catalogue.documents) else None


def _make(catalogue: Catalogue, rows: Sequence[ChunkRow], words: bool) -> Held:
    return Held(catalogue, lexical_index(rows) if words else document_index(catalogue, rows), words)


def _save(folder: Path, held: Held) -> None:
    def write(scratch: Path) -> None:
        held.catalogue.save(scratch / _CATALOGUE)
        held.lexical.save(scratch)

    checked.save(folder, write)
    _thin_out(folder.parent, folder.name)


def _thin_out(root: Path, name: str) -> None:
    """Remove all but the newest folders of the corpus and engine that `name` is of, and what was left half made."""
    owner = _owner(name)
    checked.remove([path for path in checked.newest_first(root) if owner and _owner(path.name) == owner][_KEPT:])


def _owner(name: str) -> str | None:
    """Return what the folders of one corpus and engine begin with, None for a name that is not one of theirs."""
    found = _OWNER.fullmatch(name)
    return found[1] if found else None


def sweep(settings: Settings, gone: Collection[str]) -> None:
    """Remove the files of places that were dropped."""
    root = _root(settings)
    checked.remove(path for path in checked.newest_first(root) if path.name.rpartition("-")[0] in set(gone))
