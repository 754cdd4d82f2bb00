"""Ingests on many machines: jobs in a queue on the same Postgres (procrastinate), taken by workers.

A job is a *share* of an ingest, and any number of shares of one ingest may run at once: the claims
on items see to it that each item is done once. The queue brings what claims cannot: workers that
wait for work, a job of a dead worker that is taken up by another, and a blocked service that is
tried again when it said so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import TypeAdapter

from answertrail.corpus.report import IngestReport
from answertrail.corpus.request import IngestRequest
from answertrail.errors import ServiceError
from answertrail.store.connection import Database, translated
from answertrail.store.jobs import QUEUE

if TYPE_CHECKING:
    from procrastinate import App, JobContext
    from procrastinate.jobs import Job

TASK = "answertrail.ingest"
_log = logging.getLogger(__name__)
_REQUEST = TypeAdapter(IngestRequest)
# Any number that nothing else in the database uses for an advisory lock.
_SCHEMA_LOCK = 0x616E7178
_DEAD_AFTER_S = 30.0
_LOOK_EVERY_S = 10.0
_ATTEMPTS, _LONGEST_WAIT_S = 50, 3600
"""So often a share is tried: a service that is down for a day, or whose quota is renewed tomorrow, is outlasted."""
_WAIT_S = 1.0
_GRACE_S = 2.0
"""So long a share may go on after Ctrl-C; what it had in hand is undone, the rest another worker's."""

Ingest: TypeAlias = "Callable[[Database, IngestRequest], Any]"
Told: TypeAlias = Callable[[str, IngestReport | None, Exception | None], None]
"""Told of each share that ended here: the corpus, its report, or what it failed with."""


async def put(db: Database, request: IngestRequest, shares: int) -> list[int]:
    """Put an ingest into the queue in so many shares; return the numbers of the jobs.

    The sources must be readable under the same names wherever a worker runs. Raises ServiceError
    when the queue's package is missing or the database is down.
    """
    app = await _app(db, _nothing)
    async with app.open_async():
        given = _REQUEST.dump_python(request, mode="json")
        task = app.configure_task(TASK, queue=QUEUE)
        return [await task.defer_async(request=given) for _ in range(shares)]


async def work(
    db: Database,
    ingest: Ingest,
    told: Told,
    *,
    wait: bool = True,
    concurrency: int = 1,
    dead_after_s: float = _DEAD_AFTER_S,
) -> None:
    """Take jobs until stopped, or until there is none left, here or in other hands, when `wait` is false.

    `ingest` is what runs a share. A job whose worker sent no sign of life for `dead_after_s`
    seconds is put back, so a worker that was killed delays its share and loses none of it.
    """
    ending = asyncio.Event()
    app = await _app(db, lambda request: _share(db, ingest, told, request, ending))
    async with app.open_async():
        revived = asyncio.create_task(_revive(app, dead_after_s))
        try:
            with translated(db.where):
                while True:
                    await app.run_worker_async(
                        queues=[QUEUE],
                        wait=wait,
                        concurrency=concurrency,
                        stalled_worker_timeout=dead_after_s,
                        shutdown_graceful_timeout=_GRACE_S,
                        update_heartbeat_interval=min(10.0, dead_after_s / 3),
                    )
                    if wait or ending.is_set() or not await _unfinished(db):
                        break
                    await asyncio.sleep(_WAIT_S)  # another worker is at the rest, or was
        finally:
            revived.cancel()
            with suppress(asyncio.CancelledError):
                await revived


async def counts(db: Database) -> dict[str, int]:
    """Count the ingest jobs by state (todo, doing, succeeded, failed, ...); {} where there never was a queue."""
    async with db.transaction() as conn:
        row = await (await conn.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")).fetchone()
        if row is None or not row[0]:
            return {}
        cursor = await conn.execute(
            "SELECT status::text, count(*) FROM procrastinate_jobs WHERE queue_name = %s GROUP BY 1 ORDER BY 1",
            (QUEUE,),
        )
        return {status: int(count) for status, count in await cursor.fetchall()}


async def _unfinished(db: Database) -> bool:
    """Whether a job is being done somewhere, or could be begun now."""
    async with db.transaction() as conn:
        cursor = await conn.execute(
            "SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE queue_name = %s AND (status = 'doing'"
            " OR status = 'todo' AND coalesce(scheduled_at, now()) <= now()))",
            (QUEUE,),
        )
        row = await cursor.fetchone()
    return row is not None and bool(row[0])


async def _share(db: Database, ingest: Ingest, told: Told, given: Mapping[str, Any], ending: asyncio.Event) -> None:
    request = _REQUEST.validate_python(given)
    try:
        report: IngestReport = await ingest(db, request)
    except asyncio.CancelledError:
        # The worker was told to end. An aborted job is one nobody takes up again; this one is.
        ending.set()
        raise _LaterError(datetime.now(UTC)) from None
    except Exception as error:
        told(request.corpus, None, error)
        raise
    told(request.corpus, report, None)
    if report.cleaning is not None and report.cleaning.stopped is not None:
        raise report.cleaning.stopped
    # A feed that is down is tried again soon; services that refuse us are left alone until their time.
    down = sorted(report.errors.values(), key=lambda error: not isinstance(error, ServiceError))
    if down and isinstance(down[0], ServiceError):
        raise down[0]
    if report.resume_at is not None:
        raise _LaterError(report.resume_at)
    if down:
        raise down[0]


async def _nothing(_: Mapping[str, Any]) -> None:
    raise AssertionError("this process only puts jobs")


class _LaterError(Exception):
    """A service refuses us until an instant: the share goes back into the queue until then."""

    def __init__(self, at: datetime) -> None:
        super().__init__(f"to be taken up at {at.isoformat()}")
        self.at = at


async def _app(db: Database, run: Callable[[Mapping[str, Any]], Any]) -> App:
    try:
        import procrastinate
        from procrastinate.retry import BaseRetryStrategy, RetryDecision
    except ImportError:
        raise ServiceError(
            "the work queue is not installed", where="queue", hint="pip install 'answertrail[queue]'"
        ) from None

    class Again(BaseRetryStrategy):
        """A blocked service at its time, one that is down ever later, anything else never."""

        def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
            if isinstance(exception, _LaterError):
                return RetryDecision(retry_at=max(exception.at, datetime.now(UTC)))
            if isinstance(exception, ServiceError) and job.attempts < _ATTEMPTS:
                return RetryDecision(retry_in={"seconds": min(5 * 2 ** min(job.attempts, 10), _LONGEST_WAIT_S)})
            return None

    # It logs the arguments of a job that failed, and an address among them may hold a password.
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=str(db.pool.conninfo)))

    @app.task(name=TASK, queue=QUEUE, retry=Again(), pass_context=True)
    async def share(_context: JobContext, request: dict[str, Any]) -> None:
        await run(request)

    await _ensure_schema(db)
    return app


async def _ensure_schema(db: Database) -> None:
    """Make the queue's tables once; processes that come together take turns."""
    from procrastinate.schema import SchemaManager

    async with db.transaction() as conn:
        await conn.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
        row = await (await conn.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")).fetchone()
        if row is None or not row[0]:
            await conn.execute(SchemaManager.get_schema())


async def _revive(app: App, dead_after_s: float) -> None:
    while True:
        try:
            for job in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=dead_after_s):
                _log.warning("job %s: its worker is gone; put back", job.id)
                await app.job_manager.retry_job(job)
        except Exception:  # noqa: BLE001 - the database may be away for a moment; the worker itself reports that
            _log.debug("could not look for jobs of dead workers", exc_info=True)
        await asyncio.sleep(min(_LOOK_EVERY_S, dead_after_s))
