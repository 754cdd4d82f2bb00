"""A file that may become a document, and what its sidecars say about it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from answertrail.corpus.source_walk import Found
from answertrail.corpus.sources import facts as sidecars
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.group import Kind
from answertrail.corpus.sources.languages import split_language
from answertrail.corpus.sources.loading import display
from answertrail.corpus.sources.manifest import Manifests, Row
from answertrail.corpus.sources.names import video_id
from answertrail.corpus.sources.outcome import Failure, SourceFault


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that may become a document, with the facts of its sidecars."""

    path: Path
    source: str
    kind: Kind
    key: str
    facts: Facts
    sidecars: tuple[Path, ...]
    row: Row | None
    manifest: Path | None


def described(item: Found, kind: Kind, manifests: Manifests, failed: list[Failure]) -> SourceFile:
    """Gather the sidecars of a file: `.info.json` first, then `*_meta.json`, then the manifest."""
    path = item.path
    key = document_key(path)
    base, language = split_language(key)
    facts = Facts()
    used: list[Path] = []
    video = video_id(base)
    # A video's sidecar may be named by its id alone, whatever its captions are called.
    for stem in dict.fromkeys((key, base, *((video,) if video else ()))):
        info = path.with_name(f"{stem}.info.json")
        meta = path.with_name(f"{stem}_meta.json")
        for sidecar in (info, meta):
            if not _is_file(sidecar):
                continue
            try:
                data = sidecars.load_object(sidecar)
            except SourceFault as fault:
                failure = Failure(display(sidecar), fault.line, f"sidecar: {fault.reason}")
                if failure not in failed:
                    failed.append(failure)
                continue
            used.append(sidecar)
            known = (
                sidecars.from_info(data, language if kind == "captions" else None)
                if sidecar == info
                else sidecars.from_meta(data)
            )
            facts = facts.or_else(known)
    named = manifests.row_for(path, key) or manifests.row_for(path, base)
    manifest, row = named if named else (None, None)
    if row is not None:
        facts = facts.or_else(_for_notes(row) if row.about_notes else row.facts)
    return SourceFile(path, item.source, kind, key, facts, tuple(used), row, manifest)


def _for_notes(row: Row) -> Facts:
    """Notes to a recording share its title, date and page, not its captions or length."""
    return replace(row.facts, captions=None, duration_s=None)


def document_key(path: Path) -> str:
    """The stem without a trailing `_transcript`, in composed Unicode (macOS decomposes names)."""
    stem = path.stem.removesuffix("_transcript").strip() or path.stem.strip() or path.name
    return unicodedata.normalize("NFC", display(stem))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
