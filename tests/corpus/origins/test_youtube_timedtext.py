"""YouTube's caption XML."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.origins.youtube.timedtext import is_sparse, looks_like_html, parse_timedtext
from answertrail.corpus.sources.outcome import SourceFault
from tests.corpus.origins.youtube_server import timedtext


def said(text: str) -> list[tuple[float, float | None, str]]:
    return [(cue.start, cue.end, cue.text) for cue in parse_timedtext(text)[0]]


def test_the_real_file_gives_each_line_without_its_italics(answers):
    assert said((answers / "transcript.xml.static").read_text()) == [
        (0.0, 1.54, "Hey, this is just a test"),
        (1.54, 5.7, "this is not the original transcript"),
        (5.7, 8.939, "just something shorter, I made up for testing"),
    ]


def test_words_are_unescaped_once_and_signs_of_code_stay():
    lines = ["if x < 3 and y > 4 then stop", "it's &amp; not &", "vector<int> & <T>", "a <b c"]
    assert [text for _, _, text in said(timedtext(*lines))] == lines


def test_words_in_milliseconds_are_joined_with_their_spaces():
    body = """<timedtext format="3"><head/><body><w t="0" id="1"/>
    <p t="160" d="4000" w="1"><s ac="252">so</s><s t="200" ac="252"> x</s><s t="400"> &lt; 3</s></p>
    <p t="2000" d="2160" w="1" a="1">
</p><p t="2160" d="1500" w="1"><s>안녕</s><s t="9">하세요</s></p></body></timedtext>"""
    assert said(body) == [(0.16, 4.16, "so x < 3"), (2.16, 3.66, "안녕하세요")]


def test_a_line_break_in_a_caption_is_a_space():
    assert said(timedtext("one\ntwo", "three"))[0][2] == "one two"


def test_captions_without_a_usable_time_are_left_out_and_counted():
    rows = "".join(
        f'<text start="{start}">{word}</text>' for start, word in zip(("x", "-1", "inf", "2"), "abcd", strict=True)
    )
    body = f"<transcript>{rows}</transcript>"
    cues, notes = parse_timedtext(body)
    assert [(cue.start, cue.end, cue.text) for cue in cues] == [(2.0, None, "d")]
    assert notes == ["3 captions without a usable time were left out"]


def test_captions_out_of_order_are_sorted_and_it_is_noted():
    body = '<transcript><text start="9" dur="1">b</text><text start="2" dur="1">a</text></transcript>'
    cues, notes = parse_timedtext(body)
    assert [cue.text for cue in cues] == ["a", "b"]
    assert "sorted" in notes[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<!DOCTYPE html><html></html>", "web page"),
        ("  <HTML>", "web page"),
        ('{"events": []}', "no well-formed XML"),
        ("<transcript><text start='0'>cut off", "no well-formed XML"),
        ("<rss/>", "holds <rss>"),
        ("<transcript></transcript>", "no words"),
        ("<transcript><text start='0'> </text></transcript>", "no words"),
        ("<!DOCTYPE x [<!ENTITY a 'aaaa'>]><transcript><text start='0'>&a;</text></transcript>", "no well-formed XML"),
        ("", "no well-formed XML"),
    ],
)
def test_what_is_not_captions_is_refused(text, reason):
    with pytest.raises(SourceFault, match=reason):
        parse_timedtext(text)


def test_a_few_words_in_an_hour_are_no_record_of_speech():
    cues, _ = parse_timedtext(
        timedtext("[Music]", "Thank you all very much for coming to our talk", "[Applause and laughter]")
    )
    assert is_sparse(cues, 3600)
    assert not is_sparse(cues, 60)
    assert not is_sparse(cues, 30)
    assert not is_sparse(cues, None)


def test_sound_marks_alone_are_no_words():
    cues, _ = parse_timedtext(timedtext(*["[Music]", "(applause)", "♪"] * 60))
    assert is_sparse(cues, 900)


def test_a_page_that_only_mentions_html_is_no_page():
    assert not looks_like_html(timedtext("<html> is the first tag"))


@settings(deadline=None)
@given(st.text(alphabet="<>/&;textpranscmd=\"'0123456789. ![]", max_size=200))
def test_no_text_breaks_it(text):
    try:
        cues, _ = parse_timedtext(text)
    except SourceFault:
        return
    assert all(cue.text and cue.start >= 0 for cue in cues)


@settings(deadline=None)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=30), min_size=1, max_size=8
    )
)
def test_all_words_come_back_as_they_were_spoken(lines):
    spoken = [" ".join(line.split()) for line in lines]
    # What captions use as markup is markup, and these two code points are no characters of XML.
    if any(mark in line for line in lines for mark in ("<", "{", "[", "&", "\ufffe", "\uffff")) or not any(spoken):
        return
    assert [text for _, _, text in said(timedtext(*lines))] == [line for line in spoken if line]
