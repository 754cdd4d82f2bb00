"""`corpus dump|restore|diff|copy` as a user types them, and runs over a state that is gone."""

from __future__ import annotations

import asyncio
import json

import psycopg
import pytest
from psycopg import sql

from answertrail.corpus.publish import begin_apart, publish
from answertrail.settings import Settings
from answertrail.store import connect, corpora, documents

QUERIES = ("kiln barn", "1240 degrees", "who repaired the roof")


@pytest.fixture
def elsewhere(store_server, monkeypatch, tmp_path):
    """Make the command line use an empty database and home of its own from here on."""
    name = "dump_elsewhere"
    with psycopg.connect(store_server.conninfo("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    def move() -> None:
        monkeypatch.setenv("ANSWERTRAIL_HOME", str(tmp_path / "elsewhere"))
        monkeypatch.setenv("ANSWERTRAIL_DATABASE_URL", store_server.conninfo(name))

    yield move
    with psycopg.connect(store_server.conninfo("postgres"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def found(cli):
    """What each mode shows, as it is printed: scores to the last digit."""
    modes = ("default", "dense", "lexical", "hybrid")
    return [cli("search", query, "--mode", mode, "--json").out for query in QUERIES for mode in modes]


def test_a_restored_corpus_on_an_empty_database_answers_the_same(cli, ingested, elsewhere, tmp_path):
    before, path = found(cli), tmp_path / "kiln.zip"
    written = cli("corpus", "dump", path, "--json")
    assert written.code == 0, written.err
    assert written.json == {
        "snapshot": ingested["snapshot"],
        "corpus": "kiln",
        "file": str(path),
        "documents": 2,
        "chunks": 5,
        "vectors": 5,
        "pending": 0,
        "bytes": path.stat().st_size,
    }
    elsewhere()
    restored = cli("corpus", "restore", path, "--json")
    assert restored.code == 0, restored.err
    assert restored.json == {
        "snapshot": ingested["snapshot"],
        "corpus": "kiln",
        "documents": 2,
        "chunks": 5,
        "vectors": 5,
        "embedded": 0,
        "pending": 0,
    }
    assert found(cli) == before
    assert cli("corpus", "snapshot", "--json").json == {
        "snapshot": ingested["snapshot"],
        "corpus": "kiln",
        "documents": 2,
        "chunks": 5,
    }
    again = tmp_path / "again.zip"
    assert cli("corpus", "dump", again).code == 0
    assert again.read_bytes() == path.read_bytes()


def test_without_vectors_the_restored_corpus_answers_the_same_too(cli, ingested, elsewhere, tmp_path):
    before, path = found(cli), tmp_path / "kiln.zip"
    told = cli("corpus", "dump", path, "--without-vectors")
    assert "2 documents, 5 chunks, no vectors" in told.out
    elsewhere()
    assert cli("corpus", "restore", path, "--json").json["embedded"] == 5
    assert found(cli) == before


def test_the_sources_of_a_restored_corpus_are_known(cli, ingested, kiln, elsewhere, tmp_path):
    cli("corpus", "dump", tmp_path / "kiln.zip")
    elsewhere()
    cli("corpus", "restore", tmp_path / "kiln.zip")
    again = cli("ingest", kiln, "--corpus", "kiln", "--json").json
    assert (again["unchanged"], again["added"], again["changed"]) == (2, 0, 0)


def test_restoring_over_a_corpus_is_refused_with_the_way_out(cli, ingested, tmp_path):
    path = tmp_path / "kiln.zip"
    cli("corpus", "dump", path)
    refused = cli("corpus", "restore", path, "--json")
    assert (refused.code, refused.json["error"]["where"]) == (2, "kiln")
    assert "--as" in refused.json["error"]["hint"]
    told = cli("corpus", "restore", path, "--as", "kiln copy")
    assert told.code == 0
    assert "corpus kiln copy restored" in told.out
    assert [corpus["name"] for corpus in cli("corpus", "list", "--json").json["corpora"]] == ["kiln", "kiln copy"]


def test_bad_files_and_bad_places_are_exit_2_with_the_name(cli, ingested, tmp_path):
    path = tmp_path / "kiln.zip"
    cli("corpus", "dump", path)
    path.write_bytes(path.read_bytes()[:-40])
    for command in (("restore", path), ("diff", path, "kiln")):
        refused = cli("corpus", *command, "--json")
        assert (refused.code, refused.json["error"]["where"]) == (2, str(path))
    missing = cli("corpus", "restore", tmp_path / "none.zip", "--json")
    assert (missing.code, missing.json["error"]["where"]) == (2, str(tmp_path / "none.zip"))
    nowhere = cli("corpus", "dump", tmp_path, "--json")
    assert (nowhere.code, nowhere.json["error"]["where"]) == (2, str(tmp_path))
    unknown = cli("corpus", "diff", "kiln", "klin", "--json")
    assert (unknown.code, unknown.json["error"]["kind"]) == (2, "not_found")
    assert cli("corpus", "copy", "kiln", "a@b", "--json").code == 2


def test_a_file_that_is_no_dump_is_left_and_an_older_dump_replaced(cli, ingested, kiln, tmp_path):
    notes, path = tmp_path / "notes.md", tmp_path / "new" / "kiln.zip"
    notes.write_text("my notes")
    refused = cli("corpus", "dump", notes, "--json")
    assert (refused.code, refused.json["error"]["where"]) == (2, str(notes))
    assert "remove the file first" in refused.json["error"]["hint"]
    assert notes.read_text() == "my notes"
    cli("corpus", "dump", path)  # missing folders are made, as by `runs export --out`
    older = path.read_bytes()
    (kiln / "note.txt").write_text("A note about the kiln.")
    cli("ingest", kiln, "--corpus", "kiln")
    assert cli("corpus", "dump", path).code == 0
    assert path.read_bytes() != older


def test_diff_names_what_changed_and_needs_no_database_for_two_files(cli, ingested, kiln, tmp_path, monkeypatch):
    before, after = tmp_path / "before.zip", tmp_path / "after.zip"
    cli("corpus", "dump", before)
    (kiln / "20250110_ep1.vtt").unlink()
    (kiln / "20250620_ep2.srt").write_text("1\n00:00:02,000 --> 00:00:08,000\nThe roof was mended.\n")
    (kiln / "note.txt").write_text("A note about the kiln.")
    cli("ingest", kiln, "--corpus", "kiln", "--prune")
    mixed = cli("corpus", "diff", before, "kiln", "--json").json
    assert (mixed["added"], mixed["removed"], mixed["unchanged"]) == (["note"], ["20250110_ep1"], 0)
    assert mixed["changed"][0]["document_id"] == "20250620_ep2"
    assert mixed["changed"][0]["chunks"] == {
        "added": [],
        "removed": ["20250620_ep2:00030"],
        "changed": ["20250620_ep2:00000"],
    }
    assert mixed["snapshot"] == {"a": ingested["snapshot"], "b": cli("corpus", "snapshot", "--json").json["snapshot"]}
    cli("corpus", "dump", after)
    monkeypatch.setenv("ANSWERTRAIL_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    told = cli("corpus", "diff", before, after)
    assert told.code == 0
    assert "1 added, 1 removed, 1 changed, 0 unchanged" in told.out
    assert "added    note" in told.out
    assert "removed  20250110_ep1" in told.out
    assert "chunks (+0 -1 ~1)" in told.out


def test_copy_costs_no_embedding_and_changes_apart(cli, ingested, kiln):
    made = cli("corpus", "copy", "kiln", "trial", "--json")
    assert made.json == {"snapshot": ingested["snapshot"], "corpus": "trial", "documents": 2, "chunks": 5}
    (kiln / "note.txt").write_text("A note about the kiln.")
    assert cli("ingest", kiln, "--corpus", "trial", "--json").json["embedded"] == 1
    assert cli("corpus", "snapshot", "--corpus", "kiln", "--json").json["snapshot"] == ingested["snapshot"]
    assert cli("corpus", "copy", "kiln", "trial", "--json").json["error"]["where"] == "trial"


def test_an_old_run_verifies_after_the_swap_and_after_its_state_is_deleted(cli, ingested, settings, tmp_path):
    run = cli("ask", "How many people moved the kiln to the barn?", "--json").json
    assert run["answer"]["outcome"] == "answered"

    async def swap() -> str:
        async with connect(Settings.from_environment()) as db:
            following = await corpora.get(db, await begin_apart(db, "kiln"))
            async with db.transaction() as conn:
                await documents.delete(conn, following, "20250110_ep1")
            return (await publish(db, "kiln")).kept or ""

    kept = asyncio.run(swap())
    listed = {corpus["name"]: corpus.get("state") for corpus in cli("corpus", "list", "--json").json["corpora"]}
    assert listed == {"kiln": None, kept: "kept"}
    assert f"{kept}   kept, embedder" in cli("corpus", "list").out

    def verified() -> None:
        path = tmp_path / "runs.jsonl"
        cli("runs", "export", "--out", path)
        outcome = cli("runs", "verify", path, "--json")
        assert (outcome.code, outcome.json["runs"], outcome.json["faults"]) == (0, 1, [])
        assert cli("runs", "show", run["run_id"], "--json").json == run
        held = json.loads(path.read_text())
        assert any("moved the kiln to the barn with 4 people" in chunk["text"] for chunk in held["chunks"])

    verified()
    assert cli("corpus", "snapshot", "--corpus", kept, "--json").json["snapshot"] == run["corpus"]["snapshot"]
    asked = cli("ask", "How many people moved the kiln to the barn?", "--corpus", kept, "--json").json
    assert asked["answer"] == run["answer"]
    assert cli("corpus", "delete", kept, "--yes").code == 0
    path = tmp_path / "old.jsonl"
    cli("runs", "export", run["run_id"], "--out", path)
    assert cli("runs", "verify", path, "--json").json["faults"] == []
    assert cli("corpus", "show", "20250110_ep1:00030", "--json").code == 2
