from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest

from answertrail.errors import InputError, NotFoundError
from answertrail.records import Run
from answertrail.records.chunk import text_hash
from answertrail.records.jsonl import dumps, parse
from answertrail.store import Database, corpora, runs
from tests.store.samples import corpus_of, timed

pytestmark = pytest.mark.asyncio


def run_of(**fields: Any) -> Run:
    base = {"schema": "run/1", "run_id": "r1", "question": "Where did the kiln go?", "status": "completed"}
    return parse(Run, base | fields, where="test")


def chunk(text: str, **more: Any) -> dict[str, Any]:
    return {"id": "a:00000", "document_id": "a", "text": text, "published_at": None, **more}


FINISHED = {
    "answer": {"outcome": "answered", "statements": [{"text": "East.", "citations": ["a:00000"]}]},
    "recipe": {"name": "default", "hash": "sha256:1"},
    "corpus": {"name": "talks", "snapshot": "sha256:2"},
    "chunks": [chunk("It went east."), chunk("It went east.", text_hash=text_hash("It went east."))],
    "cost_usd": None,
    "elapsed_ms": 12.5,
    "started_at": "2026-01-02T03:04:05Z",
    "meta": {"z": 1, "a": [1.0, 2, 1e-9]},
}


async def test_a_finished_run_comes_back_byte_for_byte(database: Database) -> None:
    run = run_of(**FINISHED)
    await runs.start(database, run_of(status="interrupted"))
    await runs.finish(database, run)
    assert dumps(await runs.get(database, "r1")) == dumps(run)
    (line,) = await runs.list_runs(database)
    assert (line.status, line.outcome, line.recipe, line.corpus_name, line.cost_usd) == (
        "completed", "answered", "default", "talks", None,
    )  # fmt: skip
    assert line.finished_at is not None
    assert line.started_at.isoformat() == "2026-01-02T03:04:05+00:00"


async def test_texts_are_kept_once_and_outlive_the_corpus(database: Database) -> None:
    corpus = await corpus_of(database, timed("a", "It went east."))
    await runs.finish(database, run_of(**FINISHED))
    await corpora.delete(database, corpus)
    stored = await runs.get(database, "r1")
    assert stored.chunks is not None
    assert [part.text for part in stored.chunks] == ["It went east."] * 2
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT text_hash, text FROM texts")
        assert await cursor.fetchall() == [(text_hash("It went east."), "It went east.")]
        cursor = await conn.execute("SELECT record::text LIKE '%went east%' FROM runs")
        assert await cursor.fetchone() == (False,)


@pytest.mark.parametrize("text", ["nul \0 inside", "\\u0000", "half \ud83d", "", "мир"])
async def test_any_text_survives(database: Database, text: str) -> None:
    run = Run.model_construct(
        **{name: getattr(run_of(), name) for name in ("schema_", "run_id", "status")},
        question="q",
        meta={"said": text},
        chunks=run_of(chunks=[chunk("x")]).chunks,
        _fields_set={"schema_", "run_id", "status", "question", "meta", "chunks"},
    )
    await runs.start(database, run_of(status="interrupted"))
    await runs.append_event(database, "r1", {"type": "said", "text": text})
    await runs.append_event(database, "r1", {"type": "snapshot", "record": {"chunks": [chunk(text)]}})
    stored = await runs.get(database, "r1")
    assert stored.chunks is not None
    assert stored.chunks[0].text == text
    (first, _) = await runs.events(database, "r1")
    assert first.event["text"] == text
    await runs.finish(database, run)
    assert (await runs.get(database, "r1")).meta == {"said": text}


async def test_an_unfinished_run_is_rebuilt_from_its_last_snapshot(database: Database) -> None:
    await runs.start(database, run_of(status="interrupted", tier="factual"))
    assert (await runs.get(database, "r1")).as_json() == run_of(status="interrupted", tier="factual").as_json()
    for count in (1, 2):
        record = {"schema": "run/1", "run_id": "r1", "question": "q", "status": "completed",
                  "chunks": [chunk("one"), chunk("two")][:count]}  # fmt: skip
        await runs.append_event(database, "r1", {"type": "snapshot", "record": record})
        await runs.append_event(database, "r1", {"type": "search", "query": "kiln"})
    stored = await runs.get(database, "r1")
    assert stored.status == "interrupted"
    assert stored.tier == "factual"
    assert stored.chunks is not None
    assert [part.text for part in stored.chunks] == ["one", "two"]
    (line,) = await runs.list_runs(database, status="interrupted")
    assert (line.finished_at, line.cost_usd) == (None, None)


async def test_events_are_numbered_without_gaps_also_at_once(database: Database) -> None:
    await runs.start(database, run_of(status="interrupted"))
    numbers = await asyncio.gather(*(runs.append_event(database, "r1", {"n": n}) for n in range(20)))
    assert sorted(numbers) == list(range(1, 21))
    assert [event.seq for event in await runs.events(database, "r1", after=18)] == [19, 20]


async def test_unknown_and_taken_ids(database: Database) -> None:
    with pytest.raises(NotFoundError):
        await runs.get(database, "r1")
    with pytest.raises(NotFoundError):
        await runs.append_event(database, "r1", {})
    await runs.start(database, run_of(status="interrupted"))
    with pytest.raises(InputError, match="exists"):
        await runs.start(database, run_of(status="interrupted"))
    with pytest.raises(InputError, match="interrupted"):
        await runs.start(database, run_of(run_id="r2"))


async def test_imported_runs_are_added_or_replaced_and_exported_oldest_first(database: Database) -> None:
    await runs.finish(database, run_of(run_id="b", started_at="2026-01-01"))
    await runs.finish(database, run_of(run_id="a", started_at="2026-01-02"))
    await runs.finish(database, run_of(run_id="a", started_at="2026-01-02", status="failed"))
    found = [run async for run in runs.export(database)]
    assert [(run.run_id, run.status) for run in found] == [("b", "completed"), ("a", "failed")]
    assert [run.run_id async for run in runs.export(database, ["a", "nobody"])] == ["a"]
    assert [line.run_id for line in await runs.list_runs(database, limit=1)] == ["a"]


async def test_a_text_is_sent_once_and_not_again_with_every_snapshot(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    real = psycopg.AsyncCursor.executemany

    async def counted(self: Any, query: Any, rows: Any, **more: Any) -> None:
        sent.extend(text for _, text in rows)
        await real(self, query, rows, **more)

    monkeypatch.setattr(psycopg.AsyncCursor, "executemany", counted)
    await runs.start(database, run_of(status="interrupted"))
    for count in range(1, 31):
        record = {"chunks": [chunk(f"text {n}") for n in range(count)]}
        await runs.append_event(database, "r1", {"type": "snapshot", "record": record})
    assert sorted(sent) == sorted(f"text {n}" for n in range(30))
    stored = await runs.get(database, "r1")
    assert stored.chunks is not None
    assert [part.text for part in stored.chunks] == [f"text {n}" for n in range(30)]
    await runs.finish(database, run_of(chunks=[chunk("text 3"), chunk("last words")]))
    assert sent[30:] == ["last words"]


async def test_runs_that_keep_the_same_texts_at_once_keep_them_once(database: Database) -> None:
    texts = [f"text {n}" for n in range(40)]
    await asyncio.gather(
        *(
            runs.finish(database, run_of(run_id=f"r{n}", chunks=[chunk(text) for text in texts[n:] + texts[:n]]))
            for n in range(8)
        )
    )
    for n in range(8):
        stored = await runs.get(database, f"r{n}")
        assert stored.chunks is not None
        assert [part.text for part in stored.chunks] == texts[n:] + texts[:n]
