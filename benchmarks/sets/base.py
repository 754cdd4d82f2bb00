"""What every loader gives: documents cut into chunks, questions with gold, and how the questions cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answertrail.corpus.source_chunks import chunks_of
from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet
from answertrail.metrics.ranking.units import UnitKind
from answertrail.records import Document, Question
from answertrail.records.chunk import Chunk

SHARED = Path(os.environ.get("ANSWERTRAIL_SHARED") or Path(__file__).resolve().parents[3] / "shared")
DATA = SHARED / "data"


@dataclass(frozen=True, slots=True)
class Cut:
    """A document and its chunks, in order. `corpus` names the one of several corpora it is of."""

    document: Document
    chunks: tuple[Chunk, ...]
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class PublicSet:
    """One corpus with its questions, or several whose questions are scored together.

    `unit` is what gold and rankings are compared in. `clusters` maps each question to what it is
    drawn with when intervals are made: questions of one conversation or article stand or fall
    together. `asked_of` names the corpus a question is asked of, where there are several.
    `counts_only` sets are too small or too loose for an interval. `left_out` says what
    of the files is not used, and why.
    """

    name: str
    cuts: tuple[Cut, ...]
    questions: QuestionSet
    unit: UnitKind
    clusters: Mapping[str, str]
    clustered_by: str
    counts_only: bool = False
    left_out: tuple[str, ...] = ()
    asked_of: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = set(self.questions.ids) ^ set(self.clusters)
        if unknown:
            raise ValueError(f"{self.name}: questions and clusters differ in {sorted(unknown)[:3]}")

    def corpora(self) -> Iterator[tuple[tuple[Cut, ...], tuple[Question, ...]]]:
        """Yield each corpus with the questions that are asked of it."""
        for name in dict.fromkeys(cut.corpus for cut in self.cuts):
            yield (
                tuple(cut for cut in self.cuts if cut.corpus == name),
                tuple(q for q in self.questions.questions if self.asked_of.get(q.question_id, "") == name),
            )

    @property
    def chunk_count(self) -> int:
        """How many chunks there are to search."""
        return sum(len(cut.chunks) for cut in self.cuts)


def cut_all(documents: Iterable[Document]) -> tuple[tuple[Cut, ...], tuple[str, ...]]:
    """Cut documents as `ingest` does; return them, and a line for each that holds no words."""
    cuts, empty = [], []
    for document in documents:
        chunks = tuple(chunks_of(document))
        if chunks:
            cuts.append(Cut(document, chunks))
        else:
            empty.append(f"{document.id}: the document holds no words")
    return tuple(cuts), tuple(empty)


def alone(questions: QuestionSet) -> dict[str, str]:
    """Return clusters in which every question stands for itself."""
    return {name: name for name in questions.ids}


def present(path: Path) -> Path:
    """Return a path that is there. Raises InputError saying where it was looked for."""
    if not path.exists():
        raise InputError(
            f"no data at {path}", hint="set ANSWERTRAIL_SHARED to the folder that has data/, or leave the set out"
        )
    return path


def read_json(path: Path) -> Any:
    """Read one JSON file of a set."""
    return json.loads(present(path).read_text(encoding="utf-8"))


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their line numbers. Raises InputError naming the line."""
    for number, line in enumerate(present(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"not valid JSON: {error}", where=f"{path}:{number}") from None
        if not isinstance(row, dict):
            raise InputError("expected one JSON object a line", where=f"{path}:{number}")
        yield number, row
