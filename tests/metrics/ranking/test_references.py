"""Ours beside pytrec_eval and ir_measures on lists without ties, where the definitions agree."""

from __future__ import annotations

import random

import ir_measures
import pytest
import pytrec_eval

from answertrail.metrics.measured import Measured
from answertrail.metrics.ranking.gold import Gold, gold_units
from answertrail.metrics.ranking.measures import score_rankings

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
PYTREC = {
    "map": "ap@1000",
    "map_cut_10": "ap@10",
    "ndcg": "ndcg@1000",
    "ndcg_cut_5": "ndcg@5",
    "ndcg_cut_10": "ndcg@10",
    "recip_rank": "mrr@1000",
    "P_5": "mean_precision@5",
    "P_10": "mean_precision@10",
    "recall_5": "mean_recall@5",
    "recall_100": "mean_recall@100",
    "success_1": "success@1",
    "success_5": "success@5",
    "set_P": "mean_returned_precision",
    "set_recall": "mean_recall@1000",
}
IR_MEASURES = {
    "AP": "ap@1000",
    "nDCG@10": "ndcg@10",
    "RR@10": "mrr@10",
    "P@10": "mean_precision@10",
    "R@10": "mean_recall@10",
    "Success@5": "success@5",
    "SetP": "mean_returned_precision",
}


def world(seed: int) -> tuple[Qrels, Run]:
    """Thirty queries; lists of 3 to 60 documents with distinct scores, graded and unjudged ones among them."""
    draw = random.Random(seed)
    qrels, run = {}, {}
    for query in range(30):
        documents = [f"d{number}" for number in range(80)]
        judged = draw.sample(documents, draw.randint(1, 30))
        qrels[f"q{query}"] = {name: draw.randint(0, 3) for name in judged} | {judged[0]: 1}
        shown = draw.sample(documents, draw.randint(3, 60))
        run[f"q{query}"] = {name: float(len(shown) - rank) for rank, name in enumerate(shown)}
    return qrels, run


def ours(qrels: Qrels, run: Run, names: list[str]) -> dict[str, Measured]:
    golds = [gold_units(query, {name: float(grade) for name, grade in rows.items()}) for query, rows in qrels.items()]
    assert all(isinstance(gold, Gold) for gold in golds)
    lists = {query: sorted(rows, key=lambda name: -rows[name]) for query, rows in run.items()}
    return score_rankings([gold for gold in golds if isinstance(gold, Gold)], lists, names)


@pytest.mark.parametrize("seed", range(5))
def test_pytrec_eval_agrees_query_by_query(seed: int) -> None:
    qrels, run = world(seed)
    wanted = {"map", "map_cut", "ndcg", "ndcg_cut", "recip_rank", "P", "recall", "success", "set_P", "set_recall"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    mine = ours(qrels, run, list(PYTREC.values()))
    for name, own in PYTREC.items():
        for row in mine[own].observations:
            expected = theirs[row.question_id][name]
            assert row.numerator / row.denominator == pytest.approx(expected, abs=1e-9), (name, row.question_id)


@pytest.mark.parametrize("seed", range(3))
def test_ir_measures_agrees_on_the_means(seed: int) -> None:
    qrels, run = world(seed)
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in IR_MEASURES], qrels, run)
    mine = ours(qrels, run, list(IR_MEASURES.values()))
    for measure, value in theirs.items():
        assert mine[IR_MEASURES[str(measure)]].value == pytest.approx(value, abs=1e-9), str(measure)


def test_where_a_query_is_missing_pytrec_eval_drops_it_and_we_count_0() -> None:
    qrels, run = {"q": {"A": 1}, "r": {"B": 1}}, {"q": {"A": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    assert list(theirs) == ["q"]  # so that a plain mean of its results is 1.0
    assert ours(qrels, run, ["mrr@10"])["mrr@10"].value == 1 / 2
