"""`kill -9` of an asking process loses nothing that was done."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap

from answertrail.settings import Settings
from answertrail.store import runs
from answertrail.store.connection import connect

ASKING = textwrap.dedent(
    """
    import asyncio, os
    from pathlib import Path
    from answertrail.agent.ask import Ask
    from answertrail.agent.loop import run_agent
    from answertrail.agent.recipe import load
    from answertrail.settings import Settings
    from answertrail.store.connection import connect
    from answertrail.store.evidence import StoredRuns
    from tests.agent.test_loop import Hanging
    from tests.agent.world import open_corpus, says, search

    async def main(corpus):
        reached = asyncio.Event()
        model = Hanging([says(search("kiln")), says(search("glaze"))], reached)
        async with connect(Settings(Path(os.environ["T_HOME"]), os.environ["T_URL"])) as db:
            work = asyncio.create_task(run_agent(Ask("Where?", load("default"), model, corpus), StoredRuns(db)))
            await reached.wait()
            print("hanging", flush=True)
            await work

    asyncio.run(main(open_corpus()))
    """
)


def test_a_killed_run_is_interrupted_and_keeps_its_searches(settings: Settings):
    environment = {**os.environ, "T_HOME": str(settings.home), "T_URL": settings.database_url, "PYTHONPATH": "."}
    process = subprocess.Popen([sys.executable, "-c", ASKING], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "hanging\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()

    async def read():
        async with connect(settings) as db:
            (summary,) = await runs.list_runs(db)
            return await runs.get(db, summary.run_id)

    run = asyncio.run(read())
    assert run.status == "interrupted"
    assert [s.query for s in run.searches] == ["kiln", "glaze"]
    assert run.answer is None
    assert all(chunk.text for chunk in run.chunks)
