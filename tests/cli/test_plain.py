"""What reaches a terminal: no control characters, no direction overrides, no markup, no false links."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from answertrail.cli.plain import json_text, linked, one_line, plain

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
