"""Podcast transcripts in JSON and HTML: whatever is in them, they give words in order or a fault, and lose none."""

from __future__ import annotations

import json
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.origins.rss.transcripts import Words, read_transcript
from answertrail.corpus.sources.outcome import SourceFault

_NUMBERS = st.one_of(
    st.integers(min_value=-5, max_value=10**9),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from(["0:01", "1:02:03.5", "-1", "nan", "inf", "1e400", "99999999", "", "x", True, None, 10**400]),
)
_TEXTS = st.one_of(
    st.text(max_size=12), st.sampled_from(["\ud800", "\x00", "a\u2028b", "<b>x</b>", "&amp;", " ", "\u202e"])
)


def _objects(values: st.SearchStrategy) -> st.SearchStrategy:
    keys = st.sampled_from(["startTime", "start", "endTime", "end", "body", "text", "speaker", "segments", "version"])
    return st.dictionaries(keys, values, max_size=6)


_VALUES = st.recursive(
    st.one_of(st.none(), _NUMBERS, _TEXTS), lambda inner: st.lists(inner, max_size=3) | _objects(inner), max_leaves=12
)


_SEGMENTS = st.lists(
    st.fixed_dictionaries(
        {"startTime": _NUMBERS, "body": _TEXTS}, optional={"endTime": _NUMBERS, "speaker": _TEXTS | _NUMBERS}
    )
    | _objects(_VALUES),
    max_size=8,
)
_TAGS = [
    "<cite>", "</cite>", "<time>", "</time>", "<p>", "</p>", "<br/>", "<body>", "</body>", "<script>", "</script>",
    "<!--", "-->", "<![CDATA[", "]]>", "<table><tr><td>", "</html>", "<b><i>", "</i>", "<p", "&lt;", "&#0;", "&#xD800;",
    "&nbsp;", "0:01", "1:02:03", "99:99", "-0:01", "Ann:", "we fired the kiln", "\x00", "<?xml ?>", "<cite/>",
]  # fmt: skip


def read(raw: bytes, form: str) -> Words | None:
    try:
        words = read_transcript(raw, form)
    except SourceFault:
        return None
    assert bool(words.cues) != bool(words.text)
    starts = [cue.start for cue in words.cues]
    assert starts == sorted(starts)
    assert all(0 <= start < 1e7 for start in starts)
    for cue in words.cues:
        assert cue.text.strip()
        assert cue.end is None or cue.start <= cue.end < 1e7
    said = words.text or " ".join(cue.text + (cue.speaker or "") for cue in words.cues)
    assert "\x00" not in said
    said.encode()
    return words


@settings(deadline=None, max_examples=150)
@given(st.one_of(_SEGMENTS, _SEGMENTS.map(lambda rows: {"version": "1.0.0", "segments": rows}), _VALUES))
def test_no_json_breaks_it(value):
    read(json.dumps(value).encode(), "json")


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(_TAGS) | st.text(max_size=6), max_size=40))
def test_no_html_breaks_it(pieces):
    read("".join(pieces).encode("utf-8", "replace"), "html")


@pytest.mark.parametrize("form", ["json", "html"])
@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 100_000,
        b'{"segments":' * 5_000,
        b'{"segments":[{"startTime":' + b"9" * 100_000 + b',"body":"x"}]}',
        b'{"segments":[{"startTime":"' + b"9" * 100_000 + b'","body":"x"}]}',
        b"<html><body>" + b"<b><i>" * 20_000 + b"hello words",
        b"<html><body>" + b"<cite>" * 5_000 + b"<time>" * 5_000,
        b"<html><body><cite>A</cite><time>" + b"9" * 100_000 + b"</time><p>x</p>",
    ],
)
def test_depth_and_length_end_in_words_or_a_fault(raw, form):
    read(raw, form)


_WORDS = st.lists(
    st.sampled_from(["kiln", "glaze", "R&D", "x<3", "가마", "it's", '"so"', "3:15"]), min_size=1, max_size=6
)
_TURNS = st.lists(st.tuples(st.integers(0, 90), st.sampled_from(["Ann", "Bob & Co", None]), _WORDS), min_size=2)


def _in_order(turns: list) -> list[tuple[float, str | None, str]]:
    at, out = 0, []
    for step, speaker, words in turns:
        at += step + 1
        out.append((float(at), speaker, " ".join(words)))
    return out


def _said(words: Words | None) -> list[tuple[float, str | None, str]]:
    assert words is not None
    return [(cue.start, cue.speaker, cue.text) for cue in words.cues]


@settings(deadline=None, max_examples=60)
@given(_TURNS.map(_in_order))
def test_all_that_a_json_transcript_says_comes_back(turns):
    rows = [
        {"startTime": start, "body": text} | ({"speaker": speaker} if speaker else {}) for start, speaker, text in turns
    ]
    assert _said(read(json.dumps({"segments": rows}).encode(), "json")) == turns


@settings(deadline=None, max_examples=60)
@given(_TURNS.map(_in_order))
def test_all_that_an_html_transcript_says_comes_back(turns):
    parts = []
    for start, speaker, text in turns:
        minutes, seconds = divmod(int(start), 60)
        stamp = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        parts.append(f"<cite>{escape(speaker or 'Cy')}:</cite><time>{stamp}</time><p>{escape(text)}</p>")
    expected = [(start, speaker or "Cy", text) for start, speaker, text in turns]
    assert _said(read(f"<html><body>{''.join(parts)}</body></html>".encode(), "html")) == expected
