"""The correction of a rate for the judge's errors follows from how the labels were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from answertrail.metrics.bootstrap import ratio_of_totals
from answertrail.metrics.clusters import Observation
from answertrail.metrics.judge_error import (
    TOO_NARROW,
    Calibration,
    VerdictTotals,
    _resampled_cells,
    corrected_rate,
    rogan_gladen,
    stratified_rate,
)
from answertrail.metrics.prediction_powered import JudgedPair, drawn_by_verdict, prediction_powered
from answertrail.metrics.seeds import generator
from answertrail.metrics.values import Interval, Undefined
from tests.metrics.worlds import FEW, once

SOME = Calibration(true_hits=40, false_hits=10, false_misses=5, true_misses=45)
CELLS = ((True, True), (True, False), (False, True), (False, False))
TARGET = [Observation(f"q{n}", 1 + n % 4, 6) for n in range(20)]  # 50 of 120


def test_rogan_gladen_by_hand():
    assert rogan_gladen(0.5, 0.9, 0.8) == pytest.approx(0.3 / 0.7)
    assert rogan_gladen(0.5, 1, 1) == 0.5
    assert rogan_gladen(0.1, 0.9, 0.8) == pytest.approx(-0.1 / 0.7)  # fewer HITs than false ones alone


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.5, 0.5), (0.2, 0.7), (0, 0), (1, 0)])
def test_a_judge_no_better_than_chance_corrects_nothing(sensitivity, specificity):
    assert isinstance(rogan_gladen(0.5, sensitivity, specificity), Undefined)


def test_shares_outside_0_to_1_are_refused():
    for call in (lambda: rogan_gladen(1.2, 1, 1), lambda: stratified_rate(-0.1, SOME), lambda: rogan_gladen(0.5, 1, 2)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(ValueError, match="negative"):
        Calibration(1, -1, 0, 0)


def test_the_stratified_estimate_by_hand():
    # 80 % of judged HITs and 10 % of judged MISSes are true.
    assert stratified_rate(0.5, SOME) == pytest.approx(0.45)
    assert isinstance(stratified_rate(0.5, Calibration(3, 1, 0, 0)), Undefined)
    assert stratified_rate(1.0, Calibration(3, 1, 0, 0)) == 0.75  # no MISS occurs, so none need be labelled


@given(st.integers(1, 50), st.integers(1, 50), *(st.integers(0, 20) for _ in range(4)))
@settings(max_examples=100, deadline=None)
def test_rogan_gladen_weighted_by_verdict_totals_is_the_stratified_estimate(hits, misses, a, b, c, d):
    labels = Calibration(a, b, c, d)
    assume(a + b and c + d)
    rate = hits / (hits + misses)
    weighted = labels.weighted(VerdictTotals(hits, misses))
    assume(not isinstance(weighted, Undefined))
    value = rogan_gladen(rate, *weighted)
    if sum(weighted) > 1 + 1e-6:
        assert value == pytest.approx(stratified_rate(rate, labels), abs=1e-6)


def test_the_design_chooses_the_estimator_and_says_so():
    random = corrected_rate(TARGET, SOME, "random", resamples=FEW)
    verdict = corrected_rate(TARGET, SOME, "verdict", resamples=FEW)
    pool = corrected_rate(TARGET, SOME, "verdict", pool=VerdictTotals(500, 500), resamples=FEW)
    truth = corrected_rate(TARGET, SOME, "truth", resamples=FEW)
    rate = 50 / 120
    assert random.raw.value == rate
    assert random.estimate.value == pytest.approx(rogan_gladen(rate, 40 / 45, 45 / 55))
    assert verdict.estimate.value == pytest.approx(0.8 * rate + 0.1 * (1 - rate))
    assert pool.estimate.value == random.estimate.value  # 50 labels of each verdict, 500 pairs of each
    assert truth.estimate.value == random.estimate.value
    assert [x.estimator for x in (random, verdict, pool, truth)] == [
        "rogan-gladen",
        "stratified",
        "rogan-gladen-weighted",
        "rogan-gladen",
    ]
    assert "drawn by the judge's verdict" in verdict.why
    assert any("built negatives" in warning for warning in truth.warnings)


def test_the_interval_carries_the_noise_of_the_labels_and_of_the_questions():
    few = Calibration(8, 2, 1, 9)
    many = Calibration(8000, 2000, 1000, 9000)
    wide, narrow = (corrected_rate(TARGET, labels, "random", max_empty_share=0.05).estimate for labels in (few, many))
    assert wide.value == pytest.approx(narrow.value)
    assert wide.interval.high - wide.interval.low > 1.5 * (narrow.interval.high - narrow.interval.low)
    raw = corrected_rate(TARGET, many, "random").raw.interval
    stretch = 1 / (8 / 9 + 9 / 11 - 1)  # with labels without end, the raw interval stretched
    assert narrow.interval.high - narrow.interval.low == pytest.approx(stretch * (raw.high - raw.low), rel=0.05)
    assert narrow.interval.method == "labels-and-cluster-percentile"


@pytest.mark.parametrize(
    ("design", "strata"), [("random", [[0, 1, 2, 3]]), ("verdict", [[0, 1], [2, 3]]), ("truth", [[0, 2], [1, 3]])]
)
def test_labels_are_drawn_again_within_the_strata_of_the_design(design, strata):
    cells = _resampled_cells(SOME, design, 50, generator(1))
    for rows in strata:
        assert (cells[:, rows].sum(axis=1) == sum(SOME.cells[row] for row in rows)).all()
        assert all(np.ptp(cells[:, row]) > 0 for row in rows)
    halves = cells[:, [0, 1]].sum(axis=1), cells[:, [0, 2]].sum(axis=1)
    assert [np.ptp(half) == 0 for half in halves] == [design == "verdict", design == "truth"]


def test_a_value_outside_0_to_1_is_shown_beside_the_clipped_one():
    done = corrected_rate(once(a=(0, 10), b=(1, 10), c=(0, 10)), SOME, "random")
    assert done.estimate.value < 0
    assert done.clipped.value == 0
    assert done.estimate.interval.low < 0 == done.clipped.interval.low


def test_undefined_corrections_say_why():
    assert "not above 1" in corrected_rate(TARGET, Calibration(5, 5, 5, 5), "random").estimate.reason
    assert corrected_rate(TARGET, Calibration(0, 3, 0, 4), "random").estimate == Undefined("no pair is labelled HIT")
    assert corrected_rate(TARGET, Calibration(3, 0, 4, 0), "random").estimate == Undefined("no pair is labelled MISS")
    assert corrected_rate([], SOME, "random").clipped == Undefined("no questions")
    assert "no labelled pair" in corrected_rate(TARGET, Calibration(3, 1, 0, 0), "verdict").estimate.reason
    pool = VerdictTotals(5, 5)
    assert "no labelled pair" in corrected_rate(TARGET, Calibration(3, 1, 0, 0), "verdict", pool=pool).estimate.reason
    one = corrected_rate(once(a=(1, 2)), SOME, "random")
    assert one.estimate.interval == Undefined("1 question: nothing to resample")


def test_a_weak_calibration_has_no_interval():
    done = corrected_rate(TARGET, Calibration(3, 2, 2, 3), "random")
    assert done.empty_resamples > 100
    assert isinstance(done.estimate.interval, Undefined)


def test_errors_never_seen_are_warned_of():
    warnings = corrected_rate(TARGET, Calibration(33, 4, 0, 29), "verdict").warnings
    assert warnings == (
        TOO_NARROW,
        "no false miss among 29 labels: resampling takes that error as 0, the rule of three allows 10.3%",
    )
    assert "among 33 labels" in corrected_rate(TARGET, Calibration(33, 4, 0, 29), "random").warnings[0]


def test_a_verdict_draw_without_question_ids_says_that_its_interval_is_too_narrow_and_what_to_use():
    own = corrected_rate(TARGET, SOME, "verdict", resamples=FEW)
    assert "too narrow" in own.warnings[0]
    assert "prediction_powered(drawn_by_verdict(pairs))" in own.warnings[0]
    elsewhere = corrected_rate(TARGET, SOME, "verdict", pool=VerdictTotals(500, 500), resamples=FEW)
    for done in (elsewhere, corrected_rate(TARGET, SOME, "random", resamples=FEW)):
        assert TOO_NARROW not in done.warnings
    assert not any("narrow" in line for line in prediction_powered(judged(strata=True), resamples=FEW).warnings)


def test_the_warned_of_interval_covers_less_than_prediction_powered_where_truth_varies_by_question():
    """400 worlds, fixed seed, the row of docs/statistics.md where it matters most: 25 x 20 pairs, 200 labels."""
    rng, covered = np.random.default_rng(5), [0, 0]
    for _ in range(400):
        true = rng.random((25, 20)) < rng.beta(2, 2, size=25)[:, None]
        hit = np.where(true, rng.random((25, 20)) < 0.95, rng.random((25, 20)) < 0.2)
        drawn = {
            int(row)
            for verdict in (True, False)
            for row in rng.choice(np.flatnonzero(hit.ravel() == verdict), size=100, replace=False)
        }
        pairs = [
            JudgedPair(f"{n:03}", f"q{n // 20}", bool(hit.flat[n]), bool(true.flat[n]) if n in drawn else None)
            for n in range(500)
        ]
        cells = [sum(p.label is not None and (p.hit, p.label) == cell for p in pairs) for cell in CELLS]
        target = [Observation(f"q{n}", int(x), 20) for n, x in enumerate(hit.sum(axis=1))]
        results = (
            corrected_rate(target, Calibration(*cells), "verdict", resamples=FEW),
            prediction_powered(drawn_by_verdict(pairs), resamples=FEW),
        )
        for place, done in enumerate(results):
            covered[place] += done.estimate.interval.low <= 0.5 <= done.estimate.interval.high
    apart, together = (count / 400 for count in covered)
    assert 0.75 < apart < 0.87 < 0.9 < together


def test_what_cannot_be_a_rate_of_verdicts_is_refused():
    with pytest.raises(ValueError, match="question 'a': 3 HITs of 2"):
        corrected_rate(once(a=(3, 2)), SOME, "random")
    with pytest.raises(ValueError, match="design"):
        corrected_rate(TARGET, SOME, "random", pool=VerdictTotals(1, 1))
    with pytest.raises(ValueError, match="design"):
        corrected_rate(TARGET, SOME, "enriched")


@given(st.lists(st.integers(0, 5), min_size=2, max_size=10), st.sampled_from(["random", "truth", "verdict"]))
@settings(max_examples=30, deadline=None)
def test_a_faultless_judge_is_not_corrected(hits, design):
    target = [Observation(f"q{n}", x, 5) for n, x in enumerate(hits)]
    done = corrected_rate(target, Calibration(30, 0, 0, 30), design, resamples=FEW)
    assert done.estimate.value == pytest.approx(done.raw.value)
    if isinstance(done.raw.interval, Interval):
        assert (done.estimate.interval.low, done.estimate.interval.high) == pytest.approx(
            (done.raw.interval.low, done.raw.interval.high)
        )


def judged(strata: bool) -> list[JudgedPair]:
    """120 pairs as TARGET; of the 50 HITs 10 are labelled (2 false), of the 70 MISSes 14 (1 false)."""
    pairs, seen = [], {True: 0, False: 0}
    for question in range(20):
        for unit in range(6):
            hit = unit < 1 + question % 4
            seen[hit] += 1
            label = None
            if seen[hit] % 5 == 0:
                drawn = seen[hit] // 5
                label = drawn > 2 if hit else drawn == 1
            pairs.append(JudgedPair(f"p{question}-{unit}", f"q{question}", hit, label, 0.2, str(hit) if strata else ""))
    return pairs


def test_prediction_powered_by_hand():
    # Without strata: 50/120 + mean of 24 differences, (1 - 2) / 24.
    assert prediction_powered(judged(strata=False)).estimate.value == pytest.approx(50 / 120 - 1 / 24)


def test_prediction_powered_by_verdict_is_the_stratified_estimate():
    done = prediction_powered(judged(strata=True))
    same = corrected_rate(TARGET, Calibration(8, 2, 1, 13), "verdict")
    assert done.raw == same.raw
    assert done.estimate.value == pytest.approx(same.estimate.value)
    drawn = prediction_powered(drawn_by_verdict(judged(strata=False)))
    assert drawn.estimate.value == pytest.approx(done.estimate.value)
    assert {
        pair.stratum: pair.probability for pair in drawn_by_verdict(judged(strata=False)) if pair.label is not None
    } == {
        "HIT": 10 / 50,
        "MISS": 14 / 70,
    }


def test_prediction_powered_with_every_label_is_the_labels_own_rate_and_interval():
    pairs = [JudgedPair(f"{n}", f"q{n // 6}", n % 3 == 0, n % 5 < 2, 1.0) for n in range(120)]
    truth = [Observation(f"q{q}", sum(pair.label for pair in pairs[6 * q : 6 * q + 6]), 6) for q in range(20)]
    done, known = prediction_powered(pairs).estimate, ratio_of_totals(truth).ratio
    assert done.value == pytest.approx(known.value)
    assert (done.interval.low, done.interval.high) == pytest.approx((known.interval.low, known.interval.high))


def test_unequal_probabilities_weigh_the_labels():
    pairs = [
        JudgedPair("1", "a", True, label=True, probability=0.5),
        JudgedPair("2", "a", True, label=False, probability=0.25),
        JudgedPair("3", "b", False),
        JudgedPair("4", "b", True),
    ]
    # 3/4 + (2 x 0 + 4 x -1) / (2 + 4)
    assert prediction_powered(pairs).estimate.value == pytest.approx(3 / 4 - 4 / 6)
    assert prediction_powered(reversed(pairs)) == prediction_powered(pairs)


def test_prediction_powered_undefined_cases():
    assert prediction_powered([]).estimate == Undefined("no pairs")
    no_label = [JudgedPair("1", "a", True, True, 0.5, "x"), JudgedPair("2", "b", True, stratum="y")]
    assert prediction_powered(no_label).estimate == Undefined("stratum 'y' has no labelled pair")
    single = [JudgedPair("1", "a", True, False, 0.5), JudgedPair("2", "b", True)]
    done = prediction_powered(single)
    assert done.empty_resamples > 2000  # a quarter of them draw no label
    assert "resamples have no value" in done.estimate.interval.reason
    one = [JudgedPair("1", "a", True, False, 0.5), JudgedPair("2", "a", True, True, 0.5)]
    assert prediction_powered(one).estimate.interval == Undefined("1 question(s): nothing to resample")
    assert any("no error" in w for w in prediction_powered([JudgedPair("1", "a", True, True, 1.0)]).warnings)


@pytest.mark.parametrize("probability", [None, 0, 1.5, float("nan")])
def test_a_label_needs_its_probability(probability):
    with pytest.raises(ValueError, match="pair '1'"):
        prediction_powered([JudgedPair("1", "a", True, True, probability)])


def test_a_pair_given_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        prediction_powered([JudgedPair("1", "a", True), JudgedPair("1", "a", True)])


def test_corrected_intervals_cover_the_truth_and_raw_ones_do_not():
    """100 worlds, fixed seed: 40 questions of 6 pairs, true rate 0.5, sensitivity 0.95, specificity 0.8."""
    rng, covered, raw = np.random.default_rng(2), {"random": 0, "verdict": 0, "labels": 0, "both": 0}, 0
    for _ in range(100):
        true = rng.random((40, 6)) < rng.beta(4, 4, size=40)[:, None]
        hit = np.where(true, rng.random((40, 6)) < 0.95, rng.random((40, 6)) < 0.2)
        target = [Observation(f"q{n}", int(x), 6) for n, x in enumerate(hit.sum(axis=1))]
        by_verdict = {
            verdict: rng.choice(np.flatnonzero(hit.ravel() == verdict), size=40, replace=False)
            for verdict in (True, False)
        }
        found = {verdict: int(true.ravel()[rows].sum()) for verdict, rows in by_verdict.items()}
        drawn = Calibration(found[True], 40 - found[True], found[False], 40 - found[False])
        fresh = rng.random(80) < 0.5
        judged = np.where(fresh, rng.random(80) < 0.95, rng.random(80) < 0.2)
        apart = Calibration(*(int((judged == v)[fresh == t].sum()) for v, t in ((1, 1), (1, 0), (0, 1), (0, 0))))
        chosen = set(rng.choice(240, size=80, replace=False).tolist())
        pairs = [
            JudgedPair(f"{n:03}", f"q{n // 6}", bool(hit.flat[n]), bool(true.flat[n]) if n in chosen else None, 1 / 3)
            for n in range(240)
        ]
        of_verdict = {int(n) for rows in by_verdict.values() for n in rows}
        both = drawn_by_verdict(
            pair._replace(label=bool(true.flat[n]) if n in of_verdict else None) for n, pair in enumerate(pairs)
        )
        results = {
            "random": corrected_rate(target, apart, "random", resamples=FEW),
            "verdict": corrected_rate(target, drawn, "verdict", resamples=FEW),
            "labels": prediction_powered(pairs, resamples=FEW),
            "both": prediction_powered(both, resamples=FEW),
        }
        for name, done in results.items():
            covered[name] += done.estimate.interval.low <= 0.5 <= done.estimate.interval.high
        raw += results["random"].raw.interval.low <= 0.5 <= results["random"].raw.interval.high
    assert all(88 <= count <= 100 for count in covered.values()), covered
    assert raw < 60
