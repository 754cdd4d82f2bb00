"""`ingest --apart`: the corpus answers as it was until its successor is whole."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

from answertrail.store import connect, corpora, sources


def test_the_successor_takes_the_name_and_the_former_state_is_kept(cli, tmp_path):
    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    first = cli("ingest", tmp_path, "--corpus", "kiln", "--embedder", "fast", "--json").json
    (tmp_path / "b.md").write_text("# Roof\n\nThe roof of the barn leaks.\n")
    done = cli("ingest", tmp_path, "--corpus", "kiln", "--apart", "--json")
    assert done.code == 0, done.err
    assert done.json["corpus"] == "kiln"
    kept = done.json["published"]["kept"]
    assert kept == "kiln@" + first["snapshot"].removeprefix("sha256:")[:12]
    assert cli("corpus", "snapshot", "--corpus", "kiln", "--json").json["snapshot"] == done.json["snapshot"]
    assert cli("corpus", "snapshot", "--corpus", kept, "--json").json["snapshot"] == first["snapshot"]
    assert len(cli("search", "roof", "--corpus", "kiln", "--mode", "lexical", "--json").json["hits"]) == 1
    assert cli("search", "roof", "--corpus", kept, "--mode", "lexical", "--json").json["hits"] == []
    assert kept in cli("ingest", tmp_path / "a.md", "--corpus", kept, "--json").json["error"]["message"]


def test_nothing_new_keeps_no_former_state(cli, tmp_path):
    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    cli("ingest", tmp_path, "--corpus", "kiln", "--embedder", "fast")
    again = cli("ingest", tmp_path, "--corpus", "kiln", "--apart", "--json").json
    assert again["published"]["changed"] is False
    assert [row["name"] for row in cli("corpus", "list", "--json").json["corpora"]] == ["kiln"]


def test_a_new_corpus_may_be_built_apart_too(cli, tmp_path):
    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    done = cli("ingest", tmp_path, "--corpus", "new", "--embedder", "fast", "--apart", "--json")
    assert done.code == 0, done.err
    assert done.json["published"]["kept"] is None
    assert cli("status", "--corpus", "new", "--json").json["documents"]["embedded"] == 1


def test_shares_are_for_the_queue_alone(cli, tmp_path):
    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    refused = cli("ingest", tmp_path, "--shares", "3", "--json")
    assert refused.code == 2
    assert "--queue" in refused.json["error"]["message"]


def test_an_ingest_apart_is_not_for_the_queue(cli, tmp_path):
    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    refused = cli("ingest", tmp_path, "--apart", "--queue", "--json")
    assert refused.code == 2
    assert "--queue" in refused.json["error"]["message"]


def test_two_at_once_share_the_work_and_both_end_well(settings, tmp_path):
    for number in range(20):
        (tmp_path / f"n{number}.md").write_text(f"# Note {number}\n\nThe kiln number {number} stands in the barn.\n")
    environment = {
        **os.environ,
        "ANSWERTRAIL_HOME": str(settings.home),
        "ANSWERTRAIL_DATABASE_URL": settings.database_url,
    }
    program = "from answertrail.cli.main import main; main()"
    words = ["ingest", str(tmp_path), "--corpus", "kiln", "--embedder", "fast", "--apart", "--json"]
    both = [
        subprocess.Popen([sys.executable, "-c", program, *words], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ended = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    assert len({report["published"]["snapshot"] for report in ended}) == 1


def test_two_at_once_from_different_sources_are_published_whole(settings, tmp_path):
    for folder, count in (("many", 60), ("few", 2)):
        (tmp_path / folder).mkdir()
        for number in range(count):
            (tmp_path / folder / f"{folder}{number}.md").write_text(
                f"# {folder}\n\nThe kiln number {number} is here.\n"
            )
    environment = {
        **os.environ,
        "ANSWERTRAIL_HOME": str(settings.home),
        "ANSWERTRAIL_DATABASE_URL": settings.database_url,
    }
    program = "from answertrail.cli.main import main; main()"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program, "ingest", str(tmp_path / folder), *words],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for folder in ("many", "few")
        for words in [["--corpus", "kiln", "--embedder", "fast", "--apart", "--json"]]
    ]
    ended = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    assert [report["failed"] for report in ended] == [[], []]
    assert len({report["published"]["snapshot"] for report in ended}) == 1

    async def documents() -> int:
        async with connect(settings) as db:
            return sum((await sources.states(db, await corpora.get(db, "kiln"))).values())

    assert asyncio.run(documents()) == 62


def test_a_corpus_deleted_while_its_successor_is_built_is_said_to_be(cli, tmp_path, monkeypatch):
    from answertrail.corpus import apart

    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    cli("ingest", tmp_path, "--corpus", "kiln", "--embedder", "fast")
    (tmp_path / "b.md").write_text("# Roof\n\nThe roof of the barn leaks.\n")
    real = apart.publish

    async def raced(db, name):
        await corpora.delete(db, await corpora.get(db, name))
        return await real(db, name)

    monkeypatch.setattr(apart, "publish", raced)
    ended = cli("ingest", tmp_path, "--corpus", "kiln", "--apart", "--json")
    assert ended.code == 2
    assert "deleted" in ended.json["error"]["message"]
    assert "corpus delete kiln@next" in ended.json["error"]["hint"]
