"""`--questions` and `--split`: the one way commands come by gold."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from answertrail.experiments.inputs import QuestionSet
    from answertrail.experiments.splits import Seal


@dataclass(frozen=True, slots=True)
class Gold:
    """A question file as asked for on the command line."""

    path: Path
    split: str | None

    def read(self) -> QuestionSet:
        """Read the questions, only those of `--split` when given. Call `open` before using their gold."""
        from answertrail.experiments.inputs import read_questions
        from answertrail.experiments.splits import of_split

        questions = read_questions(self.path)
        return of_split(questions, self.split) if self.split else questions

    def open(self, questions: QuestionSet, purpose: str, artefacts: Sequence[str]) -> Seal | None:
        """Write down the look at held-out questions, say so on stderr, and return what it amounts to.

        `artefacts` name what is looked at (`artefacts_of` for runs).
        """
        from answertrail.cli.common import err
        from answertrail.experiments.splits import open_split
        from answertrail.settings import Settings

        seal = open_split(
            questions,
            home=Settings.from_environment().home,
            purpose=purpose,
            artefacts=artefacts,
            command=" ".join(["answertrail", *sys.argv[1:]]),
        )
        if seal is not None:
            err().print(seal.note, soft_wrap=True)
        return seal


def print_seal(console: Console, seal: Seal | None) -> None:
    """Print the access log of the held-out questions; nothing without any."""
    if seal is None:
        return
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.view.splits import seal_table

    print_tables(console, [seal_table(seal)])


def questions_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--questions` and `--split`; the command is given `gold`, a Gold."""

    @wraps(function)
    def with_gold(*words: Any, questions: Path, split: str | None, **options: Any) -> Any:
        return function(*words, gold=Gold(questions, split), **options)

    options = [
        click.option("--questions", type=click.Path(path_type=Path), required=True, metavar="F", help="Gold file."),
        click.option(
            "--split",
            type=click.Choice(["dev", "held_out", "regression"]),
            help="Only the questions of this split; looks at held-out ones are logged.",
        ),
    ]
    wrapped: Callable[..., Any] = with_gold
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped
