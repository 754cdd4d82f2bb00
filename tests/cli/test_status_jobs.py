"""`status` sees the queue: what waits, runs and failed, also before a worker has made the corpus."""

from __future__ import annotations

import asyncio

import pytest

from answertrail.store import connect

pytest.importorskip("procrastinate", reason="the extra `queue` is not installed")

FAST = ("--embedder", "fast", "--queue")


def test_a_corpus_that_waits_in_the_queue_is_seen(cli, kiln):
    put = cli("ingest", kiln, "--corpus", "kiln", *FAST, "--shares", "2")
    assert (put.code, put.err) == (0, "")
    waiting = cli("status", "--corpus", "kiln", "--json")
    assert waiting.code == 0
    assert waiting.json == {
        "documents": {"embedded": 0, "chunked": 0, "failed": 0, "skipped": 0},
        "chunks": 0,
        "failures": [],
        "snapshot": waiting.json["snapshot"],
        "corpus": "kiln",
        "embedder": None,
        "jobs": {"waiting": 2, "running": 0, "failed": 0},
    }
    shown = cli("status", "--corpus", "kiln").out
    assert "corpus kiln   not made yet" in shown
    assert "2 waiting; `answertrail worker` takes them" in shown
    assert cli("status", "--corpus", "kiln", "--items", "--json").json["items"] == []

    assert cli("worker", "--until-empty").code == 0
    made = cli("status", "--corpus", "kiln", "--json").json
    assert made["documents"]["embedded"] == 2
    assert made["jobs"] == {"waiting": 0, "running": 0, "failed": 0}
    assert "jobs" not in cli("status", "--corpus", "kiln").out


def test_the_snapshot_of_a_corpus_that_waits_is_that_of_an_empty_one(cli, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "bad.vtt").write_text("no captions at all")
    cli("ingest", folder, "--corpus", "empty", "--embedder", "fast")
    cli("ingest", folder, "--corpus", "waits", *FAST)
    empty, waits = (cli("status", "--corpus", name, "--json").json["snapshot"] for name in ("empty", "waits"))
    assert waits == empty


def test_a_corpus_named_by_nobody_is_the_default_one(cli, kiln):
    cli("ingest", kiln, *FAST)
    assert cli("status", "--json").json["corpus"] == "default"


def test_jobs_of_other_corpora_are_not_counted(cli, kiln):
    cli("ingest", kiln, "--corpus", "kiln", *FAST)
    other = cli("status", "--corpus", "other", "--json")
    assert other.code == 2
    assert other.json["error"]["kind"] == "not_found"


def test_a_job_in_hand_is_running_and_another_queue_is_not_ours(cli, kiln, settings):
    cli("ingest", kiln, "--corpus", "kiln", *FAST, "--shares", "3")
    changed(settings, "UPDATE procrastinate_jobs SET status = 'doing' WHERE id = 1")
    changed(settings, "UPDATE procrastinate_jobs SET queue_name = 'theirs' WHERE id = 2")
    assert cli("status", "--corpus", "kiln", "--json").json["jobs"] == {"waiting": 1, "running": 1, "failed": 0}
    assert "1 waiting, 1 running\n" in cli("status", "--corpus", "kiln").out


def test_a_failed_job_counts_until_the_same_ingest_succeeds(cli, ingested, tmp_path):
    later = tmp_path / "later"
    put = cli("ingest", later, "--corpus", "kiln", *FAST, "--json")
    warning = f"{later} is not on this machine; a worker needs it under this name"
    assert put.code == 0
    assert put.json["warnings"] == [warning]
    assert warning in put.err
    assert cli("worker", "--until-empty").code == 1
    assert cli("status", "--corpus", "kiln", "--json").json["jobs"] == {"waiting": 0, "running": 0, "failed": 1}
    assert "1 failed; the output of the worker says why" in cli("status", "--corpus", "kiln").out

    later.mkdir()
    (later / "kiln.md").write_text("# The kiln\n\nWe bought it in 2019 from a school that closed.\n")
    assert "warnings" not in cli("ingest", later, "--corpus", "kiln", *FAST, "--json").json
    assert cli("worker", "--until-empty").code == 0
    assert cli("status", "--corpus", "kiln", "--json").json["jobs"]["failed"] == 0


def test_without_a_queue_nothing_is_said_of_one(cli, ingested, settings):
    changed(settings, "ALTER TABLE IF EXISTS procrastinate_jobs RENAME TO put_aside")
    try:
        assert "jobs" not in cli("status", "--json").json
        assert cli("status", "--corpus", "other").code == 2
    finally:
        changed(settings, "ALTER TABLE IF EXISTS put_aside RENAME TO procrastinate_jobs")


def changed(settings, statement: str) -> None:
    async def change() -> None:
        async with connect(settings) as db, db.transaction() as conn:
            await conn.execute(statement)

    asyncio.run(change())
