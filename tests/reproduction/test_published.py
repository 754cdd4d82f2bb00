"""Every figure the articles published that their counts determine; the others are named with the reason."""

from __future__ import annotations

import pytest

from answertrail.experiments.answers import score_answers
from answertrail.kit.published import AGENT_LONGITUDINAL, ALLOCATIONS, NOT_RECOMPUTABLE, Arm, agent_factual
from answertrail.kit.published_records import records
from answertrail.kit.reproduction import Figure, allocation_intervals, brackets, figures
from answertrail.metrics.measured import Intervals

FIGURES = figures()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_published_figure_is_computed_again(figure: Figure) -> None:
    assert figure.holds, str(figure)


def test_a_figure_that_is_off_in_its_last_digit_does_not_hold() -> None:
    assert Figure("recall", 84.9, 84.94).holds
    assert not Figure("recall", 84.9, 84.96).holds
    assert not Figure("end", 61.1, 61.5, slack=0.3).holds


def test_the_figures_named_in_the_article_are_among_them() -> None:
    said = {(figure.name, figure.published) for figure in FIGURES}
    for name, factual, longitudinal in (("recall", 84.9, 31.7), ("ceiling", 86.8, 43.5), ("groundedness", 96.4, 98.0)):
        assert {(f"agent, factual: {name}", factual), (f"agent, longitudinal: {name}", longitudinal)} <= said
    gaps = {("agent, factual: nuggets stated without evidence", 1), ("agent, longitudinal: cases listed", 12)}
    assert gaps <= said
    assert {("hybrid, longitudinal: recall", 28.4), ("judge: Cohen's kappa", 0.88)} <= said


def test_the_factual_interval_is_bracketed_by_three_allocations_of_the_unknown_misses() -> None:
    found = allocation_intervals()
    assert brackets(found, 70, 97)
    for (low, high), expected in zip(found, ((69.1, 98.5), (69.3, 97.3), (70.6, 96.0)), strict=True):
        assert (low, high) == pytest.approx(expected, abs=0.7)
    assert not brackets(found, 60, 97)


@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_every_allocation_has_both_published_values(allocation: dict[str, int]) -> None:
    found = score_answers(*records(agent_factual(allocation)), intervals=Intervals("none"))
    assert found.rates["recall"].hits == 135
    assert found.measures["mean_recall"].value == pytest.approx(0.869, abs=5e-4)  # type: ignore[union-attr]


def test_the_intervals_the_counts_do_not_determine_are_named_with_the_reason() -> None:
    named = " ".join(NOT_RECOMPUTABLE)
    for interval in ("[24, 39]", "[-4, +11]", "[+1, +15]"):
        assert interval in named
    assert all(reason for reason in NOT_RECOMPUTABLE.values())


def test_counts_that_contradict_each_other_make_no_records() -> None:
    wrong = Arm("agent", "factual", 1, (40, 1, 0, 12), (1, 1), hits=dict.fromkeys(agent_factual().hits, 0))
    with pytest.raises(ValueError, match="0 hits placed of 40"):
        records(wrong)


def test_the_report_shows_the_published_effort() -> None:
    found = score_answers(*records(AGENT_LONGITUDINAL), intervals=Intervals("none")).effort["longitudinal"]
    assert found.quantities["chunks"].mean == 40
    assert found.quantities["cost_usd"].mean == pytest.approx(0.12)
