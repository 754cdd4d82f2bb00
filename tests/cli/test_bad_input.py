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


@pytest.mark.parametrize("words", [["ask", "caf\udce9 price"], ["corpus", "show", "\udce9"], ["search", "\udce9"]])
def test_an_argument_that_is_not_utf8_is_bad_input(cli, words):
    result = cli(*words, "--json")
    assert (result.code, result.json["error"]["kind"]) == (2, "input")


@pytest.mark.parametrize("name", ["", "-x", "a\nb", "x" * 101, " a"])
def test_a_name_no_corpus_should_have_is_refused(cli, kiln, name):
    result = cli("ingest", kiln, f"--corpus={name}", "--embedder", "fast", "--json")
    assert (result.code, result.json["error"]["kind"]) == (2, "input")


def test_an_export_that_cannot_be_written_is_one_message(cli, ingested, tmp_path):
    cli("ask", "Where is the kiln?")
    result = cli("runs", "export", "--out", tmp_path)
    assert result.code in {1, 2}
    assert "Traceback" not in result.err


def test_a_date_no_database_can_hold_fails_its_line_and_not_the_corpus(cli, tmp_path):
    path = tmp_path / "old.jsonl"
    path.write_text(
        '{"schema": "document/1", "id": "a", "title": "", "published_at": "0001-01-01T00:00:00+02:00", "text": "x"}\n'
        '{"schema": "document/1", "id": "b", "title": "B", "text": "The kiln is in the barn."}\n'
    )
    result = cli("ingest", path, "--corpus", "old", "--embedder", "fast", "--json")
    assert (result.code, result.json["added"], result.json["failed"][0]["line"]) == (1, 1, 1)
    assert "years 1 to 9999" in result.json["failed"][0]["reason"]
    assert cli("search", "kiln", "--corpus", "old", "--json").code == 0


def test_the_environment_of_another_postgres_changes_nothing(cli, ingested, monkeypatch):
    plain = cli("search", "kiln", "--json").json
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    monkeypatch.setenv("PGDATESTYLE", "German")
    assert cli("search", "kiln", "--json").json == plain


def test_search_says_when_an_ingest_was_not_finished(cli, ingested, settings):
    import psycopg

    with psycopg.connect(settings.database_url, autocommit=True) as connection:
        (table,) = connection.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'embedding_%'").fetchone()
        connection.execute(f"DELETE FROM {table} WHERE text_hash = (SELECT min(text_hash) FROM {table})")
    result = cli("search", "kiln", "--json")
    assert result.code == 0
    assert "1 passages have no vector yet" in result.err


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(cli, ingested, tmp_path):
    (tmp_path / "taken").write_text("a file")
    out = tmp_path / "taken" / "runs.jsonl"
    result = cli("runs", "export", "--out", out, "--json")
    assert result.code == 2
    assert result.json["error"]["where"] == str(out)
    assert result.json["error"]["kind"] == "input"


def test_a_fault_of_the_program_is_one_json_document_and_a_traceback_for_its_authors(cli, monkeypatch):
    from answertrail.cli import doctor

    def broken(**_options):
        return 1 / 0

    monkeypatch.setattr(doctor.command, "callback", broken)
    result = cli("doctor", "--json")
    assert result.code == 1
    assert result.json["error"]["kind"] == "bug"
    assert result.json["error"]["message"] == "ZeroDivisionError: division by zero"
    assert "Traceback" in result.err
