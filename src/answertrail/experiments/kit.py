"""The evaluation kit: write it to a folder, and make its recorded rankings again."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.report import Progress
from answertrail.errors import InputError, MismatchError
from answertrail.experiments.inputs import QuestionSet, read_questions, read_unique
from answertrail.experiments.stamp import Stamp, stamp
from answertrail.metrics.ranking.ranked import by_document, ranked_list
from answertrail.records import RetrievalRun
from answertrail.records.retrieval import Ranked
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from answertrail.search.open_corpus import OpenCorpus
from answertrail.settings import Settings
from answertrail.store.connection import Database

Split = Literal["development", "regression"]
SPLITS: tuple[Split, ...] = ("development", "regression")
K = 5
EMBEDDER = "accurate"


@dataclass(frozen=True, slots=True)
class Recording:
    """The rankings of one split: question by question, every mode, K sources each; and where they were made."""

    split: Split
    runs: tuple[RetrievalRun, ...]
    stamp: Stamp
    embedder: str

    def runtime(self) -> dict[str, Any]:
        """Return everything that could have made the rankings different."""
        corpus = self.stamp.corpus
        return {
            "split": self.split,
            "corpus": corpus.as_json() if corpus else None,
            "questions_hash": self.stamp.questions_hash,
            "embedder": self.embedder,
            "modes": list(MODES),
            "k": K,
            "unit": "document",
            **self.stamp.runtime(),
        }


@dataclass(frozen=True, slots=True)
class Changed:
    """A question and mode whose ranking is not the recorded one."""

    question_id: str
    mode: str
    recorded: tuple[str, ...]
    now: tuple[str, ...]


def files() -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield every file of the kit with its content, by path."""
    with resources.as_file(resources.files("answertrail.kit")) as root:
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts:
                yield PurePosixPath(path.relative_to(root).as_posix()), path.read_bytes()


def write_kit(out: Path) -> tuple[int, int]:
    """Write the kit into a folder; return how many files were written and how many were there already.

    Raises InputError, and writes nothing, where a file of that name has another content.
    """
    if out.exists() and not out.is_dir():
        raise InputError("is a file, not a folder", where=str(out))
    todo: list[tuple[Path, bytes]] = []
    same = 0
    for name, content in files():
        path = out / name
        if not os.path.lexists(path):
            todo.append((path, content))
        elif path.is_file() and path.read_bytes() == content:
            same += 1
        else:
            raise InputError(
                "is there already, with another content",
                where=str(path),
                hint="nothing was written; choose an empty folder, or remove the file",
            )
    try:
        for path, content in todo:
            _write(path, content)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(error.filename or out)) from None
    return len(todo), same


def recorded(split: Split) -> tuple[QuestionSet, tuple[RetrievalRun, ...], dict[str, Any]]:
    """Return the questions, rankings and runtime of the recording."""
    with resources.as_file(resources.files("answertrail.kit")) as root:
        folder = root / "experiment" / split
        runs = read_unique(folder / "runs.jsonl", RetrievalRun, lambda row: f"{row.question_id} in {row.mode}")
        runtime: dict[str, Any] = json.loads((folder / "runtime.json").read_text(encoding="utf-8"))
        return read_questions(folder / "questions.jsonl"), runs, runtime


async def record(db: Database, settings: Settings, split: Split, corpus: str, progress: Progress) -> Recording:
    """Ingest a split's documents into `corpus` and search them for every question in every mode.

    Raises MismatchError when the corpus holds anything else or has another embedder.
    """
    with resources.as_file(resources.files("answertrail.kit")) as root:
        folder = root / "experiment" / split
        questions = read_questions(folder / "questions.jsonl")
        report = await ingest(db, IngestRequest(corpus, [folder / "documents.jsonl"], embedder=EMBEDDER), progress)
    opened = await open_corpus(db, settings, corpus)
    ours = report.added + report.changed + report.unchanged
    held = len({row.document_id for row in opened.index.rows})
    if held != ours:
        raise MismatchError(
            f"the corpus holds {held} documents, the kit {ours}",
            where=corpus,
            hint=f"remove it with `answertrail corpus delete {corpus}` and run again",
        )
    runs = [
        await _ranking(opened, question.question_id, question.question, mode)
        for question in questions.questions
        for mode in MODES
    ]
    return Recording(split, tuple(runs), stamp(questions.hash, opened.ref), opened.embedder_key)


def summary(split: Split, runs: Sequence[RetrievalRun]) -> dict[str, Any]:
    return {}


def changes(before: Sequence[RetrievalRun], after: Sequence[RetrievalRun]) -> tuple[Changed, ...]:
    """Return the rankings that differ in their ids or order, or are in one recording only."""
    old, new = ({(run.question_id, run.mode): tuple(row.id for row in run.ranked) for run in runs} for runs in (before, after))
    return tuple(
        Changed(*key, old.get(key, ()), new.get(key, ()))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    )


async def _ranking(corpus: OpenCorpus, question_id: str, text: str, mode: str) -> RetrievalRun:
    """Rank K distinct documents, each at its best chunk."""
    depth = K
    while True:
        result = await corpus.search(text, mode=mode, k=depth)
        chunks = ranked_list([hit.chunk_id for hit in result.hits], [hit.score for hit in result.hits])
        documents = by_document(chunks)
        if len(documents.ids) >= K or len(result.hits) < depth:
            break
        depth *= 2
    rows = [
        Ranked(id=name, score=round(score, 6)) for name, score in zip(documents.ids[:K], documents.scores[:K], strict=True)
    ]
    return RetrievalRun(question_id=question_id, mode=mode, unit="document", ranked=rows)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{uuid.uuid4().hex}.draft")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
