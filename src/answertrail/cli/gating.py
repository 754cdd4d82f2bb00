"""`--fail-under` and `--fail-over`: the options of every command that prints measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from answertrail.experiments.gates import Gate, Gateable, GateOutcome


def gate_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--fail-under` and `--fail-over`; the command is given `gates`, a tuple of Gate.

    They are parsed before the command does anything, so a typing error costs no run.
    """

    @wraps(function)
    def gated(*arguments: Any, fail_under: tuple[str, ...], fail_over: tuple[str, ...], **options: Any) -> Any:
        return function(*arguments, gates=_parsed(fail_under, fail_over), **options)

    form = "MEASURE=X[:value|lower|upper]"
    under = "Exit 1 when the measure (or that end of its interval) is below X or cannot be measured; repeatable."
    over = "Exit 1 when it is above X or cannot be measured: for rates where low is good; repeatable."
    gated = click.option("--fail-over", multiple=True, metavar=form, help=over)(gated)
    return click.option("--fail-under", multiple=True, metavar=form, help=under)(gated)


def _parsed(under: Sequence[str], over: Sequence[str]) -> tuple[Gate, ...]:
    if not under and not over:
        return ()
    from answertrail.experiments.gates import parse_gate

    return (*(parse_gate(text, "under") for text in under), *(parse_gate(text, "over") for text in over))


def checked(
    measures: Mapping[str, Gateable], gates: Sequence[Gate], *, no_result: str | None = None
) -> list[GateOutcome]:
    """Hold the gates against the measures; all fail with `no_result`, the reason why the runs are none.

    Raises InputError for a measure that is not there.
    """
    if not gates:
        return []
    from answertrail.experiments.gates import check_gates

    return check_gates(measures, gates, no_result=no_result)


def print_gates(console: Console, outcomes: Sequence[GateOutcome]) -> None:
    """Print the table of gates; nothing without any."""
    if not outcomes:
        return
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.view.gates import gate_table

    print_tables(console, [gate_table(outcomes)])


def gates_json(outcomes: Sequence[GateOutcome]) -> dict[str, Any]:
    """Return `{"gates": [...]}` to be merged into a command's JSON; empty without any."""
    return {"gates": [outcome.as_json() for outcome in outcomes]} if outcomes else {}


def exit_code(outcomes: Sequence[GateOutcome]) -> int:
    """Return 1 when a gate fell short, else 0."""
    return int(any(not outcome.passed for outcome in outcomes))
