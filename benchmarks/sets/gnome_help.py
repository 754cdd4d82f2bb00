"""GNOME help: the same pages in English and Korean under one node id; four cells of asked and read."""

from __future__ import annotations

from pathlib import Path

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Relevant
from benchmarks.sets.base import DATA, PublicSet, cut_all, present, read_lines

LANGUAGES = ("en", "ko")


def load_gnome_help(asked: str, read: str, data: Path = DATA) -> PublicSet:
    """Return the pages of one language, and titles and descriptions of the other as questions for a node.

    The pages are searched without the line that is their description: within one language the
    question would be a copy of it. Group `title` or `desc`; both questions of a node are one cluster.
    """
    folder = data / "e_vault" / "gnome_help_en_ko"
    nodes = [row for _, row in read_lines(folder / "nodes.jsonl")]
    documents = [
        Document(
            id=row["id"],
            title=row["title"],
            published_at=row["revised"],
            language=read,
            text=_body(present(folder / row["file"]), row["desc"]),
        )
        for row in nodes
        if row["lang"] == read
    ]
    questions, clusters = [], {}
    for row in nodes:
        if row["lang"] != asked:
            continue
        for kind in ("title", "desc"):
            name = f"{row['id']}-{kind}"
            clusters[name] = row["id"]
            questions.append(
                Question(
                    question_id=name,
                    question=row[kind],
                    tier="lookup",
                    language=asked,
                    group=kind,
                    node_type=row["type"],
                    relevant=[Relevant(id=row["id"])],
                    split="dev",
                )
            )
    cuts, empty = cut_all(documents)
    return PublicSet(
        f"gnome_help/{asked}-{read}", cuts, question_set(questions), "node", clusters, "node", left_out=empty
    )


def _body(path: Path, description: str) -> str:
    """Return a page without its front matter and its description, which is the first line."""
    _, _, body = path.read_text(encoding="utf-8").split("---\n", 2)
    first, _, rest = body.strip().partition("\n")
    if first.strip() != description.strip():
        raise ValueError(f"{path}: the page does not begin with its description")
    return rest.strip()
