"""`answertrail corpus diff`: what differs between two states of a corpus."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from answertrail.cli.common import err, json_option, out, print_json, run_async
from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from answertrail.corpus.diff import ChangedDocument, Difference
    from answertrail.corpus.report import Progress
    from answertrail.corpus.states import State

_SHOWN = 20


@click.command("diff")
@click.argument("a")
@click.argument("b")
@json_option
def diff(a: str, b: str, as_json: bool) -> int:
    """List the documents that B has and A has not, those it lacks, and what changed in the rest.

    A and B name corpora, kept ones (`NAME@SNAPSHOT`) too, or dump files. Where there is a file of
    the name, the file is meant. Exits 0, whatever differs.
    """
    found = run_async(_diff(a, b))
    if as_json:
        print_json(found.as_json())
    else:
        print_difference(found)
    return 0


async def _diff(a: str, b: str) -> Difference:
    from answertrail.cli.progress import Bars
    from answertrail.corpus.diff import diff as difference
    from answertrail.settings import Settings
    from answertrail.store.connection import Database, connect

    async with AsyncExitStack() as stack:
        db: Database | None = None
        bars = stack.enter_context(Bars(err()))
        states: list[State] = []
        for name in (a, b):
            if Path(name).is_file():
                states.append(_dumped(stack, Path(name), bars))
                continue
            if db is None:  # two files are compared without a database
                db = await stack.enter_async_context(connect(Settings.from_environment()))
            states.append(await _stored(stack, db, name))
        return await difference(*states)


def _dumped(stack: AsyncExitStack, path: Path, progress: Progress) -> State:
    from answertrail.corpus.dump_reader import DumpFile
    from answertrail.corpus.states import DumpedState

    return DumpedState(stack.enter_context(DumpFile(path)), progress)


async def _stored(stack: AsyncExitStack, db: Any, name: str) -> State:
    from answertrail.corpus.states import StoredState
    from answertrail.store import corpora

    corpus = await corpora.get(db, name)
    return await StoredState.read(await stack.enter_async_context(db.reading()), corpus)


def print_difference(found: Difference) -> None:
    """Print both states side by side, then what was added, removed and changed."""
    console = out()
    table = Table(box=None, pad_edge=False)
    for heading in ("", "documents", "chunks", "snapshot"):
        table.add_column(heading, justify="right" if heading in ("documents", "chunks") else "left")
    for mark, one in (("A", found.a), ("B", found.b)):
        name = Text(one_line(f"{mark} {one.name}"), overflow="fold")
        table.add_row(name, f"{one.documents:,}", f"{one.chunks:,}", one.snapshot[: len("sha256:") + 12])
    console.print(table)
    for setting, (old, new) in found.settings.items():
        line = one_line(f"{setting}: {_setting(old)} in A, {_setting(new)} in B")
        console.print(Text.assemble(("setting  ", "magenta"), line), soft_wrap=True)
    counts = f"{len(found.added):,} added, {len(found.removed):,} removed, {len(found.changed):,} changed"
    console.print(f"{counts}, {found.unchanged:,} unchanged", style="bold")
    _list("added", "green", list(found.added))
    _list("removed", "red", list(found.removed))
    _list("changed", "yellow", [_line(one) for one in found.changed])


def _list(word: str, style: str, lines: list[str]) -> None:
    for line in lines[:_SHOWN]:
        out().print(Text.assemble((f"{word:<8} ", style), one_line(line)), soft_wrap=True)
    if len(lines) > _SHOWN:
        out().print(f"  and {len(lines) - _SHOWN:,} more {word}; --json lists all", style="dim")


def _line(one: ChangedDocument) -> str:
    parts = list(one.changed)
    for name, pair in (("title", one.title), ("date", one.published_at)):
        if name in parts:
            parts[parts.index(name)] = f"{name} ({pair[0] or 'none'} -> {pair[1] or 'none'})"
    if "chunks" in parts:
        counts = f"+{len(one.chunks_added)} -{len(one.chunks_removed)} ~{len(one.chunks_changed)}"
        parts[parts.index("chunks")] = f"chunks ({counts})"
    return f"{one.document_id}  {', '.join(parts)}"


def _setting(value: Any) -> str:
    return (",".join(value) or "none") if isinstance(value, list) else str(value)
