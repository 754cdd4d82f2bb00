"""`ingest --apart`: the corpus answers as it was until its successor is whole."""

from __future__ import annotations


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


def test_an_ingest_apart_is_not_for_the_queue(cli, tmp_path):
    (tmp_path / "a.md").write_text("# Kiln\n\nThe kiln stands in the barn.\n")
    refused = cli("ingest", tmp_path, "--apart", "--queue", "--json")
    assert refused.code == 2
    assert "--queue" in refused.json["error"]["message"]
