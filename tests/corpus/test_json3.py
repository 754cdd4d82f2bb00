"""YouTube's json3 timed text: each spoken word once, at the time it is spoken, whatever else is in the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.sources import Failure, Read
from answertrail.corpus.sources.captions import read_captions
from answertrail.corpus.sources.json3 import MAX_VALUES, read_json3
from answertrail.corpus.sources.outcome import SourceFault
from tests.corpus.conftest import Files, Folder
from tests.corpus.test_sources_rolling import rolling, spoken
from tests.soak import rounds

Make = Callable[[Files], Folder]


def track(*events: object, indent: int | None = 2) -> str:
    return json.dumps({"wireMagic": "pb3", "pens": [{}], "events": list(events)}, indent=indent)


def said(text: str) -> list[tuple[float, float | None, str]]:
    return [(cue.start, cue.end, cue.text) for cue in read_json3(text).cues]


def event(start: int, *pieces: str, length: int = 3000, **more: object) -> dict[str, object]:
    return {"tStartMs": start, "dDurationMs": length, "segs": [{"utf8": piece} for piece in pieces], **more}


def words(start: int, row: Sequence[str], length: int = 6000) -> list[dict[str, Any]]:
    """A row as recognition writes it: a piece a word, and an event of its own for the line break."""
    pieces = [
        {"utf8": word if i == 0 else f" {word}", "tOffsetMs": 200 * i, "acAsrConf": 0} for i, word in enumerate(row)
    ]
    broken = {"tStartMs": start + length, "dDurationMs": 10, "wWinId": 1, "aAppend": 1, "segs": [{"utf8": "\n"}]}
    return [{"tStartMs": start, "dDurationMs": length, "wWinId": 1, "segs": pieces}, broken]


def automatic(rows: Sequence[Sequence[str]]) -> str:
    opening = {"tStartMs": 0, "dDurationMs": 916040, "id": 1, "wpWinPosId": 1, "wsWinStyleId": 1}
    return track(opening, *(e for place, row in enumerate(rows) for e in words(3000 * place, row)))


def test_automatic_captions_give_each_word_once_and_end_where_the_next_row_begins() -> None:
    found = read_json3(automatic([["no"], ["no", "no"], ["yes", "we", "can"]]))
    assert [(c.start, c.end, c.text) for c in found.cues] == [
        (0.0, 3.0, "no"),
        (3.0, 6.0, "no no"),
        (6.0, 12.0, "yes we can"),
    ]
    assert found.automatic
    assert found.notes == ()


@given(st.lists(st.lists(st.sampled_from(["a", "b", "yes", "no"]), min_size=1, max_size=4), min_size=4, max_size=30))
def test_json3_and_the_rolling_vtt_of_one_track_hold_the_same_words(rows: list[list[str]]) -> None:
    from_json3 = [word for cue in read_json3(automatic(rows)).cues for word in cue.text.split()]
    assert from_json3 == spoken(rolling(rows, tagged=True)) == [word for row in rows for word in row]


def test_captions_by_a_person_keep_their_ends_lines_and_repeats() -> None:
    text = track(
        event(1000, "Never gonna give you up,\nnever gonna"), event(4000, "Never gonna"), event(5000, "la", "la")
    )
    found = read_json3(text)
    assert said(text) == [
        (1.0, 4.0, "Never gonna give you up, never gonna"),
        (4.0, 7.0, "Never gonna"),
        (5.0, 8.0, "lala"),
    ]
    assert not found.automatic


def test_text_is_plain_markup_and_entities_in_it_were_spoken() -> None:
    text = track(event(0, "if x < 3 and y > 4 &amp; <i>"), event(4000, "R&D"))
    assert [words for *_, words in said(text)] == ["if x < 3 and y > 4 &amp; <i>", "R&D"]


def test_pieces_without_a_space_are_one_word_and_invisible_padding_is_none() -> None:
    text = track(event(0, "\u200b", "all", "-nighters", ".", "\u200b"), event(4000, "\u200bשלום\u200f", " 안녕하세요"))
    assert [words for *_, words in said(text)] == ["all-nighters.", "שלום 안녕하세요"]


def test_marks_of_speakers_are_no_words() -> None:
    text = track(*words(0, [">>", "hello", ">>", "hi"]), *words(9000, [">>", "ANN:", "bye"]))
    cues = read_json3(text).cues
    assert [(c.speaker, c.text) for c in cues] == [(None, "hello"), (None, "hi"), ("ANN", "bye")]


def test_times_as_text_missing_lengths_and_offsets() -> None:
    late = {"tStartMs": "2500", "segs": [{"utf8": " "}, {"utf8": "late", "tOffsetMs": 500}]}
    text = track({"tStartMs": "1000", "dDurationMs": "900", "segs": [{"utf8": "a"}]}, late)
    assert said(text) == [(1.0, 1.9, "a"), (3.0, None, "late")]
    assert "event 2" in read_json3(text).notes[0]


def test_out_of_order_events_are_sorted_and_named_as_events() -> None:
    text = track(event(0, "a"), event(9000, "c"), event(5000, "b"), event(12000, "d"))
    assert [words for *_, words in said(text)] == ["a", "b", "c", "d"]
    assert "(event 3)" in read_json3(text).notes[0]


def test_layers_of_one_line_are_said_once_and_two_short_answers_in_one_second_twice() -> None:
    layer = "00:01.250 --> 00:02.000\nan outline is drawn below\n\n"
    answer = "00:05.000 --> 00:06.000\nYeah.\n\n"
    found = read_captions(f"WEBVTT\n\n{layer}{layer}{answer}{answer}", suffix=".vtt")
    assert [c.start for c in found.cues] == [1.25, 5.0, 5.0]
    assert "line 6" in found.notes[-1]
    words = "an outline is drawn below"
    drawn = read_json3(track(event(1250, words), event(1250, words), event(5000, "Yeah."), event(5000, "Yeah.")))
    assert [c.start for c in drawn.cues] == [1.25, 5.0, 5.0]
    assert "(event 2)" in drawn.notes[-1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[]", "not a json3 caption track"),
        ('{"error": {"code": 403}}', "not a json3 caption track"),
        ('{"events": {}}', "not a json3 caption track"),
        ('{"events": []}', "no captions"),
        (track({"tStartMs": 0, "dDurationMs": 9, "id": 1}), "no captions"),
        (track(event(0, "\n")), "no captions"),
        ("<!DOCTYPE html><html><title>Sorry</title>", "a web page"),
        ('{"replayChatItemAction": {"actions": []}}\n{"replayChatItemAction": {}}', "a live chat"),
        (track(*[event(0, f"w{i}") for i in range(9)]), "event 1: all 9 segments start at 00:00"),
        (track(*[{"tStartMs": -5, "segs": [{"utf8": "a"}]}] * 4), "event 1: the events cannot be read"),
        ("[" * 100_000, "not valid JSON"),
        ('{"events":' * 100_000, "not valid JSON"),
        ('{"events": [' + "{}," * MAX_VALUES + "{}]}", "not a caption track"),
        ('{"events": [{"tStartMs": ' + "9" * 5000 + "}]}", "not valid JSON"),
    ],
)  # fmt: skip
def test_what_is_no_caption_track_says_so(text: str, reason: str) -> None:
    with pytest.raises(SourceFault, match=reason):
        read_captions(text, suffix=".json3")


def test_the_line_of_broken_json_is_named() -> None:
    with pytest.raises(SourceFault) as caught:
        read_json3('{\n "events": [\n  oops\n ]}')
    assert caught.value.line == 3


def test_yt_dlps_layout_with_and_without_its_sidecar(make: Make) -> None:
    info = {
        "id": "abcdefghijk",
        "title": "A talk",
        "timestamp": 1718409600,
        "duration": 30,
        "language": "en",
        "automatic_captions": {"en": []},
    }
    files: dict[str, str | bytes] = {
        "abcdefghijk.en.json3": automatic([["hello", "there"], ["bye"]]),
        "abcdefghijk.info.json": json.dumps(info),
        "zyxwvutsrqp.en.json3": track(event(1000, "안녕하세요 여러분")),
        "abcdefghijk.live_chat.json": '{"replayChatItemAction": {}}',
    }
    folder = make(files)
    one, other = (result for result in folder.results() if isinstance(result, Read))
    assert (one.document.id, one.document.title, one.document.captions) == ("abcdefghijk.en", "A talk", "auto")
    assert one.document.published_at == "2024-06-15T00:00:00Z"
    assert one.document.url == "https://www.youtube.com/watch?v=abcdefghijk"
    assert other.document.id == "zyxwvutsrqp.en"
    assert other.document.words() == "안녕하세요 여러분"
    assert folder.discover().ignored == 1  # the live chat


def test_json3_wins_over_the_rolling_vtt_of_the_same_track_and_a_person_over_both(make: Make) -> None:
    rows = [["hello", "there"], ["how", "are", "you"]]
    folder = make({"a.en.vtt": rolling(rows, tagged=True), "a.en.json3": automatic(rows)})
    assert folder.one().source.endswith("a.en.json3")
    folder.write({"a.en.srt": "1\n00:00:01,000 --> 00:00:02,000\nHello there, how are you?\n"})
    assert folder.one().source.endswith("a.en.srt")


def test_sibling_folders_of_one_track_are_one_document(make: Make) -> None:
    rows = [f"the {n} quick brown fox {n} jumps over {n}".split() for n in range(9)]
    folder = make({"vtt/a.vtt": rolling(rows, tagged=True), "json3/a.json3": automatic(rows)})
    assert folder.one().document.id == "a"


def test_times_past_the_end_of_the_video_fail(make: Make) -> None:
    folder = make({"a.json3": track(event(0, "a"), event(270_000, "b")), "a.info.json": '{"duration": 201}'})
    failures = [result for result in folder.results() if isinstance(result, Failure)]
    assert [f.reason for f in failures] == ["starts at 04:30, after the end of the recording (03:21)"]


_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("\n")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["tStartMs", "dDurationMs", "segs", "utf8", "tOffsetMs"]), inner, max_size=5),
    ),
    max_leaves=20,
)
_EVENTS = st.fixed_dictionaries(
    {"tStartMs": st.one_of(st.integers(-10, 10**7), _VALUES), "segs": st.lists(st.one_of(
        st.fixed_dictionaries({"utf8": st.one_of(st.text(max_size=9), _VALUES)}), _VALUES), max_size=4)},
    optional={"dDurationMs": st.one_of(st.integers(-10, 10**7), _VALUES), "aAppend": _VALUES},
)  # fmt: skip


@settings(max_examples=rounds(ci=150, soak=10_000), deadline=None)
@given(st.one_of(_VALUES, st.lists(st.one_of(_EVENTS, _VALUES), max_size=8).map(lambda events: {"events": events})))
def test_any_json_gives_words_with_rising_times_or_a_reason(value: object) -> None:
    try:
        found = read_json3(json.dumps(value))
    except SourceFault:
        return
    starts = [cue.start for cue in found.cues]
    assert starts == sorted(starts)
    assert all(cue.start >= 0 and (cue.end is None or cue.end > cue.start) for cue in found.cues)
    assert all(cue.text.split() for cue in found.cues)
