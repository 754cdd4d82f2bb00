"""The progress of `eval run` on stderr: runs, time left, what was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from answertrail.experiments.attempts import Spent
    from answertrail.records import Run


class RunBar:
    """One bar; a context manager. Accidents are told as they happen."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn("asking"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[spent]}"),
            console=console,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, todo: int, done: int) -> None:
        """Start the bar."""
        if done:
            self._console.print(f"{done} run(s) are there already, {todo} to make", soft_wrap=True)
        self._task = self._progress.add_task("asking", total=todo, spent="")

    def ended(self, run: Run, spent: Spent) -> None:
        """Move the bar; name a run that did not complete."""
        from answertrail.cli.plain import one_line
        from answertrail.experiments.attempts import error_kind

        if self._task is not None:
            self._progress.advance(self._task)
            money = f"{spent.cost_usd:.4f} USD" if not spent.unknown else f"{spent.cost_usd:.4f} USD or more"
            self._progress.update(self._task, spent=f"{money}, {spent.tokens:,} tokens" if spent.tokens else money)
        if run.status != "completed":
            why = f"{run.question_id}, repeat {run.repeat}: {run.status} ({error_kind(run)})"
            self._console.print(one_line(why), soft_wrap=True)
