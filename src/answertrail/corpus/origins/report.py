"""What listing and fetching came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ListReport:
    """What a listing says, beside the one before it.

    `listed` counts items, None where there was no listing; `new`, `changed` (title, date, description or
    tags), `renewed` (its length changed, so it is fetched anew), `gone` and `back` hold ids in order;
    `left_out` maps ids to reasons.
    """

    origin: str
    listed: int | None
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    renewed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "origin": self.origin,
            "listed": self.listed,
            "new": list(self.new),
            "changed": list(self.changed),
            "renewed": list(self.renewed),
            "gone": list(self.gone),
            "back": list(self.back),
            "left_out": dict(self.left_out),
        }


@dataclass(frozen=True, slots=True)
class NoWords:
    """An item that gave no words: a fault (`failed`) or a state of its own. `retry_at` None is final."""

    item: str
    title: str
    kind: str
    reason: str
    retry_at: datetime | None
    failed: bool

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "item": self.item,
            "title": self.title,
            "state": "failed" if self.failed else "skipped",
            "kind": self.kind,
            "reason": self.reason,
            "retry_at": None if self.retry_at is None else self.retry_at.isoformat(timespec="seconds"),
        }


@dataclass(slots=True)
class FetchReport:
    """What a run of fetching did.

    `fetched` are ids that came over the network, `shared` those whose words were here already, from
    another origin or from before; `added`, `changed` and `unchanged` count documents. `held` counts
    items in the hands of other workers. `stopped` is why the batch ended early and `resume_at` when
    to go on, None when it went through; `left` counts the items after it. `notes` by id.
    """

    origin: str
    fetched: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    without: list[NoWords] = field(default_factory=list)
    held: int = 0
    left: int = 0
    stopped: str | None = None
    resume_at: datetime | None = None
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, later: FetchReport) -> None:
        """Take in what a later run over the same origin did; what stopped it and what is left are as it says."""
        self.fetched += later.fetched
        self.shared += later.shared
        self.added += later.added
        self.changed += later.changed
        self.unchanged += later.unchanged
        again = {item.item for item in later.without}
        self.without = [*(item for item in self.without if item.item not in again), *later.without]
        self.notes |= later.notes
        self.held, self.left = later.held, later.left
        self.stopped, self.resume_at = later.stopped, later.resume_at

    @property
    def skipped(self) -> list[NoWords]:
        """Items without words for a reason of their own."""
        return [item for item in self.without if not item.failed]

    @property
    def failed(self) -> list[NoWords]:
        """Items that a fault kept from us."""
        return [item for item in self.without if item.failed]

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "origin": self.origin,
            "fetched": list(self.fetched),
            "shared": list(self.shared),
            "added": self.added,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "without_words": [item.as_json() for item in self.without],
            "held": self.held,
            "left": self.left,
            "stopped": self.stopped,
            "resume_at": None if self.resume_at is None else self.resume_at.isoformat(timespec="seconds"),
            "notes": {item: list(notes) for item, notes in sorted(self.notes.items())},
        }
