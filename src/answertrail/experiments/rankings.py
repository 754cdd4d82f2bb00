"""Ranking files, ours or TREC's, read with errors that name the line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from answertrail.errors import InputError
from answertrail.experiments.importing.trec import Order, read_trec_run
from answertrail.metrics.ranking.ranked import ranked_list
from answertrail.records import RetrievalRun, jsonl
from answertrail.records.run import CorpusRef


def read_rankings(path: str | Path, trec_order: Order = "rank") -> list[RetrievalRun]:
    """Read a `retrieval_run/1` file, or a TREC run when its first line is no JSON object.

    Raises InputError with file and line: a bad record, a (question, mode, repeat) given twice, a
    score that rises along its list; and as `read_trec_run`.
    """
    first = next((line for _, line in jsonl.numbered_lines(path)), "")
    if first and not first.lstrip().startswith("{"):
        return read_trec_run(Path(path), trec_order)
    rows: list[RetrievalRun] = []
    seen: dict[tuple[str, str, int], int] = {}
    for number, line in jsonl.numbered_lines(path):
        where = f"{path}:{number}"
        row = jsonl.parse_line(RetrievalRun, line, where=where)
        key = (row.question_id, row.mode, row.repeat or 0)
        if key in seen:
            raise InputError(
                f"question {row.question_id!r}, mode {row.mode!r}, repeat {row.repeat or 0} is given twice, "
                f"first in line {seen[key]}",
                where=where,
                hint="number the repeats with `repeat`, or name the modes apart",
            )
        seen[key] = number
        try:
            ranked_list([entry.id for entry in row.ranked], [entry.score for entry in row.ranked])
        except ValueError as error:
            raise InputError(
                f"question {row.question_id!r}, mode {row.mode!r}: {error}",
                where=where,
                hint="rank is the order given: sort the list, or leave the scores out",
            ) from None
        rows.append(row)
    if not rows:
        raise InputError("no ranking in the file", where=str(path))
    return rows


def corpus_of(rankings: Iterable[RetrievalRun]) -> CorpusRef | None:
    """Return the corpus all rankings name in `meta.corpus`; None when one names none or another."""
    named = {json.dumps((row.meta or {}).get("corpus"), sort_keys=True) for row in rankings}
    corpus = json.loads(named.pop()) if len(named) == 1 else None
    if not isinstance(corpus, dict) or not {"name", "snapshot"} <= corpus.keys():
        return None
    return CorpusRef(name=str(corpus["name"]), snapshot=str(corpus["snapshot"]))
