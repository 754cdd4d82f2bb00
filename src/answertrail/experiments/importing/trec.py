"""TREC run and qrels files as rankings and questions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple

from answertrail.errors import InputError
from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.records import Question, RetrievalRun, jsonl
from answertrail.records.question import Relevant
from answertrail.records.retrieval import Ranked

Order = Literal["rank", "score"]


class _Line(NamedTuple):
    number: int
    document: str
    rank: int
    score: float


def read_trec_run(path: Path, order: Order = "rank") -> list[RetrievalRun]:
    """Read `topic Q0 document rank score tag` lines; each tag is a mode, words after it are not read.

    Lines starting with # are comments. With `order` "rank" a list is in the order of its rank
    column, and a score that contradicts it is refused. With "score" it is in descending order of
    score, equal scores by document id descending, as trec_eval orders it; ranks are not looked at.
    Raises InputError with file and line: too few columns, a rank that is no whole number, a score
    that is no finite number, a document or (by rank) a rank given twice in one topic.
    """
    lists: dict[tuple[str, str], list[_Line]] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for number, fields in _rows(path, 6, "topic Q0 document rank score tag", open_end=True):
        topic, _, document, rank, score, tag = fields[:6]
        where = f"{path}:{number}"
        first = seen.setdefault((tag, topic, document), number)
        if first != number:
            raise InputError(
                f"document {document!r} of topic {topic!r} is given twice, first in line {first}", where=where
            )
        line = _Line(number, document, _whole(rank, "rank", where), _finite(score, where))
        lists.setdefault((tag, topic), []).append(line)
    if not lists:
        raise InputError("no ranking in the file", where=str(path))
    return [
        RetrievalRun(
            question_id=topic,
            mode=tag,
            ranked=[Ranked(id=line.document, score=line.score) for line in _sorted(path, topic, lines, order)],
        )
        for (tag, topic), lines in lists.items()
    ]


def _sorted(path: Path, topic: str, lines: list[_Line], order: Order) -> list[_Line]:
    if order == "score":
        return sorted(sorted(lines, key=lambda row: row.document, reverse=True), key=lambda row: -row.score)
    rows = sorted(lines, key=lambda row: row.rank)
    hint = "--trec-order score orders by score alone, as trec_eval does"
    for above, below in pairwise(rows):
        where = f"{path}:{below.number}"
        if above.rank == below.rank:
            raise InputError(f"topic {topic!r} has rank {below.rank} twice", where=where, hint=hint)
        if below.score > above.score:
            raise InputError(
                f"topic {topic!r}: rank {below.rank} has score {below.score:g}, "
                f"rank {above.rank} above it {above.score:g} (line {above.number})",
                where=where,
                hint=hint,
            )
    return rows


def read_qrels(path: Path, min_grade: int = 1) -> QuestionSet:
    """Read `topic iteration document grade` lines as questions of tier `lookup` with relevant ids.

    A grade below `min_grade`, and so any below 1, is kept as 0: judged, not relevant. A topic without
    a relevant document is a question without gold, to be listed as ineligible. The question's text
    is its topic number, since the file has none. Raises InputError with file and line: too few
    columns, a grade that is no whole number, a document given twice in one topic.
    """
    if min_grade < 1:
        raise InputError(f"the lowest relevant grade must be at least 1, not {min_grade}")
    topics: dict[str, dict[str, int]] = {}
    for number, (topic, _, document, grade) in _rows(path, 4, "topic iteration document grade"):
        judged = topics.setdefault(topic, {})
        if document in judged:
            raise InputError(f"document {document!r} of topic {topic!r} is judged twice", where=f"{path}:{number}")
        value = _whole(grade, "grade", f"{path}:{number}")
        judged[document] = value if value >= min_grade else 0
    if not topics:
        raise InputError("no judgement in the file", where=str(path))
    return question_set(
        Question(
            question_id=topic,
            question=f"topic {topic}",
            tier="lookup",
            relevant=[Relevant(id=document, grade=float(grade)) for document, grade in judged.items()],
        )
        for topic, judged in topics.items()
    )


def _rows(path: Path, columns: int, names: str, *, open_end: bool = False) -> Iterator[tuple[int, list[str]]]:
    for number, line in jsonl.numbered_lines(path):
        fields = line.split()
        if fields[0].startswith("#"):
            continue
        if len(fields) < columns or (len(fields) > columns and not open_end):
            raise InputError(
                f"{len(fields)} columns where {columns} were expected", where=f"{path}:{number}", hint=f"write {names}"
            )
        yield number, fields


def _whole(text: str, name: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{name} {text!r} is not a whole number", where=where) from None


def _finite(text: str, where: str) -> float:
    try:
        score = float(text)
    except ValueError:
        raise InputError(f"score {text!r} is not a number", where=where) from None
    if not isfinite(score):
        raise InputError(f"score {text!r} is not a finite number", where=where)
    return score
