"""Make the kit's recording again: `python -m tests.experiments.record_kit`. Not a test.

Overwrites runs.jsonl, runtime.json and summary.json of both splits; for when the search itself was
changed on purpose. Commit first, so that the recording names the code that made it.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from answertrail.corpus.report import Silent
from answertrail.experiments.kit_recording import SPLITS, kit_questions, record
from answertrail.experiments.kit_summary import summarize
from answertrail.records import jsonl
from answertrail.settings import Settings
from answertrail.store.connection import connect

KIT = Path(__file__).resolve().parents[2] / "src" / "answertrail" / "kit"


async def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        async with connect(settings) as db:
            for split in SPLITS:
                done = await record(db, settings, split, f"kit-{split}", Silent())
                folder = KIT / "experiment" / split
                totals = summarize(kit_questions(split), done.runs).as_json()
                jsonl.write(folder / "runs.jsonl", done.runs)
                for name, value in (("runtime", done.runtime()), ("summary", totals)):
                    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
                    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
                print(split, len(done.runs), "rankings,", done.runtime()["corpus"])


if __name__ == "__main__":
    asyncio.run(main())
