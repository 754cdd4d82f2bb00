"""The ablation of the default recipe's switches: what it compares and what it prints."""

from __future__ import annotations

from benchmarks.switches import MEASURES, recipes, registration, report

from answertrail.experiments.registration import register
from answertrail.metrics.measured import Intervals


def test_every_copy_differs_from_the_default_in_one_setting_alone():
    found = recipes()
    default = found.pop("default").model_dump()
    assert len({recipe.hash for recipe in found.values()}) == len(found)
    for name, recipe in found.items():
        changed = [
            (part, key)
            for part in ("search", "loop", "checks", "model")
            for key, value in recipe.model_dump()[part].items()
            if value != default[part][key]
        ]
        assert len(changed) == 1, name
        assert changed[0][1] in name or name.startswith("mode ")


def sets(systems, switched):
    """Ten questions of four windows each: three found by the default, `switched` by every other recipe."""
    return {
        "g_gold/a": {
            name: {"hash": recipe.hash, "shown": 40.0, "failed": []}
            | {measure: [[f"q{n}", 3 if name == "default" else switched, 4] for n in range(10)] for measure in MEASURES}
            for name, recipe in systems.items()
        }
    }


def test_the_table_pairs_by_question_and_corrects_for_the_number_of_switches():
    systems = recipes()
    told = report(sets(systems, 1), registration({"g_gold/a": "sha256:x"}, systems, "minilm"), Intervals(resamples=200))
    assert "| default | 0.750 |  |  | 40.0 |" in told
    row = next(line for line in told.splitlines() if line.startswith("| mode dense |"))
    # Ten of ten questions worse: p = 2 / 2^10, times the number of switches.
    assert f"| 0.250 | -0.500 | {2 / 2**10 * (len(systems) - 1):.3f} |" in row
    assert "Not as registered" not in told


def test_a_recipe_that_was_not_registered_is_named():
    systems = recipes()
    known = registration({"g_gold/a": "sha256:x"}, {"default": systems["default"]}, "minilm")
    told = report(sets(systems, 3), known, Intervals(resamples=200))
    assert "**Not as registered**" in told
    assert "g_gold/a: without timeline" in told
    edited = register({**known.as_json(), "question": "Another?"}).model_copy(update={"hash": known.hash})
    assert "the registration was edited" in report({}, edited, Intervals())
