"""What an ingest is asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class OriginChoices:
    """How channels, playlists and feeds are fetched.

    `languages` in order of preference, BCP 47; none means the spoken one. `translate` allows machine
    translations into them where there is nothing else. Videos of `min_duration_s` seconds or less
    are left out of channels and playlists. `recheck` are the kinds of `origins.base.WithheldKind` to
    look at again at once. `limit` bounds the items fetched from each origin. `pace_s` is the
    time between two fetches in seconds, half of it more or less.
    """

    languages: Sequence[str] = ()
    translate: bool = False
    min_duration_s: float = 180.0
    recheck: Sequence[str] = ()
    limit: int | None = None
    pace_s: float = 1.0


@dataclass(frozen=True, slots=True)
class CleaningChoices:
    """Which model mends automatic captions: a chat model's spec, or `author` for the author model.

    `glossary` is a file of terms (docs/cleaning.md). `unlabelled` takes captions of unknown origin
    for automatic ones.
    """

    model: str | Literal["author"]
    glossary: Path | None = None
    unlabelled: bool = False


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """What to ingest.

    `sources` are files and folders, `origins` what names a channel, playlist, video or feed.
    `embedder` is a spec; None means `auto` for a new corpus, its own for a known one. `prune`
    deletes the documents that the report lists as gone. `context` is what is embedded beside each
    text (`context.context_parts`); None means `none` for a new corpus, its own for a known one.
    `asked_in` are the languages in which the corpus will be asked (`language.language_codes`), which
    its embedder has to read; None means nothing is known, or what the corpus was made with.
    `cleaning` None means that captions stay as they are.
    """

    corpus: str
    sources: Sequence[Path]
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    embedder: str | None = None
    prune: bool = False
    context: str | None = None
    asked_in: str | None = None
    origins: Sequence[str] = ()
    fetching: OriginChoices = OriginChoices()
    cleaning: CleaningChoices | None = None
