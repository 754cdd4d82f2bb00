"""`kill -9` while captions are cleaned: only what was being asked is paid for twice, and nothing differs."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

from answertrail.store import connect
from tests.corpus.rows import corpus_rows, digest
from tests.models.chat.fake_server import Answer, chat, running
from tests.soak import rounds

_COMMAND = [sys.executable, "-c", "from answertrail.cli.main import main; main()", "ingest"]
_DOCUMENTS, _LINES = 6, 45


def documents_in(folder):
    """Six documents with automatic captions of 45 lines, three batches each."""
    rows = []
    for number in range(_DOCUMENTS):
        segments = [
            {"start_s": 6.0 * line, "end_s": 6.0 * line + 5, "text": f"then we moved kiln {number} to barn {line}"}
            for line in range(_LINES)
        ]
        row = {"schema": "document/1", "id": f"ep{number}", "title": f"Episode {number}", "published_at": "2025-01-01"}
        rows.append({**row, "url": None, "language": "en", "captions": "auto", "segments": segments})
    (folder / "talks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


class Mending:
    """A model that gives each line a capital and a full stop, and remembers what it was paid for."""

    def __init__(self):
        self.asked: Counter[str] = Counter()

    def __call__(self, body) -> Answer:
        said = body["messages"][-1]["content"]
        data = json.loads(said[said.index("{") : said.rindex("}") + 1])
        self.asked[data["lines"][0]["text"]] += 1
        lines = [{"i": line["i"], "text": line["text"].capitalize() + "."} for line in data["lines"]]
        return chat(
            json.dumps({"lines": lines}), usage={"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        )


def start(folder, corpus, settings, url):
    environment = {
        **os.environ,
        "ANSWERTRAIL_HOME": str(settings.home),
        "ANSWERTRAIL_DATABASE_URL": settings.database_url,
        "ANSWERTRAIL_CHAT_BASE_URL": f"{url}/v1",
        "ANSWERTRAIL_CHAT_PROTOCOL": "json_action",
        "NO_PROXY": "127.0.0.1",
    }
    words = [str(folder), "--corpus", corpus, "--embedder", "fast", "--clean", "openai-compatible:m", "--json"]
    return subprocess.Popen(
        [*_COMMAND, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


async def _rows(settings, corpus):
    async with connect(settings) as db:
        return digest(await corpus_rows(db, corpus))


def test_what_was_cleaned_before_a_kill_is_kept_and_the_end_is_the_same(settings, tmp_path):
    folder = documents_in(tmp_path)
    chance = random.Random(23)
    with running() as server:
        server.behave = model = Mending()
        whole = start(folder, "alone", settings, server.url)
        out, err = whole.communicate(timeout=120)
        assert whole.returncode == 0, err
        report = json.loads(out)["cleaning"]
        assert (report["documents"], report["changed"], report["refused"]) == (6, 270, 0)
        assert sum(model.asked.values()) == 18
        expected = asyncio.run(_rows(settings, "alone"))
        assert expected["cleaning_edits"][0] == 270
        for number in range(rounds(ci=1, soak=40)):
            model.asked.clear()
            workers = [start(folder, f"cut {number}", settings, server.url) for _ in range(2)]
            deadline = time.monotonic() + 60
            stop = chance.randrange(1, 16)  # somewhere among the 18 calls
            while sum(model.asked.values()) < stop and time.monotonic() < deadline:
                time.sleep(0.01)
            for worker in workers:
                worker.send_signal(signal.SIGKILL)
                worker.communicate(timeout=60)
            last = start(folder, f"cut {number}", settings, server.url)
            _, err = last.communicate(timeout=120)
            assert last.returncode == 0, err
            assert asyncio.run(_rows(settings, f"cut {number}")) == expected, number
            # Each killed worker had the batches of one document in the air, three at most.
            assert sum(model.asked.values()) - 18 <= 2 * 3
