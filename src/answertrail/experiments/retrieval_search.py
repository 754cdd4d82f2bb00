"""Rank a corpus for every question with every mode, after checking that the gold lies in the corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from answertrail.errors import AnswerTrailError, InputError
from answertrail.metrics.ranking.units import document_of
from answertrail.records import Question, RetrievalRun
from answertrail.records.retrieval import Ranked
from answertrail.search.open_corpus import OpenCorpus

SHOWN = 10


def corpus_unit(corpus: OpenCorpus, questions: Iterable[Question], wanted: str | None = None) -> str:
    """Return `document` when a relevant id is a document of the corpus, else `chunk`, unless one is wanted.

    Raises InputError, listing the first ten, for gold that no search of this corpus could find:
    relevant ids and evidence documents that are not in it, and, by chunk, evidence with times in
    documents without any. Unanswerable questions are not looked at: they have no gold.
    """
    documents, timed = corpus.document_ids, corpus.timed_documents
    unknown: list[str] = []
    untimed: list[str] = []
    of_documents = False
    for question in questions:
        if question.tier == "unanswerable":
            continue
        for item in question.relevant or ():
            of_documents = of_documents or item.id in documents
            if item.id not in documents and not corpus.holds(item.id):
                unknown.append(f"{item.id} ({question.question_id})")
        for span in question.evidence or ():
            if span.document_id not in documents:
                unknown.append(f"{span.document_id} ({question.question_id})")
            elif span.document_id not in timed and (span.start_s is not None or span.end_s is not None):
                untimed.append(f"{span.document_id} ({question.question_id})")
    if unknown:
        raise InputError(
            f"{len(set(unknown))} gold id(s) are not in corpus {corpus.ref.name}: {_few(unknown)}",
            hint="name the corpus the questions were written for with --corpus, or ingest what is missing",
        )
    unit = wanted or ("document" if of_documents else "chunk")
    if unit == "node":
        raise InputError("a corpus is searched by chunk or document, not by node", where="--unit node")
    if untimed and unit == "chunk":
        raise InputError(
            f"evidence with times in documents without any: {_few(untimed)}",
            hint="ingest a transcript with times, or score by --unit document",
        )
    return unit


async def search_modes(
    corpus: OpenCorpus,
    questions: Sequence[Question],
    modes: Sequence[tuple[str, str]],
    *,
    unit: str,
    k: int,
    budget: int | None = None,
    advance: Callable[[], None] = lambda: None,
) -> list[RetrievalRun]:
    """Rank chunks for every question with every (name, search mode), k deep or as deep as the budget.

    By document a search goes on until k distinct documents are ranked or nothing is left.
    `elapsed_ms` is the time of all searches it took; one search before the first is not
    timed, since it loads the model. A search that fails is a ranking with `meta.error`.
    """
    if questions:
        await corpus.search(questions[0].question, mode=modes[0][1], k=1)
    rows = []
    for name, mode in modes:
        for question in questions:
            rows.append(await _ranking(corpus, question, name, mode, unit, k, budget or 0))
            advance()
    return rows


async def _ranking(
    corpus: OpenCorpus, question: Question, name: str, mode: str, unit: str, k: int, budget: int
) -> RetrievalRun:
    depth = max(k, budget)
    meta: dict[str, object] = {"corpus": corpus.ref.as_json(), "embedder": corpus.embedder_key}
    if name != mode:
        meta["resolved_mode"] = mode
    try:
        started = time.perf_counter()
        while True:
            hits = (await corpus.search(question.question, mode=mode, k=depth)).hits
            ids = [hit.chunk_id for hit in hits]
            if unit != "document" or len(hits) < depth or len(set(map(document_of, ids))) >= k:
                break
            depth *= 2
        elapsed = (time.perf_counter() - started) * 1000
    except AnswerTrailError as error:
        meta["error"] = error.as_dict()
        return RetrievalRun(question_id=question.question_id, mode=name, unit="chunk", ranked=[], meta=meta)
    kept = max(_reach(ids, k) if unit == "document" else k, budget)
    return RetrievalRun(
        question_id=question.question_id,
        mode=name,
        unit="chunk",
        ranked=[Ranked(id=hit.chunk_id, score=float(hit.score)) for hit in hits[:kept]],
        elapsed_ms=round(elapsed, 3),
        meta=meta,
    )


def _reach(ids: Sequence[str], k: int) -> int:
    """How many chunks it takes to have k distinct documents."""
    seen: set[str] = set()
    for number, name in enumerate(ids, 1):
        seen.add(document_of(name))
        if len(seen) == k:
            return number
    return len(ids)


def _few(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct[:SHOWN]) + (f" and {len(distinct) - SHOWN} more" if len(distinct) > SHOWN else "")
