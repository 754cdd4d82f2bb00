"""Rolling captions: every spoken word once, repeats that were spoken kept."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.corpus.sources.captions import read_captions


def stamp(t: float) -> str:
    ms = round(t * 1000)
    return f"{ms // 3600000:02d}:{ms // 60000 % 60:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}"


def rolling(rows: list[list[str]], *, tagged: bool) -> str:
    """Write rows as YouTube does: carried row, new row, a finishing cue of 10 ms between."""
    out = ["WEBVTT", "Kind: captions", "Language: en", ""]
    above = " "
    for place, row in enumerate(rows):
        start = place * 3.0
        plain = " ".join(row)
        words = row[0] + "".join(f"<{stamp(start + 0.2 * i)}><c> {word}</c>" for i, word in enumerate(row[1:], 1))
        out += [
            f"{stamp(start)} --> {stamp(start + 2.99)} align:start position:0%",
            above,
            words if tagged else plain,
            "",
            f"{stamp(start + 2.99)} --> {stamp(start + 3)} align:start position:0%",
            plain,
            " ",
            "",
        ]
        above = plain
    return "\n".join(out)


def spoken(text: str) -> list[str]:
    return [word for cue in read_captions(text, suffix=".vtt").cues for word in cue.text.split()]


@pytest.mark.parametrize("tagged", [True, False])
def test_each_word_once_at_the_time_it_is_spoken(tagged: bool) -> None:
    rows = [["hello", "and", "welcome"], ["to", "the", "show"], ["no"], ["no"], ["no", "no"]]
    found = read_captions(rolling(rows, tagged=tagged), suffix=".vtt")
    assert [(cue.start, cue.text.split()) for cue in found.cues] == [
        (3.0 * place, row) for place, row in enumerate(rows)
    ]
    assert found.automatic
    assert any("rolling" in note for note in found.notes)


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "yes", "no"]), min_size=1, max_size=4),
        min_size=4,
        max_size=30,
    ),
    st.booleans(),
)
def test_words_of_any_rolling_file_appear_once(rows: list[list[str]], tagged: bool) -> None:
    assert spoken(rolling(rows, tagged=tagged)) == [word for row in rows for word in row]


def test_a_chorus_is_not_rolling() -> None:
    cues = "".join(f"{stamp(3 * i)} --> {stamp(3 * i + 2.5)}\nla la la\n\n" for i in range(10))
    assert len(spoken("WEBVTT\n\n" + cues)) == 30


def test_karaoke_tags_without_repeats_lose_nothing() -> None:
    text = (
        "WEBVTT\n\n00:16.500 --> 00:18.500\nWhen the moon <00:17.500>hits your eye\n\n"
        "00:18.500 --> 00:20.500\nLike a <00:19.000>big-a <00:19.500>pizza <00:20.000>pie\n\n"
        "00:20.500 --> 00:21.500\nThat's <00:00:21.000><c.colorE5E5E5>amore</c>\n"
    )
    assert " ".join(spoken(text)) == "When the moon hits your eye Like a big-a pizza pie That's amore"


def test_repeats_left_by_a_conversion_to_srt() -> None:
    rows = ["one two", "three four", "five six"]
    out, above, number = [], "", 0
    for place, row in enumerate(rows):
        for lines, start, end in (
            ([above, row], 2.0 * place, 2.0 * place + 1.99),
            ([row], 2.0 * place + 1.99, 2.0 * place + 2),
        ):
            number += 1
            body = "\n".join(line for line in lines if line)
            out.append(f"{number}\n{stamp(start)} --> {stamp(end)}\n{body}\n".replace(".", ","))
        above = row
    found = read_captions("\n".join(out), suffix=".srt")
    assert [cue.text for cue in found.cues] == rows


def untimed(cues: list[str], length: float = 2.0) -> str:
    return "WEBVTT\n\n" + "".join(
        f"{stamp(2 * i)} --> {stamp(2 * i + length)}\n{text}\n\n" for i, text in enumerate(cues)
    )


def test_rows_joined_by_a_converter_are_said_once() -> None:
    rows = ["so today we", "look at search", "no no", "no no no", "and that is", "all"]
    joined = [rows[0], *(f"{above} {row}" for above, row in pairwise(rows))]
    found = read_captions(untimed(joined), suffix=".vtt")
    # `no no` below `no no no` cannot be told apart at their seam: at least one way of saying them stays.
    assert " ".join(cue.text for cue in found.cues).replace("no ", "") == "so today we look at search and that is all"
    assert found.automatic


def test_captions_that_grow_word_by_word_are_said_once() -> None:
    words = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"]
    growing = [" ".join(words[: n + 1]) for n in range(len(words))]
    found = read_captions(untimed(growing), suffix=".vtt")
    assert [(c.start, c.text) for c in found.cues] == [(2.0 * n, word) for n, word in enumerate(words)]
    assert "growing captions" in found.notes[0]


def test_rows_whose_one_space_was_trimmed_to_nothing() -> None:
    text = (
        "WEBVTT\n\n00:00:00.000 --> 00:00:02.500\n\nhello<00:00:00.500><c> there</c><00:01.000><c> everyone.</c>\n\n"
        "00:00:02.500 --> 00:00:02.510\nhello there everyone.\n\n\n"
        "00:00:02.510 --> 00:00:05.000\nhello there everyone.\nwelcome<00:00:03.000><c> to</c><00:03.500><c> it</c>\n\n"
    )
    assert " ".join(spoken(text)) == "hello there everyone. welcome to it"


def test_a_row_shown_again_without_its_word_times_was_said_once() -> None:
    text = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\nHello<00:01.000><c> there</c>\n\n"
        "00:02.000 --> 00:04.000\nHello there\n\n00:04.000 --> 00:06.000\nNext line\n"
    )
    assert " ".join(spoken(text)) == "Hello there Next line"


@pytest.mark.parametrize(
    "cues",
    [
        ["no no no", "no no no", "no no no no", "no no no"],
        ["let it go", "let it go", "can't hold it back", "let it go", "let it go", "turn away"],
        [
            "I have a dream",
            "a dream that one day",
            "this nation will rise",
            "and live out",
            "its creed",
            "I have a dream",
        ],
        ["what is it", "it is what it is", "it was", "I was there", "so", "so what", "what now", "who knows"],
        ["hear hear", "hear hear", "hear hear"],
    ],
)
def test_people_who_repeat_themselves_keep_every_word(cues: list[str]) -> None:
    assert " ".join(spoken(untimed(cues))) == " ".join(cues)
    assert " ".join(spoken(untimed(cues).replace("\n\n", " \n\n"))) == " ".join(cues)


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=6), min_size=1, max_size=12))
def test_what_is_kept_of_any_captions_is_a_part_of_what_they_show(rows: list[list[str]]) -> None:
    shown = [" ".join(row) for row in rows]
    kept = iter(spoken(untimed(shown)))
    said = list(kept)
    everything = iter(word for row in rows for word in row)
    assert all(word in everything for word in said)  # in order, nothing made up
