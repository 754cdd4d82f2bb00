"""Which corpus a command means."""

from __future__ import annotations

from answertrail.errors import NotFoundError
from answertrail.store import corpora
from answertrail.store.connection import Database

DEFAULT = "default"


async def chosen_name(db: Database, name: str | None) -> str:
    """Return the corpus named, or the only one there is, or `default`.

    Raises NotFoundError when none was named and several exist, listing them.
    """
    if name is not None:
        return name
    known = [corpus.name for corpus in await corpora.list_all(db)]
    if len(known) == 1:
        return known[0]
    if DEFAULT in known:
        return DEFAULT
    if not known:
        raise NotFoundError(
            "there is no corpus yet", hint="make one with `answertrail ingest FOLDER`, or try `answertrail demo`"
        )
    raise NotFoundError("several corpora exist", hint=f"name one with --corpus: {', '.join(known)}")
