"""Complaints made in public about the statistics of evaluation tools, each as a test of ours.

The numbers are those of the project's list of complaints; the docstring says what went wrong elsewhere.
"""

from __future__ import annotations

import copy
import hashlib
import subprocess
import sys

import numpy as np
import pytest

from answertrail.metrics.agreement import agreement, cohen_kappa, gwet_ac1
from answertrail.metrics.alpha import krippendorff_alpha
from answertrail.metrics.bootstrap import mean_of_ratios, ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import measure
from answertrail.metrics.paired import paired_difference
from answertrail.metrics.permutation import sign_flip
from answertrail.metrics.seeds import seed_of
from answertrail.metrics.tables import table_of
from answertrail.metrics.values import Interval, Undefined

LABELS = ("HIT", "MISS")


def system(seed: int, questions: int = 30, repeats: int = 1) -> list[Observation]:
    """Four units a question, each question with a chance of its own."""
    rng = np.random.default_rng(seed)
    chances = rng.beta(2, 2, size=questions)
    return [
        Observation(f"q{n:02}", int(rng.binomial(4, chance)), 4, repeat)
        for n, chance in enumerate(chances)
        for repeat in range(repeats)
    ]


def test_complaint_32_a_seeded_permutation_test_gives_the_same_p_each_time():
    """ranx: six calls with one seed gave p from 0.795 to 0.844."""
    first, second = system(1), system(2)
    results = {sign_flip(first, list(reversed(second)), permutations=3000).p for _ in range(6)}
    assert len(results) == 1
    assert sign_flip(first, second, permutations=3000).seed == seed_of(row.question_id for row in first)


def test_complaint_32_a_permutation_test_never_says_0():
    """ranx: p = 0.0, which no finite number of permutations can show."""
    nothing = [Observation(f"q{n}", 0, 4) for n in range(60)]
    everything = [Observation(f"q{n}", 4, 4) for n in range(60)]
    test = sign_flip(nothing, everything, permutations=999)
    assert test.p == 1 / 1000 == test.smallest
    assert sign_flip(nothing[:3], everything[:3]).p == 2 / 8  # few questions: all 8 swaps were looked at


@pytest.mark.parametrize("statistic", ["totals", "means"])
def test_complaint_33_every_measure_has_an_interval_without_asking(statistic):
    """ragas: a request for confidence intervals was answered with "use scipy"."""
    done = measure("recall", system(3), statistic=statistic)
    assert isinstance(done.interval, Interval)
    assert done.interval.low < done.value < done.interval.high
    assert (done.interval.method, done.interval.level, done.interval.resamples) == ("cluster-percentile", 0.95, 10_000)


def test_complaint_34_two_readers_get_the_same_interval():
    """sieval: two people scoring one file saw different error bars. Another process, another order."""
    code = (
        "from tests.complaints.test_statistics import system\n"
        "from answertrail.metrics.bootstrap import ratio_of_totals\n"
        "print(ratio_of_totals(reversed(system(4))).ratio.interval.as_json())"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    here = ratio_of_totals(system(4)).ratio.interval.as_json()
    assert other.strip() == str(here)
    ids = "\n".join(f"q{n:02}" for n in range(30))
    assert here["seed"] == int.from_bytes(hashlib.sha256(ids.encode()).digest()[:8], "big")
    assert seed_of(reversed(ids.split("\n") * 2)) == here["seed"]  # whatever the order, however often
    assert here["resamples"] == 10_000


def test_complaint_34_two_systems_are_compared_question_by_question():
    """sieval: only errors of single systems, no paired difference. Both follow the questions' difficulty here."""
    first = system(5, 60)
    second = [row._replace(numerator=min(4, row.numerator + (n % 3 == 0))) for n, row in enumerate(first)]
    paired = paired_difference(first, second).difference
    alone = [ratio_of_totals(rows).ratio.interval for rows in (first, second)]
    assert paired.interval.low > 0  # shown by the pairs
    assert alone[0].high > alone[1].low  # and hidden by two intervals side by side


def test_complaint_35_repeats_of_a_question_are_not_independent():
    """jax-aht: episodes were taken for independent, so intervals were too narrow."""
    nested = system(6, 25, repeats=8)
    apart = [row._replace(question_id=f"{row.question_id}/{row.repeat}", repeat=0) for row in nested]
    right, wrong = ratio_of_totals(nested).ratio, ratio_of_totals(apart).ratio
    assert right.value == wrong.value
    width, narrow = (ratio.interval.high - ratio.interval.low for ratio in (right, wrong))
    assert width > 1.5 * narrow
    copies = [row._replace(repeat=repeat) for row in system(6, 25) for repeat in range(8)]
    once, again = mean_of_ratios(system(6, 25)).ratio.interval, mean_of_ratios(copies).ratio.interval
    assert (again.low, again.high) == pytest.approx((once.low, once.high))  # copies add no knowledge


def test_complaint_35_nested_intervals_hold_the_truth_and_flat_ones_do_not():
    rng, held = np.random.default_rng(7), [0, 0]
    for _ in range(200):
        chances = rng.beta(0.5, 0.5, size=30)
        rows = [
            Observation(f"q{n}", int(rng.random() < chance), 1, repeat)
            for n, chance in enumerate(chances)
            for repeat in range(8)
        ]
        flat = [row._replace(question_id=f"{row.question_id}/{row.repeat}", repeat=0) for row in rows]
        for place, given in enumerate((rows, flat)):
            interval = ratio_of_totals(given, resamples=400).ratio.interval
            held[place] += interval.low <= 0.5 <= interval.high
    assert held[0] >= 0.9 * 200
    assert held[1] < 0.7 * 200


def test_complaint_41_raters_with_one_label_have_no_kappa_and_a_raw_agreement_with_an_interval():
    """scikit-learn and nltk: NaN, or a division by zero."""
    done = agreement([[12, 0], [0, 0]])
    assert isinstance(done.kappa, Undefined)
    assert "one and the same label" in done.kappa.reason
    assert done.observed.value == 1
    assert isinstance(done.observed.interval, Interval)
    assert done.observed.interval.low < 0.8  # twelve items show no more
    assert isinstance(krippendorff_alpha({"1": ["HIT", "HIT"], "2": ["HIT", "HIT"]}).alpha, Undefined)


def test_complaint_41_one_constant_rater_has_a_kappa_of_0():
    assert cohen_kappa([[9, 3], [0, 0]]).value == 0  # chance agreement is all there is, and it is below 1


def test_complaint_42_high_agreement_under_skew_shows_prevalence_bias_and_ac1_beside_kappa():
    """inception: 90 % agreement and a kappa near 0, with nothing to say why."""
    done = agreement([[90, 5], [5, 0]])
    assert done.observed.value == 0.9
    assert done.kappa.value == pytest.approx(-0.0526, abs=1e-4)
    assert done.ac1.value == pytest.approx((0.9 - 0.095) / (1 - 0.095))
    assert (done.prevalence.value, done.bias.value) == (0.9, 0)


def test_complaint_43_the_labels_given_are_left_as_they_were():
    """trulens: kappa rewrote the labels it was given, and later measures were of the rewritten ones."""
    first, second = ["HIT", "MISS", "HIT"], ["HIT", "HIT", "MISS"]
    items = {"1": ["HIT", "MISS", None], "2": ["MISS", "MISS"], "3": ["HIT", None]}
    rows, other = system(8, 6, repeats=2), system(9, 6, repeats=2)
    before = copy.deepcopy((first, second, items, rows, other))
    table = table_of(first, second, LABELS)
    kept = copy.deepcopy(table)
    agreement(table)
    krippendorff_alpha(items)
    measure("recall", rows, statistic="totals")
    paired_difference(rows, other)
    sign_flip(rows, other, permutations=64)
    assert (first, second, items, rows, other) == before
    assert table == kept


def test_complaint_44_raw_agreement_never_comes_without_kappa_and_chance():
    """OpenTranscribe: raw agreement alone overstates. 33, 4, 0, 29 are the published labels."""
    done = agreement([[33, 4], [0, 29]])
    assert done.observed.value == pytest.approx(62 / 66)
    assert done.expected == 0.5
    assert done.kappa.value == pytest.approx(0.8788, abs=1e-4)
    assert done.observed.value - done.kappa.value == pytest.approx(0.0606, abs=1e-4)
    assert done.ac1.value == gwet_ac1([[33, 4], [0, 29]]).value
