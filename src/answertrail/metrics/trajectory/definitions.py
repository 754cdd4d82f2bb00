"""What the measures of a trajectory mean, in the words that go beside them, and what they may be used for."""

from __future__ import annotations

from collections.abc import Mapping

from answertrail.errors import InputError

CITED_SHARE = (
    "cited_share: of the distinct passages the run retrieved, the share its answer cites. Informational: exploring, "
    "checking alternatives and confirming that something is absent retrieve passages that are rightly never cited, "
    "so a low share is no failure."
)
RECALL_ANALOG = (
    "The recall analog of a trajectory: needle_recall (gold evidence it retrieved) and "
    "supporting_fact_f1 (what it cites, against that gold)."
)
DRIFT = (
    "retrieval_drift: 1 - cosine of each query with the question, in the order searched. Informational: "
    "a sub-question is far from its question and may be what finds the answer."
)

INFORMATIONAL: Mapping[str, str] = {
    "cited_share": "exploration and negative confirmation lower it and are good work",
    "mean_cited_share": "exploration and negative confirmation lower it and are good work",
    "duplicate_search_rate": "it describes how a run searched, and coming back to a place can be right",
    "chunks_per_search": "it describes how a run searched; a broad search is no better than a narrow one",
    "retrieval_drift": "a sub-question is far from its question and may be what finds the answer",
    "retrieval_drift_slope": "a sub-question is far from its question and may be what finds the answer",
    "passage_utility": "its judge is not calibrated",
}
"""Measures that inform and are never a gate, each with the reason. Gates are refused on these names."""

NO_RANK = (
    "a trajectory is a sequence of searches without one ranking, so there is no first k: "
    "a rank measure would punish exploration (ADR 0019)"
)
RANK_MEASURES = frozenset({"precision", "mrr", "ap", "ndcg", "context_precision"})


def refuse_rank_measure(name: str) -> None:
    """Raise InputError for a measure of a ranking: anything at a cutoff (`precision@5`), and those of its order."""
    if "@" in name or name in RANK_MEASURES:
        raise InputError(
            f"{name} is not offered on trajectories: {NO_RANK}",
            hint="cited_share is the precision analog, needle_recall and supporting_fact_f1 the recall analog; "
            "for one search mode's ranking use `eval retrieval`",
        )
