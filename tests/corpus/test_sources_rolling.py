"""Rolling captions: every spoken word once, repeats that were spoken kept."""

from __future__ import annotations

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
