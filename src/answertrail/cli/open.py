"""Which corpus a command means, and what it is searched with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from answertrail.errors import InputError, NotFoundError
from answertrail.store import corpora, names
from answertrail.store.connection import Database

if TYPE_CHECKING:
    from answertrail.agent.recipe import Recipe
    from answertrail.models.chat.base import ChatModel
    from answertrail.search.open_corpus import OpenCorpus
    from answertrail.settings import Settings

DEFAULT = "default"


async def chosen_name(db: Database, name: str | None) -> str:
    """Return the corpus named, or the only one there is, or `default`.

    Raises NotFoundError when none was named and several exist, listing them.
    """
    if name is not None:
        return name
    known = [corpus.name for corpus in await corpora.list_all(db) if not names.is_beside(corpus.name)]
    if len(known) == 1:
        return known[0]
    if DEFAULT in known:
        return DEFAULT
    if not known:
        raise NotFoundError(
            "there is no corpus yet", hint="make one with `answertrail ingest FOLDER`, or try `answertrail demo`"
        )
    raise NotFoundError("several corpora exist", hint=f"name one with --corpus: {', '.join(known)}")


def for_recipe(corpus: OpenCorpus, recipe: Recipe, settings: Settings, author: str | None = None) -> OpenCorpus:
    """Return the corpus as a recipe searches it: with an author model where it has queries translated.

    Raises InputError when it does and none is named, or when one is named and it does not.
    """
    if recipe.search.translate:
        return translating(corpus, author_model(settings, author), settings)
    if author is not None:
        raise InputError(
            f"the recipe {recipe.name} does not have queries translated, so --author has nothing to do",
            hint="set translate = true under [search] in a recipe",
        )
    return corpus


def author_model(settings: Settings, spec: str | None = None) -> ChatModel:
    """Return the author model named, or that of the environment; InputError when there is none."""
    from answertrail.models.chat.load import load_author

    return load_author(spec or settings.author)


def translating(corpus: OpenCorpus, author: ChatModel, settings: Settings) -> OpenCorpus:
    """Return the corpus with every query put into its languages; what was translated once is kept on disk."""
    from answertrail.search.translate import Translator, spoken_in
    from answertrail.search.translated import TranslationCache

    cache = TranslationCache(settings.cache / "translations")
    return replace(corpus, translator=Translator(author, spoken_in(corpus.some_rows), cache))
