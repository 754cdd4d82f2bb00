"""Tell apart the items of a feed that share a guid: one listed twice, or two episodes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from answertrail.corpus.origins.base import Listed

_MOST_NAMED = 5


@dataclass(slots=True)
class Repeats:
    """The items of one listing so far.

    A feed lists its newest episodes first, and the oldest leave it: so the first item keeps the
    id of its guid, and those below it keep theirs when it is left alone.
    """

    _content: dict[str, set[str]] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)
    _renamed: list[str] = field(default_factory=list)

    def told_apart(self, item: Listed) -> Listed | None:
        """Return an item under an id that no other has; None when the same item came before.

        The same are those of one guid, title, recording and transcripts.
        """
        content = _content(item)
        known = self._content.setdefault(item.id, set())
        if content in known:
            return None
        known.add(content)
        if item.id in self._ids:
            made = f"{item.id}-{_digest(_lasting(item))}"
            if made in self._ids:
                made = f"{item.id}-{_digest(content)}"
            self._renamed.append(made)
            item = replace(item, id=made)
        self._ids.add(item.id)
        return item

    @property
    def count(self) -> int:
        """How many items there are."""
        return len(self._ids)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided, in plain words."""
        if not self._renamed:
            return ()
        count = len(self._renamed)
        named = ", ".join(self._renamed[:_MOST_NAMED]) + (", ..." if count > _MOST_NAMED else "")
        what = "1 item has the guid of another episode, and got an id of its own" if count == 1 else (
            f"{count} items have the guid of another episode, and got ids of their own")  # fmt: skip
        return (f"{what}: {named}",)


def _content(item: Listed) -> str:
    transcripts = sorted(str(said.get("url")) for said in item.meta.get("transcripts", ()))
    return "\n".join([item.title, str(item.meta.get("audio", "")), *transcripts])


def _lasting(item: Listed) -> str:
    # Behind `?` there is often a signature that is new each time.
    return f"{item.title}\n{str(item.meta.get('audio', '')).partition('?')[0]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
