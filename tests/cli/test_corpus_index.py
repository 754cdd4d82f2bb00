"""`corpus index`, and what `search`, `status` and `doctor` say of it."""

from __future__ import annotations

import pytest


@pytest.mark.usefixtures("ingested")
def test_a_corpus_is_indexed_searched_and_put_back(cli):
    plain = cli("search", "kiln", "--corpus", "kiln", "--json").json
    assert "engine" not in plain
    made = cli("corpus", "index", "kiln", "--engine", "hnsw", "--set", "ef-search=80", "--json")
    assert made.code == 0, made.err
    [index] = made.json["indexes"]
    assert (made.json["engine"], index["engine"], index["stale"]) == ("hnsw", "hnsw", None)
    assert index["settings"]["ef_search"] == 80
    assert index["vectors"] == index["chunks"] > 0
    assert index["bytes"] > 0

    found = cli("search", "kiln", "--corpus", "kiln", "--json").json
    assert (found["engine"], found["fallback"]) == ("hnsw", None)
    assert [hit["chunk_id"] for hit in found["hits"]] == [hit["chunk_id"] for hit in plain["hits"]]
    exact = cli("search", "kiln", "--corpus", "kiln", "--engine", "exact", "--json").json
    assert exact["hits"] == plain["hits"]
    assert "engine hnsw" in cli("search", "kiln", "--corpus", "kiln").out
    timeline = cli("search", "kiln", "--corpus", "kiln", "--mode", "timeline", "--document", "ep1", "--json")
    assert timeline.code in {0, 2}

    status = cli("status", "--corpus", "kiln", "--json").json
    assert (status["engine"], status["indexes"]) == ("hnsw", made.json["indexes"])
    assert "index hnsw (in use)" in cli("status", "--corpus", "kiln").out
    assert "index of kiln" in cli("doctor").out

    back = cli("corpus", "index", "kiln", "--engine", "exact", "--json").json
    assert (back["engine"], len(back["indexes"])) == ("exact", 1)
    dropped = cli("corpus", "index", "kiln", "--engine", "hnsw", "--drop", "--json").json
    assert (dropped["engine"], dropped["indexes"], dropped["dropped"]) == ("exact", [], [index["place"]])


def test_an_index_that_became_old_is_said_everywhere(cli, kiln, ingested):
    assert cli("corpus", "index", "--engine", "hnsw").code == 0
    (kiln / "20250701_ep3.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:06.000\nA zeppelin came by.\n")
    assert cli("ingest", kiln, "--corpus", "kiln").code == 0
    found = cli("search", "zeppelin", "--json").json
    assert found["engine"] == "exact"
    assert "corpus index kiln --engine hnsw" in found["fallback"]
    assert "changed after it was indexed" in cli("search", "zeppelin").out
    assert "old: the corpus changed" in cli("status").out
    doctor = cli("doctor", "--json")
    assert doctor.code == 3
    [check] = [check for check in doctor.json["checks"] if check["name"] == "index of kiln"]
    assert check["ok"] is False
    assert "corpus index kiln --engine hnsw" in check["hint"]
    named = cli("search", "zeppelin", "--engine", "hnsw", "--json")
    assert (named.code, named.json["error"]["kind"]) == (2, "mismatch")


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(
    "words",
    [
        ("--engine", "quantum"),
        ("--engine", "hnsw", "--set", "speed=9"),
        ("--engine", "hnsw", "--set", "m"),
        ("--engine", "hnsw", "--set", "m=high"),
        ("--engine", "hnsw", "--set", "m=--5"),
        ("--engine", "hnsw", "--set", "m=²"),
        ("--engine", "hnsw", "--set", f"m={'9' * 5000}"),
        ("--engine", ""),
        ("--engine", "hnsw", "--keep"),
        ("--engine", "hnsw", "--keep", "--drop"),
        ("--engine", "exact", "--set", "m=4"),
        ("--engine", "exact", "--drop"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(cli, words):
    refused = cli("corpus", "index", "kiln", *words, "--json")
    assert refused.code == 2
    assert refused.json["error"]["message"]
    assert cli("status", "--json").json["engine"] == "exact"


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(
    ("engine", "variable", "address"),
    [
        ("milvus", "ANSWERTRAIL_MILVUS_URI", "nowhere.db"),
        ("opensearch", "ANSWERTRAIL_OPENSEARCH_URL", "http://127.0.0.1:9"),
    ],
)
@pytest.mark.parametrize("value", ["abc", "--5", "²", "1.5"])
def test_a_setting_that_is_no_number_is_named_with_what_is_expected(cli, monkeypatch, engine, variable, address, value):
    monkeypatch.setenv(variable, address)
    refused = cli("corpus", "index", "kiln", "--engine", engine, "--set", f"m={value}", "--json")
    assert refused.code == 2
    assert refused.json["error"]["message"].startswith("m must be a whole number from 2 to")


@pytest.mark.usefixtures("ingested")
def test_exact_has_nothing_to_drop_and_an_empty_engine_is_none(cli):
    refused = cli("corpus", "index", "kiln", "--engine", "exact", "--drop", "--json")
    assert "exact needs no index" in refused.json["error"]["message"]
    refused = cli("search", "kiln", "--engine", "", "--json")
    assert (refused.code, refused.json["error"]["message"]) == (2, "--engine is empty")


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize("address", ["https://admin:Pa/5ecret@h:9200", "root:5ecret@localhost:19530"])
@pytest.mark.parametrize(
    ("engine", "variable"),
    [("milvus", "ANSWERTRAIL_MILVUS_URI"), ("opensearch", "ANSWERTRAIL_OPENSEARCH_URL")],
)
def test_an_address_that_cannot_be_read_is_refused_without_its_password(cli, monkeypatch, engine, variable, address):
    monkeypatch.setenv(variable, address)
    refused = cli("corpus", "index", "kiln", "--engine", engine)
    assert refused.code == 2
    assert "percent-encode the password" in refused.err
    assert "5ecret" not in refused.out + refused.err
    assert "Pa" not in refused.out + refused.err


@pytest.mark.usefixtures("ingested")
def test_deleting_a_corpus_takes_its_index_with_it(cli):
    assert cli("corpus", "index", "kiln", "--engine", "hnsw").code == 0
    deleted = cli("corpus", "delete", "kiln", "--yes", "--json")
    assert (deleted.code, "left" in deleted.json) == (0, False)
