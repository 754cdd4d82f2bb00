"""Score node resolutions: measures, the five-step funnel, tables that add up, and what took no part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from answertrail.errors import InputError, NotFoundError
from answertrail.experiments.inputs import QuestionSet
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.resolution.cases import Case, Matched, match, resolution_fault
from answertrail.metrics.resolution.funnel import Funnel, funnel
from answertrail.metrics.resolution.measures import WILSON, resolution_measures
from answertrail.metrics.resolution.slices import SliceTable, slice_table
from answertrail.metrics.values import Json
from answertrail.records import Resolution, jsonl

UNNAMED = "no rule named"
_STATUS: Mapping[str, Callable[[Case], bool]] = {
    "choose": lambda case: case.status == "choose",
    "none": lambda case: case.status == "none",
    "missing": lambda case: case.status == "missing",
}


@dataclass(frozen=True, slots=True)
class ResolutionScores:
    """Measures by the contract's names, the funnel, the tables, and each question's own outcome.

    `rules` counts the scored resolutions by the rule they name; `other_rules` are the questions
    whose resolution was set aside because it is of another rule than the one asked for.
    """

    measures: Mapping[str, Measured]
    funnel: Funnel
    by_language_pair: SliceTable
    by_node_type: SliceTable
    by_unanswerable_kind: SliceTable
    matched: Matched
    questions_hash: str
    rules: Mapping[str, int]
    other_rules: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[Case, ...]:
        """The eligible questions with what was resolved for each, in the order of the questions."""
        return self.matched.cases

    @property
    def wrong(self) -> tuple[Case, ...]:
        """The questions resolved to a node that is not their gold: answerable ones first."""
        resolved = [case for case in self.cases if case.status == "resolved" and not case.correct]
        return tuple(sorted(resolved, key=lambda case: not case.answerable))

    def as_json(self) -> Json:
        """Return measures, funnel, tables, each question's outcome, and what was left out."""
        found = self.matched
        tables = (self.by_language_pair, self.by_node_type, self.by_unanswerable_kind)
        return {
            "measures": {name: value.as_json() for name, value in self.measures.items()},
            "funnel": self.funnel.as_json(),
            "tables": {table.by: table.as_json() for table in tables},
            "per_question": [_case_json(case) for case in self.cases],
            "ineligible": [row._asdict() for row in found.ineligible],
            "missing": list(found.missing),
            "not_asked": list(found.not_asked),
            "node_not_listed": list(found.unlisted),
            "reworded": list(found.reworded),
            "rules": dict(self.rules),
            "other_rules": list(self.other_rules),
            "questions_hash": self.questions_hash,
        }


def score_resolutions(
    questions: QuestionSet,
    resolutions: Iterable[Resolution],
    *,
    rule: str | None = None,
    intervals: Intervals = WILSON,
) -> ResolutionScores:
    """Score resolutions against the gold nodes of questions; with `rule` only those of that rule.

    Raises NotFoundError for a rule that none of them names, InputError or MismatchError for what
    contradicts itself: a record (see `resolution_fault`), two resolutions of one question, a table
    that does not add up.
    """
    kept, others = _of_rule(list(resolutions), rule)
    found = match(questions.questions, kept)
    measures = resolution_measures(found.cases, found.ineligible, intervals)
    answerable = [case for case in found.cases if case.answerable]
    unanswerable = [case for case in found.cases if not case.answerable]
    of_gold = [measures[name] for name in ("r@1", "r@3", "r@5", "correct", "wrong")]
    of_none = [measures["unanswerable_resolved"]]
    listing = {**_STATUS, "with_candidates": lambda case: case.candidates > 0}
    return ResolutionScores(
        measures,
        funnel(found.cases, intervals),
        slice_table("language_pair", answerable, lambda case: case.language_pair, of_gold, _STATUS),
        slice_table("node_type", answerable, lambda case: case.node_type, of_gold, _STATUS),
        slice_table("unanswerable_kind", unanswerable, lambda case: case.unanswerable_kind, of_none, listing),
        found,
        questions.hash,
        Counter(map(rule_name, kept)),
        tuple(others),
    )


def read_resolutions(path: str | Path) -> tuple[Resolution, ...]:
    """Read a file of resolutions.

    Raises InputError naming file and line: a record that is not `resolution/1` or contradicts
    itself, two of one question and rule, a file without any.
    """
    first: dict[tuple[str, str], int] = {}
    rows: list[Resolution] = []
    for number, line in jsonl.numbered_lines(path):
        where = f"{path}:{number}"
        row = jsonl.parse_line(Resolution, line, where=where)
        name = row.question_id or row.question
        if fault := resolution_fault(row):
            raise InputError(f"{name!r}: {fault}", where=where, hint="correct the record or leave it out")
        earlier = first.setdefault((name, rule_name(row)), number)
        if earlier != number:
            raise InputError(
                f"{name!r} is resolved twice, first in line {earlier}", where=where, hint="keep one of the two"
            )
        rows.append(row)
    if not rows:
        raise InputError("no resolution in the file", where=str(path))
    return tuple(rows)


def rule_name(resolution: Resolution) -> str:
    """Return the name of the rule a resolution names, or that it names none."""
    return resolution.rule.name if resolution.rule else UNNAMED


def _of_rule(resolutions: list[Resolution], rule: str | None) -> tuple[list[Resolution], list[str]]:
    if rule is None:
        return resolutions, []
    kept = [row for row in resolutions if rule_name(row) == rule]
    if not kept:
        known = ", ".join(sorted({rule_name(row) for row in resolutions})) or "none"
        raise NotFoundError("no resolution of this rule", where=rule, hint=f"in the file: {known}")
    return kept, [row.question_id or row.question for row in resolutions if rule_name(row) != rule]


def _case_json(case: Case) -> Json:
    return {
        "question_id": case.question_id,
        "answerable": case.answerable,
        "status": case.status,
        "node": case.node,
        "correct": case.correct if case.answerable else None,
        "rank": case.rank if case.answerable else None,
    }
