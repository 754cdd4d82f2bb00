"""The document of an item of a feed."""

from __future__ import annotations

from typing import Any

from answertrail.corpus.origins.base import Listed
from answertrail.corpus.origins.rss.transcripts import Track, Words
from answertrail.corpus.sources.lengths import length_of, segment_of
from answertrail.corpus.sources.plausible import pace_note
from answertrail.corpus.sources.values import storable
from answertrail.records.document import Document

_KEPT = ("guid", "page", "audio", "speakers", "chapters_url", "season", "episode")


def document_of(item: Listed, track: Track, words: Words) -> tuple[Document, list[str]]:
    """Make the document of an item from its listing and one transcript.

    Raises SourceFault when the times run past the stated length, or hardly a word is there.
    """
    notes = list(words.notes)
    meta: dict[str, Any] = {key: item.meta[key] for key in _KEPT if key in item.meta}
    meta["track"] = track.as_json()
    values: dict[str, Any] = {
        "id": item.id,
        "title": storable(item.title),
        "published_at": item.published_at,
        "published_at_source": item.published_at_source,
        "url": item.url,
        "language": track.language or words.language,
        "captions": "auto" if words.automatic else None,
        "description": item.description,
        "tags": list(item.tags) or None,
        "meta": meta,
    }
    length = item.duration_s
    if words.text is None:
        length, extra = length_of(item.duration_s, words.cues)
        notes.extend(extra)
        values["segments"] = [segment_of(cue) for cue in words.cues]
        said = " ".join(cue.text for cue in words.cues)
    else:
        said = words.text
        values["text"] = said
    note = pace_note(said, length, refuse=words.text is not None)
    known = {key: value for key, value in (values | {"duration_s": length}).items()
             if value is not None or key in Document.nullable}  # fmt: skip
    return Document(**known), [*notes, note] if note else notes
