"""Read one group into documents. Whatever is wrong with a source becomes a Failure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from answertrail.corpus.sources import frontmatter, wikilinks, worker
from answertrail.corpus.sources.boilerplate import without_boilerplate
from answertrail.corpus.sources.captions import Timed, looks_like_captions, read_captions
from answertrail.corpus.sources.documents import read_documents
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.formats import format_of
from answertrail.corpus.sources.group import Group
from answertrail.corpus.sources.languages import language_code, split_language
from answertrail.corpus.sources.lengths import length_of, segment_of
from answertrail.corpus.sources.loading import load
from answertrail.corpus.sources.names import check_id, check_title, from_name
from answertrail.corpus.sources.note_facts import from_front_matter
from answertrail.corpus.sources.outcome import Failure, Read, SourceFault, TimesFault
from answertrail.corpus.sources.plausible import pace_note, refuse_web_page
from answertrail.corpus.sources.stamped import read_stamped
from answertrail.corpus.sources.values import storable
from answertrail.records import Document

_FIRST_HEADING = re.compile(r"^#[ \t]+(\S[^\n]*)", re.MULTILINE)


def read(group: Group) -> Iterator[Read | Failure]:
    """Yield the documents of a group in file order, and a Failure for each that cannot be had.

    A file that holds no words or is not what its name says is a Failure, and the next of
    `fallbacks` is read; one with impossible times fails the document. Never raises for what is
    in the files.
    """
    if group.kind == "documents":
        yield from read_documents(group.path, group.source)
        return
    for candidate in group.candidates:
        try:
            yield _one(candidate)
        except SourceFault as fault:
            yield Failure(candidate.source, fault.line, fault.reason)
            if not isinstance(fault, TimesFault):
                continue
        return


@dataclass(frozen=True, slots=True)
class _Body:
    """Timed words or untimed text, with what the file says about itself."""

    timed: Timed | None
    text: str | None
    facts: Facts
    notes: tuple[str, ...]


def _one(group: Group) -> Read:
    document_id = group.id or ""
    check_id(document_id)
    if group.kind == "converted":
        body, notes = _converted(group), []
    else:
        loaded = load(group.path)
        body, notes = _body(group, loaded.text), [*loaded.notes]
    facts = group.facts.or_else(body.facts)
    notes.extend([*body.notes, *facts.notes])
    check_title(facts.title or document_id)
    values = _values(group, facts)
    if body.timed is not None:
        timed, left_out = without_boilerplate(body.timed, by_a_person=facts.captions == "human")
        segments = [segment_of(cue) for cue in timed.cues]
        duration, extra = length_of(facts.duration_s, timed.cues)
        notes.extend([*left_out, *extra, *_pace(timed, duration)])
        if timed.coarse:
            values["meta"] = {**(values["meta"] or {}), "time_precision": "interpolated"}
        return _document(values | {"duration_s": duration, "segments": segments}, notes, group)
    few = pace_note(body.text or "", facts.duration_s, refuse=group.kind == "text")
    return _document(values | {"text": body.text}, [*notes, few] if few else notes, group)


def _pace(timed: Timed, duration: float | None) -> list[str]:
    last = timed.cues[-1].end or timed.cues[-1].start
    note = pace_note(" ".join(cue.text for cue in timed.cues), duration or last)
    return [note] if note else []


def _body(group: Group, text: str) -> _Body:
    stem = group.path.stem
    _, code = split_language(stem)
    name = from_name(_without_suffixes(stem))
    named = replace(name, language=language_code(code))
    if group.kind == "captions" or (group.kind == "text" and looks_like_captions(text)):
        timed = read_captions(text, suffix=group.path.suffix.lower())
        said = Facts(language=language_code(timed.language), captions="auto" if timed.automatic else None)
        return _Body(timed, None, said.or_else(named), timed.notes)
    refuse_web_page(text)
    fields, rest, above, note = frontmatter.split(text)
    own = from_front_matter(fields)
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
    body = storable(rest.strip("\n"))
    found = Facts(title=_heading(body) if markdown else None)
    linked = {"links": wikilinks.targets(body, fields)} if markdown else {}
    if markdown:
        own = replace(own, tags=tuple(dict.fromkeys((*own.tags, *wikilinks.tags(body)))))
    facts = own.or_else(found).or_else(named)
    return _Body(None, body, replace(facts, meta={**facts.meta, **linked}), notes)


def _converted(group: Group) -> _Body:
    """The text of a file of another format, by its converter."""
    known = format_of(group.path)
    if known is None:
        raise SourceFault("no converter for this format is registered")
    how = known.convert
    found = worker.convert(how, group.path) if isinstance(how, str) else how(group.path)
    text = storable(found.text.strip("\n"))
    if not text.strip():
        raise SourceFault("the file holds no text")
    made = Facts(published_at=found.made_at, published_at_source=found.made_at_source if found.made_at else None)
    name = from_name(_without_suffixes(group.path.stem))
    return _Body(None, text, found.facts.or_else(name).or_else(made), found.notes)


def _without_suffixes(stem: str) -> str:
    return split_language(stem)[0].removesuffix("_transcript")


def _heading(text: str) -> str | None:
    match = _FIRST_HEADING.search(text)
    return " ".join(match[1].rstrip("# ").split()) or None if match else None


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
    except ValidationError as error:
        raise SourceFault(f"does not make a valid document: {_plain(error)}") from None
    return Read(document, tuple(notes), group.source)


def _plain(error: ValidationError) -> str:
    faults = (f"{'.'.join(map(str, fault['loc'])) or 'document'}: {fault['msg']}" for fault in error.errors())
    return "; ".join(faults)[:300]
