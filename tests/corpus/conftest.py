"""What the tests of sources and chunks share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from answertrail.corpus.discovery import Discovery, discover
from answertrail.corpus.sources import Failure, Read, read

Files = Mapping[str, str | bytes]


class Folder:
    """A folder made from a mapping of names to contents, and what reading it gives."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, files: Files) -> Folder:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def discover(self, **kwargs: object) -> Discovery:
        return discover([self.root], **kwargs)  # type: ignore[arg-type]

    def results(self) -> list[Read | Failure]:
        found = self.discover()
        return [*found.failed, *(result for group in found.groups for result in read(group))]

    def one(self) -> Read:
        results = self.results()
        assert len(results) == 1, results
        assert isinstance(results[0], Read), results[0]
        return results[0]

    def failure(self) -> Failure:
        results = self.results()
        assert len(results) == 1, results
        assert isinstance(results[0], Failure), results[0]
        return results[0]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    root = tmp_path / "show"
    root.mkdir()
    return Folder(root)


@pytest.fixture
def make(folder: Folder) -> Callable[[Files], Folder]:
    return folder.write


@pytest.fixture(scope="session")
def transcripts() -> Path:
    """The real transcripts shared beside the repository, or a skip that says where they should be."""
    default = Path(__file__).resolve().parents[3] / "shared"
    root = Path(os.environ.get("ANSWERTRAIL_SHARED") or default) / "data" / "a_transcripts"
    if not root.is_dir():
        pytest.skip(f"no shared data at {root}; set ANSWERTRAIL_SHARED to the folder that has it")
    return root
