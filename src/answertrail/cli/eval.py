"""`answertrail eval ...`: measures, comparisons and reports. Each command lives in `eval_NAME.py`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

COMMANDS: Mapping[str, str] = {
    "retrieval": "Score search modes or a ranking file against labelled questions.",
    "run": "Ask every question with a recipe, so many times; resumes.",
    "score": "Score runs: answers, citations, abstention, effort.",
    "compare": "Compare two systems on the questions both were asked.",
    "report": "Write one HTML, Markdown or JSON report.",
    "power": "How many questions a difference needs, or which difference so many can show.",
    "resolution": "Score node resolution.",
    "trajectory": "Describe what runs retrieved and what of it they cited.",
    "register": "Write down what is to be measured before it is run.",
    "import": "Turn another tool's export into run/1 or retrieval_run/1.",
    "kit": "Write the retrieval evaluation kit: fixtures, recorded runs, expected results.",
}


class _Commands(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"answertrail.cli.eval_{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group("eval", cls=_Commands)
def command() -> None:
    """Score retrieval, answers and agents, with intervals; compare them; write reports."""
