"""Recipes: frozen settings, told apart by a hash, refused with the name of file and setting."""

from __future__ import annotations

import json
import shutil
import tomllib
from importlib import resources
from typing import Any

import pytest

from answertrail.agent.recipe import Recipe, built_in, load, parse
from answertrail.errors import InputError, NotFoundError
from answertrail.search import modes as search_modes

FOLDER = resources.files("answertrail.recipes")


def flat(value: Any, path: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {k: v for key, item in value.items() for k, v in flat(item, f"{path}.{key}".strip(".")).items()}
    return {path: value}


def settings(name: str) -> dict[str, Any]:
    return flat(load(name).model_dump(mode="json"))


def source(name: str = "default") -> str:
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def test_the_four_built_in_recipes_load_under_their_own_names():
    assert built_in() == ["answertrail-2026", "default", "hybrid", "no-loop"]
    for name in built_in():
        recipe = load(name)
        assert recipe.name == name
        assert recipe.prompt_text.strip()
        assert recipe.ref.name == name
        assert recipe.ref.hash == recipe.hash
        assert recipe.hash.startswith("sha256:")
        assert len(recipe.hash) == 7 + 64


@pytest.mark.parametrize(("name", "setting"), [("hybrid", "search.mode"), ("no-loop", "loop.explore")])
def test_an_ablation_changes_one_setting_of_the_articles_agent_and_nothing_of_the_prompt(name, setting):
    base, ablation = settings("answertrail-2026"), settings(name)
    assert set(base) == set(ablation)
    assert {key for key in base if base[key] != ablation[key]} == {"name", setting}
    assert load(name).prompt_text == load("answertrail-2026").prompt_text


def test_the_articles_agent_is_dense_top_ten_with_the_existence_check_alone():
    recipe = load("answertrail-2026")
    assert (recipe.search.mode, recipe.search.k, recipe.search.hold_back_seen) == ("dense", 10, False)
    assert [k for k, v in recipe.checks.model_dump().items() if v == "reject"] == ["exists"]
    assert load("hybrid").search.mode == "hybrid"
    assert load("no-loop").loop.explore is False


def test_the_default_rejects_by_the_first_four_checks_and_flags_the_fifth():
    assert load("default").checks.model_dump() == {
        "exists": "reject", "retrieved": "reject", "in_bounds": "reject", "cited": "reject", "supported": "flag",
    }  # fmt: skip
    loop = load("default").loop
    assert (loop.max_steps, loop.min_distinct_searches, loop.max_ready_rejections, loop.max_submit_attempts) == (
        15,
        2,
        3,
        3,
    )


MODES = ["dense", "lexical", "hybrid", "fused", "near", "timeline", "diverse", "spread", "fused+terms", "lexical+terms"]


@pytest.mark.parametrize("mode", MODES)
def test_a_recipe_may_search_in_every_mode_there_is(mode):
    recipe = parse(source().replace('mode = "fused"', f'mode = "{mode}"'), where="mine")
    assert recipe.search.mode == mode
    assert {name.partition("+")[0] for name in MODES} == set(search_modes.MODES)


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("fuzzy", "no search mode 'fuzzy'; known: dense,"),
        ("", "no search mode ''"),
        ("fused+magic", "no reranker 'magic'; known: terms"),
        ("timeline+terms", "timeline cannot be reranked"),
        ("Fused", "no search mode 'Fused'"),
    ],
)
def test_a_mode_that_is_none_is_refused_with_the_known_ones(mode, told):
    with pytest.raises(InputError) as caught:
        parse(source().replace('mode = "fused"', f'mode = "{mode}"'), where="mine")
    assert caught.value.message.startswith("search.mode: ")
    assert told in caught.value.message


# --- the hash ---------------------------------------------------------------------------------------


def another(value: Any) -> Any:
    """Another allowed value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case "reject":
            return "flag"
        case "flag":
            return "reject"
        case "fused":
            return "hybrid"
        case "low":
            return "medium"
        case None:
            return 1
    return value + "x"


def test_the_hash_changes_with_each_setting_and_with_the_prompt_and_not_with_the_name():
    recipe = load("default")
    base = recipe.model_dump(mode="json")
    hashes = {recipe.hash}
    changed = 0
    for key in flat(base):
        data = json.loads(json.dumps(base))
        *parents, last = key.split(".")
        place = data
        for step in parents:
            place = place[step]
        place[last] = another(place[last])
        if key == "model.temperature":
            place[last] = 0.5
        other = Recipe.model_validate(data)
        if key in {"name", "version"}:
            assert other.hash == recipe.hash
            continue
        hashes.add(other.hash)
        changed += 1
    assert changed == len(flat(base)) - 2 > 15
    assert len(hashes) == changed + 1
    assert "prompt_text" in base


MEASURED = {
    "answertrail-2026": "f462bd60e445071bd214849bc80b029efbdaa59a63f8def29aba800c9b5e1058",
    "hybrid": "f05cb9860156bf671844752fb7c19595904e9b39471817889f6523c3298c6f3f",
    "no-loop": "86be49c7c99a90ba5b8e5d595688f308efbc9dad9836bce71d9923d5e7611517",
}


@pytest.mark.parametrize("name", MEASURED)
def test_recipes_measured_before_there_were_tools_for_time_keep_their_hash(name):
    assert load(name).hash == f"sha256:{MEASURED[name]}"


SWITCHES = {"search": ("timeline", "read_around"), "loop": ("ready_coverage", "two_step")}


def test_each_switch_changes_the_hash_and_off_is_what_was_there_before():
    base = tomllib.loads(source("answertrail-2026"))
    hashes = {load("answertrail-2026").hash}
    for table, names in SWITCHES.items():
        for name in names:
            lines = source("answertrail-2026").splitlines()
            place = lines.index(f"[{table}]") + 1
            assert name not in base[table]
            off = parse("\n".join([*lines[:place], f"{name} = false", *lines[place:]]), where="mine")
            on = parse("\n".join([*lines[:place], f"{name} = true", *lines[place:]]), where="mine")
            assert off.hash == load("answertrail-2026").hash
            hashes.add(on.hash)
    assert len(hashes) == 5


def test_the_default_has_every_switch_on_and_the_ablations_none():
    for table, names in SWITCHES.items():
        assert all(getattr(getattr(load("default"), table), name) for name in names)
        for other in MEASURED:
            assert not any(getattr(getattr(load(other), table), name) for name in names)


def test_the_hash_does_not_depend_on_key_order_comments_or_spacing(tmp_path):
    data = tomllib.loads(source())
    lines = [f'{key} = "{data[key]}"' for key in ("version", "prompt", "name")]
    for table in ("model", "checks", "loop", "search"):
        lines.append(f"\n[{table}] # shuffled")
        lines += [f"{key}   = {json.dumps(value)}" for key, value in reversed(data[table].items())]
    assert parse("\n".join(lines), where="shuffled").hash == load("default").hash


def test_two_recipes_with_the_same_settings_have_the_same_hash_and_the_built_in_ones_differ():
    assert load("default").hash == load("default").hash
    assert len({load(name).hash for name in built_in()}) == 4


def test_a_recipe_cannot_be_changed_once_loaded():
    recipe = load("default")
    with pytest.raises(ValueError):
        recipe.search.k = 20


# --- files and faults -----------------------------------------------------------------------------------


def test_a_recipe_file_is_read_with_a_prompt_beside_it(tmp_path):
    (tmp_path / "mine.md").write_text("Answer in verse.\n", encoding="utf-8")
    path = tmp_path / "verse.toml"
    path.write_text(source().replace('prompt = "research-2"', 'prompt = "mine"'), encoding="utf-8")
    recipe = load(str(path))
    assert recipe.prompt_text == "Answer in verse."
    assert recipe.hash != load("default").hash


def test_a_copy_of_a_built_in_recipe_has_its_hash(tmp_path):
    shutil.copy(str(FOLDER / "default.toml"), tmp_path / "copy.toml")
    assert load(str(tmp_path / "copy.toml")).hash == load("default").hash


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(NotFoundError) as caught:
        load("defualt")
    assert "defualt" in caught.value.message
    assert all(name in caught.value.hint for name in built_in())


def test_a_missing_file_is_named(tmp_path):
    path = str(tmp_path / "none.toml")
    with pytest.raises(NotFoundError) as caught:
        load(path)
    assert caught.value.where == path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.replace("k = 10", "k = 10\ntopk = 3"), "search.topk: unknown field"),
        (lambda t: t.replace("k = 10", "k = 21"), "search.k: "),
        (lambda t: t.replace("k = 10", "k = 0"), "search.k: "),
        (lambda t: t.replace("k = 10", 'k = "10"'), "search.k: "),
        (lambda t: t.replace("k = 10\n", ""), "search.k: required field is missing"),
        (lambda t: t.replace('exists = "reject"', 'exists = "drop"'), "checks.exists: "),
        (lambda t: t.replace("max_steps = 15", "max_steps = 0"), "loop.max_steps: "),
        (lambda t: t.replace("explore = true", "explore = 1"), "loop.explore: "),
        (lambda t: t + "\n[extra]\nx = 1\n", "extra: unknown field"),
        (lambda t: t.replace("k = 10", "k = = 10"), "not valid TOML"),
        (lambda t: t.replace("k = 10", "k = 10\nk = 11"), "not valid TOML"),
        (lambda t: t.replace('prompt = "research-2"', ""), "prompt: name a prompt file"),
        (lambda t: t.replace('prompt = "research-2"', "prompt = 3"), "prompt: name a prompt file"),
        (lambda t: t.replace('prompt = "research-2"', 'prompt = "nowhere"'), "no prompt 'nowhere'"),
        (lambda t: 'prompt_text = "Obey."\n' + t, "prompt_text is not a setting"),
    ],
)
def test_a_faulty_recipe_names_the_file_and_the_setting(tmp_path, change, told):
    changed = change(source())
    assert changed != source()
    path = tmp_path / "mine.toml"
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(str(path))
    assert told in caught.value.message
    assert caught.value.where == str(path)


def test_a_folder_or_bytes_that_are_no_text_are_named(tmp_path):
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"name = '\xff\xfe'")
    for path in (folder, binary):
        with pytest.raises(InputError) as caught:
            load(str(path))
        assert caught.value.where == str(path)
