"""What a result was made under, and what differs between two results.

A number says little without its recipe, model, corpus, program, gold and judge. What is not
recorded is `None` (imported runs often say little) and is listed, never taken for equal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from answertrail.agent.recipe import Recipe
from answertrail.errors import MismatchError
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.judges import judge_of
from answertrail.experiments.systems import model_of, short, system_of
from answertrail.metrics.values import Json
from answertrail.records import RetrievalRun, Run, Verdict
from answertrail.records.run import CodeRef, RecipeRef

Name = Literal["recipe", "prompt", "model", "corpus", "embedder", "code", "gold", "judge"]
NAMES: tuple[Name, ...] = get_args(Name)
OF_THE_SYSTEM: tuple[Name, ...] = ("recipe", "model", "corpus", "embedder", "code")
META = "evaluation"
"""Key of a run's `meta` under which `eval run` writes what the record has no field for."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition: `value` is compared (None is not recorded), `shown` is printed."""

    name: Name
    value: str | None
    shown: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """Everything one result was made under. `system` is its name in tables.

    `content` names the records themselves where they say too little of their system.
    """

    system: str
    conditions: tuple[Condition, ...]
    content: str | None = None

    def get(self, name: Name) -> Condition:
        """Return a condition; one that is not there is not recorded."""
        return next((c for c in self.conditions if c.name == name), Condition(name, None, "not recorded"))

    @property
    def artefact(self) -> str:
        """`sha256:` over what makes the system: recipe, model, corpus, embedder, code, or over `content`."""
        return self.content or _digest({name: self.get(name).value for name in OF_THE_SYSTEM})

    def as_json(self) -> Json:
        """Return the system's name and each condition as compared and as shown."""
        return {"system": self.system, **{c.name: {"value": c.value, "shown": c.shown} for c in self.conditions}}


@dataclass(frozen=True, slots=True)
class Difference:
    """A condition that two results do not share, or that one of them does not say."""

    name: Name
    first: Condition
    second: Condition

    @property
    def unknown(self) -> bool:
        """Whether one side does not say, so that nothing can be told."""
        return self.first.value is None or self.second.value is None


def prompt_hash(recipe: Recipe) -> str:
    """Return `sha256:` over a recipe's prompt text. The recipe's own hash covers it too."""
    return "sha256:" + hashlib.sha256(recipe.prompt_text.encode("utf-8")).hexdigest()


def conditions_of(
    runs: Sequence[Run],
    questions: QuestionSet | None = None,
    verdicts: Sequence[Verdict] = (),
    *,
    allow_mixed: Collection[str] = (),
) -> Conditions:
    """Return the conditions all runs share. The model is that of every role the runs name, not the agent's alone.

    Raises MismatchError, naming the condition and two of its values, when the runs mix recipes,
    models, corpora, embedders or programs (unless allowed), when a run was asked another text
    than the gold's, and when one direction was judged by two judges.
    """
    if questions is not None:
        check_asked(runs, questions)
    found = [
        _shared("recipe", [_recipe(run.recipe) for run in runs], allow_mixed),
        _shared("prompt", [_meta(run, "prompt_hash") for run in runs], allow_mixed),
        _shared("model", [_said(model_of(run)) for run in runs], allow_mixed),
        _shared("corpus", [_corpus(run) for run in runs], allow_mixed),
        _shared("embedder", [_said((run.models or {}).get("embedder")) for run in runs], allow_mixed),
        _shared("code", [_code(run.code) for run in runs], allow_mixed),
    ]
    if questions is not None:
        found.append(Condition("gold", questions.hash, short(questions.hash)))
    judge = judge_of(verdicts)
    found.append(Condition("judge", judge, judge or "none"))
    return Conditions(system_of(runs[0]) if runs else "unnamed", tuple(found))


def retrieval_conditions(rankings: Sequence[RetrievalRun], questions: QuestionSet | None = None) -> Conditions:
    """Return the conditions of one mode's rankings, as far as `meta.corpus` and `meta.embedder` tell."""
    corpora: list[tuple[str | None, str]] = []
    embedders: list[tuple[str | None, str]] = []
    for ranking in rankings:
        meta = ranking.meta or {}
        corpus = meta.get("corpus")
        snapshot = corpus.get("snapshot") if isinstance(corpus, dict) else meta.get("snapshot")
        corpora.append(_said(snapshot))
        embedders.append(_said(meta.get("embedder")))
    found = [_shared("corpus", corpora, ()), _shared("embedder", embedders, ())]
    if questions is not None:
        found.append(Condition("gold", questions.hash, short(questions.hash)))
    mode = rankings[0].mode if rankings else "unnamed"
    lists = sorted([row.question_id, str(row.repeat or 0), *(unit.id for unit in row.ranked)] for row in rankings)
    content = None if found[0].value else _digest([mode, lists])
    return Conditions(mode, (Condition("recipe", mode, f"mode {mode}"), *found), content)


def artefact_of(runs: Sequence[Run]) -> str:
    """Return the artefact of one system's runs; of runs that name no recipe it is made of their ids."""
    found = conditions_of(runs, allow_mixed=NAMES)
    return found.artefact if found.get("recipe").value else _digest(sorted(run.run_id for run in runs))


def planned(
    recipe: Recipe, model: str, corpus: tuple[str, str], embedder: str, code: CodeRef, questions: QuestionSet
) -> Conditions:
    """Return the conditions of runs still to be made; `corpus` is its name and snapshot."""
    name, snapshot = corpus
    prompt = prompt_hash(recipe)
    recipe_value, recipe_shown = _recipe(recipe.ref)
    code_value, code_shown = _code(code)
    return Conditions(
        recipe.name,
        (
            Condition("recipe", recipe_value, recipe_shown),
            Condition("prompt", prompt, short(prompt)),
            Condition("model", model, model),
            Condition("corpus", snapshot, f"{name} {short(snapshot)}"),
            Condition("embedder", embedder, embedder),
            Condition("code", code_value, code_shown),
            Condition("gold", questions.hash, short(questions.hash)),
        ),
    )


def differences(first: Conditions, second: Conditions) -> tuple[Difference, ...]:
    """Return the conditions that are not known to be equal; those neither side records are left out."""
    out = []
    for name in NAMES:
        a, b = first.get(name), second.get(name)
        if a.value != b.value:
            out.append(Difference(name, a, b))
    return tuple(out)


def check_asked(runs: Iterable[Run], questions: QuestionSet) -> None:
    """Raise MismatchError when a run was asked another text than the question of its id has now."""
    gold = questions.by_id
    for run in runs:
        question = gold.get(run.question_id or "")
        if question is not None and " ".join(question.question.split()) != " ".join(run.question.split()):
            raise MismatchError(
                f"question {question.question_id!r} now reads {question.question[:80]!r}, "
                f"the run was asked {run.question[:80]!r}",
                where=run.run_id,
                hint="score it with the questions it was asked, or ask again",
            )


def _shared(name: Name, values: Sequence[tuple[str | None, str]], allow_mixed: Collection[str]) -> Condition:
    distinct = dict(values)
    if len(distinct) == 1:
        return Condition(name, *next(iter(distinct.items())))
    if not distinct:
        return Condition(name, None, "not recorded")
    shown = list(distinct.values())
    if name not in allow_mixed:
        raise MismatchError(
            f"the runs were made under {len(distinct)} different conditions ({name}): {shown[0]} and {shown[1]}",
            hint="write each system's runs to a file of its own, or name one as FILE#SYSTEM",
        )
    return Condition(name, "mixed " + _digest(sorted(map(str, distinct))), "mixed: " + ", ".join(shown))


def _recipe(recipe: RecipeRef | None) -> tuple[str | None, str]:
    if recipe is None:
        return None, "not recorded"
    return recipe.hash, " ".join(part for part in (recipe.name, recipe.version, short(recipe.hash)) if part)


def _code(code: CodeRef | None) -> tuple[str | None, str]:
    if code is None:
        return None, "not recorded"
    sha = f" {code.git_sha[:12]}" if code.git_sha else ""
    dirty = " with uncommitted changes" if code.dirty else ""
    return f"{code.version} {code.git_sha} {code.dirty}", f"{code.version}{sha}{dirty}"


def _corpus(run: Run) -> tuple[str | None, str]:
    if run.corpus is None:
        return None, "not recorded"
    return run.corpus.snapshot, f"{run.corpus.name} {short(run.corpus.snapshot)}"


def _meta(run: Run, key: str) -> tuple[str | None, str]:
    noted = (run.meta or {}).get(META)
    value, shown = _said(noted.get(key) if isinstance(noted, dict) else None)
    return value, short(shown) if value else shown


def _said(value: object) -> tuple[str | None, str]:
    return (str(value), str(value)) if value else (None, "not recorded")


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
