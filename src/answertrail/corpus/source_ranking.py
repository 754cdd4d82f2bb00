"""Choose between several files of one document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from answertrail.corpus.sources.captions import looks_like_captions
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.group import Kind
from answertrail.corpus.sources.json3 import looks_automatic, pieces
from answertrail.corpus.sources.loading import head
from answertrail.corpus.sources.markup import has_word_times, plain
from answertrail.corpus.sources.outcome import Failure, SourceFault
from answertrail.corpus.sources.stamped import read_stamped

_HUMAN, _UNKNOWN, _AUTO, _TRANSLATED = range(4)
_CUE, _COARSE, _UNTIMED = range(3)
_FORMATS = (".json3", ".vtt", ".srt", ".sbv", ".txt", ".text", ".md", ".markdown", ".rst")
_WORD = re.compile(r"[^\W_]+")
_CAPTION_RANK = {"human": _HUMAN, "auto": _AUTO, "translated": _TRANSLATED}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that could be the document, with what its sidecars say."""

    path: Path
    source: str
    kind: Kind
    facts: Facts


def rank(candidates: list[Candidate], failed: list[Failure]) -> list[Candidate]:
    """Sort the best file first: timed before untimed, human before automatic, fine before coarse.

    Then by format and name, so that the order is always the same. Only the first 64 KB are
    looked at. A file that cannot be read goes to `failed` and is no candidate any more; a single
    candidate is returned unseen.
    """
    if len(candidates) == 1:
        return candidates
    ranked: list[tuple[tuple[int, int, int, int, str], Candidate]] = []
    for candidate in candidates:
        try:
            captions, precision = _look(candidate)
        except SourceFault as fault:
            failed.append(Failure(candidate.source, fault.line, fault.reason))
            continue
        suffix = candidate.path.suffix.lower()
        place = _FORMATS.index(suffix) if suffix in _FORMATS else len(_FORMATS)
        untimed = int(precision == _UNTIMED)
        ranked.append(((untimed, captions, precision, place, candidate.source), candidate))
    return [candidate for _, candidate in sorted(ranked, key=lambda pair: pair[0])]


def same_words(first: Path, second: Path) -> bool:
    """True when two files share runs of three words: an edited and a raw version of one talk do.

    Talks on one topic share next to none, so a tenth of the shorter one's is plenty.
    """
    try:
        mine, other = _runs(_words(first)), _runs(_words(second))
    except SourceFault:
        return False
    fewer = min(len(mine), len(other))
    return fewer > 0 and len(mine & other) >= 0.1 * fewer


def _words(path: Path) -> str:
    """The beginning of a file without what only its format writes: keys of json3, tags of captions."""
    text = head(path)
    return pieces(text) if path.suffix.lower() == ".json3" else plain(text)


def _is_automatic(path: Path, text: str) -> bool:
    """True for word times, which only speech recognition writes."""
    if path.suffix.lower() == ".json3":
        return looks_automatic(text)
    return any(has_word_times(line) and "<c" in line for line in text.split("\n"))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [word for word in _WORD.findall(text.lower()) if not word.isdigit()]
    return set(zip(words, words[1:], words[2:], strict=False))


def _look(candidate: Candidate) -> tuple[int, int]:
    """Return (who made the captions, how fine the times are) by sidecar and by appearance.

    Captions whose maker nobody names stand between human and automatic ones; a transcript, by
    its name or by named speakers, was edited by a person.
    """
    text = head(candidate.path)
    if candidate.kind == "captions" or looks_like_captions(text):
        if _is_automatic(candidate.path, text):
            return _AUTO, _CUE
        said = candidate.facts.captions
        return (_CAPTION_RANK[said] if said else _UNKNOWN), _CUE
    try:
        timed = read_stamped(text, markdown=candidate.kind == "markdown")
    except SourceFault:
        # Its times are bad; the reader will say so if nothing better is there.
        return _UNKNOWN, _UNTIMED
    if timed is None:
        return _UNKNOWN, _UNTIMED
    edited = timed.named or candidate.path.stem.endswith("_transcript")
    made = _HUMAN if edited else _AUTO if timed.automatic else _UNKNOWN
    return made, _COARSE if timed.coarse else _CUE
