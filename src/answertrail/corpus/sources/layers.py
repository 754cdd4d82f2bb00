"""Leave out the layers of one line: cues drawn over each other for an outline or a shadow."""

from __future__ import annotations

from collections.abc import Sequence

from answertrail.corpus.sources.order import Cue

_LEAST_WORDS = 4


def without_layers(cues: Sequence[Cue]) -> tuple[list[Cue], list[str]]:
    """Keep one of neighbours with the same words in the same span, and note what was left out."""
    out: list[Cue] = []
    dropped: list[int] = []
    for cue in cues:
        last = out[-1] if out else None
        # Turns of one cue share its line; two people may well say the same.
        if last is not None and last.line != cue.line and _same(last, cue):
            dropped.append(cue.line)
        else:
            out.append(cue)
    if not dropped:
        return out, []
    shown = ", ".join(map(str, dropped[:3])) + (", ..." if len(dropped) > 3 else "")
    return out, [f"{len(dropped)} cues with the times and words of the one above were left out (line {shown})"]


def _same(one: Cue, other: Cue) -> bool:
    """True for the same words in the same span, where they cannot have been said twice.

    `Yeah.` and `Yeah.` in one span are two answers where times are whole seconds, so that and a few
    words prove nothing.
    """
    if (one.start, one.end, one.text, one.speaker) != (other.start, other.end, other.text, other.speaker):
        return False
    precise = one.end is not None and (one.start % 1 > 0 or one.end % 1 > 0)
    return precise and len(set(one.text.split())) >= _LEAST_WORDS
