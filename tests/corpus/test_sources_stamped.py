"""The layouts of stamped transcripts, and what only looks like one."""

from __future__ import annotations

import pytest

from answertrail.corpus.sources.captions import Timed
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.stamped import read_stamped


def stamped(text: str, markdown: bool = False, names: tuple[str, ...] = ()) -> Timed:
    found = read_stamped(text, markdown=markdown, names=names)
    assert found is not None
    return found


def said(text: str, markdown: bool = False) -> list[tuple[float, str | None, str]]:
    return [(c.start, c.speaker, c.text) for c in stamped(text, markdown).cues]


def test_time_then_bold_speaker_with_continuation_lines() -> None:
    text = "[00:17] **Ann**: Hello.\n\nStill Ann.\n\n[1:02:03] **Bob Lee:** Bye.\n"
    assert said(text) == [(17.0, "Ann", "Hello. Still Ann."), (3723.0, "Bob Lee", "Bye.")]
    assert stamped(text).named


def test_plain_labels_only_when_they_are_known() -> None:
    text = (
        "[00:01] SPEAKER_03: Test.\n[00:02] kushti: Hi.\n[00:03] kushti: Well.\n"
        "[00:04] Remember: water the plants.\n[00:05] Bea: only once.\n"
    )
    cues = [(c.speaker, c.text) for c in stamped(text, names=("bea",)).cues]
    assert cues == [
        ("SPEAKER_03", "Test."),
        ("kushti", "Hi."),
        ("kushti", "Well."),
        (None, "Remember: water the plants."),
        ("Bea", "only once."),
    ]


def test_a_label_without_words_is_no_word() -> None:
    text = "[00:01] SPEAKER_03: Test.\n[00:02] SPEAKER_04:\n[00:03] kushti: Hi.\n[00:04] kushti:\n[00:05] **Ann**:\n"
    assert said(text) == [(1.0, "SPEAKER_03", "Test."), (3.0, "kushti", "Hi.")]


def test_one_long_turn_of_many_lines_does_not_cost_its_square() -> None:
    text = "**A:** [00:01] x\n\n**B:** y\n\n**C:** z\n\n[09:00]\n" + "some more words\n" * 200_000
    assert len(said(text)[-1][2].split()) == 600_000


def test_direction_marks_around_words_are_left_out() -> None:
    assert said("[00:01] \u200fשלום\u200f \u202bעולם\u202c\n[00:02] \ufeffb \u200b c\n")[0][2] == "שלום עולם"


def test_speaker_then_time() -> None:
    text = "[Speaker 1] [00:00] If\n[Bryan] [00:03] you've heard\nof it\n"
    assert said(text) == [(0.0, "Speaker 1", "If"), (3.0, "Bryan", "you've heard of it")]
    assert stamped(text).automatic


def test_whisper_lines_have_ends() -> None:
    text = "[0.00 --> 8.74]  Hello\n[00:10.000 --> 01:00:11.500]  again\n"
    cues = stamped(text).cues
    assert [(c.start, c.end, c.text) for c in cues] == [
        (0.0, 8.74, "Hello"),
        (10.0, 3611.5, "again"),
    ]
    assert stamped(text).automatic


def test_bare_times_before_text() -> None:
    assert said("0:00 one\n0:05 two\n1:00:00 - three\n") == [
        (0.0, None, "one"),
        (5.0, None, "two"),
        (3600.0, None, "three"),
    ]


def test_headers_above_their_words() -> None:
    text = (
        "## Intro\n\nSjors: 00:00:00\n\nHello.\nHow are you?\n\nAaron van W 00:00:23\n\nFine.\n\n"
        "## News\n\nSjors : 00:01:00\n\nGood.\n\nTim: 00.01:10\n\nYes.\n"
    )
    assert said(text, markdown=True) == [
        (0.0, None, "Intro"),
        (0.0, "Sjors", "Hello. How are you?"),
        (23.0, "Aaron van W", "Fine."),
        (60.0, None, "News"),
        (60.0, "Sjors", "Good."),
        (70.0, "Tim", "Yes."),
    ]


def test_marks_between_turns_are_interpolated_by_length() -> None:
    text = (
        "**Ann:** aaaa bbbb.\n\n**Bob:** cccc dddd.\n\n"
        "**Ann:** \\[00:20\\] eeee ffff.\n\n**Bob:** gggg hhhh. \\[laughs\\]\n\n"
        "**Break:** \\[01:00\\] to \\[01:10\\]\n\n**Ann:** iiii.\n"
    )
    found = stamped(text, markdown=True)
    assert found.coarse
    assert [(c.speaker, c.text) for c in found.cues] == [
        ("Ann", "aaaa bbbb."),
        ("Bob", "cccc dddd."),
        ("Ann", "eeee ffff."),
        ("Bob", "gggg hhhh. [laughs]"),
        ("Ann", "iiii."),
    ]
    starts = [c.start for c in found.cues]
    assert starts == sorted(starts)
    assert starts[2] == 20.0
    # 10 characters of 31 between the marks at 20 s and 60 s (the escape counts as written).
    assert 20 < starts[3] < 40
    assert found.cues[3].end == 60.0
    assert starts[4] == 70.0


def test_turns_that_all_carry_a_mark_are_not_coarse() -> None:
    text = "**Ann:** [00:00] One.\n\nMore.\n\n**Bob:** [00:25] Two.\n\n**Ann:** [01:12] Three.\n"
    found = stamped(text)
    assert not found.coarse
    assert [(c.start, c.end) for c in found.cues][:2] == [(0.0, 25.0), (25.0, 72.0)]


@pytest.mark.parametrize(
    "text",
    [
        "A note.\n\nWe met at [12:30] and talked.\n\nThen we left.\n",
        "# Show notes\n\n- [00:00] Intro\n- [03:10] Topic\n\nMore words here.\nAnd here.\nAnd here.",
        "# Notes\n\nsee [12:34](https://youtu.be/x?t=754) and [15:00](https://youtu.be/x?t=900)\n",
        "Lunch: 12:30\nDinner: 19:00\nBed: 22:00\n",
        "Breakfast: 08:30\nEggs.\nLunch: 12:30\nSoup.\nDinner: 19:00\nRice.\n",
        "08:30\nWoke up.\n09:10\nAte.\n10:00\nLeft.\n",
        "3:16 For God so loved\nthe world\nthat he\ngave\n",
        "",
        "plain words only",
    ],
)
def test_what_only_looks_like_a_transcript_is_none(text: str) -> None:
    assert read_stamped(text, markdown=True) is None


def test_a_small_step_back_is_moved_up_and_said() -> None:
    text = "[00:10] **A**: one\n[00:08] **A**: two\n[00:12] **A**: three\n"
    assert [start for start, *_ in said(text)] == [10.0, 10.0, 12.0]
    assert "line 2" in stamped(text).notes[0]


def test_a_large_step_back_fails_with_its_line() -> None:
    text = "[10:00] **A**: one\n[10:08] **A**: two\n[00:12] **A**: three\n[00:20] **A**: four\n"
    with pytest.raises(SourceFault, match="backwards, from 10:08 to 00:12") as caught:
        read_stamped(text, markdown=False)
    assert caught.value.line == 3


@pytest.mark.parametrize("wrong", [3, 9000])
def test_one_wrong_stamp_among_many_is_repaired_between_its_neighbours(wrong: int) -> None:
    times = [*range(100, 3100, 100)]
    times[15] = wrong
    text = "".join(f"[{t // 60:02d}:{t % 60:02d}] **A**: w{i}\n" for i, t in enumerate(times))
    starts = [start for start, *_ in said(text)]
    assert starts == sorted(starts)
    assert 1500.0 <= starts[15] <= 1700.0
    assert "line 16" in stamped(text).notes[0]


def test_one_start_for_all_fails() -> None:
    with pytest.raises(SourceFault, match="all 4 segments start at 00:00"):
        read_stamped("[00:00] a\n[00:00] b\n[00:00] c\n[00:00] d\n", markdown=False)
