"""`answertrail status --items`: every item and document with its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from answertrail.store.connection import Connection
    from answertrail.store.item_states import StatedItem
    from answertrail.store.rows import Corpus


def item_facts(one: StatedItem) -> dict[str, Any]:
    """Return an item of a channel or feed as plain values."""
    return {
        "item": one.item.id,
        "title": one.item.listing.get("title", one.item.id),
        "state": one.state,
        "kind": one.kind,
        "reason": one.reason,
        "retry_at": None if one.retry_at is None else one.retry_at.isoformat(timespec="seconds"),
    }


async def other_facts(conn: Connection, corpus: Corpus) -> list[dict[str, Any]]:
    """Return the documents that no channel or feed gave, then the sources that were skipped or failed."""
    from answertrail.store import reached, sources

    nothing = {"kind": None, "reason": None, "retry_at": None}
    documents = [
        {"item": found.id, "title": found.title, "state": found.reached, **nothing}
        for found in await reached.of_no_origin_in(conn, corpus)
    ]
    left_out = [
        {"item": name, "title": None, "state": found.state, **nothing, "reason": found.reason}
        for name, found in (await sources.source_items_in(conn, corpus)).items()
        if found.state != "ok"
    ]
    return documents + left_out


def with_notes(item: dict[str, Any], noted: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Add the notes on a document, by its id; [] for what has none, and for what is no document."""
    from answertrail.store.reached import REACHED

    return {**item, "notes": list(noted.get(item["item"], ())) if item["state"] in REACHED else []}


def print_items(console: Console, items: Sequence[dict[str, Any]]) -> None:
    """Print a line for each: state, id, title, and of those without words the reason; below it a line for each note.

    For items of channels and feeds, whose `origin` is not None, also when they are looked at again.
    """
    for item in items:
        words = [one_line(str(item["item"]))]
        if item["title"] not in (None, item["item"]):
            words.append(one_line(str(item["title"])))
        if item["reason"]:
            # A file is read again by every ingest that meets it.
            words.append(one_line(str(item["reason"])) + (again(item) if item["origin"] else ""))
        style = "yellow" if item["reason"] else "dim"
        line = Text.assemble("    ", (f"{item['state']:<8} ", style), "  ".join(words))
        console.print(line, soft_wrap=True)
        for note in item["notes"]:
            console.print(Text.assemble(("      noted  ", "cyan"), (one_line(str(note)), "dim")), soft_wrap=True)


def again(item: dict[str, Any]) -> str:
    """Say when an item without words is looked at again."""
    return f" (again from {item['retry_at']})" if item["retry_at"] else " (final)"
