"""Where the command line writes: consoles that take text as it is and bear a reader who has left."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import IO

from rich.console import Console


class PlainConsole(Console):
    """A console without markup: what looks like a tag in a title is part of the title."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Go quiet: the command ends as it would have, and a run keeps its evidence."""
        self.quiet = True
        silence(self.file)


def write_line(text: str) -> None:
    """Write a line to stdout as UTF-8, whatever the terminal says; nothing when nobody reads any more."""
    stream = sys.stdout
    if stream is None:  # Python's word for a stdout that was closed before it began.
        return
    try:
        if stream.isatty():
            stream.write(text + "\n")
        else:
            stream.flush()
            stream.buffer.write(text.encode("utf-8") + b"\n")
        stream.flush()
    except BrokenPipeError:
        silence(stream)


def silence(stream: IO[str]) -> None:
    """Lead a stream whose reader has left to nowhere, so that no later write or flush fails."""
    with contextlib.suppress(OSError, ValueError):  # A stream of a test has no file below it.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
