"""What runs say a corpus says, compared with the corpus, for `runs verify --against-corpus`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from answertrail.agent.verify import Fault
    from answertrail.records.run import Run
    from answertrail.store.connection import Database
    from answertrail.store.rows import Corpus

_NUL = "\0"
"""No database holds it, so no chunk has it in its id."""


async def against_corpus(runs: Sequence[Run]) -> list[list[Fault] | None]:
    """Return the faults of each run; None where the corpus is not here any more as the run saw it, or it has no texts.

    The corpus of a run is the one of its snapshot, live or kept beside the live one of its name.
    """
    from answertrail.settings import Settings
    from answertrail.store import corpora, names
    from answertrail.store.connection import connect

    asked = {names.live_name(run.corpus.name) for run in runs if run.corpus}
    out: list[list[Fault] | None] = []
    async with connect(Settings.from_environment()) as db:
        there = {
            (live, await corpora.snapshot(db, corpus)): corpus
            for corpus in await corpora.list_all(db)
            if (live := names.live_name(corpus.name)) in asked
        }
        for run in runs:
            corpus = there.get((names.live_name(run.corpus.name), run.corpus.snapshot)) if run.corpus else None
            out.append(None if corpus is None or run.chunks is None else await _faults(db, corpus, run))
    return out


async def _faults(db: Database, corpus: Corpus, run: Run) -> list[Fault]:
    from answertrail.agent.captioned import captioned_in
    from answertrail.agent.verify import Fault
    from answertrail.corpus.cleaning.captioned import captioned_words
    from answertrail.store import chunks

    told = {chunk.id: chunk.text for chunk in run.chunks or []}
    held = captioned_in(run) or {}
    # A recipe may only flag that a cited chunk was not retrieved: then the run has no text of it.
    stored = await chunks.get_chunks(db, corpus, [name for name in {**told, **held} if _NUL not in name])
    shown = {name: one.chunk.text for name, one in stored.items()}
    captioned = await captioned_words(db, corpus, {name: shown[name] for name in held if name in shown})
    out = [Fault(run.run_id, "corpus", f"the corpus has no chunk {name}") for name in told if name not in shown]
    out += [
        Fault(run.run_id, "corpus", f"the text of {name} is not what the corpus has")
        for name, text in told.items()
        if shown.get(name, text) != text
    ]
    return out + [
        Fault(run.run_id, "captioned", f"the words as captioned of {name} are not those the corpus has")
        for name, words in held.items()
        if captioned.get(name) != words
    ]
