"""The transcripts of an item: which to take, and what is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import urlsplit

from lxml import etree

from answertrail.corpus.sources import loading
from answertrail.corpus.sources.captions import looks_like_captions, read_captions
from answertrail.corpus.sources.clock import seconds
from answertrail.corpus.sources.html import decoded, tree_of
from answertrail.corpus.sources.languages import primary
from answertrail.corpus.sources.markup_text import DROPPED, text_of
from answertrail.corpus.sources.order import Cue, sorted_cues
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.plausible import refuse_web_page
from answertrail.corpus.sources.stamped import read_stamped
from answertrail.corpus.sources.values import language_tag, storable

MAX_BYTES = 32 * 1024 * 1024

Form = Literal["vtt", "srt", "json", "html", "plain"]
FORMS: tuple[Form, ...] = ("vtt", "srt", "json", "html", "plain")
"""Best first: timed before untimed, the plainest before what leaves more open."""
TIMED: frozenset[Form] = frozenset({"vtt", "srt", "json"})

_BY_TYPE: Mapping[str, Form] = {
    "text/vtt": "vtt",
    "text/x-vtt": "vtt",
    "application/srt": "srt",
    "application/x-subrip": "srt",
    "application/x-srt": "srt",
    "text/srt": "srt",
    "application/json": "json",
    "text/json": "json",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "plain",
}
_BY_SUFFIX: Mapping[str, Form] = {
    ".vtt": "vtt",
    ".srt": "srt",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".txt": "plain",
}


@dataclass(frozen=True, slots=True)
class Track:
    """One transcript as the feed names it. `captions`: the feed says that it is made for captions."""

    url: str
    form: Form
    language: str | None
    captions: bool

    def as_json(self) -> dict[str, str]:
        """Return it as `meta["track"]` holds it."""
        known = {"url": self.url, "type": self.form, "language": self.language}
        return {key: value for key, value in known.items() if value}


@dataclass(frozen=True, slots=True)
class Words:
    """What a transcript says: timed cues, or untimed text; never both."""

    cues: tuple[Cue, ...]
    text: str | None
    notes: tuple[str, ...] = ()
    automatic: bool = False
    language: str | None = None


def tracks_of(item: Mapping[str, Any], language: str | None) -> list[Track]:
    """Return the transcripts in an item's `meta`; those of a kind that is no text are left out."""
    out = []
    for said in item.get("transcripts", ()):
        kind = str(said.get("type", "")).partition(";")[0].strip()
        suffix = PurePosixPath(urlsplit(said["url"]).path).suffix.lower()
        form = _BY_TYPE.get(kind) or (_BY_SUFFIX.get(suffix) if kind in ("", "application/octet-stream") else None)
        if form is not None:
            spoken = language_tag(said.get("language")) or language
            out.append(Track(said["url"], form, spoken, said.get("rel") == "captions"))
    return out


def ranked(tracks: Sequence[Track], languages: Sequence[str], spoken: str | None) -> list[Track]:
    """Sort the tracks best first: by language, then by form, then those made for captions.

    `languages` are wanted in this order (`en` is also `en-US`), and others are left out; with none
    wanted, the language spoken goes first. A track that names no language is of the one spoken.
    """
    wanted = [primary(code.replace("_", "-").lower()) for code in languages]

    def place(track: Track) -> int | None:
        mine = primary(track.language)
        if not wanted:
            return int(spoken is not None and mine is not None and mine != primary(spoken))
        if mine is None:
            return 0
        return wanted.index(mine) if mine in wanted else None

    placed = [(at, FORMS.index(track.form), not track.captions, n) for n, track in enumerate(tracks)
              if (at := place(track)) is not None]  # fmt: skip
    return [tracks[n] for *_, n in sorted(placed)]


def read_transcript(raw: bytes, form: Form, *, charset: str | None = None, names: Sequence[str] = ()) -> Words:
    """Read a transcript by what it is: feeds label SRT as WebVTT, and captions as plain text.

    Raises SourceFault for what is no transcript: an error page, JSON of another kind.
    """
    if form == "html":
        page = decoded(raw, charset)
        if not looks_like_captions(page.markup):
            return _html(page.markup, page.notes, names)
    loaded = loading.decode(raw)
    text = loaded.text
    if text.lstrip()[:1] in ("{", "["):
        if form == "json" or text.lstrip()[0] == "{":
            return _json(text)
    elif form == "json":
        _refuse_page(text)
        if not looks_like_captions(text):
            raise SourceFault("not a JSON transcript")
    _refuse_page(text)
    if form in ("vtt", "srt") or looks_like_captions(text):
        timed = read_captions(text, suffix=f".{form}" if form in ("vtt", "srt") else ".vtt")
        notes = (*loaded.notes, *timed.notes)
        return Words(timed.cues, None, notes, timed.automatic, language_tag(timed.language))
    return _text(text, loaded.notes, names)


def _refuse_page(text: str) -> None:
    try:
        refuse_web_page(text)
    except SourceFault:
        # Its advice is for files, and the feed is not the user's.
        raise SourceFault("the address gives a web page, no transcript") from None


def _text(text: str, notes: Sequence[str], names: Sequence[str]) -> Words:
    timed = read_stamped(text, markdown=False, names=names)
    if timed is not None:
        return Words(timed.cues, None, (*notes, *timed.notes), timed.automatic)
    return Words((), storable(text.strip()), tuple(notes))


def _json(text: str) -> Words:
    """The JSON of Podcasting 2.0: segments with startTime, endTime, body and speaker."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceFault(f"not valid JSON: {error}") from None
    segments = value.get("segments") if isinstance(value, dict) else value
    if not isinstance(segments, list):
        raise SourceFault("not a JSON transcript: expected a list of segments")
    cues = []
    unread = 0
    for number, segment in enumerate(segments, 1):
        said = segment if isinstance(segment, dict) else {}
        start = _time(said.get("startTime", said.get("start")))
        body = said.get("body", said.get("text"))
        if start is None or not isinstance(body, str):
            unread += 1
            continue
        end = _time(said.get("endTime", said.get("end")))
        words = " ".join(storable(body).split())
        speaker = said.get("speaker")
        who = " ".join(storable(speaker).split()) or None if isinstance(speaker, str) else None
        if words:
            cues.append(Cue(start, end if end is not None and end >= start else None, words, who, number))
    if not cues or unread > 0.1 * len(segments):
        raise SourceFault("not a JSON transcript: its segments have no startTime and body")
    ordered, notes = sorted_cues(cues)
    more = (f"{unread} segments without a time or words are left out",) if unread else ()
    return Words(tuple(ordered), None, (*notes, *more))


def _time(value: object) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value) if ":" not in value else seconds(value.strip())
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 1e7 else None


def _html(markup: str, notes: Sequence[str], names: Sequence[str]) -> Words:
    """The HTML of Podcasting 2.0, `<cite>` and `<time>` before each `<p>`; other HTML as text."""
    tree = tree_of(markup)
    found = tree.find("body")
    body = found if found is not None else tree
    cues = list(_spoken(body))
    if len(cues) >= 2 and any(cue.start > 0 for cue in cues):
        ordered, repairs = sorted_cues(cues)
        return Words(tuple(ordered), None, (*notes, *repairs))
    text = text_of(body)
    if not text.strip():
        raise SourceFault("the page holds no text")
    return _text(text, notes, names)


def _spoken(body: etree._Element) -> Iterator[Cue]:
    start: float | None = None
    speaker: str | None = None
    turn = False
    words: list[str] = []
    number = 0
    shown: float | None = None
    who: str | None = None
    for tag, text in _tokens(body):
        if tag == "text":
            if text.strip() and turn:
                if words and shown is not None:
                    number += 1
                    yield Cue(shown, None, " ".join(words), who, number)
                if shown is not None:
                    words = []
                shown, who, turn = start, speaker, False
            words.extend(text.split())
            continue
        turn = True
        if tag == "cite":
            speaker = " ".join(text.split()).rstrip(": ") or None
        else:
            start = _time(text.strip(" []()\n\t")) if _time(text.strip(" []()\n\t")) is not None else start
    if words and shown is not None:
        yield Cue(shown, None, " ".join(words), who, number + 1)


def _tokens(body: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield ("cite" | "time" | "text", words) in the order of the page."""
    inside: etree._Element | None = None
    for event, node in etree.iterwalk(body, events=("start", "end")):
        if event == "start" and inside is None:
            if node.tag in ("cite", "time"):
                yield node.tag, node.text_content()
                inside = node
            elif node.tag in DROPPED:
                inside = node
            elif node.text:
                yield "text", node.text
        elif event == "end" and (inside is None or inside is node):
            inside = None
            if node.tail and node is not body:
                yield "text", node.tail
