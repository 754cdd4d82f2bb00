"""A registration: what is to be measured, written down and hashed before it is run.

The hash binds the file, and each run made under it carries the hash. Whoever edits the file and
writes a new hash into it is found out by the runs; whoever edits both is not.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from answertrail.errors import InputError
from answertrail.experiments.systems import short
from answertrail.records.base import Count, DateText, NonEmpty, Part, instant
from answertrail.records.jsonl import faults, loads


class RegisteredMeasure(Part):
    """A primary measure; `statistic` is "totals" or "means" where the name alone does not say."""

    name: NonEmpty
    statistic: Literal["totals", "means"] | None = None


class RegisteredSystem(Part):
    """One system: a recipe by its hash, driven by a model."""

    name: NonEmpty
    hash: NonEmpty
    model: NonEmpty
    version: str | None = None
    prompt_hash: str | None = None


class Registration(Part):
    """A registration file. `hash` is over the canonical JSON of all the rest."""

    schema_: Literal["registration/1"] = Field(default="registration/1", alias="schema")
    created_at: DateText
    question: NonEmpty
    hypothesis: NonEmpty
    measures: list[RegisteredMeasure] = Field(min_length=1)
    systems: list[RegisteredSystem] = Field(min_length=1)
    corpus: NonEmpty
    snapshot: NonEmpty
    gold_hash: NonEmpty
    question_ids: list[NonEmpty]
    repeats: Count = Field(ge=1)
    stopping_rule: NonEmpty
    alpha: float = Field(gt=0, lt=1)
    correction: Literal["holm"] = "holm"
    code: str | None = None
    hash: NonEmpty

    @model_validator(mode="after")
    def _once(self) -> Registration:
        names = [measure.name for measure in self.measures]
        if len(set(names)) != len(names):
            raise ValueError("measures: a measure is registered twice")
        return self

    @property
    def intact(self) -> bool:
        """Whether the hash is that of the content."""
        return self.hash == content_hash(self.as_json())


@dataclass(frozen=True, slots=True)
class Done:
    """What was done with one system, to be held against a registration."""

    system: str
    recipe_hash: str | None
    model: str | None
    snapshot: str | None
    gold_hash: str | None
    repeats: tuple[int, ...]
    first_started_at: str | None
    registration_hashes: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class Deviation:
    """One way in which what was done is not what was registered."""

    kind: str
    registered: str
    done: str

    def as_json(self) -> dict[str, str]:
        """Return the three texts."""
        return {"kind": self.kind, "registered": self.registered, "done": self.done}


def content_hash(body: Mapping[str, Any]) -> str:
    """Return `sha256:` over the canonical JSON of a registration without its own hash."""
    rest = {key: value for key, value in body.items() if key != "hash"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def register(body: Mapping[str, Any]) -> Registration:
    """Return a registration of these contents, hashed. Raises InputError naming the field at fault."""
    try:
        draft = Registration.model_validate({**body, "hash": "sha256:"}, context={"json": True})
    except ValidationError as error:
        raise InputError(faults(error), where="registration") from None
    return draft.model_copy(update={"hash": content_hash(draft.as_json())})


def write_registration(path: Path, registration: Registration) -> None:
    """Write a registration to a new JSON file. Raises InputError where one exists: it is never overwritten."""
    if path.suffix == ".toml":
        raise InputError("a registration is written as JSON", where=str(path), hint="choose a name ending in .json")
    text = json.dumps(registration.as_json(), ensure_ascii=False, indent=2) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise InputError(
            "the file exists, and a registration is never overwritten", where=str(path), hint="choose another name"
        ) from None


def read_registration(path: Path) -> Registration:
    """Read a registration, JSON or (by its ending) TOML. One that was edited is read: `intact` tells.

    Raises InputError naming file and field.
    """
    try:
        text = path.read_text(encoding="utf-8")
        body = tomllib.loads(text) if path.suffix == ".toml" else loads(text)
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not readable as a registration: {error}", where=str(path)) from None
    try:
        return Registration.model_validate(body, context={"json": True})
    except ValidationError as error:
        raise InputError(faults(error), where=str(path)) from None


def check(
    registration: Registration,
    done: Sequence[Done],
    reported: Mapping[str, str] | None = None,
    *,
    whole: bool = True,
) -> list[Deviation]:
    """Return every deviation of what was done from what was registered; none means it was kept.

    `reported` maps the measures that were reported to their statistic; None leaves them out. Checked
    are: the file's own hash, the hash each run carries, systems, models, corpus, gold, repeats,
    runs begun before the registration, measures that are missing, and those nobody registered.
    With `whole` false, systems that were not run yet are no deviation.
    """
    found: list[Deviation] = []
    if not registration.intact:
        found.append(Deviation("edited", short(registration.hash), short(content_hash(registration.as_json()))))
    for system in done:
        found += _of_system(registration, system)
    asked = {system.recipe_hash for system in done}
    for wanted in registration.systems if whole else ():
        if wanted.hash not in asked:
            found.append(Deviation("system missing", f"{wanted.name} {short(wanted.hash)}", "not run"))
    if reported is not None:
        found += _of_measures(registration, reported)
    return found


def _of_system(registration: Registration, done: Done) -> list[Deviation]:
    found: list[Deviation] = []
    by_hash = {system.hash: system for system in registration.systems}
    system = by_hash.get(done.recipe_hash or "")
    if system is None:
        known = ", ".join(f"{s.name} {short(s.hash)}" for s in registration.systems)
        what = short(done.recipe_hash) if done.recipe_hash else "no recipe recorded"
        found.append(Deviation("recipe", known, f"{done.system} {what}"))
    elif done.model != system.model:
        found.append(Deviation("model", system.model, f"{done.system}: {done.model or 'not recorded'}"))
    for kind, wanted, was in (
        ("corpus snapshot", registration.snapshot, done.snapshot),
        ("gold", registration.gold_hash, done.gold_hash),
    ):
        if was != wanted:
            found.append(Deviation(kind, short(wanted), f"{done.system}: {short(was) if was else 'not recorded'}"))
    if any(repeats != registration.repeats for repeats in done.repeats) or not done.repeats:
        counts = sorted(set(done.repeats))
        shown = "no runs" if not counts else " to ".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
        found.append(Deviation("repeats", str(registration.repeats), f"{done.system}: {shown} a question"))
    began = done.first_started_at
    if began is not None and instant(began) < instant(registration.created_at):
        found.append(Deviation("order", f"written {registration.created_at}", f"{done.system}: first run {began}"))
    strange = {value for value in done.registration_hashes if value != registration.hash}
    if strange:
        shown = ", ".join(sorted(short(value) if value else "none" for value in strange))
        found.append(Deviation("registration of the runs", short(registration.hash), f"{done.system}: {shown}"))
    return found


def _of_measures(registration: Registration, reported: Mapping[str, str]) -> list[Deviation]:
    found: list[Deviation] = []
    for wanted in registration.measures:
        if wanted.name not in reported:
            found.append(Deviation("measure missing", wanted.name, "not reported"))
        elif wanted.statistic is not None and reported[wanted.name] != wanted.statistic:
            found.append(Deviation("statistic", f"{wanted.name}: {wanted.statistic}", reported[wanted.name]))
    registered = {measure.name for measure in registration.measures}
    found += [Deviation("exploratory", "not registered", name) for name in reported if name not in registered]
    return found
