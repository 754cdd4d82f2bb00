"""Tell what cannot be the words of a recording: a web page saved as a transcript, ten words an hour."""

from __future__ import annotations

import re

from answertrail.corpus.sources.outcome import SourceFault

LEAST_WORDS_PER_MINUTE = 10.0
"""Speech has 100 to 200; a slow meeting, with its silences, 50; a talk captioned in part, 10."""

LEAST_S = 120.0
"""Below two minutes a few words prove nothing."""

_ALMOST_NOTHING = 1.0
_LOOK = 4096
_PAGE = re.compile(r"\s*+(?:<(?:\?xml|!--)[^>]{0,2000}>\s*+){0,9}<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_SOUNDS = re.compile(r"\[[^\[\]\n]{1,60}\]|♪")
# Scripts written without spaces: two characters are about a word.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f]")


def refuse_web_page(text: str) -> None:
    """Raise SourceFault for HTML where captions or a transcript should be: an error or consent page."""
    if _PAGE.match(text[:_LOOK]) is not None:
        raise SourceFault("a web page, not a transcript; if the page is what you want, name it .html")


def pace_note(text: str, seconds: float | None, *, refuse: bool = False) -> str | None:
    """Return a note when a recording of so many seconds should have many more words than `text`.

    Sound marks such as `[Music]` are no words. A silent video is possible, and so are short notes on
    a long one. With `refuse`, less than a word a minute is not what was said: SourceFault.
    """
    if seconds is None or seconds < LEAST_S:
        return None
    words = spoken_words(text)
    per_minute = words / (seconds / 60)
    if per_minute >= LEAST_WORDS_PER_MINUTE:
        return None
    found = f"{words} words in {seconds / 60:.0f} minutes"
    if refuse and per_minute < _ALMOST_NOTHING:
        raise SourceFault(f"{found}: not the words of this recording")
    return f"{found}: few for speech; is this the whole transcript?"


def spoken_words(text: str) -> int:
    """Count words, without sound marks; two characters of a script without spaces are one."""
    said = _SOUNDS.sub(" ", text)
    unspaced = 0 if said.isascii() else len(_UNSPACED.findall(said))
    return len(_UNSPACED.sub(" ", said).split()) + (unspaced + 1) // 2
