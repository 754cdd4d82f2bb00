"""`answertrail eval kit`: the evaluation kit as files, and its recorded rankings made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from answertrail.cli.common import err, json_option, out, print_json, run_async
from answertrail.errors import InputError


@click.command("kit")
@click.option("--out", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Write the kit here.")
@click.option("--rerun", is_flag=True, help="Ingest its corpora, search again, and compare with the recording.")
@json_option
def command(folder: Path | None, rerun: bool, as_json: bool) -> int:
    """Write the evaluation kit to a folder, or run its recorded searches again.

    The kit holds four authored rankings with the results to expect, and two small fictional corpora
    of seven questions with 56 recorded rankings. No file that is not the kit's is overwritten. With
    --rerun the exit code is 1 when a ranking is not the recorded one.
    """
    if folder is None and not rerun:
        raise InputError("nothing to do", hint="give --out DIR, or --rerun")
    done: dict[str, Any] = {}
    if folder is not None:
        from answertrail.experiments.kit import write_kit

        written, same = write_kit(folder)
        done |= {"folder": str(folder), "written": written, "unchanged": same}
        if not as_json:
            said = f"{written} files written to {folder}, {same} there already; begin with README.md"
            out().print(said, soft_wrap=True)
    code = 0
    if rerun:
        done["splits"] = run_async(_rerun(as_json))
        code = int(any(split["changed"] for split in done["splits"].values()))
    if as_json:
        print_json(done)
    return code


async def _rerun(as_json: bool) -> dict[str, Any]:
    from answertrail.cli.progress import Bars
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.kit_recording import SPLITS, changes, kit_questions, record, recorded
    from answertrail.experiments.kit_summary import summarize
    from answertrail.experiments.view.kit import tables
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    settings = Settings.from_environment()
    result: dict[str, Any] = {}
    async with connect(settings) as db:
        for split in SPLITS:
            before, runtime = recorded(split)
            with Bars(err()) as bars:
                again = await record(db, settings, split, f"kit-{split}", bars)
            changed = changes(before, again.runs)
            totals = summarize(kit_questions(split), again.runs)
            result[split] = {
                "rankings": len(again.runs),
                "changed": [row.as_json() for row in changed],
                "runtime": again.runtime(),
                "recorded_runtime": runtime,
                "summary": totals.as_json(),
            }
            if not as_json:
                print_tables(out(), tables(split, totals, changed, again.runtime(), runtime))
    return result
