"""Where `eval retrieval` has its rankings from: files, or searches of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from answertrail.cli.common import err
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.experiments.inputs import QuestionSet
    from answertrail.records import RetrievalRun
    from answertrail.records.run import CorpusRef
    from answertrail.search.open_corpus import OpenCorpus


class Searched(NamedTuple):
    """The corpus that rankings are of, and the ids of its documents where it was opened."""

    ref: CorpusRef | None
    documents: frozenset[str] = frozenset()

    @staticmethod
    def of(corpus: OpenCorpus) -> Searched:
        """Name a corpus that is open."""
        return Searched(corpus.ref, corpus.document_ids)


def read_files(paths: Sequence[Path], order: Literal["rank", "score"]) -> list[RetrievalRun]:
    """Read ranking files; no (question, mode, repeat) may be in two of them."""
    from answertrail.experiments.rankings import read_rankings

    rows: list[RetrievalRun] = []
    for path in paths:
        new = read_rankings(path, order)
        twice = {(row.question_id, row.mode, row.repeat or 0) for row in rows} & {
            (row.question_id, row.mode, row.repeat or 0) for row in new
        }
        if twice:
            question, mode, _ = min(twice)
            raise InputError(
                f"mode {mode!r} of question {question!r} is in another --run file as well",
                where=str(path),
                hint="name the modes apart, or number the repeats",
            )
        rows += new
    return rows


async def searched(
    questions: QuestionSet, names: Sequence[str], corpus_name: str | None, k: int, budget: int | None, unit: str | None
) -> tuple[list[RetrievalRun], str, Searched]:
    """Search a corpus with modes by name; return the rankings, the unit they are scored in, and the corpus."""
    from answertrail.agent.recipe import load
    from answertrail.cli.open import chosen_name
    from answertrail.cli.progress import Bars
    from answertrail.experiments.retrieval_search import corpus_unit, search_modes
    from answertrail.search.load import open_corpus
    from answertrail.search.modes import mode_named
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    modes = [(name, load("default").search.mode if name == "default" else name) for name in map(str.strip, names)]
    if len(set(modes)) < len(modes):
        raise InputError("a mode is named twice", where="--modes")
    for _, mode in modes:
        mode_named(mode)
    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = await open_corpus(db, settings, await chosen_name(db, corpus_name))
    if corpus.pending:
        err().print(f"{corpus.pending} passages have no vector yet, so dense search cannot see them; ingest again")
    unit = corpus_unit(corpus, questions.questions, unit)
    with Bars(err()) as bars:
        bars.begin("searching", len(modes) * len(questions.questions))
        rankings = await search_modes(
            corpus, questions.questions, modes, unit=unit, k=k, budget=budget, advance=bars.advance
        )
    return rankings, unit, Searched.of(corpus)


async def checked_corpus(questions: QuestionSet, name: str, recorded: CorpusRef | None, unit: str | None) -> Searched:
    """Check the gold of rankings read from a file against the corpus they are said to be of."""
    from answertrail.errors import MismatchError
    from answertrail.experiments.retrieval_search import corpus_unit
    from answertrail.search.load import open_corpus
    from answertrail.settings import Settings
    from answertrail.store.connection import connect

    settings = Settings.from_environment()
    async with connect(settings) as db:
        corpus = await open_corpus(db, settings, name)
    if recorded is not None and recorded.snapshot != corpus.ref.snapshot:
        raise MismatchError(
            f"the rankings are of snapshot {recorded.snapshot}, corpus {name} is now {corpus.ref.snapshot}",
            hint="leave --corpus out to score the file as it is, or search again with --modes",
        )
    if unit != "node":
        corpus_unit(corpus, questions.questions, unit)
    return Searched.of(corpus)
