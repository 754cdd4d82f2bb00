"""Sealed splits: every look at held-out questions is written down, and only the first is held out.

The log lies under the home folder, one line a look, keyed by the questions themselves, so a renamed
copy of the file is still the same split. Lines are chained by hash: one that was changed or taken
out of the middle is noticed. A log that was deleted whole, another machine, or questions whose
`split` was edited are not: the log keeps honest people honest.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from answertrail.errors import InputError, ServiceError
from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.metrics.values import Json
from answertrail.store.embedded.locks import FileLock

LOG = "sealed/access.jsonl"
_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Look:
    """One line of the log. `number` is which look at these questions it was, from 1.

    `artefacts` name what was looked at: the systems' conditions or the registration. The same
    ones again are the same look.
    """

    number: int
    at: str
    by: str
    purpose: str
    command: str
    artefacts: tuple[str, ...]
    gold: str
    questions: tuple[str, ...]
    previous: str
    hash: str = ""

    def as_json(self) -> Json:
        """Return the line."""
        return {**asdict(self), "artefacts": list(self.artefacts), "questions": list(self.questions)}


@dataclass(frozen=True, slots=True)
class Seal:
    """What an access to held-out questions amounts to.

    `status` is "held_out" for the first look and "regression" from the second on, and when the
    log is damaged. `looks` are all that were taken at any of these questions, this one included.
    """

    status: Literal["held_out", "regression"]
    number: int
    questions: int
    looks: tuple[Look, ...]
    log: str
    damage: str | None = None

    @property
    def note(self) -> str:
        """One sentence for every place a number of this split is printed."""
        what = f"{self.questions} question(s) are held out"
        if self.damage:
            return f"{what}, but the access log is damaged ({self.damage}): read them as regression"
        if self.status == "held_out":
            return f"{what}; this is the first look at them, written to the access log"
        return f"{what}, but this is look {self.number}: read them as regression, not as held out"

    def as_json(self) -> Json:
        """Return status, look, note and the log."""
        return {
            "status": self.status,
            "look": self.number,
            "questions": self.questions,
            "note": self.note,
            "damage": self.damage,
            "looks": [look.as_json() for look in self.looks],
        }


def of_split(questions: QuestionSet, split: str) -> QuestionSet:
    """Return the questions of one split. Raises InputError when there is none, naming the splits there are."""
    kept = [row for row in questions.questions if row.split == split]
    if not kept:
        known = sorted({row.split or "none" for row in questions.questions})
        raise InputError(f"no question of split {split!r}", hint=f"splits in the file: {', '.join(known)}")
    return question_set(kept)


def open_split(
    questions: QuestionSet, *, home: Path, purpose: str, artefacts: Sequence[str], command: str
) -> Seal | None:
    """Write down a look at the held-out questions among these; None when there are none.

    The line is on disk before anything is scored.
    """
    held = [row for row in questions.questions if row.split == "held_out"]
    if not held:
        return None
    gold = question_set(held).hash
    marks = tuple(sorted(_mark(row.question) for row in held))
    path = home / LOG
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")) as lock:
        if not lock.acquire(timeout_s=_WAIT_S):
            raise ServiceError("another process holds the access log", where=str(path))
        before, damage = read_log(path)
        related = [look for look in before if set(look.questions) & set(marks)]
        known = {artefact: look.number for look in reversed(related) for artefact in look.artefacts}
        new = [artefact for artefact in artefacts if artefact not in known]
        newest = 1 + max((look.number for look in related), default=0)
        number = newest if new or not artefacts else max(known[artefact] for artefact in artefacts)
        look = Look(
            number, datetime.now(UTC).isoformat(timespec="seconds"), f"{_user()}@{socket.gethostname()}",
            purpose, command, tuple(artefacts), gold, marks, before[-1].hash if before else "",
        )  # fmt: skip
        look = Look(**{**asdict(look), "hash": _hash(look)})
        _append(path, look)
    status: Literal["held_out", "regression"] = "held_out" if number == 1 and damage is None else "regression"
    return Seal(status, number, len(held), (*related, look), str(path), damage)


def read_log(path: Path) -> tuple[list[Look], str | None]:
    """Return the lines that can be read, and what is wrong with the log, if anything."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return [], None
    looks: list[Look] = []
    damage: str | None = None
    for number, line in enumerate(lines, 1):
        try:
            row: dict[str, Any] = json.loads(line)
            look = Look(**{**row, "artefacts": tuple(row["artefacts"]), "questions": tuple(row["questions"])})
        except (ValueError, TypeError, KeyError):
            damage = damage or f"line {number} cannot be read"
            continue
        if look.hash != _hash(look):
            damage = damage or f"line {number} was changed"
        elif look.previous != (looks[-1].hash if looks else ""):
            damage = damage or f"a line before line {number} is missing"
        looks.append(look)
    return looks, damage


def _append(path: Path, look: Look) -> None:
    """One write and an fsync; a line torn by a crash is closed first."""
    torn = path.exists() and path.read_bytes()[-1:] not in (b"", b"\n")
    line = json.dumps(look.as_json(), ensure_ascii=False, sort_keys=True) + "\n"
    with path.open("ab") as stream:
        stream.write((("\n" if torn else "") + line).encode("utf-8"))
        stream.flush()
        os.fsync(stream.fileno())


def _mark(question: str) -> str:
    """A question by its words: another id, file name or gold does not make it a new one."""
    return hashlib.sha256(" ".join(question.casefold().split()).encode("utf-8")).hexdigest()[:16]


def _hash(look: Look) -> str:
    body = {key: value for key, value in look.as_json().items() if key != "hash"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid {os.getuid()}"
