"""What reaches a terminal: no control characters, no direction overrides, no markup, no false links."""

from __future__ import annotations

import asyncio
import json

import click
import pytest
from rich.console import Console

from answertrail.agent import events
from answertrail.cli.answer_view import Trail, print_run
from answertrail.cli.common import out, report
from answertrail.cli.ingest import print_report
from answertrail.cli.main import report_usage
from answertrail.cli.plain import json_text, linked, one_line, plain
from answertrail.corpus.report import IngestReport, LeftOut
from answertrail.errors import InputError
from answertrail.records import Run
from answertrail.records.jsonl import parse

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def test_every_control_character_but_newline_and_tab_is_taken_out():
    controls = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
    assert plain(f"a{controls}b") == "a\t\nb"


def test_direction_overrides_are_taken_out_and_letters_of_any_script_stay():
    assert plain(f"a{BIDI}b") == "ab"
    for text in ("Grüße, 日本語, עברית, العربية, 🎡", "[/bold] :smile: \\[x]"):
        assert plain(text) == text


def test_sequences_lose_what_makes_them_act():
    assert plain("\x1b[31mred\x1b[0m") == "[31mred[0m"
    assert plain("\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x07") == "]8;;https://evil.example\\click]8;;"


def test_half_a_surrogate_pair_can_be_written():
    assert plain("a\udcffb").encode() == "a\ufffdb".encode()


def test_one_line_is_one_line():
    assert one_line(" a\r\nerror: b\x0bc\u2028d\u0085e \x07") == "a error: b c d e"


@pytest.mark.parametrize("value", ["\x1b[2J", "\x9b2J\x7f", BIDI, "a\udcffb", "\0", "\u2028", "日本"])
def test_json_is_exact_and_moves_nothing(value):
    text = json_text({"title": value})
    assert json.loads(text) == {"title": value}
    assert plain(text) == text
    assert "\n" not in text


def rendered(text):
    console = Console(force_terminal=True, width=200, legacy_windows=False)
    with console.capture() as capture:
        console.print(text)
    return capture.get()


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://ok.example/\x1b\\\x1b[2J",
        "https://ok.example/\u202e",
        "https://ok.example/\n",
        "https://[bad",
        "https:nowhere",
        "",
        None,
    ],
)
def test_only_a_web_address_without_control_characters_becomes_a_link(url):
    assert rendered(linked("0:30", url)) == "0:30\n"


def test_a_web_address_with_a_space_is_a_link_and_no_style():
    assert ";https://ok.example/a%20bold%29\x1b\\0:30\x1b]8;;\x1b\\" in rendered(
        linked("0:30", "https://ok.example/a bold)")
    )


HOSTILE = f"Odd [/bold] :smile:\r\x1b[31m\x9b2J{BIDI}\nerror: fake"
SHOWN = "Odd [/bold] :smile: [31m2J error: fake"


def printed(capsys) -> str:
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert plain(text) == text, ascii(text)
    assert not [line for line in text.splitlines() if line == "error: fake"], text
    return text


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")


def test_an_error_is_printed_plain_in_all_its_parts(capsys):
    report(InputError(HOSTILE.replace("\nerror: fake", ""), where=HOSTILE, hint=HOSTILE[:30]), as_json=False)
    assert f"error: {SHOWN}: Odd [/bold]" in printed(capsys)


def test_a_usage_error_is_printed_plain(capsys):
    assert report_usage(click.UsageError(HOSTILE.replace("\n", " ")), as_json=False) == 2
    assert "Error: Odd [/bold]" in printed(capsys)


def test_an_ingest_report_is_printed_plain(capsys):
    left_out = LeftOut(HOSTILE, HOSTILE, 3)
    made = IngestReport(HOSTILE, skipped=[left_out], failed=[left_out], notes={HOSTILE: (HOSTILE,)}, snapshot="s")
    print_report(made, out())
    assert printed(capsys).count(SHOWN) == 6


def test_all_of_a_run_is_printed_plain(capsys):
    chunk = {"id": "a[/x]\x1b:1", "document_id": "a", "title": HOSTILE, "text": "x", "url": "https://v.example/\x1b"}
    statement = {"text": HOSTILE, "citations": [chunk["id"], "b[/x]\x1b\u202e:2"]}
    record = {"schema": "run/1", "run_id": "r[/x]\x1b", "question": HOSTILE, "status": "completed", "chunks": [chunk]}
    for change in (
        {"answer": {"outcome": "answered", "statements": [statement], "not_found": [HOSTILE]}},
        {"answer": {"outcome": "answered", "text": HOSTILE}},
        {"status": "failed", "answer": None, "error": {"kind": "x", "message": HOSTILE}},
    ):
        print_run(parse(Run, record | change, where="t"), out())
        assert SHOWN in printed(capsys)
    print_run(parse(Run, record | {"answer": {"outcome": "answered", "statements": [statement]}}, where="t"), out())
    text = printed(capsys)
    assert "[1]`b[/x]:2`" in text
    assert "  a[/x]:1" in text
    assert "run r[/x]" in text
    assert "v.example" not in text


def test_a_trail_is_printed_plain(capsys):
    trail = Trail(out())
    for event in (
        events.RunStarted("r", HOSTILE, HOSTILE, HOSTILE),
        events.SearchFinished("s1", HOSTILE, "fused", 1, 1, 0, 1.0, HOSTILE, HOSTILE),
        events.GuardActed(HOSTILE, HOSTILE),
        events.AnswerRejected(1, (HOSTILE, HOSTILE)),
    ):
        asyncio.run(trail(event))
        assert SHOWN in printed(capsys)


def test_a_console_takes_strings_as_they_are(capsys):
    out().print("[bold]x[/bold] :smile:")
    assert capsys.readouterr().out == "[bold]x[/bold] :smile:\n"
