"""Read one group into documents. Whatever is wrong with a source becomes a Failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from answertrail.corpus.sources import facts as sidecars
from answertrail.corpus.sources import frontmatter
from answertrail.corpus.sources.captions import Timed, looks_like_captions, read_captions
from answertrail.corpus.sources.clock import clock
from answertrail.corpus.sources.documents import read_documents
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.group import Group
from answertrail.corpus.sources.languages import language_code, split_language
from answertrail.corpus.sources.loading import load
from answertrail.corpus.sources.order import Cue
from answertrail.corpus.sources.outcome import Failure, Read, SourceFault
from answertrail.corpus.sources.stamped import read_stamped
from answertrail.records import Document, Segment

PAST_END_S = 5.0
"""Captions may run this long (or 1%) past the stated length: lengths are rounded."""

_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,300})(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_FIRST_HEADING = re.compile(r"^#[ \t]+(\S[^\n]*)", re.MULTILINE)


def read(group: Group) -> Iterator[Read | Failure]:
    """Yield the documents of a group in file order, and a Failure for each that cannot be had.

    Never raises for what is in the files.
    """
    if group.kind == "documents":
        yield from read_documents(group.path, group.source)
        return
    try:
        yield _one(group)
    except SourceFault as fault:
        yield Failure(group.source, fault.line, fault.reason)


@dataclass(frozen=True, slots=True)
class _Body:
    """Timed words or untimed text, with what the file says about itself."""

    timed: Timed | None
    text: str | None
    facts: Facts
    notes: tuple[str, ...]


def _one(group: Group) -> Read:
    loaded = load(group.path)
    body = _body(group, loaded.text)
    facts = group.facts.or_else(body.facts)
    notes = [*loaded.notes, *body.notes]
    values = _values(group, facts)
    if body.timed is not None:
        segments = [_segment(cue) for cue in body.timed.cues]
        duration, extra = _duration(facts.duration_s, body.timed.cues)
        notes.extend(extra)
        if body.timed.coarse:
            values["meta"] = {**(values["meta"] or {}), "time_precision": "interpolated"}
        return _document(values | {"duration_s": duration, "segments": segments}, notes, group)
    return _document(values | {"text": body.text}, notes, group)


def _body(group: Group, text: str) -> _Body:
    stem = group.path.stem
    _, code = split_language(stem)
    name = sidecars.from_name(_without_suffixes(stem))
    named = replace(name, language=language_code(code))
    if group.kind == "captions" or (group.kind == "text" and looks_like_captions(text)):
        timed = read_captions(text, suffix=group.path.suffix.lower())
        said = Facts(language=language_code(timed.language), captions="auto" if timed.automatic else None)
        return _Body(timed, None, said.or_else(named), timed.notes)
    fields, rest, above, note = frontmatter.split(text)
    own = sidecars.from_front_matter(fields)
    if not rest.strip():
        raise SourceFault("the file holds no text below its front matter")
    markdown = group.kind == "markdown"
    speakers = (*group.facts.speakers, *own.speakers)
    # Front matter stays as empty lines, so that line numbers are those of the file.
    stamped = read_stamped("\n" * above + rest, markdown=markdown, names=speakers)
    notes = (note,) if note else ()
    if stamped is not None:
        said = Facts(captions="auto" if stamped.automatic else None)
        return _Body(stamped, None, own.or_else(said).or_else(named), (*notes, *stamped.notes))
    body = sidecars.storable(rest.strip("\n"))
    found = Facts(title=_heading(body) if markdown else None)
    linked = {"links": list(_links(body))} if markdown else {}
    facts = own.or_else(found).or_else(named)
    return _Body(None, body, replace(facts, meta={**facts.meta, **linked}), notes)


def _without_suffixes(stem: str) -> str:
    return split_language(stem)[0].removesuffix("_transcript")


def _heading(text: str) -> str | None:
    match = _FIRST_HEADING.search(text)
    return " ".join(match[1].rstrip("# ").split()) or None if match else None


def _links(text: str) -> Iterator[str]:
    seen: set[str] = set()
    for match in _WIKI_LINK.finditer(text):
        target = match[1].strip()
        if target and target not in seen:
            seen.add(target)
            yield target


def _segment(cue: Cue) -> Segment:
    values: dict[str, Any] = {"start_s": cue.start, "text": sidecars.storable(cue.text)}
    if cue.end is not None:
        values["end_s"] = cue.end
    if cue.speaker:
        values["speaker"] = sidecars.storable(cue.speaker)
    return Segment(**values)


def _duration(stated: float | None, cues: Sequence[Cue]) -> tuple[float | None, list[str]]:
    """Hold the times against the stated length in seconds.

    A start far past the end means that the times, or the sidecar, belong to something else:
    SourceFault. A little past is rounding, and then the times are believed.
    """
    if stated is None:
        return None, []
    slack = max(PAST_END_S, 0.01 * stated)
    late = next((cue for cue in cues if cue.start > stated + slack), None)
    if late is not None:
        raise SourceFault(
            f"starts at {clock(late.start)}, after the end of the recording ({clock(stated)})",
            late.line,
        )
    last = max(max(cue.start, min(cue.end or 0.0, stated + slack)) for cue in cues)
    if last <= stated:
        return stated, []
    return last, [f"the times run {last - stated:.1f} s past the stated length; it is extended"]


def _values(group: Group, facts: Facts) -> dict[str, Any]:
    meta = dict(facts.meta)
    links = meta.pop("links", None)
    if facts.speakers:
        meta["speakers"] = list(facts.speakers)
    values: dict[str, Any] = {
        "id": group.id,
        "title": facts.title or group.id,
        "published_at": facts.published_at,
        "published_at_source": facts.published_at_source,
        "url": facts.url,
        "language": facts.language,
        "captions": facts.captions,
        "description": facts.description,
        "tags": list(facts.tags) or None,
        "aliases": list(facts.aliases) or None,
        "links": links or None,
        "kind": facts.kind,
        "type": facts.type,
        "meta": meta or None,
    }
    return values


def _document(values: dict[str, Any], notes: Sequence[str], group: Group) -> Read:
    # Left out rather than None, except where the contract knows null: None set is written.
    known = {key: value for key, value in values.items() if value is not None or key in Document.nullable}
    try:
        document = Document(**known)
    except ValueError as error:
        # Ids come from file names: one may be too long or hold a line break.
        raise SourceFault(f"does not make a valid document: {_first_line(error)}") from None
    return Read(document, tuple(notes), group.source)


def _first_line(error: ValueError) -> str:
    return " ".join(str(error).split())[:300]
