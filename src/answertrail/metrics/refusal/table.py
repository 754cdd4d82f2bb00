"""Answerable x said: how many runs fell where. Every run of the set is in exactly one cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answertrail.metrics.refusal.cases import KINDS, SAID, TIERS, UNSTATED, Case, Said, kind_of
from answertrail.metrics.values import Json
from answertrail.records import Question


@dataclass(frozen=True, slots=True)
class Stratum:
    """The questions of one tier (and kind, where unanswerable), how many were asked, and what runs said."""

    tier: str
    kind: str | None
    questions: int
    asked: int
    runs: tuple[int, ...]

    @property
    def answerable(self) -> bool:
        """Whether the corpus can answer these questions."""
        return self.tier != "unanswerable"

    @property
    def total(self) -> int:
        """All runs of the stratum."""
        return sum(self.runs)

    def count(self, said: Said) -> int:
        """Runs of the stratum that ended so."""
        return self.runs[SAID.index(said)]

    def as_json(self) -> Json:
        """Return the counts by name."""
        out: Json = {"tier": self.tier}
        if self.kind is not None:
            out["kind"] = self.kind
        out |= {"questions": self.questions, "asked": self.asked, "runs": self.total}
        return out | {said: self.count(said) for said in SAID}


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """The strata of a question set: all tiers and kinds of the contract, also the empty ones.

    Rows and columns sum to the number of runs, which a test holds to the number of cases.
    """

    strata: tuple[Stratum, ...]

    def row(self, *, answerable: bool) -> dict[Said, int]:
        """Return the runs by what they said, of the answerable or of the unanswerable questions."""
        picked = [stratum for stratum in self.strata if stratum.answerable == answerable]
        return {said: sum(stratum.count(said) for stratum in picked) for said in SAID}

    def questions(self, *, answerable: bool) -> int:
        """How many questions of the set are answerable, or not."""
        return sum(stratum.questions for stratum in self.strata if stratum.answerable == answerable)

    @property
    def runs(self) -> int:
        """All runs in the table."""
        return sum(stratum.total for stratum in self.strata)

    def as_json(self) -> Json:
        """Return both rows and the strata."""
        rows = {
            name: {"questions": self.questions(answerable=answerable), **self.row(answerable=answerable)}
            for name, answerable in (("answerable", True), ("unanswerable", False))
        }
        return {**rows, "runs": self.runs, "strata": [stratum.as_json() for stratum in self.strata]}


def answer_table(questions: Sequence[Question], cases: Iterable[Case]) -> AnswerTable:
    """Count the cases by tier, kind and what was said.

    Raises ValueError for a case whose tier and kind none of the contract's strata has.
    """
    cells: Counter[tuple[str, str | None, Said]] = Counter()
    asked: dict[tuple[str, str | None], set[str]] = {}
    for case in cases:
        cells[case.tier, case.kind, case.said] += 1
        asked.setdefault((case.tier, case.kind), set()).add(case.question_id)
    sizes: Counter[tuple[str, str | None]] = Counter((question.tier, kind_of(question)) for question in questions)
    names: list[tuple[str, str | None]] = [(tier, None) for tier in TIERS if tier != "unanswerable"]
    names += [("unanswerable", kind) for kind in (*KINDS, UNSTATED)]
    if strange := set(asked) - set(names):
        raise ValueError(f"no stratum for {sorted(map(str, strange))}")
    return AnswerTable(
        tuple(
            Stratum(
                tier,
                kind,
                sizes[tier, kind],
                len(asked.get((tier, kind), ())),
                tuple(cells[tier, kind, said] for said in SAID),
            )
            for tier, kind in names
        )
    )
