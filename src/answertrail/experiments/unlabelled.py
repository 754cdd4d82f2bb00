"""The questions that runs were asked, where no question file says so."""

from __future__ import annotations

from collections.abc import Iterable

from answertrail.records import Question, Run


def questions_of(runs: Iterable[Run]) -> tuple[Question, ...]:
    """Return the questions that runs were asked, without gold: by `question_id`, else by their words."""
    rows = sorted(runs, key=lambda run: run.run_id)
    named: dict[str, str] = {}
    for run in rows:
        if run.question_id is not None:
            named.setdefault(run.question_id, run.question)
    words = {" ".join(text.split()) for text in named.values()}
    for run in rows:
        folded = " ".join(run.question.split())
        if run.question_id is None and folded not in words:
            words.add(folded)
            named[run.run_id] = run.question
    return tuple(Question(question_id=name, question=text, tier="lookup") for name, text in named.items())
