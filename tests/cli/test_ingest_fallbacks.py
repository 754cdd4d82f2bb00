"""`ingest` of files of one document: what is read when the best of them cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SRT = "1\n00:00:01,000 --> 00:00:04,000\nThe kiln is in the barn.\n"


@pytest.fixture
def talk(tmp_path):
    folder = tmp_path / "talk"
    folder.mkdir()
    (folder / "t.vtt").write_text("WEBVTT\n")
    (folder / "t.srt").write_text(SRT)
    (folder / "t.md").write_text("Notes about the kiln.")
    return folder


def names(items):
    return [Path(item["source"]).name for item in items]


def test_the_next_best_is_read_and_the_broken_one_stays_listed(cli, talk):
    first = cli("ingest", talk, "--corpus", "t", "--embedder", "fast", "--json")
    assert first.code == 1
    assert first.json["added"] == 1
    assert names(first.json["failed"]) == ["t.vtt"]
    assert [(Path(i["source"]).name, i["reason"]) for i in first.json["skipped"]] == [
        ("t.md", f"duplicate of {talk / 't.srt'}")
    ]
    assert "barn" in json.dumps(cli("corpus", "show", "t", "--json").json)

    again = cli("ingest", talk, "--corpus", "t", "--prune", "--json")
    assert (again.code, again.json["added"], again.json["changed"], again.json["unchanged"]) == (1, 0, 0, 1)
    assert again.json["snapshot"] == first.json["snapshot"]
    assert again.json["gone"] == []
    assert names(again.json["failed"]) == ["t.vtt"]
    assert names(cli("status", "--json").json["failures"]) == ["t.vtt"]


def test_a_mended_file_takes_the_document_back(cli, talk):
    cli("ingest", talk, "--corpus", "t", "--embedder", "fast")
    (talk / "t.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:04.000\nThe kiln was sold in June.\n")
    mended = cli("ingest", talk, "--corpus", "t", "--json")
    assert (mended.code, mended.json["changed"], mended.json["failed"]) == (0, 1, [])
    assert names(mended.json["skipped"]) == ["t.md", "t.srt"] or names(mended.json["skipped"]) == ["t.srt", "t.md"]
    assert cli("status", "--json").json["failures"] == []
    again = cli("ingest", talk, "--corpus", "t", "--json")
    assert (again.code, again.json["unchanged"], names(again.json["skipped"])) == (0, 1, names(mended.json["skipped"]))


def test_a_better_file_that_comes_later_takes_the_document_over(cli, tmp_path):
    folder = tmp_path / "talk"
    folder.mkdir()
    (folder / "t.srt").write_text(SRT)
    cli("ingest", folder, "--corpus", "t", "--embedder", "fast")
    (folder / "t.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:04.000\nThe kiln was sold in June.\n")
    later = cli("ingest", folder, "--corpus", "t", "--json")
    assert (later.code, later.json["changed"], names(later.json["skipped"])) == (0, 1, ["t.srt"])


def test_a_file_that_broke_gives_way_to_the_next(cli, talk):
    (talk / "t.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:04.000\nThe kiln was sold in June.\n")
    cli("ingest", talk, "--corpus", "t", "--embedder", "fast")
    (talk / "t.vtt").write_text("WEBVTT\n")
    broken = cli("ingest", talk, "--corpus", "t", "--json")
    assert (broken.code, broken.json["changed"], names(broken.json["failed"])) == (1, 1, ["t.vtt"])
    assert "barn" in json.dumps(cli("corpus", "show", "t", "--json").json)


def test_impossible_times_keep_what_was_there(cli, talk):
    cli("ingest", talk, "--corpus", "t", "--embedder", "fast")
    twice = [*range(9)] * 2
    cues = "".join(f"00:0{minute}:00.000 --> 00:0{minute}:05.000\nwords {minute}\n\n" for minute in twice)
    (talk / "t.vtt").write_text(f"WEBVTT\n\n{cues}")
    report = cli("ingest", talk, "--corpus", "t", "--prune", "--json")
    assert (report.code, names(report.json["failed"]), report.json["removed"]) == (1, ["t.vtt"], 0)
    assert report.json["failed"][0]["line"] > 1
    assert "barn" in json.dumps(cli("corpus", "show", "t", "--json").json)


def test_one_id_from_two_sources_of_one_command_says_rename(cli, tmp_path):
    folder = tmp_path / "dup"
    folder.mkdir()
    for name in ("one", "two"):
        line = {"schema": "document/1", "id": "k", "title": name, "text": f"The {name}."}
        (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    (folder / "k.md").write_text("The note.")
    report = cli("ingest", folder, "--corpus", "dup", "--embedder", "fast", "--json").json
    assert (report["added"], len(report["failed"])) == (1, 2)
    for item in report["failed"]:
        assert "two sources give the id k in one ingest" in item["reason"]
        assert "rename one" in item["reason"]
        assert "one command" not in item["reason"]
