"""The cleaning stage of an ingest: the model and glossary it was asked to use."""

from __future__ import annotations

from answertrail.corpus.cleaning.glossary import Glossary, read_glossary
from answertrail.corpus.cleaning.report import CleaningReport
from answertrail.corpus.cleaning.settings import CleaningSettings
from answertrail.corpus.cleaning.stage import clean_pending
from answertrail.corpus.report import Progress
from answertrail.corpus.request import CleaningChoices
from answertrail.errors import InputError
from answertrail.models.chat.base import ChatModel
from answertrail.models.chat.load import AUTHOR_VARIABLE, READER, load_author
from answertrail.settings import Settings
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus


def prepared(choices: CleaningChoices | None, settings: Settings) -> tuple[ChatModel | None, Glossary | None]:
    """Return the model and glossary, before anything is ingested: a mistake in them is told at once.

    Raises InputError for a model that is none, a missing author model and a faulty glossary,
    ServiceError for a missing key.
    """
    if choices is None:
        return None, None
    spec = settings.author if choices.model == "author" else choices.model
    if not spec or spec == READER:
        raise InputError(
            "no author model is set, and cleaning needs one" if not spec else "the built-in reader only quotes",
            hint=f"name a chat model: --clean openai:MODEL, or {AUTHOR_VARIABLE} (docs/models.md)",
        )
    glossary = None if choices.glossary is None else read_glossary(choices.glossary)
    return load_author(spec), glossary


async def clean(
    db: Database,
    corpus: Corpus,
    choices: CleaningChoices | None,
    model: ChatModel | None,
    glossary: Glossary | None,
    worker: str,
    shown: Progress,
) -> CleaningReport:
    """Run the stage; without a model the report says that it was skipped, and why."""
    settings = CleaningSettings(unlabelled=choices is not None and choices.unlabelled)
    return await clean_pending(db, corpus, model, glossary, worker, shown, settings)
