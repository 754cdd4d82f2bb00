"""The words of a question over time that the corpus knows, its subject, and who is asked about."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .evidence import Pool
from .question import Question
from .text import content_stems, is_content, words


def known_query(question: Question, frequency: Mapping[str, int]) -> str:
    """The content words of the question that some chunk holds, as spelt, each once.

    `frequency` counts chunks by stem (the `terms` of a search); a stem it lacks may be there. A word no
    chunk holds only pulls the query away from what there is. All content words when none is held, and
    the question itself when it has none.
    """
    stems = content_stems(question.text)
    return _spelt(question.text, [s for s in stems if frequency.get(s, 1) > 0] or stems)


def topic_query(question: Question, frequency: Mapping[str, int] | None = None) -> str:
    """The same without words of change, of view and of time; without `frequency` unknown ones stay."""
    stems = question.topic().stems
    return _spelt(question.text, [s for s in stems if frequency is None or frequency.get(s, 1) > 0] or stems)


def _spelt(text: str, stems: Collection[str]) -> str:
    first = {w.stem: w.raw for w in reversed(words(text)) if is_content(w)}
    return " ".join(first[s] for s in stems if s in first) or text


def speakers_named(question: Question, pool: Pool) -> tuple[str, ...]:
    """Speakers of the chunks seen whose whole name stands in the question, in the order seen."""
    asked = {w.stem for w in words(question.text)}
    named = (s for h in pool.hits for s in h.speakers if (parts := {w.stem for w in words(s)}) and parts <= asked)
    return tuple(dict.fromkeys(named))
