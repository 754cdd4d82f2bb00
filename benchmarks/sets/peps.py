"""Python Enhancement Proposals that replaced one another: are both, the old and the new, found?"""

from __future__ import annotations

from pathlib import Path

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Nugget, Relevant
from benchmarks.sets.base import DATA, PublicSet, alone, cut_all, present, read_lines


def load_peps(data: Path = DATA) -> PublicSet:
    """Return the proposals as documents, and one question a pair of old and new whose texts are both here.

    The question is the old title, asked for its change; so the old one is easy and the new one is
    what is looked for. A handful of pairs: counts, no interval. Pairs without both texts are listed.
    """
    folder = data / "f_longitudinal" / "peps"
    documents = [
        Document(
            id=f"pep-{row['pep']:04}",
            title=row["title"],
            published_at=row["created"],
            language="en",
            text=present(folder / row["file"]).read_text(encoding="utf-8"),
        )
        for _, row in read_lines(folder / "peps.jsonl")
    ]
    here = {document.id for document in documents}
    questions, left_out = [], []
    for _, row in read_lines(folder / "superseded.jsonl"):
        old, new = f"pep-{row['old']:04}", f"pep-{row['new']:04}"
        absent = [name for name in (old, new) if name not in here]
        if absent:
            left_out.append(f"{old} to {new}: {' and '.join(absent)} not here")
            continue
        title = row["old_title"]
        questions.append(
            Question(
                question_id=f"{old}-{new}",
                question=f"How did the recommended way change over time: {title}?",
                tier="longitudinal",
                language="en",
                relevant=[Relevant(id=old), Relevant(id=new)],
                nuggets=[
                    Nugget(nugget_id="old", text=f"{title} ({row['old_created']})", kind="stance"),
                    Nugget(nugget_id="new", text=f"replaced by {new} ({row['new_created']})", kind="shift"),
                ],
                split="dev",
            )
        )
    cuts, empty = cut_all(documents)
    found = question_set(questions)
    return PublicSet(
        "peps", cuts, found, "document", alone(found), "question", counts_only=True, left_out=(*left_out, *empty)
    )
