"""What one run retrieved, search by search, and what its answer cites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from answertrail.metrics.answers.asked import AskedRun
from answertrail.metrics.answers.citations import cited_ids
from answertrail.metrics.ranking.units import place_of
from answertrail.records import RunChunk


@dataclass(frozen=True, slots=True)
class Trail:
    """One completed run. `retrieved`, `cited` and `searches` are None where the run does not say.

    `cited` are the distinct ids in order. `searches` holds the ids each search returned.
    `imported` are chunks whose ids do not follow the contract's rule, with document and times.
    """

    run_id: str
    question_id: str
    repeat: int
    retrieved: frozenset[str] | None
    cited: tuple[str, ...] | None
    searches: tuple[tuple[str, ...], ...] | None
    imported: Mapping[str, RunChunk]

    @property
    def empty_handed(self) -> tuple[int, int] | None:
        """Searches with results that brought nothing new, and searches with results; None when not recorded."""
        if self.searches is None:
            return None
        seen: set[str] = set()
        repeats = with_results = 0
        for returned in self.searches:
            with_results += bool(returned)
            repeats += bool(returned) and seen.issuperset(returned)
            seen.update(returned)
        return repeats, with_results


def trail_of(row: AskedRun) -> Trail:
    """Return the trail of a run that completed.

    An answer that says the corpus cannot answer cites nothing; one without a list of statements
    does not say what it cites.
    """
    run, answer = row.run, row.run.answer
    known = row.abstained or (answer is not None and answer.statements is not None)
    return Trail(
        run.run_id,
        row.question.question_id,
        row.repeat,
        row.retrieved,
        tuple(cited_ids(row)) if known else None,
        None if run.searches is None else tuple(tuple(search.returned) for search in run.searches),
        {chunk.id: chunk for chunk in run.chunks or [] if place_of(chunk.id) is None},
    )
