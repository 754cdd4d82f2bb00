"""Each oddity of caption files, with the exact words and times expected."""

from __future__ import annotations

import pytest

from answertrail.corpus.sources.captions import read_captions
from answertrail.corpus.sources.outcome import SourceFault

Words = list[tuple[float, float | None, str]]


def cues(text: str, suffix: str = ".vtt") -> Words:
    return [(c.start, c.end, c.text) for c in read_captions(text, suffix=suffix).cues]


def notes(text: str, suffix: str = ".vtt") -> str:
    return " | ".join(read_captions(text, suffix=suffix).notes)


def vtt(*lines: str) -> str:
    return "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "\n".join(lines) + "\n"


def test_hours_no_hours_and_unpadded_times() -> None:
    text = (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\na\n\n00:03.5 --> 0:4.25\nb\n\n"
        "1:00:00.001 --> 1:00:01.000 align:start position:0%\nc\n"
    )
    assert cues(text) == [(1.0, 2.5, "a"), (3.5, 4.25, "b"), (3600.001, 3601.0, "c")]


def test_comma_decimals_and_colon_milliseconds() -> None:
    text = "1\n00:00:01,250 --> 00:00:02:750\na\n"
    assert cues(text, ".srt") == [(1.25, 2.75, "a")]


def test_header_notes_styles_and_regions_are_no_speech() -> None:
    text = (
        "WEBVTT - A title\nKind: captions\nLanguage: en-US\n\n"
        "STYLE\n::cue {\n  color: red;\n\n}\n\n"
        "REGION\nid:fred\n\n"
        "NOTE an arrow in a note\n00:00:09.000 --> 00:00:10.000\nnot said\n\n"
        "intro\n00:00:01.000 --> 00:00:02.000\nsaid\n\n"
        "NOTE\nmore that was not said\n\n"
        "00:00:03.000 --> 00:00:04.000\nsaid too\n"
    )
    assert cues(text) == [(1.0, 2.0, "said"), (3.0, 4.0, "said too")]
    assert read_captions(text, suffix=".vtt").language == "en-US"


def test_a_header_without_an_empty_line_after_it() -> None:
    assert cues("WEBVTT\n00:01.000 --> 00:02.000\na\n") == [(1.0, 2.0, "a")]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("if x < 3 and y > 4 then stop", "if x < 3 and y > 4 then stop"),
        ("loss < 0.1 or acc > 0.9", "loss < 0.1 or acc > 0.9"),
        ("a vector<int> and <T> and <div>", "a vector<int> and <T> and <div>"),
        ("<b and c> stays", "<b and c> stays"),
        ("<c.yellow>bold</c> <i>move</i>", "bold move"),
        ("<00:00:01.500><c> one</c><00:00:01.700><c> two</c>", "one two"),
        ('<font color="#ff0000" size=9>red</font>', "red"),
        (r"{\an8}top", "top"),
        ("<lang en>hi</lang> <ruby>k<rt>a</rt></ruby>", "hi ka"),
        ("R&amp;D &lt;i&gt; &#169; &#xA9; &quot;q&quot;", 'R&D <i> © © "q"'),
        ("&amp;lt; once", "&lt; once"),
        ("AT&T and fish&chips &unknown; &lt", "AT&T and fish&chips &unknown; &lt"),
        ("[Music] ♪ la ♪", "[Music] ♪ la ♪"),
        ("a --> b means implies", "a --> b means implies"),
    ],
)
def test_markup_goes_and_speech_stays(raw: str, said: str) -> None:
    assert [text for *_, text in cues(vtt(raw))] == [said]


def test_voices_name_speakers_and_split_a_cue() -> None:
    found = read_captions(vtt("<v.loud Ann Lee>Hello there", "<v Bob>Hi &amp; bye"), suffix=".vtt").cues
    assert [(c.speaker, c.text) for c in found] == [("Ann Lee", "Hello there"), ("Bob", "Hi & bye")]


def test_missing_indexes_ids_and_empty_lines_between_cues() -> None:
    text = (
        "00:00:01,000 --> 00:00:02,000\na\n"
        "2\n00:00:03,000 --> 00:00:04,000\nb 2\n42\n"
        "3\n00:00:05,000 --> 00:00:06,000\nc\n"
    )
    assert cues(text, ".srt") == [(1.0, 2.0, "a"), (3.0, 4.0, "b 2 42"), (5.0, 6.0, "c")]


def test_an_empty_line_inside_a_cue_keeps_its_words() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n\nb\n\n2\n00:00:03,000 --> 00:00:04,000\nc\n"
    assert cues(text, ".srt") == [(1.0, 2.0, "a b"), (3.0, 4.0, "c")]
    assert "line 5" in notes(text, ".srt")


def test_unreadable_times_keep_the_words_with_the_cue_above() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:9x,000 --> 00:00:04,000\nb\n"
    assert cues(text, ".srt") == [(1.0, 2.0, "a b")]
    assert "times that cannot be read" in notes(text, ".srt")
    assert "line 6" in notes(text, ".srt")


def test_an_unreadable_or_early_end_is_unknown() -> None:
    text = "WEBVTT\n\n00:05.000 --> xx\na\n\n00:06.000 --> 00:05.000\nb\n\n00:07.000 --> 00:07.000\nc\n"
    assert cues(text) == [(5.0, None, "a"), (6.0, None, "b"), (7.0, 7.0, "c")]
    assert "2 x cue ends" in notes(text)


def test_out_of_order_cues_are_sorted_stably_and_said() -> None:
    text = "WEBVTT\n\n" + "".join(
        f"00:{s:02d}.000 --> 00:{s + 1:02d}.000\n{w}\n\n" for s, w in [(1, "a"), (9, "d"), (5, "b"), (5, "c")]
    )
    assert [w for *_, w in cues(text)] == ["a", "b", "c", "d"]
    assert "sorted" in notes(text)


def test_two_recordings_in_one_file_fail_with_the_line() -> None:
    one = "".join(f"00:{m:02d}:00,000 --> 00:{m:02d}:58,000\nword {m}\n\n" for m in range(10))
    with pytest.raises(SourceFault, match="start again") as caught:
        read_captions(one + one, suffix=".srt")
    assert caught.value.line == 31


def test_overlapping_cues_stay() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:09.000\na\n\n00:02.000 --> 00:03.000\nb\n"
    assert cues(text) == [(1.0, 9.0, "a"), (2.0, 3.0, "b")]
    assert notes(text) == ""


def test_all_cues_at_zero_fail() -> None:
    text = "WEBVTT\n\n" + "00:00.000 --> 00:01.000\na\n\n" * 5
    with pytest.raises(SourceFault, match="all 5 segments start at 00:00"):
        read_captions(text, suffix=".vtt")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("WEBVTT\n", "no captions"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n\n", "no captions"),
        ("<html><body>Not found</body></html>", "no cue with a time"),
        ("1\n", "no cue with a time"),
        ("0:zz --> 1\na\n" * 5, "no cue with a time"),
        ("1\n00:00:99,000 --> 00:01:00,000\na\n", "times cannot be read"),
    ],
)
def test_no_captions_is_a_fault_that_says_so(text: str, reason: str) -> None:
    with pytest.raises(SourceFault, match=reason):
        read_captions(text, suffix=".vtt" if text.startswith("WEBVTT") else ".srt")


def test_sbv() -> None:
    text = "0:00:00.378,0:00:11.378\none\ntwo[br]three\n\n0:00:11.378,0:00:12.305\nfour\n"
    assert cues(text, ".sbv") == [(0.378, 11.378, "one two three"), (11.378, 12.305, "four")]


def test_a_byte_order_mark_in_the_middle_is_dropped() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n\n\ufeff2\n00:00:03,000 --> 00:00:04,000\nb\n"
    assert cues(text, ".srt") == [(1.0, 2.0, "a"), (3.0, 4.0, "b")]
