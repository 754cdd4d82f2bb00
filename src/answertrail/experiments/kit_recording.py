"""The kit's recorded rankings, and the same searches made again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.report import Progress
from answertrail.errors import MismatchError, ServiceError
from answertrail.experiments.inputs import QuestionSet, read_questions, read_unique
from answertrail.experiments.retrieval_search import search_modes
from answertrail.experiments.stamp import Stamp, stamp
from answertrail.records import RetrievalRun
from answertrail.search.load import open_corpus
from answertrail.settings import Settings
from answertrail.store.connection import Database

Split = Literal["development", "regression"]
SPLITS: tuple[Split, ...] = ("development", "regression")
MODES = ("dense", "lexical", "hybrid", "fused")
"""The modes the kit's rankings were recorded in."""
K = 5
EMBEDDER = "accurate"


@dataclass(frozen=True, slots=True)
class Recording:
    """The rankings of one split, mode by mode: chunks until K documents are ranked; and where they were made."""

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

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"question_id": self.question_id, "mode": self.mode, "recorded": self.recorded, "now": self.now}


def kit_questions(split: Split) -> QuestionSet:
    """Return the questions of a split."""
    with resources.as_file(resources.files("answertrail.kit")) as root:
        return read_questions(root / "experiment" / split / "questions.jsonl")


def recorded(split: Split) -> tuple[tuple[RetrievalRun, ...], dict[str, Any]]:
    """Return the rankings and the runtime of the recording."""
    with resources.as_file(resources.files("answertrail.kit")) as root:
        folder = root / "experiment" / split
        runs = read_unique(folder / "runs.jsonl", RetrievalRun, lambda row: f"{row.question_id} in {row.mode}")
        runtime: dict[str, Any] = json.loads((folder / "runtime.json").read_text(encoding="utf-8"))
        return runs, runtime


async def record(db: Database, settings: Settings, split: Split, corpus: str, progress: Progress) -> Recording:
    """Ingest a split's documents into `corpus` and search them for every question in every mode.

    Raises MismatchError when the corpus holds anything else or has another embedder.
    """
    with resources.as_file(resources.files("answertrail.kit")) as root:
        source = root / "experiment" / split / "documents.jsonl"
        report = await ingest(db, IngestRequest(corpus, [source], embedder=EMBEDDER), progress)
    questions = kit_questions(split)
    opened = await open_corpus(db, settings, corpus)
    ours = report.added + report.changed + report.unchanged
    held = len(opened.document_ids)
    if held != ours:
        raise MismatchError(
            f"the corpus holds {held} documents, the kit {ours}",
            where=corpus,
            hint=f"remove it with `answertrail corpus delete {corpus}` and run again",
        )
    modes = [(mode, mode) for mode in MODES]
    runs = await search_modes(opened, questions.questions, modes, unit="document", k=K)
    if failed := next((run.meta["error"] for run in runs if run.meta and "error" in run.meta), None):
        raise ServiceError(f"a search failed: {failed['message']}", where=corpus)
    return Recording(split, tuple(runs), stamp(questions.hash, opened.ref), opened.embedder_key)


def changes(before: Sequence[RetrievalRun], after: Sequence[RetrievalRun]) -> tuple[Changed, ...]:
    """Return the rankings that differ in their ids or order, or are in one recording only."""
    old, new = (
        {(run.question_id, run.mode): tuple(row.id for row in run.ranked) for run in runs} for runs in (before, after)
    )
    return tuple(
        Changed(*key, old.get(key, ()), new.get(key, ()))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    )
