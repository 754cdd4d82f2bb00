"""Facts of front matter, in the shapes people write it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from typing import Any

from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.facts import Facts
from answertrail.corpus.sources.languages import language_code
from answertrail.corpus.sources.values import as_seconds, as_text, as_texts, first_date, picked

_FRONT_MATTER_DATES = (
    "published_at", "date", "published", "created", "date created", "created_at", "revised", "updated",
)  # fmt: skip
_FRONT_MATTER = frozenset(
    {*_FRONT_MATTER_DATES, "title", "url", "media", "link", "language", "lang", "duration_s", "description",
     "summary", "kind", "type", "tags", "tag", "aliases", "alias", "speakers", "id", "episode", "status"}
)  # fmt: skip
_MOST_FIELDS = 50
_LONGEST_FIELD = 1000


def from_front_matter(data: Mapping[str, Any]) -> Facts:
    """Facts of front matter: title, date, url, tags, aliases and so on; keys in lower case.

    Fields that mean nothing to us stay in `meta["front_matter"]`.
    """
    published, source, notes = first_date(data, _FRONT_MATTER_DATES, "front matter")
    known = {key: value for key in sorted(data.keys() - _FRONT_MATTER) if (value := _kept(data[key])) is not None}
    rest = dict(list(known.items())[:_MOST_FIELDS])
    return Facts(
        title=as_text(data.get("title")),
        published_at=published,
        published_at_source=f"front matter {source}" if source else None,
        url=as_text(data.get("url")) or as_text(data.get("media")) or as_text(data.get("link")),
        language=language_code(data.get("language")) or language_code(data.get("lang")),
        duration_s=as_seconds(data.get("duration_s")),
        description=as_text(data.get("description")) or as_text(data.get("summary")),
        kind=as_text(data.get("kind")),
        type=as_text(data.get("type")) or _first(as_texts(data.get("type"))),
        tags=tuple(tag.removeprefix("#") for key in ("tags", "tag") for tag in as_texts(data.get(key), split=",")),
        aliases=tuple(name for key in ("aliases", "alias") for name in as_texts(data.get(key), split=",")),
        speakers=as_texts(data.get("speakers")),
        meta={
            **picked(data, ("id", "episode", "status"), rename={"id": "front_matter_id"}),
            **({"front_matter": rest} if rest else {}),
        },
        notes=notes,
    )


def _first(texts: tuple[str, ...]) -> str | None:
    return texts[0] if texts else None


def _kept(value: object) -> Any:
    """A field of front matter as JSON can hold it: a text, number, truth value, day, or a list of them."""
    if isinstance(value, list):
        return [item for part in value[:_MOST_FIELDS] if (item := _kept(part)) is not None] or None
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if math.isfinite(value) and abs(value) < 2**53 else None
    text = contract_date(value) if isinstance(value, date) else as_text(value)
    return text[:_LONGEST_FIELD] if text else None
