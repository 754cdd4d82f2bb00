"""Passages of untimed text: whole sentences, about 120 words, offsets that give the source back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.corpus.passages import word_count
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.source_sentences import sentence_spans
from answertrail.records import Document


def untimed(text: str) -> Document:
    return Document(id="note", title="t", text=text)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Mr. Smith met Dr. J. R. Lee. They left.", ["Mr. Smith met Dr. J. R. Lee.", "They left."]),
        ("It is 3.5 m, e.g. in v1.2. Good.", ["It is 3.5 m, e.g. in v1.2.", "Good."]),
        ("See https://a.org/b.c?d=e. Then go.", ["See https://a.org/b.c?d=e.", "Then go."]),
        ("That was in 2024. Then more.", ["That was in 2024.", "Then more."]),
        ("Wait... what? no.", ["Wait... what?", "no."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("第一句。第二句！第三句？完", ["第一句。", "第二句！", "第三句？", "完"]),
        ("비가 왔다. 물이 찼다. 끝.", ["비가 왔다.", "물이 찼다.", "끝."]),
        ("नमस्ते। कैसे हैं?", ["नमस्ते।", "कैसे हैं?"]),
        ("# v1. Title\nBody text.", ["# v1. Title", "Body text."]),
        ("1. one\n2. two", ["1. one", "2. two"]),
        ("- a\n- b\n\npara", ["- a", "- b", "para"]),
        ("a\nhard wrapped line. Next", ["a\nhard wrapped line.", "Next"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_about_120_words_of_whole_sentences() -> None:
    text = " ".join(f"This is sentence number {i} of them." for i in range(200))
    chunks = chunks_of(untimed(text))
    assert all(100 <= len(c.text.split()) <= 140 for c in chunks[:-1])
    assert all(c.text.endswith("of them.") for c in chunks)
    assert chunks[0].id == "note:0000000"
    assert chunks[1].id == f"note:{chunks[1].char_start:07d}"
    assert all(c.start_s is None and c.time_precision is None for c in chunks)


def test_a_heading_goes_with_what_follows_it() -> None:
    filler = "Some words are here to fill the space. " * 14
    chunks = chunks_of(untimed(f"{filler}\n\n## A heading\n\n{filler}\n\nTitle\n=====\n\n{filler}"))
    assert not any(c.text.endswith(("A heading", "=====")) for c in chunks)
    assert any(c.text.startswith("## A heading Some") for c in chunks)


def test_text_without_marks_is_cut_at_words() -> None:
    words = [f"word{i}" for i in range(1000)]
    chunks = chunks_of(untimed(" ".join(words)))
    assert " ".join(c.text for c in chunks).split() == words
    assert all(40 <= len(c.text.split()) <= 180 for c in chunks)


def test_text_without_spaces_or_marks_is_cut_too() -> None:
    text = "字" * 3000
    chunks = chunks_of(untimed(text))
    assert "".join(c.text for c in chunks) == text
    assert all(word_count(c.text) <= 180 for c in chunks)


def test_code_and_lists_are_kept_as_text() -> None:
    text = "Intro.\n\n```python\nif x < 3:\n    y = a.b\n```\n\n- item one\n- item two\n"
    assert chunks_of(untimed(text))[0].text == " ".join(text.split())


@given(
    st.one_of(
        st.text(max_size=400),
        st.lists(
            st.sampled_from(["word", "Mr.", "end.", "\n\n", "# Head\n", "。", "字字", "a, b", "- x\n", "```\n", "!"]),
            max_size=800,
        ).map(" ".join),
    )
)
def test_offsets_give_the_source_back_and_nothing_is_lost(text: str) -> None:
    chunks = chunks_of(untimed(text))
    end = 0
    for chunk in chunks:
        assert chunk.char_start is not None
        assert chunk.char_end is not None
        assert chunk.char_start >= end
        assert not text[end : chunk.char_start].strip()
        end = chunk.char_end
        assert " ".join(text[chunk.char_start : end].split()) == chunk.text
        assert chunk.text == " ".join(chunk.lines)
    assert not text[end:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_megabyte_takes_well_under_a_second() -> None:
    text = "The quick brown fox, e.g. this one, jumps over Dr. Dog. " * 19_000
    begin = time.process_time()  # other tests run beside this one
    chunks_of(untimed(text))
    # Generous: a slow machine; a usual one takes about 0.2 s.
    assert time.process_time() - begin < 3
