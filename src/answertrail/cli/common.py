"""What all commands share: options, JSON on stdout, errors on stderr, one async run, Ctrl-C."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import click

from answertrail.errors import AnswerTrailError

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def corpus_option(function: F) -> F:
    """Add `--corpus NAME`."""
    text = "Name of the corpus (default: the only one, or `default`)."
    return click.option("--corpus", "corpus_name", metavar="NAME", help=text)(function)


def json_option(function: F) -> F:
    """Add `--json`."""
    text = "One JSON document on stdout; all else goes to stderr."
    return click.option("--json", "as_json", is_flag=True, help=text)(function)


def print_json(value: object) -> None:
    """Write one JSON document to stdout."""
    from answertrail.cli.console import write_line
    from answertrail.cli.plain import json_text

    write_line(json_text(value))


def out() -> Console:
    """Return a console on stdout."""
    from answertrail.cli.console import PlainConsole

    return PlainConsole()


def err() -> Console:
    """Return a console on stderr, for progress and notes."""
    from answertrail.cli.console import PlainConsole

    return PlainConsole(stderr=True)


def report(error: AnswerTrailError, *, as_json: bool) -> None:
    """Print an expected failure: JSON on stdout when asked for, readable on stderr always."""
    if as_json:
        print_json({"error": error.as_dict()})
    from rich.text import Text

    from answertrail.cli.plain import one_line, plain

    line = Text("error: ", style="bold red")
    if error.where:
        line.append(f"{one_line(error.where)}: ", style="bold")
    line.append(plain(error.message), style="default")
    err().print(line, soft_wrap=True)
    if error.hint:
        err().print(Text(f"  {plain(error.hint)}", style="dim"), soft_wrap=True)


class StoppedError(click.Abort):
    """Ctrl-C, where there is more to say than that; `detail` is the rest of the line."""

    def __init__(self, detail: str) -> None:
        super().__init__()
        self.detail = detail


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run the one async core of a command; Ctrl-C cancels it and lets it clean up."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        raise click.Abort from None
