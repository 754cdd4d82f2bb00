"""Which program made a run: version, and git commit when run from a checkout."""

from __future__ import annotations

import subprocess
from functools import lru_cache
from pathlib import Path

from answertrail import __version__
from answertrail.records.run import CodeRef


@lru_cache(maxsize=1)
def code_ref() -> CodeRef:
    """Return version and, where this package lies in its own git checkout, commit and dirt."""
    package = Path(__file__).resolve().parents[1]
    root = package.parents[1]
    if not (root / ".git").exists() or not (root / "src" / "answertrail").is_dir():
        return CodeRef(version=__version__)
    sha = _git(root, "rev-parse", "HEAD")
    if not sha:
        return CodeRef(version=__version__)
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return CodeRef(version=__version__, git_sha=sha, dirty=bool(changes))


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603  # fixed arguments, no shell
            ["git", "-C", str(root), *arguments],  # noqa: S607  # git is looked up on the PATH
            capture_output=True, text=True, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
