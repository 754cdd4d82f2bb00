"""Runs of one system joined to their questions, one for each question and repeat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answertrail.errors import InputError
from answertrail.metrics.measured import Ineligible
from answertrail.metrics.values import Json
from answertrail.records import Question, Run

NO_RUN = "no run"


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run, the question it answers, and which repeat of it this is."""

    run: Run
    question: Question
    repeat: int

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.run.run_id

    @property
    def completed(self) -> bool:
        """Whether the run ended as it should; what others say is never content."""
        return self.run.status == "completed"

    @property
    def abstained(self) -> bool:
        """Whether the run completed and says that the corpus cannot answer."""
        return self.completed and self.run.answer is not None and self.run.answer.outcome == "cannot_answer"

    @property
    def retrieved(self) -> frozenset[str] | None:
        """Distinct ids the run retrieved; None when the run does not say."""
        run = self.run
        if run.retrieved is not None:
            return frozenset(run.retrieved)
        if run.chunks is not None:
            return frozenset(chunk.id for chunk in run.chunks)
        if run.searches is not None:
            return frozenset(name for search in run.searches for name in search.returned)
        return None


@dataclass(frozen=True, slots=True)
class Errored:
    """A run that did not complete. It is no miss: it is in no numerator and no denominator."""

    run_id: str
    question_id: str
    repeat: int
    status: str
    reason: str

    def as_json(self) -> Json:
        """Return plain values."""
        return {
            "run_id": self.run_id,
            "question_id": self.question_id,
            "repeat": self.repeat,
            "status": self.status,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record that takes no part, and why: `kind` is `run` or `verdict`."""

    kind: str
    id: str
    reason: str

    def as_json(self) -> Json:
        """Return plain values."""
        return {"kind": self.kind, "id": self.id, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Asked:
    """Runs by question and repeat, in the order of their ids, and what could not be joined.

    `repeats` is how many runs the question asked most often has; of a part, those of the whole.
    """

    runs: tuple[AskedRun, ...]
    unasked: tuple[Ineligible, ...]
    left_out: tuple[LeftOut, ...]
    repeats: int = 1

    @property
    def completed(self) -> tuple[AskedRun, ...]:
        """Runs that completed."""
        return tuple(row for row in self.runs if row.completed)

    @property
    def errors(self) -> tuple[Errored, ...]:
        """Runs that did not complete."""
        return tuple(_errored(row) for row in self.runs if not row.completed)


def asked(questions: Sequence[Question], runs: Iterable[Run]) -> Asked:
    """Join runs to questions by `question_id`; where a run has none, by the question's words.

    A run of a question that is not in the set is left out and listed. Runs without a `repeat` are
    numbered in the order of their ids, after the numbers given. Raises InputError when two runs
    claim one repeat of one question, and when no run belongs to any question.
    """
    known = {question.question_id: question for question in questions}
    by_words = _by_words(questions)
    found: dict[str, list[Run]] = defaultdict(list)
    left_out: list[LeftOut] = []
    given = 0
    for run in sorted(runs, key=lambda run: run.run_id):
        given += 1
        name = run.question_id or by_words.get(_folded(run.question))
        if name is None:
            left_out.append(LeftOut("run", run.run_id, "names no question, and no question of the set has its words"))
        elif name not in known:
            left_out.append(LeftOut("run", run.run_id, f"question {name!r} is not in the set"))
        else:
            found[name].append(run)
    if given and not found:
        raise InputError(
            f"none of {given} runs answers a question of the set; the first, {left_out[0].id!r}, {left_out[0].reason}",
            hint="give the question file these runs were made with",
        )
    rows = [
        AskedRun(run, known[name], repeat) for name in sorted(found) for repeat, run in sorted(_numbered(found[name]))
    ]
    unasked = tuple(Ineligible(name, NO_RUN) for name in known if name not in found)
    return Asked(tuple(rows), unasked, tuple(left_out), max(map(len, found.values()), default=1))


def _by_words(questions: Sequence[Question]) -> dict[str, str]:
    """Return question ids by their words, of questions whose words are theirs alone."""
    names: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        names[_folded(question.question)].append(question.question_id)
    return {words: ids[0] for words, ids in names.items() if len(ids) == 1}


def _folded(text: str) -> str:
    return " ".join(text.split())


def _numbered(runs: list[Run]) -> list[tuple[int, Run]]:
    taken: dict[int, Run] = {}
    for run in runs:
        if run.repeat is None:
            continue
        if run.repeat in taken:
            raise InputError(
                f"runs {taken[run.repeat].run_id!r} and {run.run_id!r} are both repeat {run.repeat} "
                f"of question {run.question_id!r}",
                where=run.run_id,
                hint="keep one of them, or number the repeats",
            )
        taken[run.repeat] = run
    number = 0
    for run in runs:
        if run.repeat is None:
            while number in taken:
                number += 1
            taken[number] = run
    return [(number, taken[number]) for number in sorted(taken)]


def _errored(row: AskedRun) -> Errored:
    error = row.run.error or {}
    reason = str(error.get("message") or error.get("kind") or "no reason recorded")
    return Errored(row.run_id, row.question.question_id, row.repeat, row.run.status, reason)
