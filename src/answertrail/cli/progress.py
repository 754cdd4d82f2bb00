"""Progress bars on stderr, with rate and time left."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    """Steps a second, averaged by rich over the last stretch."""

    def render(self, task: Task) -> Text:
        """Show the rate, or nothing before there is one."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="dim")


class Bars:
    """One bar a stage; a context manager that leaves the finished bars on the screen."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description:>10}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begin(self, stage: str, total: int) -> None:
        """Start the bar of a stage."""
        self._task = self._progress.add_task(stage, total=total)

    def advance(self, steps: int = 1) -> None:
        """Move the current bar."""
        if self._task is not None:
            self._progress.advance(self._task, steps)

    def end(self) -> None:
        """Leave the bar as it is."""
        self._task = None
