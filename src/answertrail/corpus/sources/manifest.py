"""Find what a manifest `episodes.jsonl` says about a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from answertrail.corpus.sources.facts import Facts, from_manifest, parse_object
from answertrail.corpus.sources.loading import display, raw_lines
from answertrail.corpus.sources.outcome import Failure, SourceFault

MANIFEST = "episodes.jsonl"
LEVELS_UP = 2
"""A manifest is looked for beside a file, in the folder above, and in the one above that."""

_PATH_FIELDS = ("file", "transcript", "srt", "vtt", "shownotes")
_NOTES_FIELDS = frozenset({"shownotes"})


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a manifest: its facts, and its canonical JSON for the fingerprint.

    `about_notes`: the line names the file as notes to a recording, not as its words.
    """

    number: int
    facts: Facts
    canonical: str
    about_notes: bool = False


@dataclass(slots=True)
class Manifests:
    """All manifests met; each is read once. `failed` collects their bad lines."""

    failed: list[Failure] = field(default_factory=list)
    _read: dict[Path, Mapping[str, Row]] = field(default_factory=dict)

    def row_for(self, path: Path, key: str) -> tuple[Path, Row] | None:
        """Return the nearest manifest that names the file, and its line.

        A line names a file by its path relative to the manifest, or by `prefix` or `video_id`
        equal to the document key.
        """
        folder = path.parent
        for _ in range(LEVELS_UP + 1):
            rows = self._rows(folder)
            if rows:
                inside = PurePosixPath(os.path.relpath(path, folder)).as_posix()
                row = rows.get(f"path:{inside}") or rows.get(f"key:{key}")
                if row is not None:
                    return folder / MANIFEST, row
            if folder.parent == folder:
                break
            folder = folder.parent
        return None

    def _rows(self, folder: Path) -> Mapping[str, Row]:
        if folder not in self._read:
            path = folder / MANIFEST
            try:
                there = path.is_file()
            except OSError:
                there = False
            self._read[folder] = dict(self._load(path)) if there else {}
        return self._read[folder]

    def _load(self, path: Path) -> Iterator[tuple[str, Row]]:
        source = display(path)
        try:
            for number, raw in raw_lines(path):
                if raw is not None and not raw.strip():
                    continue
                try:
                    if raw is None:
                        raise SourceFault("the line is too long")
                    value = parse_object(raw.decode("utf-8-sig"))
                except (SourceFault, UnicodeDecodeError) as error:
                    self.failed.append(Failure(source, number, f"manifest: {error}"))
                    continue
                if value.get("schema") == "document/1":
                    # Somebody's documents happen to be called so: no manifest.
                    return
                yield from _keys(value, number)
        except SourceFault as fault:
            self.failed.append(Failure(source, fault.line, f"manifest: {fault.reason}"))


def _keys(value: Mapping[str, Any], number: int) -> Iterator[tuple[str, Row]]:
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    facts = from_manifest(value)
    for name in _PATH_FIELDS:
        named = value.get(name)
        if isinstance(named, str) and named:
            row = Row(number, facts, canonical, about_notes=name in _NOTES_FIELDS)
            yield f"path:{PurePosixPath(named).as_posix()}", row
    for name in ("prefix", "video_id"):
        named = value.get(name)
        if isinstance(named, str) and named:
            yield f"key:{named}", Row(number, facts, canonical)
