"""What an ingest did, in the contract's shape, and how it tells while it works."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from answertrail.corpus.cleaning.report import CleaningReport
    from answertrail.errors import AnswerTrailError


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source that gave no document. `line` counts from 1 and is None where no line is to blame."""

    source: str
    reason: str
    line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return plain values; `line` only where there is one."""
        line = {} if self.line is None else {"line": self.line}
        return {"source": self.source, **line, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Gone:
    """A document whose source is no longer there, or no longer gives it."""

    source: str
    document_id: str

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"source": self.source, "document_id": self.document_id}


@dataclass(slots=True)
class IngestReport:
    """Documents added, changed and unchanged; sources skipped and failed; the snapshot after it.

    `elsewhere` counts documents that another worker on the same sources brought in meanwhile.
    `ignored` counts files that are neither documents nor sidecars; `notes` say what was guessed or
    repaired, by source. `embedded` counts texts that got their vector in this ingest. `gone` are
    documents under the given sources that nothing gives any more, in order of their ids; `removed`
    counts those of them that were deleted (0 unless pruning was asked for). `unread` counts the added
    and changed documents mostly in a language that the corpus's embedder does not read, by language.
    `origins` say what listing and fetching came to (docs/youtube.md); `stopped` why fetching ended early,
    `resume_at` is when to go on where a service refused us and the rest of its items had to wait.
    `errors` are those of channels and feeds that could not be listed or asked, by key; each is in `failed` too.
    """

    corpus: str
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    elsewhere: int = 0
    ignored: int = 0
    embedded: int = 0
    skipped: list[LeftOut] = field(default_factory=list)
    failed: list[LeftOut] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    removed: int = 0
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    snapshot: str = ""
    unread: dict[str, int] = field(default_factory=dict)
    origins: list[dict[str, Any]] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    resume_at: datetime | None = None
    errors: dict[str, AnswerTrailError] = field(default_factory=dict)
    cleaning: CleaningReport | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's object, with the extensions of docs/formats.md."""
        return {
            "added": self.added,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "skipped": [item.as_json() for item in self.skipped],
            "failed": [item.as_json() for item in self.failed],
            "gone": [item.as_json() for item in self.gone],
            "removed": self.removed,
            "snapshot": self.snapshot,
            "corpus": self.corpus,
            "elsewhere": self.elsewhere,
            "ignored": self.ignored,
            "embedded": self.embedded,
            "unread": dict(sorted(self.unread.items())),
            **self._of_origins(),
            **({} if self.cleaning is None else {"cleaning": self.cleaning.as_json()}),
            "notes": [{"source": source, "notes": list(notes)} for source, notes in sorted(self.notes.items())],
        }

    def _of_origins(self) -> dict[str, Any]:
        if not self.origins:
            return {}
        resume = None if self.resume_at is None else self.resume_at.isoformat(timespec="seconds")
        errors = [{"origin": key, **error.as_dict()} for key, error in self.errors.items()]
        return {"origins": self.origins, "stopped": self.stopped, "resume_at": resume, "errors": errors}


class Progress(Protocol):
    """Told of each stage: how much there is, and each step of it."""

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` steps begins."""
        ...

    def advance(self, steps: int = 1) -> None:
        """So many steps are done."""
        ...

    def end(self) -> None:
        """The stage is done."""
        ...


class Silent:
    """Progress nobody looks at."""

    def begin(self, stage: str, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int = 1) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""
