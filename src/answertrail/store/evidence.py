"""Keeps a run's evidence while it works: what the loop calls, over the runs table."""

from __future__ import annotations

from answertrail.records.run import Run
from answertrail.store import runs
from answertrail.store.connection import Database


class StoredRuns:
    """Writes runs to Postgres; each call is on disk when it returns."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def start(self, run: Run) -> None:
        """Insert the run with status `interrupted`."""
        await runs.start(self._db, run)

    async def progress(self, run: Run) -> None:
        """Append a snapshot of the run so far."""
        await runs.append_event(self._db, run.run_id, {"type": "snapshot", "record": run.as_json()})

    async def finish(self, run: Run) -> None:
        """Write the run's last word."""
        await runs.finish(self._db, run)
