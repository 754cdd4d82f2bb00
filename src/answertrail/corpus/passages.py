"""Cut untimed text into passages of whole sentences, about 120 words each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from answertrail.corpus.source_sentences import clause_spans, sentence_spans
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document

PASSAGE_WORDS = 120
LONGEST_SENTENCE_WORDS = 180
"""A sentence longer than this has lost its marks; it is cut at clauses or words."""

LONGEST_SENTENCE_CHARS = 2400
_LONGEST_WORD_CHARS = 600
_LEAST_WORDS = 40
_ENOUGH_WORDS = 80
# Scripts written without spaces; two characters carry about as much as one English word.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f]")
_WORD = re.compile(r"\S+")
# Above a paragraph: an empty line.
_OPENING = re.compile(r"\n[ \t]*\n\s*\Z")
_LOOK_BACK = 64
_HEADING = re.compile(r"#{1,6}[ \t]+\S|[^\n]*\n[ \t]*(?:={3,}|-{3,})[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    words: int
    heading: bool
    opens: bool


def passages(document: Document) -> list[Chunk]:
    """Return the chunks of an untimed document.

    A passage is as near to 120 words as whole sentences allow; a heading goes with what follows
    it; a cut moves back to the beginning of a paragraph when 80 words stand before it; a last
    passage under 40 words joins the one before. `text[char_start:char_end]` of the document,
    white space folded, is the chunk's text. Scripts without spaces count two characters as a word.
    """
    text = document.text or ""
    sentences = [part for span in sentence_spans(text) for part in _parts(text, span)]
    return [_chunk(document.id, ordinal, text, group) for ordinal, group in enumerate(_groups(sentences))]


def word_count(text: str) -> int:
    """Words as passages count them; two characters of a script without spaces are one."""
    unspaced = 0 if text.isascii() else len(_UNSPACED.findall(text))
    if not unspaced:
        return len(text.split())
    return len(_UNSPACED.sub(" ", text).split()) + (unspaced + 1) // 2


def _chunk(document_id: str, ordinal: int, text: str, group: Sequence[_Sentence]) -> Chunk:
    start, end = group[0].start, group[-1].end
    lines: list[str] = []
    begin = start
    for this, following in pairwise(group):
        # Lines are joined by a space, so a line ends only where the source has white space.
        if following.start > this.end:
            lines.append(" ".join(text[begin : this.end].split()))
            begin = following.start
    lines.append(" ".join(text[begin:end].split()))
    return Chunk(
        id=f"{document_id}:{start:07d}",
        document_id=document_id,
        ordinal=ordinal,
        text=" ".join(lines),
        lines=tuple(lines),
        char_start=start,
        char_end=end,
    )


def _groups(sentences: Sequence[_Sentence]) -> list[list[_Sentence]]:
    groups: list[list[_Sentence]] = []
    current: list[_Sentence] = []
    words = 0
    for sentence in sentences:
        further = abs(words + sentence.words - PASSAGE_WORDS) > abs(words - PASSAGE_WORDS)
        new_part = sentence.heading and words >= PASSAGE_WORDS // 2
        if current and (further or new_part):
            cut = len(current) if sentence.opens else _last_opening(current)
            cut = _without_headings_at_end(current, cut)
            groups.append(current[:cut])
            current = current[cut:]
            words = sum(item.words for item in current)
        current.append(sentence)
        words += sentence.words
    if current:
        groups.append(current)
    if len(groups) > 1 and sum(item.words for item in groups[-1]) < _LEAST_WORDS:
        groups[-2].extend(groups.pop())
    return groups


def _last_opening(group: Sequence[_Sentence]) -> int:
    """Where the last paragraph of the group begins, if enough stands before it; else its end."""
    words = 0
    found = len(group)
    for place, sentence in enumerate(group):
        if place and sentence.opens and words >= _ENOUGH_WORDS:
            found = place
        words += sentence.words
    return found


def _without_headings_at_end(group: Sequence[_Sentence], cut: int) -> int:
    """Move the cut before headings that would otherwise stand last; one sentence stays."""
    while cut > 1 and group[cut - 1].heading:
        cut -= 1
    return cut


def _parts(text: str, span: tuple[int, int]) -> Iterator[_Sentence]:
    """Yield a sentence whole, or in parts of about 120 words when it has lost its marks."""
    start, end = span
    words = word_count(text[start:end])
    opens = start == 0 or _OPENING.search(text, max(0, start - _LOOK_BACK), start) is not None
    if words <= LONGEST_SENTENCE_WORDS and end - start <= LONGEST_SENTENCE_CHARS:
        heading = _HEADING.match(text[start:end]) is not None
        yield _Sentence(start, end, words, heading, opens)
        return
    begin, before, size = start, start, 0
    for first, last in _atoms(text, span):
        count = word_count(text[first:last])
        full = size + count > PASSAGE_WORDS or last - begin > LONGEST_SENTENCE_CHARS
        if size and full:
            yield _Sentence(begin, before, size, heading=False, opens=opens and begin == start)
            begin, size = first, 0
        size += count
        before = last
    yield _Sentence(begin, end, size, heading=False, opens=opens and begin == start)


def _atoms(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield clauses; a clause that is itself long word by word, an endless word in slices."""
    for start, end in clause_spans(text, *span):
        clause = text[start:end]
        if word_count(clause) <= PASSAGE_WORDS // 2 and len(clause) <= _LONGEST_WORD_CHARS:
            yield start, end
            continue
        for match in _WORD.finditer(text, start, end):
            step = _LONGEST_WORD_CHARS
            if word_count(match[0]) > PASSAGE_WORDS // 2:
                step = PASSAGE_WORDS
            for first in range(match.start(), match.end(), step):
                yield first, min(first + step, match.end())
