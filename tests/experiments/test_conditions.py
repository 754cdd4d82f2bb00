"""What a result was made under, and that mixing and unknowns are seen."""

from __future__ import annotations

import pytest

from answertrail.errors import MismatchError
from answertrail.experiments.conditions import conditions_of, differences
from answertrail.experiments.judges import family_note, judge_of
from answertrail.experiments.systems import by_system
from tests.experiments.made import MODELS, RECIPE, question, questions, run, verdict


def test_conditions_of_runs_name_recipe_model_corpus_embedder_code_gold_and_judge() -> None:
    gold, one = questions("a"), run("a", meta={"evaluation": {"prompt_hash": "sha256:pppp"}})
    found = conditions_of([one], gold, [verdict(one, "n", "HIT")])
    assert {c.name: c.value for c in found.conditions} == {
        "recipe": "sha256:aaaa",
        "prompt": "sha256:pppp",
        "model": "reader",
        "corpus": "sha256:cccc",
        "embedder": "fast@1/64",
        "code": "0.1.0 abc False",
        "gold": gold.hash,
        "judge": "embedded",
    }
    assert found.system == "base"


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"recipe": {**RECIPE, "hash": "sha256:bbbb"}}, "recipe"),
        ({"models": {**MODELS, "agent": "openai:x"}}, "model"),
        ({"models": {**MODELS, "reranker": "other"}}, "model"),
        ({"corpus": {"name": "kiln", "snapshot": "sha256:dddd"}}, "corpus"),
        ({"models": {**MODELS, "embedder": "other"}}, "embedder"),
        ({"code": {"version": "0.2.0"}}, "code"),
    ],
)
def test_runs_that_mix_conditions_are_refused_and_named(more: dict[str, object], name: str) -> None:
    rows = [run("a"), run("b", **more)]
    with pytest.raises(MismatchError, match=name):
        conditions_of(rows)
    assert conditions_of(rows, allow_mixed=[name]).get(name).shown.startswith("mixed: ")  # type: ignore[arg-type]
    assert [d.name for d in differences(conditions_of(rows[:1]), conditions_of(rows[1:]))] == [name]


def test_what_is_not_recorded_is_not_taken_for_equal() -> None:
    (difference,) = differences(conditions_of([run("a")]), conditions_of([run("a", code=None)]))
    assert (difference.name, difference.unknown) == ("code", True)


def test_systems_are_told_apart_by_recipe_and_model() -> None:
    rows = [run("a"), run("a", models={**MODELS, "agent": "openai:x"}), run("b"), run("a", recipe=None, models=None)]
    assert {name: len(several) for name, several in by_system(rows).items()} == {
        "base": 2,
        "base openai:x": 1,
        "unnamed": 1,
    }
    twins = by_system([run("a"), run("a", recipe={**RECIPE, "hash": "sha256:bbbb"})])
    assert list(twins) == ["base sha256:aaaa", "base sha256:bbbb"]
    readers = by_system([run("a"), run("a", models={"agent": "embedded:reader"})])
    assert [len(rows) for rows in readers.values()] == [1, 1]


def test_a_model_of_any_role_makes_another_system() -> None:
    rows = [run("a"), *(run("a", models={**MODELS, "reranker": name}) for name in ("one", "two"))]
    assert list(by_system(rows)) == ["base", "base reader; reranker: one", "base reader; reranker: two"]
    assert [conditions_of([row]).get("model").value for row in rows] == [
        "reader",
        "reader; reranker: one",
        "reader; reranker: two",
    ]


def test_a_run_that_was_asked_other_words_is_refused() -> None:
    gold = questions("a")
    conditions_of([run("a", question="What  of a?")], gold)
    with pytest.raises(MismatchError, match="now reads"):
        conditions_of([run("a", question="What of b?")], gold)


def test_two_judges_in_one_direction_are_refused_and_one_a_direction_is_named() -> None:
    one = run("a")
    hit = verdict(one, "n", "HIT")
    assert judge_of([]) is None
    with pytest.raises(MismatchError, match="two judges"):
        judge_of([hit, verdict(one, "m", "HIT", judge={"name": "other"})])
    with pytest.raises(MismatchError, match="two judges"):
        judge_of([hit, verdict(one, "m", "HIT", judge={"name": "embedded", "prompt_hash": "sha256:1"})])
    cited = verdict(one, "c", "HIT", direction="citation", judge={"name": "lexical"})
    assert judge_of([hit, cited]) == "citation: lexical; recall: embedded"


def test_a_judge_of_the_agents_family_is_noted() -> None:
    one = run("a", models={**MODELS, "family": "openai"})
    assert family_note([one], [verdict(one, "n", "HIT", judge={"name": "j", "family": "anthropic"})]) is None
    note = family_note([one], [verdict(one, "n", "HIT", judge={"name": "j", "family": "openai"})])
    assert note is not None
    assert "openai" in note


def test_the_artefact_follows_the_system_and_not_the_gold_or_the_judge() -> None:
    one = run("a")
    assert (
        conditions_of([one]).artefact == conditions_of([run("b")], questions("a"), [verdict(one, "n", "HIT")]).artefact
    )
    assert conditions_of([one]).artefact != conditions_of([run("a", recipe={**RECIPE, "hash": "x"})]).artefact
    assert question("a").question == "What of a?"
