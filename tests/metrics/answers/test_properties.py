"""Whatever the verdicts: rates are shares, bars add up, order and copies change nothing, a hit never hurts."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.metrics.answers.asked import Asked, asked
from answertrail.metrics.answers.grid import STANCE, Grid, grid_of
from answertrail.metrics.answers.nuggets import nugget_rates
from answertrail.metrics.answers.rates import Rule
from answertrail.metrics.answers.verdicts import Judged, judged
from answertrail.metrics.answers.waterfall import waterfall
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Json, Undefined
from answertrail.records import Question, Run, Verdict
from tests.metrics.answers.worlds import PLAIN, question, run, verdict

Row = tuple[str, str | None, str | None]
kinds = st.sampled_from(["fact", "stance", "shift", "no_change"])
states = st.sampled_from(["HIT", "MISS", "UNSCORED", None])
statuses = st.sampled_from(["completed", "completed", "completed", "failed"])
outcomes = st.sampled_from(["answered", "answered", "cannot_answer"])
runs = st.tuples(statuses, outcomes, st.lists(st.tuples(states, states), min_size=4, max_size=4))
worlds = st.lists(
    st.tuples(st.lists(kinds, max_size=4), st.lists(runs, min_size=1, max_size=3)), min_size=1, max_size=4
)
World = list[tuple[list[str], list[tuple[str, str, list[tuple[str | None, str | None]]]]]]


def records(world: World) -> tuple[list[Question], list[Run], list[Verdict]]:
    questions, made, verdicts = [], [], []
    for number, (nuggets, asked_runs) in enumerate(world):
        name = f"q{number}"
        questions.append(question(name, *nuggets))
        for repeat, (status, outcome, cells) in enumerate(asked_runs):
            made.append(run(name, repeat, status=status, outcome=outcome))
            for unit, pair in enumerate(cells[: len(nuggets)], 1):
                for direction, mark in zip(("recall", "ceiling"), pair, strict=True):
                    if mark:
                        verdicts.append(verdict(f"{name}.{repeat}", direction, f"n{unit}", mark))
    return questions, made, verdicts


def scored(questions: list[Question], made: list[Run], verdicts: list[Verdict]) -> tuple[Asked, Grid, Judged]:
    rows = asked(questions, made)
    found = judged(verdicts, rows.runs, judge="hand")
    return rows, grid_of(rows, found), found


def values(questions: list[Question], made: list[Run], verdicts: list[Verdict], share: float = 1.0) -> Json:
    rows, grid, found = scored(questions, made, verdicts)
    rates = nugget_rates(questions, rows, grid, found, Rule(PLAIN, share))
    return {rate.name: rate.as_json() for rate in rates} | {"waterfall": waterfall(grid.cells).as_json()}


@given(worlds)
@settings(max_examples=60, deadline=None)
def test_every_rate_is_a_share_and_lies_within_its_bounds(world: World) -> None:
    questions, made, verdicts = records(world)
    for name, found in values(questions, made, verdicts).items():
        if name != "waterfall" and "value" in found:
            assert 0 <= found["value"] <= 1
            if "bounds" in found:
                low, high = found["bounds"]
                assert 0 <= low <= found["value"] <= high <= 1


@given(worlds)
@settings(max_examples=60, deadline=None)
def test_bars_add_up_and_agree_with_recall_ceiling_and_conversion(world: World) -> None:
    questions, made, verdicts = records(world)
    rows, grid, found = scored(questions, made, verdicts)
    bars = waterfall(grid.cells)
    cells = grid.of(STANCE)
    assert bars.total + bars.unscored == len(cells)
    rates = {rate.name: rate for rate in nugget_rates(questions, rows, grid, found, Rule(PLAIN, 1.0))}
    assert rates["synthesis_conversion"].hits == bars.stated_with_evidence
    assert rates["stated_without_evidence"].hits == bars.stated_without_evidence
    if not bars.unscored:
        assert rates["recall"].hits == bars.stated == rates["synthesis_conversion"].hits + bars.stated_without_evidence
        assert rates["ceiling"].hits == bars.retrieved == rates["synthesis_conversion"].hits + bars.retrieved_unused
    assert rates["recall"].scored + rates["recall"].unscored == len(cells)


@given(worlds, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_order_and_identical_copies_change_nothing(world: World, chance: random.Random) -> None:
    questions, made, verdicts = records(world)
    first = values(questions, made, verdicts)
    copies = [row.model_copy(update={"verdict_id": f"{row.verdict_id} again"}) for row in verdicts[::2]]
    shuffled = [*verdicts, *copies]
    chance.shuffle(shuffled)
    chance.shuffle(made)
    assert values(chance.sample(questions, len(questions)), made, shuffled) == first


@given(worlds, st.data())
@settings(max_examples=80, deadline=None)
def test_a_miss_that_becomes_a_hit_never_lowers_recall(world: World, data: st.DataObject) -> None:
    questions, made, verdicts = records(world)
    misses = [n for n, row in enumerate(verdicts) if row.verdict == "MISS" and row.direction == "recall"]
    if not misses:
        return
    before = values(questions, made, verdicts)
    chosen = data.draw(st.sampled_from(misses))
    verdicts[chosen] = verdicts[chosen].model_copy(update={"verdict": "HIT"})
    after = values(questions, made, verdicts)
    for name in ("recall", "mean_recall", "recall_with_shift"):
        if "value" in before[name]:
            assert after[name]["value"] >= before[name]["value"]


@given(worlds)
@settings(max_examples=60, deadline=None)
def test_a_headline_is_given_exactly_when_few_enough_units_are_unscored(world: World) -> None:
    questions, made, verdicts = records(world)
    rows, grid, found = scored(questions, made, verdicts)
    for rate in nugget_rates(questions, rows, grid, found, Rule(PLAIN, 0.2)):
        few = rate.unscored <= 0.2 * (rate.scored + rate.unscored)
        assert isinstance(rate.value, Measured) == (few and rate.scored > 0)
        if isinstance(rate.value, Undefined):
            assert rate.value.reason
