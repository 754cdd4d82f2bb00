"""Where things are kept and which services are used, read from the environment once.

`ANSWERTRAIL_HOME` moves everything kept on disk. `ANSWERTRAIL_DATABASE_URL` replaces the
embedded Postgres by any server. `ANSWERTRAIL_AUTHOR_MODEL` names the chat model that translates
queries. `YOUTUBE_API_KEY` is the key of YouTube's Data API; `ANSWERTRAIL_YOUTUBE_API` and
`ANSWERTRAIL_YOUTUBE_SITE` put a relay in the place of its two servers.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

YOUTUBE_API = "https://www.googleapis.com/youtube/v3"
YOUTUBE_SITE = "https://www.youtube.com"


@dataclass(frozen=True, slots=True)
class Settings:
    """Process-wide settings.

    `home` is an absolute folder, made when first needed. `database_url` is None for the
    embedded server, `author` where no author model is set, `youtube_key` without a key.
    """

    home: Path
    database_url: str | None = None
    author: str | None = None
    youtube_key: str | None = field(default=None, repr=False)
    youtube_api: str = YOUTUBE_API
    youtube_site: str = YOUTUBE_SITE

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the variables; an empty value counts as unset."""
        home = os.environ.get("ANSWERTRAIL_HOME") or ""
        return cls(
            home=Path(home).expanduser().absolute() if home else default_home(),
            database_url=os.environ.get("ANSWERTRAIL_DATABASE_URL") or None,
            author=os.environ.get("ANSWERTRAIL_AUTHOR_MODEL") or None,
            youtube_key=os.environ.get("YOUTUBE_API_KEY") or None,
            youtube_api=os.environ.get("ANSWERTRAIL_YOUTUBE_API") or YOUTUBE_API,
            youtube_site=os.environ.get("ANSWERTRAIL_YOUTUBE_SITE") or YOUTUBE_SITE,
        )

    @property
    def cache(self) -> Path:
        """Folder of files that can be rebuilt from the database (search indexes)."""
        return self.home / "cache"


def default_home() -> Path:
    """Return the user's data folder for AnswerTrail (platform convention)."""
    from platformdirs import user_data_path

    return user_data_path("answertrail", appauthor=False)
