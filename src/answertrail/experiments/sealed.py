"""Questions that write down by themselves when they are scored, and the seal that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.splits import Seal, open_split

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SealedQuestions(QuestionSet):
    """A question set whose held-out questions are logged whenever it is scored through `logged`.

    `artefacts` are all that was looked at so far, `seals` what each look amounted to.
    """

    home: Path = Path()
    purpose: str = "python"
    artefacts: dict[str, None] = field(default_factory=dict, compare=False, repr=False)
    seals: list[Seal] = field(default_factory=list, compare=False, repr=False)


def seal_of(questions: QuestionSet) -> Seal | None:
    """Return what the looks through this question set amount to; None before any, or where nothing is held out.

    It counts all systems that were scored with the set: read the questions again to begin anew.
    """
    return questions.seals[-1] if isinstance(questions, SealedQuestions) and questions.seals else None


def logged(score: Callable[P, T], **artefacts: Callable[[Sequence[Any]], Iterable[str]]) -> Callable[P, T]:
    """Return a scoring function that first writes down its look at held-out questions.

    `artefacts` say, for each parameter with records, what those look at. The parameter with the
    questions is called `questions`; only `SealedQuestions` are logged.
    """

    @wraps(score)
    def scored(*words: P.args, **options: P.kwargs) -> T:
        given = signature(score).bind(*words, **options)
        questions = given.arguments.get("questions")
        if isinstance(questions, SealedQuestions):
            given.arguments |= {name: tuple(given.arguments[name]) for name in artefacts}
            _look(questions, given.arguments, artefacts, score.__name__)
        return score(*given.args, **given.kwargs)

    return scored


def _look(
    questions: SealedQuestions,
    given: Mapping[str, Any],
    artefacts: Mapping[str, Callable[[Sequence[Any]], Iterable[str]]],
    command: str,
) -> None:
    for name, found in artefacts.items():
        questions.artefacts.update(dict.fromkeys(found(given[name])))
    seal = open_split(
        questions,
        home=questions.home,
        purpose=questions.purpose,
        artefacts=tuple(questions.artefacts),
        command=f"python: {command}",
    )
    if seal is not None:
        questions.seals.append(seal)
