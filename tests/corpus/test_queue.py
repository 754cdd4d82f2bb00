"""Ingests in a queue on Postgres: three worker processes share one, and none of it is lost with a worker."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from answertrail.corpus import queue
from answertrail.corpus.cleaning.report import CleaningReport
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.corpus.report import IngestReport
from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.store import connect
from answertrail.store.cleaning import Supply
from tests.corpus.rows import corpus_rows, digest
from tests.corpus.test_shared_ingest import folder  # noqa: F401 - a fixture

pytest.importorskip("procrastinate", reason="the extra `queue` is not installed")

_MAIN = [sys.executable, "-c", "from answertrail.cli.main import main; main()"]


def start(settings, *words: object) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "ANSWERTRAIL_HOME": str(settings.home),
        "ANSWERTRAIL_DATABASE_URL": settings.database_url,
    }
    return subprocess.Popen(
        [*_MAIN, *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(settings, *words: object) -> str:
    process = start(settings, *words)
    out, err = process.communicate(timeout=120)
    assert process.returncode in (0, 1), err
    return out


async def _rows(settings, corpus):
    async with connect(settings) as db:
        return digest(await corpus_rows(db, corpus))


async def _alone(settings, folder):  # noqa: F811
    async with connect(settings) as db:
        await ingest(db, IngestRequest("alone", [folder], embedder="fast"))
    return await _rows(settings, "alone")


def test_three_workers_share_one_ingest(settings, folder):  # noqa: F811
    words = ("ingest", folder, "--corpus", "shared", "--embedder", "fast", "--queue", "--shares", 3, "--json")
    put = run(settings, *words)
    assert len(json.loads(put)["jobs"]) == 3
    workers = [start(settings, "worker", "--until-empty", "--json") for _ in range(3)]
    ended = []
    for worker in workers:
        out, err = worker.communicate(timeout=120)
        assert worker.returncode in (0, 1), err
        ended += json.loads(out)["ended"]
    assert len(ended) == 3
    assert sum(report["added"] for report in ended) == 60
    assert asyncio.run(_rows(settings, "shared")) == asyncio.run(_alone(settings, folder))


def test_until_empty_waits_for_the_share_of_a_worker_that_was_killed(settings, folder):  # noqa: F811
    run(settings, "ingest", folder, "--corpus", "cut", "--embedder", "fast", "--queue")
    struck = start(settings, "worker", "--dead-after", 1)
    _wait_for(settings, "doing")
    struck.send_signal(signal.SIGKILL)
    struck.communicate()
    run(settings, "worker", "--until-empty", "--dead-after", 1)
    assert set(asyncio.run(_counts(settings))) == {"succeeded"}
    assert asyncio.run(_rows(settings, "cut")) == asyncio.run(_alone(settings, folder))


def test_ctrl_c_ends_a_worker_that_would_wait_until_empty(settings, folder):  # noqa: F811
    run(settings, "ingest", folder, "--corpus", "ended", "--embedder", "fast", "--queue")
    worker = start(settings, "worker", "--until-empty")
    _wait_for(settings, "doing")
    worker.send_signal(signal.SIGINT)
    worker.communicate(timeout=60)


def test_a_worker_that_is_told_to_end_gives_its_share_back(settings, folder):  # noqa: F811
    run(settings, "ingest", folder, "--corpus", "ended", "--embedder", "fast", "--queue")
    first = start(settings, "worker")
    _wait_for(settings, "doing")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    assert set(asyncio.run(_counts(settings))) <= {"todo", "succeeded"}
    run(settings, "worker", "--until-empty")
    assert asyncio.run(_rows(settings, "ended")) == asyncio.run(_alone(settings, folder))


@pytest.mark.asyncio
async def test_a_blocked_service_is_asked_again_when_it_said_so_and_not_before(database, tmp_path):
    resume = datetime.now(UTC) + timedelta(seconds=2)
    asked: list[datetime] = []

    async def blocked_once(_db, request):
        asked.append(datetime.now(UTC))
        return IngestReport(request.corpus, resume_at=resume if len(asked) == 1 else None)

    await queue.put(database, IngestRequest("kiln", [tmp_path]), 1)
    working = asyncio.create_task(queue.work(database, blocked_once, lambda *_: None))
    for _ in range(200):
        if (await queue.counts(database)).get("succeeded"):
            break
        await asyncio.sleep(0.1)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert len(asked) == 2
    assert asked[1] >= resume


@pytest.mark.asyncio
async def test_a_service_that_is_down_is_tried_again_and_a_bad_request_is_not(database, tmp_path):
    for corpus in ("down", "bad"):
        await queue.put(database, IngestRequest(corpus, [tmp_path]), 1)
    told: list[tuple[str, str]] = []

    async def failing(_db, request):
        raise ServiceError("no embedder") if request.corpus == "down" else InputError("no such file")

    await queue.work(database, failing, lambda corpus, _, error: told.append((corpus, str(error))), wait=False)
    assert sorted(told) == [("bad", "no such file"), ("down", "no embedder")]
    assert await queue.counts(database) == {"failed": 1, "todo": 1}


@pytest.mark.asyncio
async def test_no_queue_has_no_jobs(database):
    assert await queue.counts(database) == {}


def _wait_for(settings, state: str) -> None:
    for _ in range(300):
        if asyncio.run(_counts(settings)).get(state):
            return
        time.sleep(0.1)
    raise AssertionError(f"no job ever was {state}")


async def _counts(settings):
    async with connect(settings) as db:
        return await queue.counts(db)


@pytest.mark.asyncio
async def test_a_share_whose_cleaning_stopped_is_not_a_success(database, tmp_path):
    async def stopped(_db, request):
        report = IngestReport(request.corpus)
        report.cleaning = CleaningReport("m", Supply(0, 0, 0, 0), stopped=ServiceError("the model is down"))
        return report

    await queue.put(database, IngestRequest("kiln", [tmp_path]), 1)
    await queue.work(database, stopped, lambda *_: None, wait=False)
    assert await queue.counts(database) == {"todo": 1}


@pytest.mark.asyncio
async def test_a_share_with_a_feed_that_is_down_is_tried_again_and_one_with_a_wrong_address_is_not(database, tmp_path):
    down, wrong = ServiceError("HTTP 503"), NotFoundError("HTTP 404")
    later = datetime.now(UTC) + timedelta(hours=6)
    ended = {
        "down": IngestReport("down", errors={"a": wrong, "b": down}, resume_at=later),
        "wrong": IngestReport("wrong", errors={"a": wrong}),
        "blocked": IngestReport("blocked", errors={"a": wrong}, resume_at=later),
    }

    async def ending(_db, request):
        return ended[request.corpus]

    for corpus in ended:
        await queue.put(database, IngestRequest(corpus, [tmp_path]), 1)
    await queue.work(database, ending, lambda *_: None, wait=False)
    assert await queue.counts(database) == {"failed": 1, "todo": 2}
    async with database.transaction() as conn:
        cursor = await conn.execute(
            "SELECT args->'request'->>'corpus', scheduled_at < now() + interval '1 hour' FROM procrastinate_jobs"
            " WHERE status = 'todo' ORDER BY 1"
        )
        assert await cursor.fetchall() == [("blocked", False), ("down", True)]


@pytest.mark.asyncio
async def test_a_failing_share_writes_no_address_into_the_log(database, tmp_path, caplog):
    async def failing(_db, request):
        raise InputError("no such feed")

    await queue.put(database, IngestRequest("kiln", [], origins=["https://me:secret@example.org/feed.xml"]), 1)
    await queue.work(database, failing, lambda *_: None, wait=False)
    assert "secret" not in caplog.text


@pytest.mark.asyncio
async def test_the_jobs_of_other_queues_are_left_alone(database, tmp_path):
    """Another program may have its own queue on the same database, and its own way with workers that died."""
    await queue.put(database, IngestRequest("ours", [tmp_path]), 2)
    async with database.transaction() as conn:
        await conn.execute("UPDATE procrastinate_jobs SET status = 'doing'")  # their worker is gone
        await conn.execute("UPDATE procrastinate_jobs SET queue_name = 'theirs', task_name = 'send' WHERE id = 1")

    async def done(_db, request):
        return IngestReport(request.corpus)

    await queue.work(database, done, lambda *_: None, wait=False, dead_after_s=0.2)
    assert await queue.counts(database) == {"succeeded": 1}
    async with database.transaction() as conn:
        row = await (await conn.execute("SELECT status::text FROM procrastinate_jobs WHERE id = 1")).fetchone()
    assert row == ("doing",)
