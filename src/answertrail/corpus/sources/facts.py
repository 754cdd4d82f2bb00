"""What is known about a document besides its words: from sidecars, manifests, front matter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from answertrail.corpus.sources.languages import language_code
from answertrail.corpus.sources.loading import load
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.corpus.sources.values import as_seconds, as_text, as_texts, first_date, picked, video_url
from answertrail.corpus.sources.values import storable as storable
from answertrail.records.document import Captions

MAX_SIDECAR_BYTES = 64 * 1024 * 1024

_CAPTIONS: Mapping[str, Captions] = {
    "human": "human",
    "manual": "human",
    "auto": "auto",
    "automatic": "auto",
    "asr": "auto",
    "translated": "translated",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about one document; None and empty mean not known. Times in seconds.

    `published_at` is a contract date; `published_at_source` names the field it came from. `notes`
    say which fields could not be understood.
    """

    title: str | None = None
    published_at: str | None = None
    published_at_source: str | None = None
    url: str | None = None
    language: str | None = None
    captions: Captions | None = None
    duration_s: float | None = None
    description: str | None = None
    kind: str | None = None
    type: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def or_else(self, other: Facts) -> Facts:
        """Fill what is not known here from `other`; a date keeps the source it came with."""
        changes: dict[str, Any] = {}
        for item in fields(self):
            mine = getattr(self, item.name)
            if item.name == "meta":
                changes["meta"] = {**other.meta, **mine}
            elif item.name == "notes":
                changes["notes"] = tuple(dict.fromkeys((*mine, *other.notes)))
            elif item.name == "published_at_source":
                if self.published_at is None:
                    changes[item.name] = other.published_at_source
            elif mine is None or mine == ():
                changes[item.name] = getattr(other, item.name)
        return replace(self, **changes)


def load_object(path: Path) -> Mapping[str, Any]:
    """Read a sidecar: one JSON object. Raises SourceFault."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise SourceFault(f"cannot be read: {error.strerror}") from None
    if size > MAX_SIDECAR_BYTES:
        raise SourceFault(f"the sidecar is larger than {MAX_SIDECAR_BYTES // 2**20} MB")
    return parse_object(load_sidecar_text(path))


def load_sidecar_text(path: Path) -> str:
    """Read a sidecar's text; unlike documents, it may be one long line. Raises SourceFault."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SourceFault(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        return load(path).text


def parse_object(text: str) -> Mapping[str, Any]:
    """Parse one JSON object. Raises SourceFault."""
    try:
        # Downloaders write NaN and repeat keys now and then; for a sidecar that is no reason
        # to lose the title.
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceFault(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise SourceFault("expected one JSON object")
    return value


def from_info(data: Mapping[str, Any], file_language: str | None) -> Facts:
    """Facts of a downloader's `.info.json` (yt-dlp).

    `file_language` is the code in the caption file's name; with the lists of subtitles in the
    sidecar it tells human captions from automatic and from machine-translated ones.
    """
    dates = ("timestamp", "release_timestamp", "upload_date", "release_date")
    published, source, notes = first_date(data, dates, ".info.json")
    url = as_text(data.get("webpage_url")) or as_text(data.get("original_url"))
    extractor = str(data.get("extractor_key") or data.get("extractor") or "youtube").lower()
    if url is None and extractor.startswith("youtube"):
        url = video_url(data.get("id"))
    return Facts(
        title=as_text(data.get("title")) or as_text(data.get("fulltitle")),
        published_at=published,
        published_at_source=source,
        url=url,
        language=language_code(file_language) or language_code(data.get("language")),
        captions=_caption_kind(data, file_language),
        duration_s=as_seconds(data.get("duration")),
        description=as_text(data.get("description")),
        tags=as_texts(data.get("tags")),
        meta=picked(data, ("id", "channel", "channel_id", "uploader"), rename={"id": "video_id"}),
        notes=notes,
    )


def from_meta(data: Mapping[str, Any]) -> Facts:
    """Facts of a `*_meta.json` sidecar: id, date, title, type, speakers, topics."""
    published, source, notes = first_date(data, ("published_at", "date", "upload_date"), "_meta.json")
    media = data.get("media")
    linked = as_text(media.get("youtube")) if isinstance(media, Mapping) else None
    return Facts(
        title=as_text(data.get("title")),
        published_at=published,
        published_at_source=source,
        url=as_text(data.get("url")) or video_url(data.get("id")) or linked,
        language=language_code(data.get("language")),
        captions=_captions(data.get("captions")),
        duration_s=as_seconds(data.get("duration_s")) or as_seconds(data.get("duration")),
        description=as_text(data.get("description")),
        type=as_text(data.get("type")),
        tags=as_texts(data.get("tags")) or as_texts(data.get("topics")),
        speakers=as_texts(data.get("speakers")),
        # Whole minutes, and often wrong by more: told, but never held against the times.
        meta=picked(data, ("id", "duration_minutes"), rename={"id": "video_id"}),
        notes=notes,
    )


def from_manifest(row: Mapping[str, Any]) -> Facts:
    """Facts of a line of a manifest `episodes.jsonl`."""
    published, source, notes = first_date(row, ("published_at", "date", "date_added"), "manifest")
    media = as_text(row.get("media"))
    return Facts(
        title=as_text(row.get("title")),
        published_at=published,
        published_at_source=source,
        url=as_text(row.get("url")) or video_url(row.get("video_id")) or media,
        language=language_code(row.get("language")) or language_code(row.get("lang")),
        captions=_captions(row.get("captions")),
        duration_s=as_seconds(row.get("duration_s")),
        description=as_text(row.get("description")),
        type=as_text(row.get("type")),
        tags=as_texts(row.get("tags")),
        speakers=as_texts(row.get("speakers")),
        meta=picked(row, ("video_id", "episode", "collection", "duration_minutes")),
        notes=notes,
    )


def _caption_kind(data: Mapping[str, Any], file_language: str | None) -> Captions | None:
    if file_language is None:
        return None
    if file_language.endswith("-orig"):
        # The downloader's name for the track made by speech recognition.
        return "auto"
    human, automatic = data.get("subtitles"), data.get("automatic_captions")
    if isinstance(human, Mapping) and file_language in human:
        return "human"
    if isinstance(automatic, Mapping) and file_language in automatic:
        spoken = language_code(data.get("language"))
        mine = language_code(file_language)
        if spoken and mine and spoken.split("-")[0] != mine.split("-")[0]:
            return "translated"
        return "auto"
    return None


def _captions(value: object) -> Captions | None:
    return _CAPTIONS.get(value.strip().lower()) if isinstance(value, str) else None
