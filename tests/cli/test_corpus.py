"""`corpus delete`, `corpus show` of a document, `ingest --prune`: what is removed, and what is only named."""

from __future__ import annotations

import io
import json

import pytest


@pytest.fixture
def answers(monkeypatch):
    """Type words at the next question."""

    def type_in(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return type_in


def names(cli) -> list[str]:
    return [corpus["name"] for corpus in cli("corpus", "list", "--json").json["corpora"]]


def test_delete_asks_on_stderr_and_keeps_the_runs(cli, ingested, answers):
    run = cli("ask", "How many people moved the kiln to the barn?", "--json").json
    answers("y\n")
    result = cli("corpus", "delete", "kiln")
    assert result.code == 0
    assert "Delete the corpus kiln with 2 documents and 5 chunks? Its runs are kept. [y/N]" in result.err
    assert result.out == "deleted 2 documents and 5 chunks of the corpus kiln; its runs are kept\n"
    assert names(cli) == []
    assert cli("runs", "show", run["run_id"], "--json").json == run


@pytest.mark.parametrize("word", ["n\n", "\n", "yesterday\n"])
def test_any_answer_but_yes_deletes_nothing(cli, ingested, answers, word):
    answers(word)
    result = cli("corpus", "delete", "kiln")
    assert (result.code, result.out) == (1, "")
    assert "nothing was deleted" in result.err
    assert names(cli) == ["kiln"]


def test_nobody_to_ask_is_an_error_that_names_the_option(cli, ingested, answers):
    answers("")
    result = cli("corpus", "delete", "kiln")
    assert result.code == 2
    assert "--yes" in result.err
    assert names(cli) == ["kiln"]


def test_delete_with_json_needs_yes(cli, ingested):
    refused = cli("corpus", "delete", "kiln", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (2, "usage")
    assert "--yes" in refused.json["error"]["message"]
    done = cli("corpus", "delete", "kiln", "--json", "--yes")
    assert (done.code, done.json) == (0, {"deleted": "kiln", "documents": 2, "chunks": 5})
    gone = cli("corpus", "delete", "kiln", "--json", "--yes")
    assert (gone.code, gone.json["error"]["kind"]) == (2, "not_found")


def test_show_says_what_is_shown_and_names_the_documents_own_kind_apart(cli, tmp_path):
    path = tmp_path / "d.jsonl"
    document = {"schema": "document/1", "id": "d", "title": "A day", "kind": "episode", "text": "The kiln moved."}
    path.write_text(json.dumps(document) + "\n")
    cli("ingest", path, "--corpus", "c", "--embedder", "fast")
    shown = cli("corpus", "show", "d", "--json").json
    assert (shown["kind"], shown["document_kind"], shown["title"]) == ("document", "episode", "A day")
    assert (shown["published_at"], shown["language"]) == (None, None)
    assert [part["text"] for part in shown["chunks"]] == ["The kiln moved."]
    assert not {"schema", "text", "segments"} & set(shown)


def test_ingest_names_documents_without_a_source_and_removes_them_only_when_asked(cli, ingested, kiln):
    (kiln / "20250620_ep2.srt").unlink()
    told = cli("ingest", kiln, "--corpus", "kiln")
    assert "1 document no longer has its source (use --prune to remove it)" in told.out
    assert "removed" not in told.out
    assert cli("status", "--json").json["documents"]["embedded"] == 2
    pruned = cli("ingest", kiln, "--corpus", "kiln", "--prune")
    assert pruned.code == 0
    assert "1 unchanged, 1 removed" in pruned.out
    assert "no longer" not in pruned.out
    assert cli("status", "--json").json["documents"]["embedded"] == 1
    assert "removed" not in cli("ingest", kiln, "--corpus", "kiln", "--prune").out


def test_prune_removes_nothing_where_not_all_could_be_looked_at_and_says_so(cli, ingested, kiln):
    (kiln / "20250110_ep1.vtt").unlink()
    (kiln / "20250620_ep2.srt").unlink()
    (kiln / "note.txt").write_text("The kiln is a kiln.")
    (kiln / "lost.txt").symlink_to(kiln / "nowhere.txt")
    told = cli("ingest", kiln, "--corpus", "kiln", "--prune")
    assert "2 documents no longer have their source; nothing was removed, because part of" in told.out
    assert cli("status", "--json").json["documents"]["embedded"] == 3
