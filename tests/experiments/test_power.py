"""`eval power`: plans that a person can act on, and what is no plan."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError
from answertrail.experiments.power import Design, from_pilot, nearby, needed_for, shown_by
from answertrail.experiments.view.power import tables
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals, measure
from answertrail.metrics.power import binary_questions_needed, paired_power
from answertrail.metrics.values import Undefined

PLAIN = Intervals("none")
SPREAD = Design(spread=0.3)


def pilot(name: str, *counts: tuple[int, int], statistic: str = "means"):
    rows = [Observation(f"q{n:02}", found, units) for n, (found, units) in enumerate(counts)]
    return measure(name, rows, statistic=statistic, intervals=PLAIN)


def test_a_difference_and_its_questions_belong_together():
    plan = shown_by(35, SPREAD)
    assert plan.difference == pytest.approx(0.1462, abs=1e-4)  # 2.8 x 0.3 / sqrt(35), a little more for the t
    assert plan.sentence.startswith("35 questions show a difference of 14.6 points or more with a chance of 80 %")
    assert "does not show that the systems are equal" in plan.sentence
    assert needed_for(plan.difference * 1.0001, SPREAD).questions == 35
    assert "ask 285 questions" in needed_for(0.05, SPREAD).sentence


def test_right_or_wrong_outcomes_by_hand():
    # 20 % differ, 10 points: Connor's formula gives 154.3.
    assert needed_for(0.1, Design(discordant=0.2)).questions == 155
    # 60 % right and 70 %: failing independently 0.6 x 0.3 + 0.7 x 0.4 = 46 % of the questions differ.
    assert needed_for(0.1, Design(baseline=0.6)).questions == binary_questions_needed(0.1, 0.46)


@given(st.integers(20, 3000), st.floats(0.02, 0.95))
@settings(max_examples=40, deadline=None)
def test_what_is_shown_above_a_baseline_needs_no_more_questions_and_is_possible(questions, baseline):
    design = Design(baseline=baseline)
    found = shown_by(questions, design).difference
    if isinstance(found, Undefined):
        assert needed_for((1 - baseline) * 0.999, design).questions > questions - 2
    else:
        assert 0 < found <= 1 - baseline
        assert needed_for(min(found * 1.001, (1 - baseline) * 0.9999), design).questions <= questions


def test_more_questions_show_less_and_neighbours_say_how_much():
    plans = nearby(shown_by(40, SPREAD))
    assert [plan.questions for plan in plans] == [20, 40, 80, 160]
    assert [plan.difference for plan in plans] == sorted((plan.difference for plan in plans), reverse=True)
    around = nearby(needed_for(0.3, Design(baseline=0.5)))
    assert [round(plan.difference, 2) for plan in around] == [0.15, 0.3]  # 60 points above 50 % do not exist
    [table] = tables(shown_by(40, SPREAD))
    assert [row[0] for row in table.rows] == [20, 40, 80, 160]
    assert table.notes[0] == shown_by(40, SPREAD).sentence


def test_too_few_questions_show_nothing_and_say_so():
    plan = shown_by(2, Design(spread=0.9))
    assert isinstance(plan.difference, Undefined)
    assert plan.sentence.startswith("2 questions cannot show any difference")
    assert plan.as_json()["difference"] == {"undefined": plan.difference.reason}
    assert isinstance(shown_by(4, Design(baseline=0.8)).difference, Undefined)
    assert isinstance(shown_by(10, Design(discordant=0.1)).difference, Undefined)


def test_a_pilot_gives_the_spread_of_its_differences():
    first = pilot("recall@5", (0, 2), (0, 2), (0, 2), (1, 0 + 1))
    second = pilot("recall@5", (0, 2), (1, 2), (2, 2), (1, 1))
    design, common = from_pilot(first, second)
    assert (common, design.spread) == (4, pytest.approx(np.std([0, 0.5, 1, 0], ddof=1)))
    assert "a pilot of 4 questions, recall@5" in design.source
    [table] = tables(shown_by(common, design))
    assert any("only roughly" in note for note in table.notes)


def test_a_pilot_of_a_pooled_measure_weighs_questions_by_their_units():
    counts = [(n % 3, 2 + n % 4) for n in range(30)], [((n + 1) % 3, 2 + n % 4) for n in range(30)]
    means = from_pilot(*(pilot("recall", *rows) for rows in counts))[0].spread
    totals = from_pilot(*(pilot("recall", *rows, statistic="totals") for rows in counts))[0].spread
    assert means != pytest.approx(totals, rel=1e-3)


def test_a_pilot_finds_what_was_planned_for():
    """2,000 comparisons of the planned size and difference: about 80 % of them show it."""
    rng, plan = np.random.default_rng(3), needed_for(0.1, SPREAD)
    differences = rng.normal(0.1, 0.3, size=(2000, plan.questions))
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / math.sqrt(plan.questions))
    assert (np.abs(t) > 1.993).mean() == pytest.approx(0.8, abs=0.03)  # t at 72 degrees of freedom
    assert paired_power(plan.questions, 0.1, 0.3) >= 0.8 > paired_power(plan.questions - 1, 0.1, 0.3)


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: shown_by(0, SPREAD), "--questions-n"),
        (lambda: shown_by(1, SPREAD), "--questions-n"),
        (lambda: shown_by(10**12, SPREAD), "--questions-n"),
        *((lambda d=d: needed_for(d, SPREAD), "--difference") for d in (0, 1, -0.1, 5, math.nan, math.inf)),
        (lambda: needed_for(0.3, Design(discordant=0.2)), "--difference"),
        (lambda: needed_for(0.5, Design(baseline=0.6)), "--difference"),
        (lambda: needed_for(0.1, Design(baseline=0.95, discordant=0.2)), "--difference"),
        (lambda: needed_for(0.1, Design(baseline=0.01, discordant=0.5)), "--difference"),
        *((lambda s=s: Design(spread=s), "--spread") for s in (0, -1, 1.5, math.nan, math.inf)),
        *((lambda p=p: Design(spread=0.3, power=p), "--power") for p in (0, 1, math.nan)),
        *((lambda a=a: Design(spread=0.3, alpha=a), "--alpha") for a in (0, 1, math.nan)),
        (lambda: Design(spread=0.3, power=0.05, alpha=0.1), "--power"),
        *((lambda p=p: Design(discordant=p), "--discordant") for p in (0, 1.1, math.nan)),
        *((lambda p=p: Design(baseline=p), "--baseline") for p in (0, 1, math.nan)),
    ],
)
def test_nonsense_is_refused_by_the_option_it_came_from(call, where):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.where == where


def test_a_pilot_without_differences_or_of_two_measures_is_refused():
    same = pilot("recall", (1, 2), (0, 2), (2, 2))
    with pytest.raises(InputError, match="no spread"):
        from_pilot(same, same)
    with pytest.raises(InputError, match="different things"):
        from_pilot(same, pilot("mrr", (1, 2), (0, 2)))
    with pytest.raises(InputError, match="nothing says"):
        Design()
    repeated = measure("recall", [*same.observations, Observation("q00", 0, 2, 1)], statistic="means", intervals=PLAIN)
    with pytest.raises(InputError, match="unequal repeats"):
        from_pilot(same, repeated)
