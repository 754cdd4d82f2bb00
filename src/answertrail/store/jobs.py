"""The jobs of the work queue, as its tables show them. The queue itself is `corpus.queue`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from answertrail.store.connection import Database

QUEUE = "answertrail"
"""The name of our queue: others may be in the same tables."""

# The tables are procrastinate's, and the arguments as `corpus.queue.put` gives them. The rows of failed jobs
# are kept, so a failure counts until the same ingest has succeeded after it.
_JOBS = """
    SELECT count(*) FILTER (WHERE status = 'todo'), count(*) FILTER (WHERE status = 'doing'),
           count(*) FILTER (WHERE status = 'failed' AND NOT EXISTS (
               SELECT FROM procrastinate_jobs done JOIN procrastinate_events e ON e.job_id = done.id
               WHERE done.queue_name = j.queue_name AND done.args = j.args AND e.type = 'succeeded'
                 AND e.at > (SELECT max(at) FROM procrastinate_events f WHERE f.job_id = j.id AND f.type = 'failed')
           ))
    FROM procrastinate_jobs j
    WHERE queue_name = %s AND args -> 'request' ->> 'corpus' = %s
"""


@dataclass(frozen=True, slots=True)
class Jobs:
    """How many jobs of a corpus wait, run, and failed with nothing that mended it since."""

    waiting: int
    running: int
    failed: int

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.waiting or self.running or self.failed)

    def as_json(self) -> dict[str, int]:
        """Return plain values, a key each."""
        return asdict(self)


async def of_corpus(db: Database, name: str) -> Jobs | None:
    """Count the jobs of a corpus, which need not be there yet; None where there never was a queue."""
    async with db.transaction() as conn:
        row = await (await conn.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")).fetchone()
        if row is None or not row[0]:
            return None
        row = await (await conn.execute(_JOBS, (QUEUE, name))).fetchone()
    assert row is not None
    return Jobs(*row)
