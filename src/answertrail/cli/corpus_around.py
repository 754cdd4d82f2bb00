"""`answertrail corpus around`: a passage with the ones before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from answertrail.cli.common import corpus_option, json_option, out, print_json, run_async
from answertrail.cli.plain import one_line, plain

if TYPE_CHECKING:
    from answertrail.search.around import Surroundings


@click.command("around")
@click.argument("identifier", metavar="ID")
@click.option("--before", default=2, show_default=True, help="How many passages before it.")
@click.option("--after", default=2, show_default=True, help="How many passages after it.")
@corpus_option
@json_option
def around(identifier: str, before: int, after: int, corpus_name: str | None, as_json: bool) -> int:
    """Show a chunk with the ones before and after it in its document."""
    found = run_async(_around(identifier, before, after, corpus_name))
    if as_json:
        print_json(_around_json(found))
    else:
        _print_around(found)
    return 0


async def _around(identifier: str, before: int, after: int, name: str | None) -> Surroundings:
    from answertrail.cli.open import chosen_name
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = await open_corpus(db, settings, await chosen_name(db, name))
    return await corpus.read_around(identifier, before, after)


def _around_json(found: Surroundings) -> dict[str, Any]:
    from answertrail.search.links import at_second

    row = found.rows[found.at]
    return {
        "id": row.id,
        "document_id": row.document_id,
        "title": row.title,
        "published_at": row.published_at.isoformat().replace("+00:00", "Z") if row.published_at else None,
        "chunks": [
            {"id": r.id, "start_s": r.start_s, "end_s": r.end_s, "url": at_second(r.url, r.start_s), "text": r.text}
            for r in found.rows
        ],
        "earlier": found.earlier,
        "later": found.later,
        "gaps": [list(pair) for pair in found.gaps],
    }


def _print_around(found: Surroundings) -> None:
    console, row = out(), found.rows[found.at]
    date = row.published_at.date().isoformat() if row.published_at else "undated"
    console.print(
        Text.assemble((one_line(row.title or row.document_id), "bold"), (f"   {date}", "dim")), soft_wrap=True
    )
    before_gap = {first for first, _ in found.gaps}
    for place, near in enumerate(found.rows):
        style = "bold cyan" if place == found.at else "cyan"
        console.print(Text.assemble((one_line(near.id), style), " ", plain(near.text)))
        if near.id in before_gap:
            console.print("  (nothing said)", style="dim")
    console.print(f"{found.earlier} passages before, {found.later} after", style="dim")
