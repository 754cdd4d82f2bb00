"""From the text of a caption file to timed words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from answertrail.corpus.sources import cues as cue_file
from answertrail.corpus.sources import rolling
from answertrail.corpus.sources.clock import STAMP
from answertrail.corpus.sources.markup import has_word_times, plain, voices
from answertrail.corpus.sources.order import Cue, sorted_cues
from answertrail.corpus.sources.outcome import SourceFault

_CAPTION_START = re.compile(
    rf"\s{{0,9}}(?:WEBVTT(?:\s|$)|(?:\d{{1,7}}[ \t]*\n\s{{0,9}})?{STAMP}[ \t]*-->[ \t]*{STAMP}(?:\s|$))"
)


@dataclass(frozen=True, slots=True)
class Timed:
    """Timed words in order, and what the text itself says about them.

    `automatic`: made by a machine, by the look of it. `named`: speakers carry real names, the
    mark of an edited transcript. `coarse`: times lie minutes apart and starts are interpolated.
    """

    cues: tuple[Cue, ...]
    notes: tuple[str, ...] = ()
    language: str | None = None
    automatic: bool = False
    named: bool = False
    coarse: bool = False


def looks_like_captions(text: str) -> bool:
    """True when a text file begins as a caption file does, whatever its name says."""
    return _CAPTION_START.match(text) is not None


def read_captions(text: str, *, suffix: str) -> Timed:
    """Read WebVTT, SRT or SBV. Raises SourceFault with the line to blame."""
    parsed = cue_file.parse(text, suffix=suffix)
    notes = list(parsed.notes)
    rows = [_rows(cue) for cue in parsed.cues]
    is_rolling = rolling.is_rolling(rows)
    if is_rolling:
        fresh = rolling.collapsed(rows)
        cues = [
            Cue(raw.start, raw.end, " ".join(new), None, raw.line)
            for raw, new in zip(parsed.cues, fresh, strict=True)
            if new
        ]
        shown = sum(len(row.rows) for row in rows)
        kept = sum(len(new) for new in fresh)
        notes.append(f"rolling captions: {shown - kept} of {shown} rows were repeats")
    else:
        cues = [cue for raw in parsed.cues for cue in _spoken(raw)]
    if not cues:
        raise SourceFault("the file holds no captions")
    ordered, repairs = sorted_cues(cues)
    return Timed(
        cues=tuple(ordered),
        notes=(*notes, *repairs),
        language=parsed.header.get("language"),
        automatic=is_rolling,
    )


def _rows(cue: cue_file.RawCue) -> rolling.Rows:
    # Tags may span rows (`<c>..\n</c>`), but none that matters here does: rows are cleaned alone.
    rows: list[str] = []
    fresh: list[bool] = []
    for raw in cue.lines:
        row = " ".join(plain(raw).split())
        if row:
            rows.append(row)
            fresh.append(has_word_times(raw))
    return rolling.Rows(cue.start, cue.end, tuple(rows), tuple(fresh))


def _spoken(raw: cue_file.RawCue) -> list[Cue]:
    out = []
    for speaker, text in voices("\n".join(raw.lines)):
        folded = " ".join(text.split())
        if folded:
            out.append(Cue(raw.start, raw.end, folded, speaker, raw.line))
    return out
