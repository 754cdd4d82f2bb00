"""Where things are kept and which services are used, read from the environment once.

`ANSWERTRAIL_HOME` moves everything kept on disk. `ANSWERTRAIL_DATABASE_URL` replaces the
embedded Postgres by any server.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Process-wide settings.

    `home` is an absolute folder, made when first needed. `database_url` is None for the
    embedded server.
    """

    home: Path
    database_url: str | None = None

    @classmethod
    def from_environment(cls) -> Settings:
        """Read `ANSWERTRAIL_HOME` and `ANSWERTRAIL_DATABASE_URL`; an empty value counts as unset."""
        home = os.environ.get("ANSWERTRAIL_HOME") or ""
        url = os.environ.get("ANSWERTRAIL_DATABASE_URL") or None
        return cls(home=Path(home).expanduser().absolute() if home else default_home(), database_url=url)

    @property
    def cache(self) -> Path:
        """Folder of files that can be rebuilt from the database (search indexes)."""
        return self.home / "cache"


def default_home() -> Path:
    """Return the user's data folder for AnswerTrail (platform convention)."""
    from platformdirs import user_data_path

    return user_data_path("answertrail", appauthor=False)
