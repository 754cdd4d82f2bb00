"""Bad input gets one clear message, the contract's exit code, and nothing half written."""

from __future__ import annotations

import pytest

from answertrail.cli.main import run


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["ask", " ", "--corpus", "kiln"], 2, "empty"),
        (["ask", "x", "--corpus", "nope"], 2, "nope"),
        (["ask", "x", "--recipe", "nope"], 2, "answertrail-2026"),
        (["ask", "x", "--recipe", "nope.toml"], 2, "nope.toml"),
        (["ask", "x", "--model", "nope"], 2, "nope"),
        (["ask", "x", "--model", "openai:gpt-5.4"], 3, "OPENAI_API_KEY"),
        (["ask", "x", "--model", "anthropic:claude-sonnet-5"], 3, "ANTHROPIC_API_KEY"),
        (["ask", "x", "--model", "openai-compatible:m"], 3, "ANSWERTRAIL_CHAT_BASE_URL"),
        (["search", "", "--corpus", "kiln"], 2, "empty"),
        (["search", "x", "--mode", "nope"], 2, "lexical"),
        (["search", "x", "--k", "0"], 2, "at least 1"),
        (["search", "x", "--from", "soon"], 2, "--from"),
        (["search", "x", "--from", "2025-02-30"], 2, "--from"),
        (["search", "x", "--from", "2025-02-02", "--to", "2025-02-01"], 2, "before"),
        (["search", "x", "--document", "nope"], 2, "nope"),
        (["status", "--corpus", "nope"], 2, "nope"),
        (["corpus", "show", "nope"], 2, "nope"),
        (["runs", "show", "nope"], 2, "nope"),
        (["runs", "export", "nope"], 2, "nope"),
        (["runs", "verify", "nope.jsonl"], 2, "nope.jsonl"),
        (["ingest", ".", "--embedder", "nope", "--corpus", "fresh"], 2, "nope"),
    ],
)
def test_one_message_and_the_right_exit_code(cli, ingested, kiln, monkeypatch, words, code, expected):
    monkeypatch.chdir(kiln)
    result = cli(*words, "--json")
    assert result.code == code
    assert expected in " ".join(str(value) for value in result.json["error"].values())
    assert "Traceback" not in result.err
    assert len([line for line in result.err.splitlines() if line.startswith("error:")]) == 1


COSTS = [["ask", "x", "--max-cost", amount] for amount in ("-1", "0", "-0.0", "nan", "inf", "-inf", "much")]


@pytest.mark.parametrize("words", [["ask"], ["nope"], ["search", "x", "--k", "many"], *COSTS])
def test_usage_errors_exit_2(cli, words):
    result = cli(*words, "--json")
    assert result.code == 2
    assert result.json["error"]["kind"] == "usage"


def test_a_database_that_is_down_is_a_missing_service(cli, monkeypatch):
    monkeypatch.setenv("ANSWERTRAIL_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:9/none?connect_timeout=2")
    for words in (["status"], ["ask", "x"], ["search", "x"], ["runs", "list"]):
        result = cli(*words, "--json")
        assert result.code == 3, words
        assert result.json["error"]["kind"] == "service"
        assert "secret" not in result.out + result.err


def test_nothing_ingested_yet_says_what_to_do(cli):
    result = cli("ask", "Where is the kiln?", "--json")
    assert result.code == 2
    assert "answertrail ingest" in result.json["error"]["hint"]


def test_several_corpora_and_none_named(cli, kiln):
    for name in ("one", "two"):
        cli("ingest", kiln, "--corpus", name, "--embedder", "fast")
    result = cli("status", "--json")
    assert result.code == 2
    assert "one, two" in result.json["error"]["hint"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("binary.srt", b"\x00\x01\x02", ""),
        ("empty.vtt", b"", "empty"),
        ("half.txt", b"words in \xff\xfe\x00 no known encoding \x81\x8d\x8f" * 20, ""),
        ("back.txt", b"[10:00] **A**: one\n[00:10] **A**: two\n[20:00] **A**: three\n[00:05] **A**: four\n", ""),
    ],
)
def test_a_bad_file_alone_is_listed_with_its_reason(cli, tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_bytes(content)
    result = cli("ingest", path, "--corpus", "bad", "--embedder", "fast", "--json")
    assert result.code == 1
    failure = result.json["failed"][0]
    assert failure["source"] == str(path)
    assert expected in failure["reason"]
    assert cli("status", "--corpus", "bad", "--json").json["chunks"] == 0


def test_a_line_of_200_megabytes_is_refused_without_being_read_whole(cli, tmp_path):
    path = tmp_path / "long.txt"
    with path.open("wb") as stream:
        for _ in range(200):
            stream.write(b"x" * 1_000_000)
    result = cli("ingest", path, "--corpus", "long", "--embedder", "fast", "--json")
    assert result.code == 1
    assert result.json["failed"][0]["source"] == str(path)


def test_help_of_doctor_says_what_is_sent_to_a_model(cli):
    said = " ".join(cli("doctor", "--help").out.split())
    assert "OpenAI-compatible endpoint is asked two or three short questions" in said
    assert "of any other model nothing is asked" in said


def test_help_needs_nothing(monkeypatch, capsys):
    monkeypatch.setenv("ANSWERTRAIL_DATABASE_URL", "postgresql://127.0.0.1:9/none")
    assert run(["--help"]) == 0
    assert "demo" in capsys.readouterr().out
