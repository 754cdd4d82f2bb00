"""g_gold: real transcripts, 111 questions with evidence spans and dated windows. The main set."""

from __future__ import annotations

from pathlib import Path

from answertrail.corpus.discovery import discover
from answertrail.corpus.sources import Failure, Read, Skipped, read
from answertrail.experiments.inputs import read_questions
from answertrail.records import Document
from benchmarks.sets.base import DATA, PublicSet, alone, cut_all, present

QUESTIONS = {
    "ergo_calls": "ergo_questions.jsonl",
    "oxide_and_friends": "oxide_questions.jsonl",
    "practical_ai": "practical_ai_questions.jsonl",
}


def load_g_gold(corpus: str, data: Path = DATA) -> PublicSet:
    """Return one of the three transcript corpora, read and cut as `ingest` does, with its questions."""
    documents, left_out = transcripts(data / "a_transcripts" / corpus)
    cuts, empty = cut_all(documents)
    questions = read_questions(present(data / "g_gold" / QUESTIONS[corpus]))
    clusters = alone(questions)
    return PublicSet(
        f"g_gold/{corpus}", cuts, questions, "chunk", clusters, "question", left_out=(*left_out, *empty)
    )  # fmt: skip


def transcripts(folder: Path) -> tuple[list[Document], list[str]]:
    """Return the documents of a folder in the order they are found, and what of it could not be read."""
    found = discover([present(folder)])
    documents: list[Document] = []
    faults: list[Failure | Skipped] = [*found.failed, *found.skipped]
    for group in found.groups:
        for item in read(group):
            if isinstance(item, Read):
                documents.append(item.document)
            else:
                faults.append(item)
    return documents, [f"{fault.source}: {fault.reason}".replace(f"{folder}/", "") for fault in faults]
