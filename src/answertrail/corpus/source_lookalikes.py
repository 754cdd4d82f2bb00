"""Files of one folder whose names differ only in how Unicode writes them: `é` as one character or as two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from answertrail.corpus.source_files import SourceFile
from answertrail.corpus.sources.loading import display, fingerprint
from answertrail.corpus.sources.outcome import Failure, SourceFault


def without_lookalikes(files: Sequence[SourceFile], failed: list[Failure]) -> Iterator[SourceFile]:
    """Leave out a file that looks like another one by name and holds something else: it is a failure.

    The one with the composed name stays. With equal contents both stay, to be one document.
    """
    first: dict[tuple[Path, str], SourceFile] = {}
    for file in sorted(files, key=lambda file: not unicodedata.is_normalized("NFC", file.path.name)):
        mark = (file.path.parent, unicodedata.normalize("NFC", file.path.name))
        other = first.setdefault(mark, file)
        if other is not file and not _same_content(file.path, other.path):
            reason = (
                f"two files whose names look alike, this one and {display(other.path)}, hold different words: "
                "the names differ only in how Unicode writes a letter; rename one"
            )
            failed.append(Failure(file.source, None, reason))
        else:
            yield file


def _same_content(one: Path, other: Path) -> bool:
    try:
        return fingerprint([one], extra="") == fingerprint([other], extra="")
    except SourceFault:
        # Whoever reads it says what is wrong with it.
        return True
