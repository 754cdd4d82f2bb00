"""Where things are kept and which services are used, read from the environment once.

`ANSWERTRAIL_HOME` moves everything kept on disk. `ANSWERTRAIL_DATABASE_URL` replaces the
embedded Postgres by any server. `ANSWERTRAIL_AUTHOR_MODEL` names the chat model that translates
queries.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Process-wide settings.

    `home` is an absolute folder, made when first needed. `database_url` is None for the
    embedded server, `author` where no author model is set.
    """

    home: Path
    database_url: str | None = None
    author: str | None = None

    @classmethod
    def from_environment(cls) -> Settings:
        """Read the three variables; an empty value counts as unset."""
        home = os.environ.get("ANSWERTRAIL_HOME") or ""
        url = os.environ.get("ANSWERTRAIL_DATABASE_URL") or None
        author = os.environ.get("ANSWERTRAIL_AUTHOR_MODEL") or None
        return cls(Path(home).expanduser().absolute() if home else default_home(), url, author)

    @property
    def cache(self) -> Path:
        """Folder of files that can be rebuilt from the database (search indexes)."""
        return self.home / "cache"


def default_home() -> Path:
    """Return the user's data folder for AnswerTrail (platform convention)."""
    from platformdirs import user_data_path

    return user_data_path("answertrail", appauthor=False)
