"""`runs list`, `export` and `verify` as the contract has them."""

from __future__ import annotations

import json

import pytest

from answertrail.records import Run
from answertrail.records.jsonl import parse

QUESTIONS = ("How many people moved the kiln to the barn?", "When did the glaze stop crawling?")


@pytest.fixture
def asked(cli, ingested):
    return [cli("ask", question, "--json").json for question in QUESTIONS]


def test_the_list_as_json_holds_whole_runs_newest_first(cli, asked):
    listed = cli("runs", "list", "--json").json["runs"]
    assert listed == asked[::-1]
    for run in listed:
        assert parse(Run, run, where="t").searches
    assert cli("runs", "list", "--limit", "1", "--json").json["runs"] == asked[1:]
    assert cli("runs", "list", "--status", "failed", "--json").json == {"runs": []}


def test_the_list_for_people_is_one_line_a_run(cli, asked):
    lines = cli("runs", "list").out.splitlines()
    assert len(lines) == 2
    assert lines[1].split()[0] == asked[0]["run_id"]
    assert lines[1].endswith(QUESTIONS[0])


def test_export_is_json_lines_and_with_json_one_document(cli, asked, tmp_path):
    assert [json.loads(line) for line in cli("runs", "export").out.splitlines()] == asked
    assert cli("runs", "export", "--json").json == {"runs": asked}
    assert cli("runs", "export", asked[1]["run_id"], "--json").json == {"runs": asked[1:]}
    path = tmp_path / "runs.jsonl"
    assert cli("runs", "export", "--out", path, "--json").json == {"runs": 2, "file": str(path)}
    assert [json.loads(line) for line in path.read_text().splitlines()] == asked
    told = cli("runs", "export", "--out", path)
    assert (told.out, told.err) == ("", f"2 runs written to {path}\n")


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_a_file_without_a_run_is_bad_input_and_no_success(cli, tmp_path, content):
    path = tmp_path / "none.jsonl"
    path.write_text(content)
    result = cli("runs", "verify", path, "--json")
    assert result.code == 2
    assert result.json["error"]["message"] == "the file holds no run"
    assert result.json["error"]["where"] == str(path)
