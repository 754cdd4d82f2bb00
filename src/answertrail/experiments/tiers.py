"""Measures of one tier, by the name TIER/NAME."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import get_args

from answertrail.experiments.inputs import QuestionSet
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate, Ratio, Undefined
from answertrail.records.question import Tier


def tier_measures(
    measures: Mapping[str, Measured | Ratio | Estimate | Undefined], questions: QuestionSet, names: Iterable[str]
) -> dict[str, Measured]:
    """Return those of `names` that are TIER/NAME of a measure over questions and are not among `measures`."""
    out: dict[str, Measured] = {}
    for full in names:
        tier, slash, name = full.partition("/")
        whole = measures.get(name)
        if slash and full not in measures and tier in get_args(Tier) and isinstance(whole, Measured):
            ids = [question.question_id for question in questions.questions if question.tier == tier]
            out[full] = replace(whole.over(ids), name=full)
    return out
