"""Search over an engine returns what the index over every row does, as far as the pool reaches."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError
from answertrail.search.engines import index as index_module
from answertrail.search.engines.base import ANY
from answertrail.search.engines.document_votes import DocumentVotes, document_index
from answertrail.search.engines.exact import ExactVectors, LocalWords
from answertrail.search.engines.index import EngineIndex
from answertrail.search.engines.rows import HeldRows
from answertrail.search.hits import Filter
from answertrail.search.lexical import LexicalIndex
from answertrail.search.load import lexical_index
from answertrail.search.modes import MODES
from answertrail.search.wordings import Wordings
from tests.search.engines.worlds import both, catalogue_of
from tests.search.test_index import random_filter
from tests.search.worlds import START, WORDS, TinyEmbedder, random_rows, row, unit
from tests.soak import rounds

ALL_MODES = [*sorted(MODES), "fused+terms", "dense+terms"]


def run(index, query, **options):
    return asyncio.run(index.search(query, **{"mode": "fused", "k": 10, **options}))


def seen(result):
    """All that a caller sees of a result, scores to 1e-5."""
    hits = [
        (hit.chunk_id, *(None if value is None else pytest.approx(value, abs=1e-5) for value in scores(hit)))
        for hit in result.hits
    ]
    return hits, result.matching, result.held_back, result.terms, result.undated_left_out, result.chunks_in_corpus


def scores(hit):
    return hit.score, hit.dense, hit.lexical, hit.relevance


def plain(result):
    hits = [(hit.chunk_id, *scores(hit)) for hit in result.hits]
    return hits, result.matching, result.held_back, result.terms, result.undated_left_out, result.chunks_in_corpus


def test_over_a_small_corpus_every_mode_gives_the_very_rows_and_scores_of_the_exact_index():
    rng = random.Random(11)
    for _ in range(rounds(2, 40)):
        rows = random_rows(rng)
        # Some chunks have no vector yet.
        vectors = {row.id: None for row in rows if rng.random() < 0.1}
        whole, engine = both(rows, TinyEmbedder(), vectors)
        for mode in ALL_MODES:
            for _ in range(5):
                k = rng.choice([1, 3, 10, 40, 72, 500])
                query = " ".join(rng.choices([*WORDS, "zeppelin"], k=rng.randrange(1, 5)))
                within = random_filter(rng, rows)
                wanted, found = (run(index, query, mode=mode, k=k, within=within) for index in (whole, engine))
                assert plain(found) == seen(wanted), (mode, query, k, within)


def test_a_query_in_two_wordings_gives_what_the_exact_index_gives():
    rng = random.Random(13)
    rows = random_rows(rng)
    vectors = {row.id: None for row in rows if rng.random() < 0.1}
    whole, engine = both(rows, TinyEmbedder(8, {"ash": [np.nan] * 8}), vectors)
    for mode in sorted(MODES):
        for also in (["kiln barn"], ["glaze", "river salt"], ["ash"]):
            within = random_filter(rng, rows)
            wanted, found = (
                run(index, "winter fire", mode=mode, k=9, within=within, also=also) for index in (whole, engine)
            )
            if mode == "lexical":  # how many match in either wording is not known here
                assert plain(found)[0] == seen(wanted)[0]
            else:
                assert plain(found) == seen(wanted), (mode, also, within)


def test_coverage_counts_every_period_as_the_exact_index_does():
    rng = random.Random(12)
    rows = random_rows(rng)
    whole, engine = both(rows, TinyEmbedder())
    for _ in range(20):
        within = random_filter(rng, rows)
        query = " ".join(rng.choices(WORDS, k=3))
        wanted, found = (run(index, query, mode="timeline", k=12, within=within) for index in (whole, engine))
        for one, other in zip(found.coverage.periods, wanted.coverage.periods, strict=True):
            assert (one.label, one.start, one.end, one.state) == (other.label, other.start, other.end, other.state)
            assert (one.documents, one.chunks, one.hits) == (other.documents, other.chunks, other.hits)
            assert one.matching == other.matching
        assert found.coverage.floor == pytest.approx(wanted.coverage.floor, abs=1e-5)


def test_a_query_the_embedder_has_nothing_for_finds_by_words_alone():
    rows = random_rows(random.Random(1))
    whole, engine = both(rows, TinyEmbedder(8, {"kiln": [np.nan] * 8}))
    for mode in ALL_MODES:
        wanted, found = (run(index, "kiln", mode=mode, k=99) for index in (whole, engine))
        assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in wanted.hits], mode
        assert found.matching == wanted.matching, mode


@pytest.mark.parametrize("mode", [mode for mode in ALL_MODES if mode != "timeline"])
def test_paging_by_exclude_visits_each_matching_chunk_once(mode):
    rows = random_rows(random.Random(4), documents=30, chunks=20)
    _, engine = both(rows, TinyEmbedder())
    first = run(engine, "kiln glaze barn", mode=mode, k=5)
    visited: list[str] = []
    while page := run(engine, "kiln glaze barn", mode=mode, k=90, within=Filter(exclude=frozenset(visited))).hits:
        visited += [hit.chunk_id for hit in page]
    assert len(visited) == len(set(visited)) == first.matching


def test_rewordings_and_passages_to_be_like_are_searched_as_the_exact_index_does():
    rng = random.Random(21)
    wordings = [Wordings(("kiln barn",)), Wordings((), ("glaze", "river salt")), Wordings(("ash",), ("stone lamp",))]
    for _ in range(rounds(1, 20)):
        rows = random_rows(rng)
        whole, engine = both(rows, TinyEmbedder(), {row.id: None for row in rows if rng.random() < 0.1})
        for mode in ALL_MODES:
            for beside in wordings:
                within = random_filter(rng, rows)
                wanted, found = (
                    run(index, "winter fire", mode=mode, k=9, within=within, wordings=beside)
                    for index in (whole, engine)
                )
                if mode == "lexical":  # how many match in either wording is not known here
                    assert plain(found)[0] == seen(wanted)[0]
                else:
                    assert plain(found) == seen(wanted), (mode, beside, within)
        for item in rows[:5]:
            assert asyncio.run(engine.telling_words(item)) == asyncio.run(whole.telling_words(item))


def far_siblings(rng, chunks, lacking):
    """An index of short documents whose first passage may be near the query `kiln`; the others are far from it.

    A share of these has no vector yet. Firsts come by cosine and, where they say the word, before; what the
    others are like moves one by some 14 places of 150. So the first 40 are among the best 60 by one signal
    or the other, and none of the others is.
    """
    rows, vectors = [], {}
    for at, place in enumerate(rng.sample(range(150), 150)):
        for chunk in range(chunks):
            name = f"d{at:03}:{30 * chunk:05}"
            cosine = 0.2 + 0.7 * place / 150 if chunk == 0 else rng.uniform(-0.5, -0.3)
            text = f"kiln n{at}" if chunk == 0 and rng.random() < 0.2 else f"barn n{at}x{chunk}"
            rows.append(row(name, text, published=START + timedelta(days=at)))
            around = unit([rng.gauss(0, 1) for _ in range(7)])
            vectors[name] = [cosine, *((1 - cosine**2) ** 0.5 * around)]
            if chunk and rng.random() < lacking:
                vectors[name] = None
    return rows, both(rows, TinyEmbedder(8, {"kiln": [1, *[0] * 7]}), vectors)


@pytest.mark.parametrize("mode", ["fused", "near", "spread", "timeline"])
@pytest.mark.parametrize("chunks", [2, 3, 4])
@pytest.mark.parametrize("lacking", [0, 0.2])
def test_of_a_short_document_all_passages_are_ranked_with_its_candidates(monkeypatch, mode, chunks, lacking):
    """The score of a passage depends on the others of its document, which may be far from the best by any signal."""
    monkeypatch.setattr(index_module, "POOL", 60)
    rows, (whole, engine) = far_siblings(random.Random(chunks), chunks, lacking)
    every = Filter(documents=frozenset(item.document_id for item in rows[: 120 * chunks]))
    for within in (Filter(), every):
        near = [
            {hit.chunk_id for hit in run(engine, "kiln", mode=signal, k=60, within=within).hits}
            for signal in ("dense", "lexical")
        ]
        assert {chunk.endswith(":00000") for found in near for chunk in found} == {True}
        # A timeline goes deeper into each period than the best 60.
        for k in (1, 10) if mode == "timeline" else (1, 10, 29):
            wanted, found = (run(index, "kiln", mode=mode, k=k, within=within) for index in (whole, engine))
            assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in wanted.hits]
            for one, other in zip(found.hits, wanted.hits, strict=True):
                assert one.relevance == (other.relevance and pytest.approx(other.relevance, abs=1e-6))
                if mode != "timeline":  # whose scores only say in which order, and depend on what else was found
                    assert one.score == pytest.approx(other.score, abs=1e-6)


@pytest.mark.parametrize("mode", ["near", "spread", "diverse", "timeline"])
def test_what_a_hit_of_a_short_document_is_worth_does_not_depend_on_how_it_was_found(monkeypatch, mode):
    """A timeline asks for the best of each period once more, which brings passages of documents not seen before."""
    monkeypatch.setattr(index_module, "POOL", 5)
    for seed in range(rounds(6, 100)):
        whole, engine = both(random_rows(random.Random(seed), documents=40, chunks=3), TinyEmbedder())
        for query in ("kiln roof", "ash", "winter stone lamp"):
            exact = {hit.chunk_id: hit.relevance for hit in run(whole, query, mode=mode, k=999).hits}
            found = {hit.chunk_id: hit.relevance for hit in run(engine, query, mode=mode, k=5).hits}
            assert found == pytest.approx({chunk: exact[chunk] for chunk in found}, abs=1e-5)
            assert len(found) == 5


def limited(rows, most):
    """An index over engines that give no more than `most` rows, as servers do, and refuse to be asked for more."""

    class Vectors(ExactVectors):
        capabilities = replace(ExactVectors.capabilities, most=most)

        async def dense(self, vector, k, within=ANY):
            assert k <= most
            return await super().dense(vector, k, within)

    class Words(LocalWords):
        capabilities = replace(LocalWords.capabilities, most=most)

        async def lexical(self, query, k, within=ANY):
            assert k <= most
            return await super().lexical(query, k, within)

    whole, _ = both(rows, TinyEmbedder())
    table = sorted(rows, key=lambda row: row.id)
    catalogue = catalogue_of(table, whole._matrix)
    words = Words(catalogue, whole.lexical)
    return EngineIndex(
        catalogue, Vectors(catalogue, whole._matrix), words, HeldRows(table, whole._matrix), TinyEmbedder()
    )


@pytest.mark.parametrize("mode", ["fused", "hybrid", "near", "diverse", "spread"])
def test_an_engine_that_gives_few_rows_is_paged_to_the_end_and_says_when_it_gives_too_few(mode):
    rows = random_rows(random.Random(4), documents=30, chunks=20)
    engine = limited(rows, 100)
    visited: list[str] = []
    matching = run(engine, "kiln glaze barn", mode=mode, k=5).matching
    while True:
        page = run(engine, "kiln glaze barn", mode=mode, k=90, within=Filter(exclude=frozenset(visited)))
        assert len(page.hits) == min(90, page.matching)
        assert (page.matching, page.held_back, page.fallback) == (matching - len(visited), len(visited), None)
        if not page.hits:
            break
        visited += [hit.chunk_id for hit in page.hits]
    assert len(visited) == len(set(visited)) == matching > 500

    short = run(engine, "kiln glaze barn", mode=mode, k=400)
    assert len(short.hits) < 400
    assert f"{len(short.hits)} of the 400 passages" in short.fallback
    assert "no more than 100" in short.fallback


def test_votes_of_documents_kept_beside_an_engine_are_those_of_the_words():
    rng = random.Random(14)
    for _ in range(rounds(3, 40)):
        rows = sorted(random_rows(rng), key=lambda row: row.id)
        whole, _ = both(rows, TinyEmbedder())
        catalogue = catalogue_of(rows, whole._matrix)
        own, beside = (
            LocalWords(catalogue, lexical_index(rows)),
            DocumentVotes(catalogue, document_index(catalogue, rows)),
        )
        for _ in range(10):
            query = " ".join(rng.choices([*WORDS, "zeppelin"], k=rng.randrange(1, 5)))
            wanted, found = (asyncio.run(one.document_votes(query)) for one in (own, beside))
            assert found == pytest.approx(wanted, rel=1e-5)


def test_what_an_engine_cannot_be_asked_is_refused_with_a_reason():
    _, engine = both(random_rows(random.Random(2)), TinyEmbedder())
    with pytest.raises(InputError, match="empty"):
        run(engine, "  ")
    with pytest.raises(InputError, match="at least 1"):
        run(engine, "kiln", k=0)


def test_an_engine_of_other_dimensions_is_refused():
    rows = sorted(random_rows(random.Random(2)), key=lambda row: row.id)
    matrix = np.ones((len(rows), 4), dtype=np.float32) / 2
    catalogue = catalogue_of(rows, matrix)
    words = LocalWords(catalogue, LexicalIndex.build([row.text for row in rows], ["en"] * len(rows)))
    with pytest.raises(MismatchError, match="4 dimensions"):
        EngineIndex(catalogue, ExactVectors(catalogue, matrix), words, HeldRows(rows, matrix), TinyEmbedder(8))


def test_an_empty_corpus_gives_no_hits():
    _, engine = both([], TinyEmbedder())
    for mode in ALL_MODES:
        result = run(engine, "kiln", mode=mode)
        assert (result.hits, result.matching, result.held_back) == ((), 0, 0)
