"""The guards of the loop, as pure decisions over what the run has done so far."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from answertrail.agent.coverage import Look


@dataclass(frozen=True, slots=True)
class Searched:
    """What the guards need to know of one search.

    Chunks returned, how many of them new, how many that match were left out as known, whether
    the run has by now been shown the whole corpus, and what was searched beside the query.
    """

    query: str
    window: tuple[str | None, str | None]
    returned: int
    new: int
    held_back: int = 0
    all_shown: bool = False
    beside: tuple[str, ...] = ()


def normalised(query: str) -> str:
    """Fold what does not make a query another query: case, spacing, punctuation, word order."""
    folded = unicodedata.normalize("NFKC", query).casefold()
    return " ".join(sorted(re.findall(r"\w+", folded)))


def distinct_searches(searches: Sequence[Searched]) -> int:
    """Count searches that differ after normalising and brought a new chunk, or nothing at all.

    A reworded query that only finds what was already seen is not a second look, unless there is
    nothing else in the corpus to see. Nor is a repeated query that pages on, by whichever tool:
    the same words in the same dates are one search, and another when it goes on from other passages.
    """
    seen: set[tuple[str, tuple[str | None, str | None], frozenset[str]]] = set()
    count = 0
    for search in searches:
        key = (normalised(search.query), search.window, frozenset(map(normalised, search.beside)))
        if key in seen:
            continue
        seen.add(key)
        nothing = not search.returned and not search.held_back
        if search.new or nothing or search.all_shown:
            count += 1
    return count


def refusal_to_finish(searches: Sequence[Searched], minimum: int) -> str | None:
    """Return why `mark_ready` is refused, in words for the model, or None when it may pass."""
    done = distinct_searches(searches)
    if done >= minimum:
        return None
    return (
        f"Not yet: {done} of at least {minimum} distinct searches so far. Search again with a "
        "different wording or for another part of the question; a search counts when it brings "
        "a passage you have not seen, or finds nothing at all."
    )


_NAMED = 12


def periods_to_look_at(looks: Sequence[Look]) -> str | None:
    """Say which dated periods with documents were never looked at, or None when all were, or there is but one."""
    dated = [look for look in looks if look.period.start is not None]
    missing = [look.period for look in dated if not look.looked_at]
    if len(dated) < 2 or not missing:
        return None
    named = ", ".join(period.label for period in missing[:_NAMED])
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    documents = sum(period.documents for period in missing)
    return f"{len(missing)} of {len(dated)} periods were never looked at, with {documents} documents: {named}{more}."
