"""From the text of a caption file to timed words."""

from __future__ import annotations

import re

from answertrail.corpus.sources import cues as cue_file
from answertrail.corpus.sources import rolling
from answertrail.corpus.sources.clock import STAMP
from answertrail.corpus.sources.json3 import read_json3
from answertrail.corpus.sources.layers import without_layers
from answertrail.corpus.sources.markup import folded, has_word_times, plain, voices
from answertrail.corpus.sources.order import Cue, sorted_cues
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.plausible import refuse_web_page
from answertrail.corpus.sources.timed import Timed as Timed
from answertrail.corpus.sources.turns import turns

_CAPTION_START = re.compile(
    rf"\s{{0,9}}(?:WEBVTT(?:\s|$)|(?:\d{{1,7}}[ \t]*\n\s{{0,9}})?{STAMP}[ \t]*-->[ \t]*{STAMP}(?:\s|$))"
)


def looks_like_captions(text: str) -> bool:
    """True when a text file begins as a caption file does, whatever its name says."""
    return _CAPTION_START.match(text) is not None


def read_captions(text: str, *, suffix: str) -> Timed:
    """Read WebVTT, SRT, SBV or json3. Raises SourceFault with the line to blame."""
    refuse_web_page(text)
    if suffix == ".json3":
        return read_json3(text)
    parsed = cue_file.parse(text, suffix=suffix)
    notes = list(parsed.notes)
    rows = [_rows(cue) for cue in parsed.cues]
    fresh, said = rolling.fresh_rows(rows)
    if fresh is None:
        cues = [cue for raw in parsed.cues for cue in _spoken(raw)]
    else:
        notes.append(said)
        cues = [
            Cue(raw.start, _end(raw), words, speaker, raw.line)
            for raw, new in zip(parsed.cues, fresh, strict=True)
            for speaker, words in turns(new, automatic=True)
        ]
    if not cues:
        raise SourceFault("the file holds no captions")
    ordered, repairs = sorted_cues(cues)
    ordered, layers = without_layers(ordered)
    return Timed(
        cues=tuple(ordered),
        notes=(*notes, *repairs, *layers),
        language=parsed.header.get("language"),
        automatic=fresh is not None,
        by_word=fresh is not None,
    )


def _rows(cue: cue_file.RawCue) -> rolling.Rows:
    # Tags may span rows (`<c>..\n</c>`), but none that matters here does: rows are cleaned alone.
    rows: list[str] = []
    fresh: list[bool] = []
    for raw in cue.lines:
        row = folded(plain(raw))
        if row:
            rows.append(row)
            fresh.append(has_word_times(raw))
    return rolling.Rows(cue.start, cue.end, tuple(rows), tuple(fresh))


def _spoken(raw: cue_file.RawCue) -> list[Cue]:
    return [
        Cue(raw.start, _end(raw), words, name or speaker, raw.line)
        for speaker, text in voices("\n".join(raw.lines))
        for name, words in turns(text.split("\n"))
    ]


def _end(raw: cue_file.RawCue) -> float | None:
    """The end, or None for a cue without length: words take time, so it is not known."""
    return raw.end if raw.end is not None and raw.end > raw.start else None
