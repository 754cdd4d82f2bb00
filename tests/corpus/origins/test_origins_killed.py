"""`kill -9` while fetching: the item in hand is lost, and nothing else."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from answertrail.corpus.origins.stage import fetch_pending, list_origin, states
from answertrail.store import corpora
from tests.corpus.origins.youtube_server import Captions, Video, spoken, video_id
from tests.soak import rounds
from tests.store.samples import IDENTITY

pytestmark = pytest.mark.asyncio

ROOT = Path(__file__).resolve().parents[3]
KILLS = rounds(ci=3, soak=40)
VIDEOS = 6 * KILLS
CONTENT = {
    "documents": "document_id, title, published_at, record, body, content_hash, chunks_hash, source",
    "segments": "document_id, ordinal, start_s, end_s, text",
    "chunks": "chunk_id, text, lines, start_s, end_s, text_hash, context, embedded_hash",
    "fetched_items": "origin, item_id, document::text, notes",
    "withheld_items": "origin, item_id, state, kind, reason, attempts",
    "source_items": "source, state, document_id, notes",
}


async def content(database, corpus) -> dict[str, list[tuple]]:
    out = {}
    async with database.transaction() as conn:
        for table, columns in CONTENT.items():
            cursor = await conn.execute(
                f"SELECT {columns} FROM {table} WHERE corpus_id = %s ORDER BY 1, 2", (corpus.id,)
            )
            out[table] = await cursor.fetchall()
    return out


async def made(database, origin, name: str):
    corpus = await corpora.create(database, name, "toy:3", IDENTITY, "en")
    await list_origin(database, corpus, origin)
    return corpus


def killed(command: list[str], asked_for: threading.Event, after: float) -> None:
    """Run a process and kill it so many seconds after it asked: before, while or after the item is written."""
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        assert asked_for.wait(60)
        time.sleep(after)
    finally:
        process.kill()
        process.wait()


async def test_a_corpus_fetched_by_killed_processes_is_that_of_one_left_alone(
    youtube, opened, database, settings, pace
):
    youtube.add(*[Video(video_id(n), captions=[Captions("en", spoken(600), "asr")]) for n in range(VIDEOS)])
    youtube.add(Video(video_id(999999), captions=[]))
    origin = opened("@talks")
    await origin.resolve()
    whole = await made(database, origin, "whole")
    await fetch_pending(database, whole, origin, "w", pace=pace)
    broken = await made(database, origin, "broken")

    command = [sys.executable, "-m", "tests.corpus.origins.fetching", settings.database_url, youtube.url, "broken"]
    chance = random.Random(7)
    youtube.asked.clear()
    reply, asked_for = youtube.reply, threading.Event()
    budget = [0]

    def counted(path, *rest):
        if path == "/api/timedtext":
            budget[0] -= 1
            if budget[0] <= 0:
                asked_for.set()
        return reply(path, *rest)

    youtube.reply = counted
    for _ in range(KILLS):
        asked_for.clear()
        budget[0] = chance.randint(1, 5)
        await asyncio.to_thread(killed, command, asked_for, chance.uniform(0, 0.03))
        kept = await states(database, broken, origin.key)
        assert kept["fetched"] + kept["pending"] + kept["skipped"] == VIDEOS + 1
        assert kept["failed"] == 0
    await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=True, timeout=60)

    assert (await states(database, broken, origin.key))["fetched"] == VIDEOS
    assert youtube.count("/api/timedtext") <= VIDEOS + KILLS
    assert await content(database, broken) == await content(database, whole)
    assert await corpora.snapshot(database, broken) == await corpora.snapshot(database, whole)
