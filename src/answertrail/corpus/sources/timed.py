"""What a timed source gives: words with times, and what its text says about itself."""

from __future__ import annotations

from dataclasses import dataclass

from answertrail.corpus.sources.order import Cue


@dataclass(frozen=True, slots=True)
class Timed:
    """Timed words in order, and what the text itself says about them.

    `automatic`: made by a machine, by the look of it. `named`: speakers carry real names, the
    mark of an edited transcript. `coarse`: times lie minutes apart and starts are interpolated.
    `by_word`: every word or row came with a time of its own, as live recognition writes it.
    """

    cues: tuple[Cue, ...]
    notes: tuple[str, ...] = ()
    language: str | None = None
    automatic: bool = False
    named: bool = False
    coarse: bool = False
    by_word: bool = False
