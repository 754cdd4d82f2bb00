"""Which origin a text names: add a new kind of origin here."""

from __future__ import annotations

from answertrail.corpus.origins.base import Origin
from answertrail.corpus.request import OriginChoices
from answertrail.settings import Settings


def origin_of(typed: str, settings: Settings, choices: OriginChoices) -> Origin | None:
    """Return the origin that a text names, None when it names none (it may be a file).

    Raises InputError for an address that is understood and cannot be used, ServiceError when what
    reads it is not installed.
    """
    from answertrail.corpus.origins.rss.origin import RssOptions, rss_origin
    from answertrail.corpus.origins.youtube.origin import YouTubeOptions, youtube_origin

    youtube = YouTubeOptions(choices.min_duration_s, choices.languages, choices.translate)
    return youtube_origin(typed, settings, youtube) or rss_origin(typed, RssOptions(choices.languages))
