"""Recipes: the frozen settings of a run, and the hash that names them."""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from answertrail.errors import InputError, NotFoundError
from answertrail.records.jsonl import faults
from answertrail.records.run import RecipeRef

Action = Literal["reject", "flag"]
Positive = Annotated[int, Field(ge=1)]


class _Frozen(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _known_mode(name: str) -> str:
    from answertrail.search.modes import mode_named  # what it loads is not needed to read a recipe's name

    try:
        return mode_named(name).name
    except (InputError, NotFoundError) as error:
        raise ValueError(f"{error.message}; {error.hint}") from None


class SearchSettings(_Frozen):
    """How the search tools work.

    `mode` is any mode of the search layer, `MODE+RERANKER` too, and `k` how many chunks a search
    gives unless the model asks for another number up to 20; `hold_back_seen` leaves out what this
    run was already shown; `report_terms` tells how many chunks hold each query term; `date_filter`
    offers `from` and `to`. `timeline` offers `search_timeline`, `read_around` the tool of that name.
    `translate` has the author model put every query into the corpus's languages, to be searched beside
    the original. `wordings`, `like`, `spread` and `meaning` offer arguments of the searches: other
    words for the same question, passages that others are to be like, and two other orders.

    A setting with a default came later than the rest and counts in the hash only where it differs
    from it, so that a recipe that does not use it keeps its hash. So it is in `LoopSettings`.
    """

    mode: Annotated[str, AfterValidator(_known_mode)]
    k: Annotated[int, Field(ge=1, le=20)]
    hold_back_seen: bool
    report_terms: bool
    date_filter: bool
    timeline: bool = False
    read_around: bool = False
    translate: bool = False
    wordings: bool = False
    like: bool = False
    spread: bool = False
    meaning: bool = False


class LoopSettings(_Frozen):
    """The guards. `explore` false means one retrieval on the raw question and one closing turn.

    `ready_coverage` makes `mark_ready` answer with what was shown of each period, and hands it back
    once on a question over time when periods were never looked at. `two_step` asks for a dated
    table before the answer to such a question, and the answer then carries its coverage.
    """

    explore: bool
    max_steps: Positive
    min_distinct_searches: Annotated[int, Field(ge=0)]
    max_ready_rejections: Positive
    max_submit_attempts: Positive
    max_nudges: Annotated[int, Field(ge=0)]
    context_chars: Positive
    ready_coverage: bool = False
    two_step: bool = False


class CheckSettings(_Frozen):
    """What a failed citation check does: `reject` returns the answer to the model, `flag` records."""

    exists: Action
    retrieved: Action
    in_bounds: Action
    cited: Action
    supported: Action


class ModelSettings(_Frozen):
    """What is asked of the chat model; None leaves the provider's default."""

    effort: Literal["none", "minimal", "low", "medium", "high"] | None = None
    temperature: float | None = None
    max_tokens: int | None = None


_GROWN = ("search", "loop")
"""Tables whose settings with a default came after recipes had been measured."""


class Recipe(_Frozen):
    """A frozen agent. `prompt` names a file of the recipes folder; `prompt_text` is its content."""

    name: str
    version: str
    prompt: str
    prompt_text: str
    search: SearchSettings
    loop: LoopSettings
    checks: CheckSettings
    model: ModelSettings = ModelSettings()

    @property
    def hash(self) -> str:
        """`sha256:` over the canonical JSON of every setting, the prompt and the tools as offered."""
        from answertrail.agent.tools import offered_tools

        body = self.model_dump(mode="json", exclude={"name", "version"})
        body |= {table: getattr(self, table).model_dump(mode="json", exclude_defaults=True) for table in _GROWN}
        body["tools"] = offered_tools(self)
        text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()

    @property
    def ref(self) -> RecipeRef:
        """How a run names this recipe."""
        return RecipeRef(name=self.name, version=self.version, hash=self.hash)


def built_in() -> list[str]:
    """Return the names of the recipes inside the package, sorted."""
    folder = resources.files("answertrail.recipes")
    return sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))


def load(name: str) -> Recipe:
    """Load a recipe by the name of a built-in one or the path of a TOML file.

    Raises NotFoundError listing the known names, InputError naming file and setting.
    """
    path = Path(name)
    if name.endswith(".toml"):
        try:
            text, where = path.read_text(encoding="utf-8"), str(path)
        except FileNotFoundError:
            raise NotFoundError("no such recipe file", where=name) from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the recipe: {error}", where=name) from None
    elif name in built_in():
        where = f"recipe {name}"
        text = (resources.files("answertrail.recipes") / f"{name}.toml").read_text(encoding="utf-8")
    else:
        known = ", ".join(built_in())
        raise NotFoundError(f"no recipe {name!r}", hint=f"known: {known}; or a path ending in .toml")
    return parse(text, where=where, beside=path.parent if name.endswith(".toml") else None)


def parse(text: str, *, where: str, beside: Path | None = None) -> Recipe:
    """Build a recipe from TOML; a prompt that is no built-in one is read from the file's folder."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not valid TOML: {error}", where=where) from None
    if "prompt_text" in data:
        raise InputError("prompt_text is not a setting; name a prompt file", where=where)
    try:
        return Recipe.model_validate({**data, "prompt_text": _prompt(data.get("prompt"), beside, where)})
    except ValidationError as error:
        raise InputError(faults(error), where=where) from None


def _prompt(name: object, beside: Path | None, where: str) -> str:
    if not isinstance(name, str):
        raise InputError("prompt: name a prompt file", where=where)
    packaged = resources.files("answertrail.recipes") / "prompts" / f"{name}.md"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8").strip()
    local = beside / f"{name}.md" if beside else None
    if local and local.is_file():
        return local.read_text(encoding="utf-8").strip()
    raise NotFoundError(f"no prompt {name!r}", where=where, hint="put NAME.md beside the recipe")
