"""81 questions and resolutions with exactly the figures of the `brief` page, measured 2026-10-19.

The page publishes counts, not records. Its tables by language pair and by node type are margins
of one table of ranks. For each rank class the two margins have the same sum, so filling the cells
in order, each as full as its row and column allow (the north-west corner rule of transport
problems), gives records that have both. Any other joint table with these margins would do as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from answertrail.records import Question, Resolution, jsonl

RANKS: Mapping[str, tuple[int, ...]] = {"first": (1,), "top_three": (2, 3), "list": (4, 5), "not_found": (0,)}
BY_PAIR: Mapping[str, tuple[int, int, int, int]] = {
    "en-en": (20, 3, 2, 2),
    "en-ko": (10, 0, 0, 0),
    "ko-ko": (4, 0, 0, 6),
    "ko-en": (11, 1, 0, 1),
}
BY_TYPE: Mapping[str, tuple[int, int, int, int]] = {
    "Concept": (21, 2, 1, 6),
    "Record": (9, 0, 0, 1),
    "Decision": (8, 1, 1, 0),
    "Episode": (7, 1, 0, 2),
}
"""Questions of each row at rank 1, at 2 to 3, at 4 to 5, and not in the list."""

CORRECT, WRONG = 15, 2
MISSING_TOPIC, MISSING_FACT, FACT_RESOLVED = 14, 7, 3
SHOWN = 5


def brief_fixture() -> tuple[tuple[Question, ...], tuple[Resolution, ...]]:
    """Return 60 answerable and 21 unanswerable questions, and a resolution of each."""
    rows = [*_answerable(), *_unanswerable()]
    return tuple(question for question, _ in rows), tuple(resolution for _, resolution in rows)


def write(folder: Path | str) -> None:
    """Write `questions.jsonl` and `resolutions.jsonl` into a folder, each by an atomic rename."""
    questions, resolutions = brief_fixture()
    jsonl.write(Path(folder) / "questions.jsonl", questions)
    jsonl.write(Path(folder) / "resolutions.jsonl", resolutions)


def north_west(rows: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (row, column, count) of a table with these margins, its cells filled in order.

    Raises ValueError when the margins have different sums: there is no such table.
    """
    if sum(rows) != sum(columns):
        raise ValueError(f"the rows sum to {sum(rows)}, the columns to {sum(columns)}")
    across, down = list(rows), list(columns)
    for i in range(len(across)):
        for j in range(len(down)):
            count = min(across[i], down[j])
            across[i] -= count
            down[j] -= count
            if count:
                yield i, j, count


def _answerable() -> Iterator[tuple[Question, Resolution]]:
    pairs, types = list(BY_PAIR), list(BY_TYPE)
    number = correct = wrong = 0
    for place, ranks in enumerate(RANKS.values()):
        margins = [row[place] for row in BY_PAIR.values()], [row[place] for row in BY_TYPE.values()]
        rank_of = cycle(ranks)
        for i, j, count in north_west(*margins):
            for rank in islice(rank_of, count):
                number += 1
                node = None
                if rank == 1 and correct < CORRECT:
                    correct, node = correct + 1, 1
                elif rank == 0 and wrong < WRONG:
                    wrong, node = wrong + 1, 1
                yield _pair(f"q{number:02}", pairs[i], types[j], rank, resolved_to=node)


def _pair(name: str, group: str, node_type: str, rank: int, *, resolved_to: int | None) -> tuple[Question, Resolution]:
    language, node_language = group.split("-")
    question: dict[str, Any] = {
        "schema": "question/1",
        "question_id": name,
        "question": f"Question {name} ({language}) about a {node_type.lower()} written in {node_language}",
        "tier": "lookup",
        "language": language,
        "group": group,
        "node_type": node_type,
        "relevant": [{"id": f"node:{name}"}],
    }
    nodes = [f"node:{name}-{n}" for n in range(1, SHOWN + 1)]
    if rank:
        nodes[rank - 1] = f"node:{name}"
    return Question.model_validate(question), _resolution(question, nodes, resolved_to)


def _unanswerable() -> Iterator[tuple[Question, Resolution]]:
    for number in range(1, MISSING_TOPIC + MISSING_FACT + 1):
        name = f"u{number:02}"
        fact = number > MISSING_TOPIC
        kind = "missing_fact" if fact else "missing_topic"
        question: dict[str, Any] = {
            "schema": "question/1",
            "question_id": name,
            "question": f"Question {name} about a {'fact' if fact else 'topic'} that was never recorded",
            "tier": "unanswerable",
            "language": "en",
            "unanswerable_kind": kind,
        }
        nodes = [f"node:{name}-{n}" for n in range(1, SHOWN + 1)]
        resolved = fact and number <= MISSING_TOPIC + FACT_RESOLVED
        yield Question.model_validate(question), _resolution(question, nodes, 1 if resolved else None)


def _resolution(question: Mapping[str, Any], nodes: Sequence[str], resolved_to: int | None) -> Resolution:
    record: dict[str, Any] = {
        "schema": "resolution/1",
        "question_id": question["question_id"],
        "question": question["question"],
        "status": "choose" if resolved_to is None else "resolved",
        "candidates": [{"id": node, "rank": rank} for rank, node in enumerate(nodes, 1)],
        "pool": list(nodes),
        "rule": {"name": "brief-2026"},
    }
    if resolved_to is not None:
        record["node"] = nodes[resolved_to - 1]
    return Resolution.model_validate(record)
