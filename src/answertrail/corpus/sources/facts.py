"""What is known about a document besides its words: from sidecars, manifests, front matter."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from answertrail.corpus.sources.languages import language_code
from answertrail.corpus.sources.loading import load
from answertrail.corpus.sources.outcome import SourceFault
from answertrail.records import instant
from answertrail.records.document import Captions

MAX_SIDECAR_BYTES = 64 * 1024 * 1024

_YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_NAME_DATE = re.compile(r"(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)")
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

    `published_at` is a contract date; `published_at_source` names the field it came from.
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

    def or_else(self, other: Facts) -> Facts:
        """Fill what is not known here from `other`; a date keeps the source it came with."""
        changes: dict[str, Any] = {}
        for item in fields(self):
            mine = getattr(self, item.name)
            if item.name == "meta":
                changes["meta"] = {**other.meta, **mine}
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
    published, source = _first_date(data, ("timestamp", "release_timestamp", "upload_date", "release_date"))
    url = _text(data.get("webpage_url")) or _text(data.get("original_url"))
    extractor = str(data.get("extractor_key") or data.get("extractor") or "youtube").lower()
    if url is None and extractor.startswith("youtube"):
        url = video_url(data.get("id"))
    return Facts(
        title=_text(data.get("title")) or _text(data.get("fulltitle")),
        published_at=published,
        published_at_source=source,
        url=url,
        language=language_code(file_language) or language_code(data.get("language")),
        captions=_caption_kind(data, file_language),
        duration_s=_positive(data.get("duration")),
        description=_text(data.get("description")),
        tags=_texts(data.get("tags")),
        meta=_some(data, ("id", "channel", "channel_id", "uploader"), rename={"id": "video_id"}),
    )


def from_meta(data: Mapping[str, Any]) -> Facts:
    """Facts of a `*_meta.json` sidecar: id, date, title, type, speakers, topics."""
    published, source = _first_date(data, ("published_at", "date", "upload_date"))
    media = data.get("media")
    linked = _text(media.get("youtube")) if isinstance(media, Mapping) else None
    return Facts(
        title=_text(data.get("title")),
        published_at=published,
        published_at_source=source,
        url=_text(data.get("url")) or video_url(data.get("id")) or linked,
        language=language_code(data.get("language")),
        captions=_captions(data.get("captions")),
        duration_s=_positive(data.get("duration_s")) or _positive(data.get("duration")),
        description=_text(data.get("description")),
        type=_text(data.get("type")),
        tags=_texts(data.get("tags")) or _texts(data.get("topics")),
        speakers=_texts(data.get("speakers")),
        # Whole minutes, and often wrong by more: told, but never held against the times.
        meta=_some(data, ("id", "duration_minutes"), rename={"id": "video_id"}),
    )


def from_manifest(row: Mapping[str, Any]) -> Facts:
    """Facts of a line of a manifest `episodes.jsonl`."""
    published, source = _first_date(row, ("published_at", "date", "date_added"))
    media = _text(row.get("media"))
    return Facts(
        title=_text(row.get("title")),
        published_at=published,
        published_at_source=source,
        url=_text(row.get("url")) or video_url(row.get("video_id")) or media,
        language=language_code(row.get("language")) or language_code(row.get("lang")),
        captions=_captions(row.get("captions")),
        duration_s=_positive(row.get("duration_s")),
        description=_text(row.get("description")),
        type=_text(row.get("type")),
        tags=_texts(row.get("tags")),
        speakers=_texts(row.get("speakers")),
        meta=_some(row, ("video_id", "episode", "collection", "duration_minutes")),
    )


def from_front_matter(data: Mapping[str, Any]) -> Facts:
    """Facts of front matter: title, date, url, tags, aliases and so on; keys in lower case."""
    published, source = _first_date(data, ("published_at", "date", "published", "created", "revised", "updated"))
    return Facts(
        title=_text(data.get("title")),
        published_at=published,
        published_at_source=f"front matter {source}" if source else None,
        url=_text(data.get("url")) or _text(data.get("media")) or _text(data.get("link")),
        language=language_code(data.get("language")) or language_code(data.get("lang")),
        duration_s=_positive(data.get("duration_s")),
        description=_text(data.get("description")) or _text(data.get("summary")),
        kind=_text(data.get("kind")),
        type=_text(data.get("type")),
        tags=_texts(data.get("tags"), split=","),
        aliases=_texts(data.get("aliases")),
        speakers=_texts(data.get("speakers")),
        meta=_some(data, ("id", "episode", "status"), rename={"id": "front_matter_id"}),
    )


def from_name(stem: str) -> Facts:
    """Last resort: the stem made readable, and a date in it that says where it came from."""
    match = _NAME_DATE.search(stem)
    published = None
    if match is not None:
        published = contract_date(f"{match[1]}-{match[3]}-{match[4]}")
        if published is not None and not 1900 <= int(match[1]) <= 2100:
            published = None
    return Facts(
        title=readable(stem),
        published_at=published,
        published_at_source="file name" if published else None,
    )


def readable(stem: str) -> str:
    """Make a stem a title: `2021-05-03_on-code-review` gives `On code review`."""
    rest = stem
    match = _NAME_DATE.match(stem)
    if match is not None and contract_date(f"{match[1]}-{match[3]}-{match[4]}"):
        rest = stem[match.end() :].strip(" -_.") or stem
    if _YOUTUBE_ID.fullmatch(rest):
        return rest
    if rest == stem and match is not None and match.end() == len(stem):
        return stem
    words = re.sub(r"[_\s]+", " ", rest)
    if " " not in words:
        words = words.replace("-", " ")
    words = " ".join(words.split()) or stem
    return words[0].upper() + words[1:]


def video_url(video_id: object) -> str | None:
    """The page of a YouTube video, when this is an id of one."""
    if isinstance(video_id, str) and _YOUTUBE_ID.fullmatch(video_id):
        return f"https://www.youtube.com/watch?v={video_id}"
    return None


def contract_date(value: object) -> str | None:
    """Turn a date as sidecars write it into a contract date, or None when it is none.

    Epoch seconds, `20240614`, ISO dates and instants, `2013-06-07 18:46` (no zone: taken as
    UTC), `01-Oct-2000`, and YAML's own dates are read.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, datetime):
        at = value if value.tzinfo else value.replace(tzinfo=UTC)
        try:
            return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        except OverflowError:
            return None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float):
        return _epoch(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if re.fullmatch(r"\d{8}", text):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    try:
        instant(text)
    except ValueError:
        return _loose_date(text)
    return text


def _loose_date(text: str) -> str | None:
    match = re.fullmatch(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?", text)
    if match is not None:
        candidate = f"{match[1]}T{match[2]}" + ("Z" if len(match[2]) > 5 else ":00Z")
        try:
            instant(candidate)
        except ValueError:
            return None
        return candidate
    for form in ("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y/%m/%d"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return None


def _epoch(value: float) -> str | None:
    if value >= 19000000 and value <= 21001231 and value == int(value):
        # YAML reads an unquoted 20240614 as a number.
        return contract_date(str(int(value)))
    if not math.isfinite(value) or not 0 < value < 4102444800:
        return None
    at = datetime.fromtimestamp(int(value), UTC)
    return at.isoformat().replace("+00:00", "Z")


def _first_date(data: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[str | None, str | None]:
    for key in keys:
        found = contract_date(data.get(key))
        if found is not None:
            return found, key
    return None, None


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


def _text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = storable(str(value)).strip()
    return text or None


def _texts(value: object, *, split: str | None = None) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(split) if split else [value]
    if not isinstance(value, list | tuple):
        return ()
    return tuple(text for item in value if (text := _text(item)) is not None)


def _positive(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def _some(data: Mapping[str, Any], keys: tuple[str, ...], rename: Mapping[str, str] | None = None) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key in keys:
        value = data.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            out[(rename or {}).get(key, key)] = storable(value) if isinstance(value, str) else value
    return out


def storable(text: str) -> str:
    """Replace what no database or JSON file can hold: NUL and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text
