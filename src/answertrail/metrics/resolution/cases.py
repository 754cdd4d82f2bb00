"""A question and what was resolved for it, checked and put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from answertrail.errors import InputError, MismatchError
from answertrail.metrics.measured import Ineligible
from answertrail.metrics.resolution.language_pair import language_pair
from answertrail.records import Question, Resolution

Status = Literal["resolved", "choose", "none", "missing"]
SHOWN = 5
"""How many candidates a resolution may list."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its resolution; `status` is `missing` where there is none.

    `rank` is the best rank of a gold node among the candidates, 0 where none is listed.
    `in_pool` is None where the pool was not recorded (or the question has no gold).
    """

    question_id: str
    answerable: bool
    status: Status
    node: str | None = None
    correct: bool = False
    rank: int = 0
    candidates: int = 0
    in_pool: bool | None = None
    language_pair: str | None = None
    node_type: str | None = None
    unanswerable_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Matched:
    """The cases in the order of the questions, and all that took no part or deserves a word."""

    cases: tuple[Case, ...]
    ineligible: tuple[Ineligible, ...] = ()
    missing: tuple[str, ...] = ()
    not_asked: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()


def match(questions: Iterable[Question], resolutions: Iterable[Resolution]) -> Matched:
    """Put each question and its resolution together.

    A question of another tier than `unanswerable` without a `relevant` id is ineligible for every
    measure. `relevant` ids of grade 0 are no gold; those of an unanswerable question are not read.
    A resolution without a `question_id` belongs to the one question with exactly its text.
    Listed: questions without a resolution (`missing`), resolutions of other questions
    (`not_asked`), a resolved node that is not among its candidates (`unlisted`), a resolution
    whose text differs from the question's (`reworded`).

    Raises MismatchError for two resolutions of one question, InputError for a `resolution_fault`,
    for what `language_pair` refuses, for a text that several questions have, and when no resolution
    is of a question in the set.
    """
    asked = list(questions)
    found, not_asked = _by_question(asked, resolutions)
    cases, ineligible, missing, unlisted, reworded = [], [], [], [], []
    for question in asked:
        resolution = found.get(question.question_id)
        if resolution is not None and resolution.question != question.question:
            reworded.append(question.question_id)
        gold = gold_nodes(question)
        if question.tier != "unanswerable" and not gold:
            ineligible.append(Ineligible(question.question_id, "no relevant node"))
            continue
        if resolution is None:
            missing.append(question.question_id)
        elif resolution.node is not None and resolution.node not in {row.id for row in resolution.candidates}:
            unlisted.append(question.question_id)
        cases.append(_case(question, gold, resolution))
    return Matched(tuple(cases), tuple(ineligible), tuple(missing), tuple(not_asked), tuple(unlisted), tuple(reworded))


def gold_nodes(question: Question) -> frozenset[str]:
    """Return the ids of a question's `relevant` nodes with a grade above 0; none of an unanswerable one."""
    if question.tier == "unanswerable":
        return frozenset()
    return frozenset(row.id for row in question.relevant or [] if row.grade is None or row.grade > 0)


def resolution_fault(resolution: Resolution) -> str | None:
    """Return where a resolution contradicts itself, or None.

    At most five candidates, each id once, ranks 1 to n each once; a node for `resolved` only;
    something to choose from for `choose`; no candidates for `none`.
    """
    ids = [row.id for row in resolution.candidates]
    ranks = sorted(row.rank for row in resolution.candidates)
    if len(ids) > SHOWN:
        return f"{len(ids)} candidates; at most {SHOWN} may be listed"
    if len(set(ids)) < len(ids):
        return f"candidate {next(one for one in ids if ids.count(one) > 1)!r} is listed twice"
    if ranks != list(range(1, len(ids) + 1)):
        return f"ranks {ranks}; expected 1 to {len(ids)}, each once"
    if resolution.status == "resolved" and resolution.node is None:
        return "resolved, but the node is null"
    if resolution.status != "resolved" and resolution.node is not None:
        return f"status {resolution.status} with the node {resolution.node!r}; only `resolved` has one"
    if resolution.status == "choose" and not ids:
        return "choose, but no candidate to choose from"
    if resolution.status == "none" and ids:
        return f"none, but {len(ids)} candidate(s) are listed"
    return None


def _by_question(
    questions: list[Question], resolutions: Iterable[Resolution]
) -> tuple[dict[str, Resolution], list[str]]:
    by_text: dict[str, list[str]] = {}
    for question in questions:
        by_text.setdefault(question.question, []).append(question.question_id)
    known = {question.question_id for question in questions}
    found: dict[str, Resolution] = {}
    not_asked: list[str] = []
    for resolution in resolutions:
        name = resolution.question_id or _named_by_text(resolution, by_text)
        if fault := resolution_fault(resolution):
            raise InputError(fault, where=name, hint="correct the record or leave it out")
        if name not in known:
            not_asked.append(name)
        elif name in found:
            raise MismatchError(
                "two resolutions of one question", where=name, hint="keep one; `--rule` keeps those of one rule"
            )
        else:
            found[name] = resolution
    if not_asked and not found:
        raise InputError(
            f"none of {len(not_asked)} resolutions is of a question in the set; the first is of {not_asked[0]!r}",
            hint="give the question file these resolutions were made for",
        )
    return found, sorted(not_asked)


def _named_by_text(resolution: Resolution, by_text: dict[str, list[str]]) -> str:
    """Return the id of the question that has the resolution's text; the text itself where none has."""
    names = by_text.get(resolution.question, [resolution.question])
    if len(names) > 1:
        raise InputError(
            f"the resolution has no question_id, and {len(names)} questions have its text",
            where=repr(resolution.question),
            hint="give it the question_id of its question",
        )
    return names[0]


def _case(question: Question, gold: frozenset[str], resolution: Resolution | None) -> Case:
    answerable = question.tier != "unanswerable"
    pair = language_pair(question) if answerable else None
    kind = None if answerable else question.unanswerable_kind
    if resolution is None:
        return Case(
            question.question_id,
            answerable,
            "missing",
            language_pair=pair,
            node_type=question.node_type,
            unanswerable_kind=kind,
        )
    ranks = [row.rank for row in resolution.candidates if row.id in gold]
    return Case(
        question.question_id,
        answerable,
        resolution.status,
        resolution.node,
        resolution.node in gold,
        min(ranks, default=0),
        len(resolution.candidates),
        None if resolution.pool is None or not answerable else bool(gold.intersection(resolution.pool)),
        pair,
        question.node_type,
        kind,
    )
