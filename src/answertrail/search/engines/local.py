"""What a served corpus keeps beside its engine: the catalogue, and the words where the engine has none.

They are files that can be rebuilt, in `cache/engines/<place>`; a broken or missing one is.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path

from answertrail.search.engines.catalogue import Catalogue
from answertrail.search.lexical import LexicalIndex
from answertrail.search.load import CACHE_VERSION, chunk_row, lexical_index
from answertrail.settings import Settings
from answertrail.store import chunks, snapshot_rows
from answertrail.store.connection import Connection
from answertrail.store.rows import Corpus

_CATALOGUE = "catalogue.npz"
_WHOLE = "whole"


def folder_of(settings: Settings, place: str) -> Path:
    """Return where the files of a place are; another version of tokens or files has another folder."""
    return settings.cache / "engines" / f"{place}-{CACHE_VERSION}"


async def load_or_make(
    conn: Connection, corpus: Corpus, settings: Settings, place: str, *, words: bool
) -> tuple[Catalogue, LexicalIndex | None]:
    """Return catalogue and words (None unless wanted) as the caller's transaction sees the corpus.

    The transaction must be one of `db.reading()`, of the state that the place was filled from.
    """
    folder = folder_of(settings, place)
    try:
        if (folder / _WHOLE).exists():
            return Catalogue.load(folder / _CATALOGUE), LexicalIndex.load(folder) if words else None
    except (OSError, ValueError, KeyError, EOFError):
        pass
    catalogue = Catalogue.of(await snapshot_rows.held_in(conn, corpus))
    lexical = None
    if words:
        lexical = lexical_index([chunk_row(stored) for stored in await chunks.chunk_table_in(conn, corpus)])
    _save(folder, catalogue, lexical)
    return catalogue, lexical


def _save(folder: Path, catalogue: Catalogue, lexical: LexicalIndex | None) -> None:
    """Write by an atomic rename. A full disk costs speed, not the search."""
    scratch: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
        catalogue.save(scratch / _CATALOGUE)
        if lexical is not None:
            lexical.save(scratch)
        (scratch / _WHOLE).touch()
        shutil.rmtree(folder, ignore_errors=True)
        scratch.replace(folder)
    except OSError:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def sweep(settings: Settings, gone: Collection[str]) -> None:
    """Remove the files of places that were dropped."""
    for place in gone:
        for folder in (settings.cache / "engines").glob(f"{place}-*"):
            with contextlib.suppress(OSError):
                shutil.rmtree(folder)
