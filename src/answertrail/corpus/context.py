"""What is embedded before a chunk's words, so that it is found by what it does not say itself.

Half a minute of speech seldom names its subject. The cited text stays the chunk's own words.
"""

from __future__ import annotations

from collections.abc import Sequence

from answertrail.corpus.source_sentences import sentence_spans
from answertrail.errors import InputError
from answertrail.records.chunk import Chunk
from answertrail.records.document import Document

PARTS = ("title", "date", "speakers", "previous")
NONE = "none"
_LONGEST = 200
"""Characters of the previous sentence: what an embedder cuts off must not be the chunk's own end."""


def context_parts(setting: str) -> tuple[str, ...]:
    """Return the parts of a setting such as `title,previous`, each once, in the order of PARTS; `none` has none.

    Raises InputError for an unknown part, and for `none` beside another.
    """
    named = [part.strip() for part in setting.split(",")]
    if named == [NONE]:
        return ()
    if unknown := [part for part in named if part not in PARTS]:
        raise InputError(
            f"{unknown[0]!r} is nothing to embed beside the text",
            hint=f"known: {NONE}, or some of {', '.join(PARTS)} with commas between",
        )
    return tuple(part for part in PARTS if part in named)


def contexts_of(document: Document, chunks: Sequence[Chunk], parts: Sequence[str]) -> list[str]:
    """Return the context of each chunk, empty where there is nothing to say.

    Title, date (the day) and speakers stand on one line; the last sentence of the chunk before, at
    most its last 200 characters, on the next.
    """
    out = []
    for place, chunk in enumerate(chunks):
        head = []
        if "title" in parts and document.title:
            head.append(document.title)
        if "date" in parts and document.published_at:
            head.append(document.published_at[:10])
        if "speakers" in parts and chunk.speakers:
            head.append(", ".join(chunk.speakers))
        before = _end_of(chunks[place - 1].text) if "previous" in parts and place else ""
        out.append("\n".join(line for line in (" | ".join(head), before) if line))
    return out


def _end_of(text: str) -> str:
    spans = sentence_spans(text)
    if not spans:
        return ""
    start, end = spans[-1]
    if end - start > _LONGEST:
        start = end - _LONGEST
        # Not in the middle of a word, where words are set apart.
        space = text.find(" ", start, end)
        start = space + 1 if space != -1 else start
    return text[start:end]
