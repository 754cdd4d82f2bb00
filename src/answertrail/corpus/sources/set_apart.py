"""Folders and files within a source that programs keep for themselves: they are no documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

# The folder that a browser saves beside a "complete page", in the languages it is named in.
_PAGE_PARTS = ("_files", ".files", "-Dateien", "_fichiers", "_archivos", "_arquivos", "_bestanden", "-filer")
_PAGES = (".html", ".htm", ".xhtml")
_TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)
_DRAWING = ".excalidraw.md"
_MAX_SETTINGS = 1024 * 1024


def set_apart(folder: Path, names: Sequence[str]) -> set[Path]:
    """Return what to leave out below `folder`, of whose entries `names` are the names.

    The parts of a page saved whole, frames and advertisements, beside that page; in an Obsidian
    vault the folder of templates that its settings name, and drawings; in a Logseq graph the
    program's own folder, with its copies of every page.
    """
    out: set[Path] = set()
    pages = {name.rpartition(".")[0] for name in names if name.lower().endswith(_PAGES)}
    for name in names:
        if any(
            name.endswith(part) and name.removesuffix(part) in pages for part in _PAGE_PARTS
        ) or name.lower().endswith(_DRAWING):
            out.add(folder / name)
    if ".obsidian" in names:
        out.update(_templates(folder))
    if "logseq" in names and (folder / "logseq" / "config.edn").exists():
        out.add(folder / "logseq")
    return out


def _templates(vault: Path) -> Iterator[Path]:
    for place, key in _TEMPLATES:
        value = _settings(vault / place).get(key)
        inside = PurePosixPath(value.strip().strip("/")) if isinstance(value, str) else PurePosixPath()
        if inside.parts and ".." not in inside.parts:
            yield vault / inside


def _settings(path: Path) -> dict[str, Any]:
    """Read a settings file; one that is missing or broken says nothing."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_SETTINGS:
            return {}
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
