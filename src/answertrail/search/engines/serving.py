"""Index a corpus with an engine, and open it over the engine it was indexed with.

Filled, counted, published, recorded, and only then is the older index dropped: at every moment
searches that begin have a complete one. A search over an index that was dropped under it is made
again over the one that took its place (reopening.py), as long as the corpus is what it was; texts
that an ingest changed are gone, and the search says to open the corpus again. What a killed build
leaves is dropped by the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.embedding.base import Embedder
from answertrail.records.run import CorpusRef
from answertrail.search import checked
from answertrail.search.engines import local
from answertrail.search.engines.base import (
    DenseEngine,
    IndexBuildError,
    NoIndexError,
    Progress,
    StaleIndexError,
)
from answertrail.search.engines.exact import EXACT, sampled
from answertrail.search.engines.index import EngineIndex
from answertrail.search.engines.registry import KINDS, NAMES, kind_named
from answertrail.search.engines.reopening import Reopening, engines_over
from answertrail.search.engines.source import reading
from answertrail.search.engines.stored_rows import StoredRows
from answertrail.search.lexical import K1, B
from answertrail.search.load import captions_of
from answertrail.search.open_corpus import OpenCorpus
from answertrail.settings import Settings
from answertrail.store import corpora, embeddings, search_indexes
from answertrail.store.connection import Database
from answertrail.store.rows import Corpus
from answertrail.store.search_indexes import SearchIndex

_SOME = 200


async def index_corpus(
    db: Database,
    settings: Settings,
    corpus: Corpus,
    engine: str,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> SearchIndex:
    """Fill an engine with a corpus as it is now, and search it with that engine from now on.

    Raises NotFoundError for an unknown engine, InputError for options it does not take,
    IndexBuildError when it could not be filled: then all is as it was before.
    """
    kind = kind_named(engine, db, corpus, options or {})
    async with reading(db, corpus) as source:
        if not source.vectors:
            raise IndexBuildError("the corpus has no vectors to index", where=corpus.name, hint="ingest into it first")
        before = await search_indexes.find(db, corpus, engine)
        built = await kind.build(source, progress)
        made = SearchIndex(
            engine=engine,
            place=built.place,
            snapshot=source.snapshot,
            revision=source.revision,
            embedder=corpus.embedder_key,
            chunks=built.rows,
            vectors=built.vectors,
            pending=source.pending,
            seconds=built.seconds,
            bytes=built.bytes,
            settings=built.settings,
        )
        await kind.publish(source, built)
        async with db.transaction() as conn:
            await corpora.lock(conn, corpus)
            await search_indexes.record_in(conn, corpus, made)
            await search_indexes.choose_in(conn, corpus, engine)
        gone = await kind.sweep(corpus.id, [built.place])
    local.sweep(settings, [*gone, *([before.place] if before else [])])
    found = await search_indexes.find(db, corpus, engine)
    return found or made


async def use_engine(db: Database, corpus: Corpus, engine: str) -> None:
    """Search a corpus with this engine from now on.

    Raises NotFoundError for an unknown engine, NoIndexError when the corpus has no index of it.
    """
    if engine not in NAMES:
        raise NotFoundError(f"no search engine {engine!r}", hint=f"known: {', '.join(NAMES)}")
    if engine != EXACT and await search_indexes.find(db, corpus, engine) is None:
        raise _no_index(corpus, engine)
    async with db.transaction() as conn:
        await corpora.lock(conn, corpus)
        await search_indexes.choose_in(conn, corpus, engine)


async def drop_index(db: Database, settings: Settings, corpus: Corpus, engine: str) -> list[str]:
    """Drop a corpus's index of an engine and search it exactly where that was its engine; return what was dropped.

    Raises InputError for `exact`, which has none, NotFoundError for an unknown engine.
    """
    if engine == EXACT:
        raise InputError(
            "the engine exact needs no index, so there is none to drop", hint="name the engine that has it"
        )
    kind = kind_named(engine, db, corpus, {})
    async with db.transaction() as conn:
        await corpora.lock(conn, corpus)
        await search_indexes.forget_in(conn, corpus, engine)
        if await search_indexes.engine_in(conn, corpus) == engine:
            await search_indexes.choose_in(conn, corpus, EXACT)
    gone = await kind.sweep(corpus.id, [])
    local.sweep(settings, gone)
    return gone


async def delete_corpus(db: Database, settings: Settings, corpus: Corpus) -> list[str]:
    """Delete a corpus with what its engines and the cache hold of it; return a line for each index that is left.

    An index is left where its server does not answer, or is not the one it was made on.
    """
    left: list[str] = []
    records = await search_indexes.all_of(db, corpus)
    for record in records:
        try:
            gone = await kind_named(record.engine, db, corpus, record.settings).sweep(corpus.id, [])
        except (ServiceError, InputError) as error:
            left.append(f"{record.place} was not dropped from {record.engine}: {error.message}")
        else:
            if record.place not in gone:
                left.append(f"{record.place} was not found in {record.engine}; it may be on another server")
    await corpora.delete(db, corpus)
    local.sweep(settings, [record.place for record in records])
    checked.remove([settings.cache / str(corpus.id)])
    return left


async def stale(db: Database, corpus: Corpus, record: SearchIndex) -> str | None:
    """Say why an index is not of the corpus as it is now; None when it is."""
    if record.embedder != corpus.embedder_key:
        return f"it holds vectors of {record.embedder}, the corpus has those of {corpus.embedder_key}"
    if record.revision != await corpora.revision(db, corpus):
        return "the corpus changed after it was indexed"
    if _keeps_words(record) and record.settings.get("bm25_parameters") != [K1, B]:
        return "it scores words by other parameters of BM25 than this version"
    if record.pending and record.pending != await embeddings.pending_count(db, corpus):
        return "passages got their vectors after it was indexed"
    return None


def _keeps_words(record: SearchIndex) -> bool:
    """Say whether the place scores words itself, by the parameters it was made with."""
    return record.engine == "opensearch" or bool(record.settings.get("bm25"))


async def open_index(
    db: Database, settings: Settings, corpus: Corpus, embedder: Embedder, engine: str
) -> tuple[SearchIndex, EngineIndex]:
    """Open a corpus over an engine it was indexed with.

    Raises NotFoundError for an unknown engine, NoIndexError when there is no complete index,
    StaleIndexError when it is not of the corpus as it is now, ServiceError when the engine is down.
    """
    if engine not in KINDS:
        raise NotFoundError(f"no search engine {engine!r}", hint=f"known: {', '.join(NAMES)}")
    record = await search_indexes.find(db, corpus, engine)
    if record is None:
        raise _no_index(corpus, engine)
    opened = await kind_named(engine, db, corpus, record.settings).open(record.place, embedder.identity.dims)
    try:
        return record, await _index_over(db, settings, corpus, embedder, record, opened)
    except BaseException:
        await opened.close()
        raise


async def _index_over(
    db: Database, settings: Settings, corpus: Corpus, embedder: Embedder, record: SearchIndex, opened: DenseEngine
) -> EngineIndex:
    async with db.reading() as conn:
        # Looked at in the transaction that reads the rest, so that both are of one state.
        reason = await stale(db, corpus, record)
        if reason is None and await corpora.snapshot_in(conn, corpus) != record.snapshot:
            reason = "the corpus changed after it was indexed"
        if reason is not None:
            raise StaleIndexError(
                f"the {record.engine} index is old: {reason}",
                where=corpus.name,
                hint=f"`answertrail corpus index {corpus.name} --engine {record.engine}` makes a new one",
            )
        held = await local.load_or_make(conn, corpus, settings, record, words=not opened.capabilities.lexical)
    catalogue = held.catalogue
    if int(catalogue.has_vector.sum()) != record.vectors:
        raise StaleIndexError(
            f"the corpus has {int(catalogue.has_vector.sum()):,} vectors, its {record.engine} index {record.vectors:,}",
            where=corpus.name,
            hint=f"`answertrail corpus index {corpus.name} --engine {record.engine}` makes a new one",
        )
    rows = StoredRows(db, corpus, catalogue)
    some = await rows.rows([catalogue.ids[at] for at in sampled(catalogue, _SOME).tolist()])
    engines = engines_over(opened, catalogue, held)
    return EngineIndex(
        catalogue,
        engines.engine,
        engines.words,
        rows,
        embedder,
        tuple(some[chunk] for chunk in sorted(some)),
        engines.documents,
        Reopening(db, settings, corpus, record, catalogue),
    )


async def open_served(db: Database, settings: Settings, corpus: Corpus, embedder: Embedder, engine: str) -> OpenCorpus:
    """Open a corpus over an engine, as `load.open_corpus` returns it; see `open_index` for what is raised."""
    record, index = await open_index(db, settings, corpus, embedder, engine)
    ref = CorpusRef(name=corpus.name, snapshot=record.snapshot)
    return OpenCorpus(ref, index, record.pending, corpus.context, captions=captions_of(db, corpus))


def _no_index(corpus: Corpus, engine: str) -> NoIndexError:
    return NoIndexError(
        f"the corpus has no {engine} index",
        where=corpus.name,
        hint=f"`answertrail corpus index {corpus.name} --engine {engine}` makes it",
    )
