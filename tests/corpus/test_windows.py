"""Windows of timed text: membership, ids, cuts, and that no word is lost or doubled."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from answertrail.corpus.source_chunks import chunks_of
from answertrail.records import Document, Segment
from answertrail.records.chunk import Chunk


def timed(*segments: tuple[float, float | None, str], **values: Any) -> Document:
    parts = [Segment(start_s=s, text=t) if e is None else Segment(start_s=s, end_s=e, text=t) for s, e, t in segments]
    return Document(id="d:1", title="t", segments=parts, **values)


def brief(chunks: list[Chunk]) -> list[tuple[str, float | None, str]]:
    return [(c.id, c.end_s, c.text) for c in chunks]


def test_a_segment_belongs_to_the_window_it_starts_in() -> None:
    document = timed((0.0, 5.0, "a"), (29.999, 33.0, "b"), (30.0, 31.0, "c"), (95.0, 97.5, " d \n e "))
    chunks = chunks_of(document)
    assert brief(chunks) == [
        ("d:1:00000", 30.0, "a b"),
        ("d:1:00030", 31.0, "c"),
        ("d:1:00090", 97.5, "d e"),
    ]
    assert [c.start_s for c in chunks] == [0.0, 30.0, 90.0]
    assert [c.ordinal for c in chunks] == [0, 1, 2]
    assert chunks[0].lines == ("a", "b")
    assert {c.time_precision for c in chunks} == {"cue"}


def test_an_id_takes_more_digits_when_needed() -> None:
    assert chunks_of(timed((360_000.0, None, "x")))[0].id == "d:1:360000"


def test_speakers_in_order_of_appearance() -> None:
    segments = [Segment(start_s=float(i), text="x", speaker=who) for i, who in enumerate("BABC")]
    document = Document(id="d", title="t", segments=segments)
    assert chunks_of(document)[0].speakers == ("B", "A", "C")


def test_a_long_segment_is_cut_at_sentence_ends_by_length() -> None:
    text = "Aaaa bbbb. Cccc dddd. Eeee ffff."
    chunks = chunks_of(timed((0.0, 96.0, text)))
    # 32 characters in 96 s: sentences start at 0, 33 and 66 s.
    assert brief(chunks) == [
        ("d:1:00000", 30.0, "Aaaa bbbb."),
        ("d:1:00030", 60.0, "Cccc dddd."),
        ("d:1:00060", 90.0, "Eeee ffff."),
    ]
    assert {c.time_precision for c in chunks} == {"interpolated"}


def test_a_sentence_of_up_to_a_minute_stays_whole_a_longer_one_is_cut() -> None:
    words = [f"word{i}" for i in range(40)]
    assert len(chunks_of(timed((0.0, 59.0, " ".join(words))))) == 1
    chunks = chunks_of(timed((0.0, 120.0, " ".join(words))))
    assert len(chunks) > 2
    assert " ".join(c.text for c in chunks).split() == words
    few = chunks_of(timed((0.0, 300.0, "only five words held long")))
    assert [c.text for c in few] == ["only five words held long"]


def test_sentences_without_spaces_are_not_joined_by_one() -> None:
    text = "今日は晴れです。明日は雨です。" * 6
    chunks = chunks_of(timed((0.0, 100.0, text)))
    assert len(chunks) > 1
    assert "".join(c.text for c in chunks) == text


def test_an_unknown_end_is_the_next_start_but_not_across_a_silence() -> None:
    text = " ".join(f"Sentence number {i}." for i in range(60))
    chunks = chunks_of(timed((0.0, None, text), (75.0, None, "Next."), (600.0, None, "Late.")))
    assert [c.start_s for c in chunks] == [0.0, 30.0, 60.0, 600.0]
    assert chunks[2].end_s is not None
    assert chunks[2].end_s < 90.0


def test_a_document_that_says_so_is_interpolated() -> None:
    document = timed((0.0, 5.0, "a"), meta={"time_precision": "interpolated"})
    assert chunks_of(document)[0].time_precision == "interpolated"


def test_a_chunk_ends_by_the_end_of_the_document() -> None:
    chunks = chunks_of(timed((1.0, 29.0, "a"), duration_s=20.0))
    assert chunks[0].end_s == 20.0


def test_no_words_no_chunks() -> None:
    assert chunks_of(timed((0.0, 5.0, " "))) == []
    assert chunks_of(timed()) == []


_texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(["a", "bb", "Yes.", "no,", "3.5", "Mr.", "。", "终"]), max_size=60).map(" ".join),
)


@given(
    st.lists(
        st.tuples(
            st.floats(0, 200, allow_nan=False),
            st.one_of(st.none(), st.floats(0, 400, allow_nan=False)),
            _texts,
        ),
        max_size=12,
    ),
    st.one_of(st.none(), st.floats(1, 3000)),
)
def test_no_word_is_lost_or_doubled(parts: list[tuple[float, float | None, str]], duration: float | None) -> None:
    start, segments = 0.0, []
    for step, length, text in parts:
        start += step
        segments.append((start, None if length is None else start + length, text))
    document = timed(*segments, **({} if duration is None else {"duration_s": duration}))
    chunks = chunks_of(document)
    said = [word for _, _, text in segments for word in text.split()]
    kept = [word for chunk in chunks for word in chunk.text.split()]
    # A cut inside a text without spaces splits a word, so letters are compared there.
    assert "".join(kept) == "".join(said)
    if not any("。" in text or "！" in text for *_, text in segments):
        assert kept == said
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.text == " ".join(chunk.lines)
        assert chunk.text == " ".join(chunk.text.split())
        assert chunk.start_s is not None
        assert chunk.end_s is not None
        assert chunk.start_s % 30 == 0
        assert chunk.start_s <= chunk.end_s <= chunk.start_s + 30
