"""Scores to be doubted: over what was retrieved, or over what the gold itself allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.judges import family_note
from answertrail.metrics.measured import Measured
from answertrail.metrics.resampling import SAME
from answertrail.metrics.values import Undefined
from answertrail.records import Run, Verdict

ERRATUM = "erratum"
"""A question whose `meta.erratum` says what is wrong with its gold: no right answer scores on it."""
_OF_NUGGETS = ("recall", "mean_recall")


def ceiling_flags(measures: Mapping[str, Measured], questions: QuestionSet) -> tuple[str, ...]:
    """Return one sentence for each score above its ceiling.

    Recall above the retrieval ceiling means that the answers state what no retrieved passage says:
    from outside, or by a lenient judge. Recall above the share of units whose gold is not known to
    be wrong means that a judge passes answers the gold says nothing right about.
    """
    flags = []
    recall, ceiling = measures.get("recall"), measures.get("ceiling")
    if recall and ceiling:
        got, most = recall.value, ceiling.value
        if not isinstance(got, Undefined) and not isinstance(most, Undefined) and got > most + SAME:
            flags.append(
                f"recall {got:.1%} is above the retrieval ceiling {most:.1%}: more is stated than was retrieved; "
                "see what is stated without evidence"
            )
    wrong = {q.question_id for q in questions.questions if (q.meta or {}).get(ERRATUM)}
    for name in _OF_NUGGETS:
        found = measures.get(name)
        if not wrong or found is None or isinstance(found.value, Undefined):
            continue
        most = _known_ceiling(found, wrong)
        if found.value > most + SAME:
            flags.append(
                f"{name} {found.value:.1%} is above {most:.1%}, the most a right answer can have with "
                f"{len(wrong)} question(s) of known wrong gold: the judge is lenient"
            )
    return tuple(flags)


def doubts(
    measures: Mapping[str, object], questions: QuestionSet, runs: Sequence[Run], verdicts: Sequence[Verdict]
) -> tuple[str, ...]:
    """Return all a reader of one system's scores must be warned of: scores above a ceiling, a judge of the family."""
    found = {name: value for name, value in measures.items() if isinstance(value, Measured)}
    family = family_note(runs, verdicts)
    return (*ceiling_flags(found, questions), *((family,) if family else ()))


def _known_ceiling(found: Measured, wrong: set[str]) -> float:
    """The value if every unit outside the wrong questions were a hit and none inside them."""
    bad = [row.question_id in wrong for row in found.observations]
    if found.statistic == "totals":
        whole = sum(row.denominator for row in found.observations)
        return sum(row.denominator for row, is_bad in zip(found.observations, bad, strict=True) if not is_bad) / whole
    ids = {row.question_id for row in found.observations if row.denominator}
    return len(ids - wrong) / len(ids)
