"""Titles, file names, ids, questions and answers that try to be markup, escapes or lines of ours."""

from __future__ import annotations

import json
import re

import pytest

from answertrail.agent.tools import READY, SEARCH, SUBMIT

ESCAPES = "\x1b[31m\x1b]8;;https://evil.example\x1b\\\x9b2J\u202e\u2066\x07"
SPOKEN = "\x1b[31m\x9b2J\u202e\u2066\x07"  # Without a link, which the citation checks would reject.
TITLE = f"Odd [/bold] title :smile: {ESCAPES}"
SEEN_TITLE = "Odd [/bold] title :smile:"
ID = f"odd[/x]{ESCAPES}"
QUESTION = f"Who moved the kiln [/bold]? {ESCAPES}\nerror: lost"
CORPUS = "kiln talks"
OURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\]8;(id=\d+)?;(https://(?:ok\.example|www\.youtube\.com)/[!-~]*)?\x1b\\")
STRANGE = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path):
    folder = tmp_path / "[red]"
    folder.mkdir()
    document = {
        "schema": "document/1",
        "id": ID,
        "title": TITLE,
        "published_at": "2025-01-01",
        "url": "https://ok.example/a)b [/bold] c",
        "text": f"The kiln [red]moved[/oops] to the barn {ESCAPES} with 4 people.",
    }
    with_escape = document | {"id": "b", "url": "https://ok.example/\x1b[2J", "text": "Nobody moved the kiln again."}
    lines = (document, with_escape, document | {"id": "nul[/i]", "title": "\0"})
    (folder / "d.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "Talk [dQw4w9WgXcQ].vtt").write_text("WEBVTT\n\n00:01.000 --> 00:06.000\nA kiln [/bold] again.\n")
    (folder / f"Bad [bold] {ESCAPES.replace('/', '')}.srt").write_bytes(b"\0\1\2")
    (folder / "Talk [dQw4w9WgXcQ].srt").write_text("1\n00:00:01,000 --> 00:00:06,000\nA kiln [/bold] again.\n")
    return folder


@pytest.fixture
def terminal(cli, monkeypatch):
    """Call the command line as on a terminal with colours and links; what is ours is taken out again."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "250")

    def call(*words, code=0):
        result = cli(*words)
        assert result.code == code, result.err
        bare = [OURS.sub("", text).replace("\r", "") for text in (result.out, result.err)]
        for text in bare:
            assert not STRANGE.search(text), ascii(text)
        return bare

    return call


@pytest.fixture
def known(cli, hostile):
    result = cli("ingest", hostile, "--corpus", CORPUS, "--embedder", "fast", "--json")
    assert result.code == 1, result.err
    return result.json


@pytest.fixture
def script(tmp_path):
    """A model whose words are hostile too."""
    answer = {
        "outcome": "partly_answered",
        "statements": [
            {"text": f"The kiln moved to the barn with 4 people [/bold] {SPOKEN}\n  • fake",
             "kind": "claim", "citations": [f"{ID}:0000000"]},
        ],
        "not_found": [f"the cost [/red] {SPOKEN}"],
    }  # fmt: skip
    calls = [
        (SEARCH, {"query": f"kiln [/bold] {ESCAPES}"}),
        (f"no[/such]{ESCAPES}", {}),
        (SEARCH, {"query": "barn people"}),
        (READY, {}),
        (SUBMIT, answer | {"statements": [answer["statements"][0] | {"citations": [f"none[/x]{ESCAPES}:0000000"]}]}),
        (SUBMIT, answer),
    ]
    path = tmp_path / "script[bold].jsonl"
    path.write_text("".join(json.dumps({"calls": [{"name": n, "arguments": a}]}) + "\n" for n, a in calls))
    return f"scripted:{path}"


def test_ingest_and_status_name_files_as_they_are(terminal, hostile):
    out, _ = terminal("ingest", hostile, "--corpus", CORPUS, "--embedder", "fast", code=1)
    assert f"corpus {CORPUS}" in out
    assert "Bad [bold]" in out
    assert "Talk [dQw4w9WgXcQ].vtt" in out or "Talk [dQw4w9WgXcQ].srt" in out
    out, _ = terminal("status")
    assert f"corpus {CORPUS}" in out
    assert "[red]/Bad [bold]" in out


def test_search_shows_titles_and_passages_as_they_are(terminal, known):
    out, _ = terminal("search", "kiln")
    assert SEEN_TITLE in out
    assert "The kiln [red]moved[/oops] to the barn" in out
    assert "Talk [dQw4w9WgXcQ]" in out


def test_corpus_commands_show_names_as_they_are(terminal, known):
    assert CORPUS in terminal("corpus", "list")[0]
    out, _ = terminal("corpus", "show", ID)
    assert SEEN_TITLE in out
    assert "odd[/x]" in out
    assert "[red]moved[/oops]" in out
    out, _ = terminal("corpus", "show", f"{ID}:0000000")
    assert "odd[/x]" in out
    assert "A kiln [/bold] again." in terminal("corpus", "show", "Talk [dQw4w9WgXcQ]:00000")[0]
    terminal("corpus", "snapshot")
    assert CORPUS in terminal("corpus", "delete", CORPUS, "--yes")[0]


def test_a_run_shows_question_trail_answer_and_sources_as_they_are(cli, terminal, known, script, tmp_path):
    out, err = terminal("ask", QUESTION, "--model", script)
    assert "? Who moved the kiln [/bold]?" in err
    assert "search kiln [/bold]" in err
    assert "no[/such]" in err
    assert "sent back: statement 1: no passage has the id" in err
    assert "script[bold].jsonl" in err
    assert "• The kiln moved to the barn with 4 people [/bold]" in out
    assert "not found: the cost [/red]" in out
    assert SEEN_TITLE in out
    for text in (out, err):
        assert not [line for line in text.splitlines() if line.startswith("error:") or line == "  • fake"]
    (run,) = cli("runs", "list", "--json").json["runs"]
    assert run["question"] == QUESTION
    listed, _ = terminal("runs", "list")
    assert "Who moved the kiln [/bold]?" in listed
    shown, _ = terminal("runs", "show", run["run_id"])
    assert "Who moved the kiln [/bold]?" in shown
    assert SEEN_TITLE in shown
    marked, _ = terminal("runs", "show", run["run_id"], "--markdown")
    assert marked.startswith(r"# Who moved the kiln \[/bold\]?")
    lines, _ = terminal("runs", "export")
    assert json.loads(lines) == run
    path = tmp_path / "tampered.jsonl"
    run["chunks"][0]["text"] += "."
    path.write_text(json.dumps(run))
    faults, _ = terminal("runs", "verify", path, code=1)
    assert "text_hash" in faults


def test_errors_name_what_was_given_as_it_is(terminal, known):
    _, err = terminal("corpus", "show", f"no[/x]{ESCAPES}", code=2)
    assert err.startswith("error: no[/x]")
    _, err = terminal("status", "--corpus", f"no[/x]{ESCAPES}\nerror: two", code=2)
    assert CORPUS in err
    assert len([line for line in err.splitlines() if line.startswith("error:")]) == 1
    terminal(f"no[/x]{ESCAPES}", code=2)
    terminal("search", "x", "--k", ESCAPES, code=2)


def test_doctor_shows_what_a_provider_says_as_it_is(cli, terminal, monkeypatch):
    def refused(spec):
        from answertrail.errors import ServiceError

        raise ServiceError(f"the server said [/bold] {ESCAPES}", hint=f"try [/red] {ESCAPES}")

    monkeypatch.setattr("answertrail.models.chat.load.load_chat_model", refused)
    out, _ = terminal("doctor", "--model", "odd[/x]", code=3)
    assert "the server said [/bold]" in out
    assert "→ try [/red]" in out


def test_json_stays_exact(cli, known):
    hits = cli("search", "barn people", "--json").json["hits"]
    assert TITLE in {hit["title"] for hit in hits}
    assert cli("corpus", "show", ID, "--json").json["title"] == TITLE
    assert cli("corpus", "list", "--json").json["corpora"][0]["name"] == CORPUS
