"""What every origin is: something that lists items and fetches the words of one of them.

An origin knows nothing of the database. `stage` keeps what it lists and fetches, one item at a
time, so that a crash loses at most the item in hand.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from answertrail.records.document import Document

WithheldKind = Literal[
    "too_short",
    "disabled",
    "no_captions_yet",
    "no_captions_in_languages",
    "members_only",
    "age_restricted",
    "live",
    "upcoming",
    "private",
    "unavailable",
    "not_captions",
    "empty_body",
    "network",
    "blocked",
    "other",
]
"""Why an item gave no words. docs/youtube.md says for each whether it is final or checked again.

`blocked` is kept of the item in hand when the service refused us (`Blocked`).
"""


@dataclass(frozen=True, slots=True)
class Listed:
    """One item as its origin lists it.

    `id` becomes the document id. `published_at` is the instant the item itself was published,
    ISO 8601 with its zone, and `published_at_source` the field it came from. `duration_s` is None
    when the listing does not say. `left_out` is the reason why it will not be fetched at all (a
    setting, such as a least duration), None when it will be. `meta` holds what else the origin
    needs to fetch it, JSON values only.
    """

    id: str
    title: str
    published_at: str | None = None
    published_at_source: str | None = None
    url: str | None = None
    duration_s: float | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    language: str | None = None
    left_out: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The words of one item: a document as any other source gives it, and notes in plain words.

    `document.captions` and `document.meta["track"]` say which track was taken; the text is as
    fetched, before any cleaning.
    """

    document: Document
    notes: tuple[str, ...] = ()


class Withheld(Exception):  # noqa: N818 - an outcome of one item, not an error of ours
    """One item gave no words, for a reason of its own; the batch goes on.

    `retry_at` is when to look again, None when the answer is final. `failed` tells a fault (a
    dropped connection, an empty body) from a state of the item (members only, none yet).
    """

    def __init__(self, kind: WithheldKind, reason: str, *, retry_at: datetime | None, failed: bool = False) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.retry_at = retry_at
        self.failed = failed


class Blocked(Exception):  # noqa: N818 - stops a batch, is no error of ours
    """The service refuses us altogether: the batch stops, what is kept stays, `resume_at` says when to go on."""

    def __init__(self, reason: str, *, resume_at: datetime) -> None:
        super().__init__(reason)
        self.reason = reason
        self.resume_at = resume_at


class Origin(Protocol):
    """A channel, playlist, video or feed.

    `key` names it in messages and rows, the same however the user spelled it, and begins with the
    kind: `youtube:channel/UC...`, `youtube:playlist/PL...`, `youtube:video/ID`, `rss:https://...`.
    It is known once `resolve` was called; before, it says what the user typed, after the kind. `notes`
    say in plain words what was decided on the way; they are whole when `items` has come to its end.
    """

    key: str
    notes: tuple[str, ...]

    async def resolve(self) -> None:
        """Find out what the user meant (a handle becomes a channel id); sets `key`.

        Raises InputError when there is no such thing, ServiceError when the service cannot be asked.
        """

    def items(self) -> AsyncIterator[Listed]:
        """Yield every item, newest first as a rule, each id once.

        Raises ServiceError when the listing breaks off: half a listing is not one, so nothing may
        be concluded from what it lacks.
        """

    async def fetch(self, item: Listed) -> Fetched:
        """Return the words of one item. Raises Withheld or Blocked."""

    def close(self) -> None:
        """Close connections that are kept open."""
