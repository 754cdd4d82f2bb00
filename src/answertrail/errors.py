"""The errors a user may meet. Each says what happened, where, and what to do about it.

The command line maps `exit_code` and prints `{"error": {"kind", "message", "where?", "hint?"}}`
with `--json`. Anything that is not an `AnswerTrailError` is a bug of ours.
"""

from __future__ import annotations

from typing import ClassVar


class AnswerTrailError(Exception):
    """Base of all expected failures.

    `where` names the file, line, id or setting concerned; `hint` says what to do next.
    """

    kind: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def as_dict(self) -> dict[str, str]:
        """Return the contract's error object; absent parts are left out."""
        parts = {
            "kind": self.kind,
            "message": self.message,
            "where": self.where,
            "hint": self.hint,
        }
        return {key: value for key, value in parts.items() if value is not None}

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"


class InputError(AnswerTrailError):
    """The caller gave something that cannot be used: a bad file, record, option or value."""

    kind = "input"
    exit_code = 2


class NotFoundError(InputError):
    """A named thing (corpus, chunk, run, recipe, model) does not exist."""

    kind = "not_found"


class MismatchError(InputError):
    """Two things that must agree do not: embedder and corpus, snapshot and run."""

    kind = "mismatch"


class ServiceError(AnswerTrailError):
    """Something outside the program is missing or down: database, model endpoint, key."""

    kind = "service"
    exit_code = 3
