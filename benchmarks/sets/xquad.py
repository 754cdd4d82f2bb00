"""XQuAD: the same questions and paragraphs in English, Chinese and Arabic; ask in one, find in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Relevant
from benchmarks.sets.base import DATA, PublicSet, cut_all, read_json

LANGUAGES = ("en", "zh", "ar")


def load_xquad(asked: str, read: str, data: Path = DATA, *, per_paragraph: int | None = None) -> PublicSet:
    """Return the paragraphs of one language and the questions of another, all or so many a paragraph.

    The files hold the same paragraphs in the same order. Intervals by article. Paragraphs have no
    title: the articles' are the same English words in all languages.
    """
    documents = [
        Document(id=f"p{place:03}", title="", language=read, text=paragraph["context"])
        for place, (_, paragraph) in enumerate(_paragraphs(data, read))
    ]
    questions: list[Question] = []
    clusters: dict[str, str] = {}
    for place, (article, paragraph) in enumerate(_paragraphs(data, asked)):
        for item in paragraph["qas"][:per_paragraph]:
            clusters[item["id"]] = article
            questions.append(
                Question(
                    question_id=item["id"],
                    question=item["question"],
                    tier="factual",
                    language=asked,
                    relevant=[Relevant(id=f"p{place:03}")],
                    split="dev",
                )
            )
    cuts, empty = cut_all(documents)
    return PublicSet(
        f"xquad/{asked}-{read}", cuts, question_set(questions), "document", clusters, "article", left_out=empty
    )


def _paragraphs(data: Path, language: str) -> list[tuple[str, dict[str, Any]]]:
    content = read_json(data / "b_qa" / "xquad_en_zh_ar" / f"xquad.{language}.json")
    return [
        (f"article-{number}", paragraph)
        for number, article in enumerate(content["data"])
        for paragraph in article["paragraphs"]
    ]
