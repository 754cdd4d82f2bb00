"""TimeQA: time-scoped questions on one entity's article; the paragraph that answers is known."""

from __future__ import annotations

from pathlib import Path

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Relevant
from benchmarks.sets.base import DATA, PublicSet, cut_all, read_json


def load_timeqa(data: Path = DATA) -> PublicSet:
    """Return every paragraph of every article as a document titled by its entity; intervals by article.

    Questions without an answer in the article are of tier `unanswerable`. A paragraph longer than a
    chunk is found by any of its chunks.
    """
    documents: list[Document] = []
    questions: list[Question] = []
    clusters: dict[str, str] = {}
    for article in read_json(data / "b_qa" / "timeqa" / "timeqa_human_test.json"):
        entity = article["link"].removeprefix("/wiki/")
        documents += [
            Document(id=f"{entity}/{place:03}", title=entity.replace("_", " "), language="en", text=text)
            for place, text in enumerate(article["paras"])
        ]
        for number, (text, answers) in enumerate(article["questions"], 1):
            # A question without an answer in the article has one that is empty.
            places = sorted({answer["para"] for answer in answers if answer["answer"]})
            name = f"{article['index'].removeprefix('/wiki/')}-{number}"
            clusters[name] = entity
            questions.append(
                Question(
                    question_id=name,
                    question=text,
                    tier="factual" if places else "unanswerable",
                    language="en",
                    group=article["type"],
                    relevant=[Relevant(id=f"{entity}/{place:03}") for place in places],
                    split="dev",
                )
            )
    cuts, empty = cut_all(documents)
    return PublicSet("timeqa", cuts, question_set(questions), "document", clusters, "article", left_out=empty)
