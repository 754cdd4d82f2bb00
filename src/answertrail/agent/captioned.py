"""The words as captioned of what a run cites: read once, kept in the run, and judged by from then on.

The corpus may be cleaned again between two checks of one run, and after it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from answertrail.agent.ask import Corpus
from answertrail.agent.evidence import Evidence
from answertrail.records.run import Run
from answertrail.search.hits import ChunkRow


async def cited_and_captioned(
    corpus: Corpus, evidence: Evidence, ids: Collection[str]
) -> tuple[Mapping[str, ChunkRow], Mapping[str, str]]:
    """Return those of the ids that are chunks of the snapshot, and the words as captioned of those that show others."""
    chunks = await corpus.cited(ids)
    if new := [row for row in chunks.values() if row.id not in evidence.captioned]:
        found = await corpus.captioned(new)
        evidence.captioned |= {row.id: found.get(row.id) for row in new}
    return chunks, {name: words for name in chunks if (words := evidence.captioned[name]) is not None}


def captioned_in(run: Run) -> Mapping[str, str] | None:
    """Return the words as captioned that a run was judged by; None where they cannot be read, as a file may be."""
    held = (run.meta or {}).get("captioned", {})
    if not isinstance(held, dict) or not all(isinstance(words, str) for words in held.values()):
        return None
    return held
