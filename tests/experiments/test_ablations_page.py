"""The figures of docs/ablations.md are those of the recorded results, and the registrations are whole."""

from __future__ import annotations

import json
import re
from pathlib import Path

from answertrail.experiments.compare import family_size
from answertrail.experiments.registration import read_registration
from answertrail.metrics.holm import holm
from answertrail.records.base import instant

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
POOLED = "g_gold, pooled (exploratory)"


def test_the_table_of_the_page_is_that_of_the_results() -> None:
    hybrid, no_loop = json.loads((RESULTS / "ablations.json").read_text())[POOLED]
    page = (ROOT / "docs" / "ablations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (factual|longitudinal) (\w+_recall) \|(.*)\|$", page, re.MULTILINE)
    assert len(rows) == 4
    for tier, name, cells in rows:
        first, second = (found["measures"][f"{tier}/{name}"] for found in (hybrid, no_loop))
        expected = [_rate(first["a"]), _rate(first["b"]), _change(first), _rate(second["b"]), _change(second)]
        assert [cell.strip() for cell in cells.split("|")] == expected


CUT_ANEW = {"sample", "ergo_calls"}
"""Corpora that are cut otherwise than when they were registered, which the page says under its doubts."""


def test_the_registrations_are_as_written_and_nothing_deviates_but_what_the_page_says() -> None:
    results = json.loads((RESULTS / "ablations.json").read_text())
    names = [name for name in results if name != POOLED]
    assert len(names) == 4
    for name in names:
        registration = read_registration(RESULTS / f"ablations_{name}_registration.json")
        assert registration.intact
        assert instant(registration.created_at)
        for found in results[name]:
            assert found["registration"]["hash"] == registration.hash
            deviations = {row["kind"] for row in found["registration"]["deviations"]}
            assert deviations == {"exploratory"} | ({"corpus snapshot"} if name in CUT_ANEW else set())


def test_the_adjusted_p_values_are_over_all_that_was_registered() -> None:
    results = json.loads((RESULTS / "ablations.json").read_text())
    smallest = []
    for name in (name for name in results if name != POOLED):
        tests = family_size(read_registration(RESULTS / f"ablations_{name}_registration.json"), 0)
        assert tests == 8
        for found in results[name]:
            primary = {key: row for key, row in found["measures"].items() if row["primary"]}
            adjusted = holm({key: row["p"] for key, row in primary.items()}, tests)
            assert {key: (row["p_adjusted"], row["family"]) for key, row in primary.items()} == {
                key: (p, tests) for key, p in adjusted.items()
            }
            smallest += [(row["p_adjusted"], row["p"]) for row in primary.values()]
    page = (ROOT / "docs" / "ablations.md").read_text(encoding="utf-8")
    adjusted_p, p = min(smallest)
    assert f"p {p:.3f}, adjusted {adjusted_p:.2f} over the eight" in page


def _rate(value: dict[str, float]) -> str:
    return f"{value['value'] * 100:.1f} % ({value['numerator']}/{value['denominator']})"


def _change(measure: dict[str, dict[str, dict[str, float]]]) -> str:
    found = measure["difference"]
    low, high = found["interval"]["low"], found["interval"]["high"]
    return f"{found['value'] * 100:+.1f} [{low * 100:+.1f}, {high * 100:+.1f}]"  # type: ignore[operator]
