"""The corpus an ingest writes to, and its embedder: made when new, checked when known."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from answertrail.corpus.context import context_parts
from answertrail.corpus.discovery import Discovery
from answertrail.corpus.request import IngestRequest
from answertrail.corpus.sources import Read, read
from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.models.embedding.base import Embedder
from answertrail.models.embedding.choice import check_asked_in
from answertrail.models.embedding.language import language_codes
from answertrail.models.embedding.load import AUTO, load_embedder, resolve_spec
from answertrail.store import corpora, names
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus

_SAMPLE_DOCUMENTS = 12
_SAMPLE_CHARS = 2000


async def opened(
    db: Database, request: IngestRequest, sample: Callable[[], Awaitable[list[str]]]
) -> tuple[Corpus, Embedder]:
    """Return the corpus of the request and its embedder; `sample` gives texts to tell the language by.

    Raises MismatchError when a known corpus was made with other settings than asked for, NotFoundError
    for the name of a copy that is no more.
    """
    context = None if request.context is None else context_parts(request.context)
    asked_in = None if request.asked_in is None else language_codes(request.asked_in)
    try:
        corpus = await corpora.get(db, request.corpus)
    except NotFoundError:
        if (names.begun_at(request.corpus) or ("", None))[1] is not None:
            raise  # a copy that was deleted: what holds only these sources must not take its name
        spec = request.embedder or AUTO
        concrete = resolve_spec(spec, await sample() if spec == AUTO else [], asked_in or ())
        check_asked_in(concrete, asked_in or ())
        embedder = load_embedder(concrete)
        try:
            made = await corpora.create(
                db, request.corpus, concrete, embedder.identity, context=context or (), asked_in=asked_in or ()
            )
            return made, embedder
        except InputError as error:
            try:
                corpus = await corpora.get(db, request.corpus)  # another ingest made it meanwhile
            except NotFoundError:
                raise error from None  # the name itself is at fault
    # `auto` chose when the corpus was made; asking for it again asks for nothing else.
    if request.embedder not in (None, AUTO) and resolve_spec(request.embedder) != corpus.spec:
        raise MismatchError(
            f"corpus {corpus.name!r} was made with the embedder {corpus.spec}, not {request.embedder}",
            hint="leave --embedder out, or ingest into a new corpus",
        )
    if context is not None and context != corpus.context:
        raise MismatchError(
            f"corpus {corpus.name!r} was made with the context {','.join(corpus.context) or 'none'}, "
            f"not {','.join(context) or 'none'}",
            hint="leave --context out, or ingest into a new corpus",
        )
    if asked_in is not None and asked_in != corpus.asked_in:
        raise MismatchError(
            f"corpus {corpus.name!r} was made to be asked in {','.join(corpus.asked_in) or 'any language'}, "
            f"not {','.join(asked_in)}; its embedder was chosen by that",
            hint="leave --asked-in out, or ingest into a new corpus",
        )
    return corpus, load_embedder(corpus.spec)


def beginnings(found: Discovery) -> list[str]:
    """Read the beginnings of some documents, spread over the sources, to tell their language."""
    step = max(1, len(found.groups) // _SAMPLE_DOCUMENTS)
    out = []
    for group in found.groups[::step][:_SAMPLE_DOCUMENTS]:
        for item in read(group):
            if isinstance(item, Read):
                out.append(item.document.words()[:_SAMPLE_CHARS])
                break
    return out
