"""Cranfield: 1,400 abstracts, 135 queries, complete graded judgments. The classic regression set."""

from __future__ import annotations

import re
from pathlib import Path

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Relevant
from benchmarks.sets.base import DATA, PublicSet, alone, cut_all, present

WORST = 4
"""The scale runs from 1, best, to 4, minimal; 5 and -1 are not relevant."""
_RECORD = re.compile(r"^\.I (\d+)\n\.T\n(.*?)^\.A\n(.*?)^\.B\n(.*?)^\.W\n(.*)", re.MULTILINE | re.DOTALL)


def load_cranfield(data: Path = DATA) -> PublicSet:
    """Return the abstracts as documents, cut as `ingest` does, and the queries with grades 4 (best) to 1.

    A judgment names a query by its place in the file, not by the id printed there.
    """
    folder = data / "b_qa" / "cranfield"
    text = present(folder / "cran.all.1400").read_text(encoding="utf-8")
    documents = [_document(part) for part in re.split(r"^(?=\.I )", text, flags=re.MULTILINE) if part]
    cuts, empty = cut_all(documents)
    grades: dict[str, dict[str, int]] = {}
    for line in present(folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        grades.setdefault(query, {})[document] = max(WORST + 1 - int(grade), 0)
    questions = question_set(
        Question(
            question_id=f"cranfield-{place}",
            question=query,
            tier="factual",
            language="en",
            relevant=[Relevant(id=f"cran-{name}", grade=grade) for name, grade in grades.get(place, {}).items()],
            split="dev",
        )
        for place, _, query in (
            line.split("\t") for line in present(folder / "queries.tsv").read_text(encoding="utf-8").splitlines()
        )
    )
    return PublicSet("cranfield", cuts, questions, "document", alone(questions), "question", left_out=empty)


def _document(record: str) -> Document:
    found = _RECORD.match(record)
    if found is None:
        raise ValueError(f"no Cranfield record: {record[:60]!r}")
    number, title, _, _, body = (" ".join(part.split()) for part in found.groups())
    # The text repeats the title as its first words.
    return Document(id=f"cran-{number}", title=title, language="en", text=body)
