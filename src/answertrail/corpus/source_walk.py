"""Walk files and folders for what may be documents; loops, pipes and broken links included."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from answertrail.corpus.sources.group import kind_of, suffixes
from answertrail.corpus.sources.loading import display
from answertrail.corpus.sources.manifest import MANIFEST
from answertrail.corpus.sources.outcome import Failure, Skipped
from answertrail.corpus.sources.set_apart import set_apart
from answertrail.errors import InputError

_NEVER = ("README", "LICENSE", "LICENCE", "PROVENANCE", "SHA256SUMS")
_NEVER_STEMS = frozenset({"readme", "license", "licence"})
_SIDECARS = (".info.json", "_meta.json")


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a kind that can be read. `roots` are the sources it was found under.

    `explicit`: it was given itself, so its kind is not in doubt.
    """

    path: Path
    source: str
    roots: tuple[Path, ...]
    explicit: bool = False


@dataclass(slots=True)
class Walked:
    """All that was met on the way. `troubled` are sources under which something failed."""

    roots: tuple[Path, ...] = ()
    files: list[Found] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    ignored: int = 0
    troubled: set[Path] = field(default_factory=set)


@dataclass(slots=True)
class _Walk:
    include: Sequence[str]
    exclude: Sequence[str]
    out: Walked
    files: dict[Path, Found] = field(default_factory=dict)
    # Files and folders by device and inode: the same one is read once, whatever leads to it.
    seen: dict[tuple[int, int], Path] = field(default_factory=dict)
    ignored: set[Path] = field(default_factory=set)
    failures: dict[Path, Failure] = field(default_factory=dict)
    links: list[tuple[Path, Path]] = field(default_factory=list)
    # Folders and files that are there for a program, not to be read.
    apart: set[Path] = field(default_factory=set)


def walk(sources: Sequence[Path], include: Sequence[str], exclude: Sequence[str]) -> Walked:
    """Find candidate files under `sources`, sorted by path, each once.

    Real folders are walked first and links to folders after them, so that a file is known by its
    real path and loops end. Raises InputError for a source that does not exist.
    """
    roots = tuple(sorted({_absolute(source) for source in sources}))
    state = _Walk(include, exclude, Walked(roots=roots))
    for root in roots:
        if not os.path.lexists(root):
            raise InputError("no such file or folder", where=display(root), hint="check the path")
    for root in roots:
        if root.is_dir():
            _folder(state, root, root)
        else:
            _explicit(state, root)
    while state.links:
        path, root = state.links.pop(0)
        _follow(state, path, root)
    state.out.files = [state.files[path] for path in sorted(state.files)]
    state.out.failed = [state.failures[path] for path in sorted(state.failures)]
    state.out.ignored = len(state.ignored - set(state.files))
    return state.out


def _absolute(source: Path) -> Path:
    # Not resolve(): a link given by the user keeps its name, and so its document id.
    return Path(os.path.normpath(Path.cwd() / source))


def _explicit(state: _Walk, root: Path) -> None:
    """A file given by name is read even if hidden; of an unknown kind it is the user's mistake."""
    if not _matches(state, PurePosixPath(root.name)):
        return
    if not _regular(state, root, root):
        return
    if kind_of(root) is None:
        kinds = ", ".join(suffixes())
        raise InputError("not a kind of file that can be read", where=display(root), hint=f"kinds: {kinds}")
    _take(state, root, root, explicit=True)


def _folder(state: _Walk, root: Path, top: Path) -> None:
    """Walk a folder without recursion: depth is the file system's business, not the stack's."""
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            status = folder.stat()
            mark = (status.st_dev, status.st_ino)
            if mark in state.seen and state.seen[mark] != folder:
                state.out.troubled.add(root)
                continue
            state.seen[mark] = folder
            entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            _fail(state, root, folder, error)
            continue
        state.apart |= set_apart(folder, [entry.name for entry in entries])
        for entry in entries:
            path = folder / entry.name
            if path in state.apart:
                if not entry.is_dir(follow_symlinks=False):
                    state.ignored.add(path)
                continue
            if entry.name.startswith("."):
                if not entry.is_dir(follow_symlinks=False):
                    state.ignored.add(path)
                continue
            try:
                if entry.is_symlink():
                    state.links.append((path, root))
                elif entry.is_dir():
                    pending.append(path)
                else:
                    _entry(state, root, path)
            except OSError as error:
                _fail(state, root, path, error)


def _follow(state: _Walk, path: Path, root: Path) -> None:
    try:
        if path.is_dir():
            _folder(state, root, path)
        elif path.exists():
            _entry(state, root, path)
        elif kind_of(path) is not None and _wanted(state, root, path):
            # stat tells a loop from a link to nothing.
            path.stat()
        else:
            state.ignored.add(path)
    except OSError as error:
        _fail(state, root, path, error)


def _entry(state: _Walk, root: Path, path: Path) -> None:
    name = path.name.lower()
    if name.endswith(_SIDECARS):
        return
    # In capitals by custom; `license-to-brew.txt` may well be an episode.
    never = path.name.startswith(_NEVER) or path.stem.lower() in _NEVER_STEMS
    if never or kind_of(path) is None or not _wanted(state, root, path):
        if name != MANIFEST:
            state.ignored.add(path)
        return
    if _regular(state, root, path):
        _take(state, root, path, explicit=False)


def _take(state: _Walk, root: Path, path: Path, *, explicit: bool) -> None:
    known = state.files.get(path)
    if known is not None:
        roots = tuple(dict.fromkeys((*known.roots, root)))
        state.files[path] = Found(path, known.source, roots, known.explicit or explicit)
        return
    status = path.stat()
    mark = (status.st_dev, status.st_ino)
    first = state.seen.setdefault(mark, path)
    if first != path:
        source = display(path)
        state.out.troubled.add(root)
        state.out.skipped.append(Skipped(source, f"duplicate of {display(first)} (same file)"))
        return
    state.files[path] = Found(path, display(path), (root,), explicit)


def _regular(state: _Walk, root: Path, path: Path) -> bool:
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return True
    except OSError as error:
        _fail(state, root, path, error)
        return False
    state.failures[path] = Failure(display(path), None, "not a regular file")
    state.out.troubled.add(root)
    return False


def _fail(state: _Walk, root: Path, path: Path, error: OSError) -> None:
    reason = f"cannot be read: {error.strerror or error}"
    state.failures[path] = Failure(display(path), None, reason)
    state.out.troubled.add(root)


def _wanted(state: _Walk, root: Path, path: Path) -> bool:
    inside = path.relative_to(root)
    return _matches(state, PurePosixPath(display(inside)))


def _matches(state: _Walk, inside: PurePosixPath) -> bool:
    if state.include and not any(_matches_glob(inside, glob) for glob in state.include):
        return False
    return not any(_matches_glob(inside, glob) for glob in state.exclude)


def _matches_glob(inside: PurePosixPath, glob: str) -> bool:
    """True when the glob fits the relative path, the name, or a folder on the way, or its name."""
    glob = glob.removeprefix("./").rstrip("/")
    # `**/*.md` means at any depth, the top included.
    globs = {glob, glob.replace("**/", "")} if "**/" in glob else {glob}
    places = [inside, *inside.parents][:-1] if len(inside.parts) > 0 else []
    return any(fnmatchcase(place.as_posix(), one) or fnmatchcase(place.name, one) for place in places for one in globs)
