"""What a run tells while it works. One stream feeds the terminal, the server and the evidence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events; `type` names it in JSON."""

    type: ClassVar[str] = "event"

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON values with `type` first."""
        return {"type": self.type, **asdict(self)}


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """The run exists and is stored."""

    type: ClassVar[str] = "run_started"
    run_id: str
    question: str
    recipe: str
    model: str


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A model call begins. `phase` is explore, timeline (the dated table) or submit."""

    type: ClassVar[str] = "turn_started"
    turn: int
    phase: str


@dataclass(frozen=True, slots=True)
class SearchFinished(Event):
    """A search came back. `new` counts chunks this run had not seen; `start` and `end` are its dates.

    The mode `read_around` is no search by words: its `query` is the id that was read around.
    """

    type: ClassVar[str] = "search_finished"
    search_id: str
    query: str
    mode: str
    returned: int
    new: int
    held_back: int
    elapsed_ms: float
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True, slots=True)
class GuardActed(Event):
    """A guard stopped or redirected the model."""

    type: ClassVar[str] = "guard"
    guard: str
    detail: str


@dataclass(frozen=True, slots=True)
class AnswerRejected(Event):
    """A submitted answer went back to the model, with the reasons."""

    type: ClassVar[str] = "answer_rejected"
    attempt: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRejected(Event):
    """A dated table went back to the model, with the reasons."""

    type: ClassVar[str] = "table_rejected"
    attempt: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableAccepted(Event):
    """A dated table passed its checks: rows that state something, and rows that say nothing was found."""

    type: ClassVar[str] = "table_accepted"
    stances: int
    nothing_found: int


@dataclass(frozen=True, slots=True)
class StatementReleased(Event):
    """One statement whose checks have run and which belongs to the accepted answer."""

    type: ClassVar[str] = "statement"
    text: str
    kind: str
    citations: tuple[str, ...]
    support: str


@dataclass(frozen=True, slots=True)
class RunFinished(Event):
    """The run ended; the stored record is complete."""

    type: ClassVar[str] = "run_finished"
    run_id: str
    status: str
    outcome: str | None
    cost_usd: float | None
    elapsed_ms: float


EventSink = Callable[[Event], Awaitable[None]]


async def ignore(event: Event) -> None:
    """Drop an event; for callers that only want the run."""
