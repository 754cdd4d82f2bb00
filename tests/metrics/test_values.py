"""A value has its parts and an interval, or a reason; never NaN."""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pytest

from answertrail.metrics.seeds import generator, seed_of
from answertrail.metrics.values import Estimate, Interval, Ratio, Undefined, finite


def test_a_ratio_has_the_shape_of_the_contract():
    interval = Interval(0.25, 0.75, 0.95, "cluster-percentile", 1000, 7)
    assert Ratio(3, 6, interval).as_json() == {
        "value": 0.5,
        "numerator": 3,
        "denominator": 6,
        "interval": {
            "low": 0.25,
            "high": 0.75,
            "level": 0.95,
            "method": "cluster-percentile",
            "resamples": 1000,
            "seed": 7,
        },
    }


def test_division_by_zero_is_undefined_with_its_reason():
    empty = Ratio(0, 0, if_empty="no eligible question")
    assert empty.value == Undefined("no eligible question")
    assert empty.as_json() == {"undefined": "no eligible question"}


def test_a_value_without_interval_says_null_and_one_that_has_none_says_why():
    assert Ratio(1, 2).as_json()["interval"] is None
    assert Ratio(1, 2, Undefined("one question")).as_json()["interval"] == {"undefined": "one question"}
    assert Estimate(-0.5).as_json() == {"value": -0.5, "numerator": None, "denominator": None, "interval": None}


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_nan_and_infinity_are_refused_everywhere(bad):
    with pytest.raises(ValueError, match="share is"):
        finite(bad, "share")
    for build in (
        lambda: Ratio(bad, 1),
        lambda: Ratio(1, bad),
        lambda: Estimate(bad),
        lambda: Interval(bad, 1, 0.95, "m"),
        lambda: Interval(0, bad, 0.95, "m"),
    ):
        with pytest.raises(ValueError):
            build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: Ratio(1, 0),
        lambda: Ratio(0, -1),
        lambda: Interval(0.6, 0.5, 0.95, "m"),
        lambda: Interval(0, 1, 1.0, "m"),
        lambda: Undefined(" "),
    ],
)
def test_values_that_contradict_themselves_are_refused(build):
    with pytest.raises(ValueError):
        build()


def test_numpy_numbers_become_plain_ones_so_that_json_can_hold_them():
    ratio = Ratio(np.int64(1), np.float64(2.5), Interval(np.float64(0.1), np.float64(0.2), 0.95, "m"))
    assert type(ratio.numerator) is int
    assert type(ratio.denominator) is float
    json.dumps(ratio.as_json(), allow_nan=False)


def test_clipping_moves_value_and_ends():
    clipped = Estimate(-0.1, Interval(-0.3, 0.2, 0.95, "m", 10, 3)).clipped(0, 1)
    assert clipped == Estimate(0.0, Interval(0.0, 0.2, 0.95, "m", 10, 3))
    assert Estimate(1.2, Undefined("why")).clipped(0, 1) == Estimate(1.0, Undefined("why"))


def test_the_seed_is_the_start_of_the_hash_of_the_sorted_ids():
    assert seed_of(["b", "a"]) == int(sha256(b"a\nb").hexdigest()[:16], 16) == 9086284064639102403


def test_the_seed_ignores_order_and_repeats_of_ids():
    assert seed_of(["q2", "q1", "q2"]) == seed_of(["q1", "q2"]) != seed_of(["q1", "q3"])


def test_an_id_with_a_newline_could_stand_for_two_and_is_refused():
    with pytest.raises(ValueError, match="newline"):
        seed_of(["a\nb"])


def test_the_generator_is_pcg64_and_its_streams_differ():
    assert type(generator(1).bit_generator) is np.random.PCG64
    assert generator(1).integers(0, 2**60) == generator(1).integers(0, 2**60) != generator(1, 1).integers(0, 2**60)
