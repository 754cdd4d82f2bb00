"""The index: exactly min(k, matching) hits, exact filters, an order that depends on nothing hidden."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError, NotFoundError
from answertrail.records.run import CorpusRef
from answertrail.search.hits import Filter
from answertrail.search.index import CorpusIndex
from answertrail.search.lexical import LexicalIndex
from answertrail.search.modes import MODES
from answertrail.search.open_corpus import OpenCorpus
from answertrail.search.tokens import index_tokens, query_tokens
from tests.search.worlds import START, WORDS, TinyEmbedder, index_of, random_rows, row, unit

ALL_MODES = sorted(MODES)
WITHOUT_FLOOR = [mode for mode in ALL_MODES if mode != "timeline"]


def run(index, query, **options):
    options = {"mode": "fused", "k": 10, **options}
    return asyncio.run(index.search(query, **options))


def ids(result):
    return [hit.chunk_id for hit in result.hits]


def spoken_index():
    rows = [
        row("ep1:00000", "Welcome back to the pottery channel.", published=datetime(2025, 1, 10, tzinfo=UTC)),
        row("ep1:00030", "We moved the kiln to the barn.", published=datetime(2025, 1, 10, tzinfo=UTC)),
        row("ep2:00000", "The glaze kept crawling.", published=datetime(2025, 6, 20, tzinfo=UTC)),
        row("ep3:00000", "The kiln is in the shed now.", published=None),
    ]
    known = {"kiln": unit([1, 0, 0, 0]), "weather": unit([0, 0, 0, 1])}
    vectors = {
        "ep1:00000": unit([0, 0, 1, 1]), "ep1:00030": unit([3, 1, 0, 0]),
        "ep2:00000": unit([1, 3, 0, 0]), "ep3:00000": unit([4, 1, 0, 0]),
    }  # fmt: skip
    return index_of(rows, TinyEmbedder(4, known), vectors)


def test_the_set_of_modes_is_known():
    assert ALL_MODES == ["dense", "diverse", "fused", "hybrid", "lexical", "near", "spread", "timeline"]


def test_a_hit_carries_what_is_shown_of_its_chunk():
    rows = [
        row("ep1:00030", "We moved the kiln.", url="https://youtu.be/ep1", published=datetime(2025, 1, 10, tzinfo=UTC))
    ]
    hit = run(index_of(rows, TinyEmbedder()), "kiln").hits[0]
    assert (hit.chunk_id, hit.document_id, hit.title) == ("ep1:00030", "ep1", "Title of ep1")
    assert (hit.start_s, hit.end_s, hit.url) == (30.0, 60.0, "https://youtu.be/ep1?t=30s")
    assert hit.published_at == datetime(2025, 1, 10, tzinfo=UTC)
    assert hit.text == "We moved the kiln."


def test_each_mode_shows_the_scores_it_computed_and_none_for_the_others():
    index = spoken_index()
    dense = run(index, "kiln", mode="dense").hits[0]
    assert dense.score == pytest.approx(4 / np.sqrt(17), abs=1e-6)
    assert (dense.dense, dense.lexical) == (pytest.approx(dense.score), None)
    lexical = run(index, "kiln", mode="lexical").hits[0]
    assert (lexical.dense, lexical.lexical) == (None, lexical.score)
    both = run(index, "kiln", mode="hybrid").hits[0]
    assert both.dense is not None
    assert both.lexical is not None


def test_dense_orders_by_angle_and_lexical_returns_only_what_shares_a_word():
    index = spoken_index()
    assert ids(run(index, "kiln", mode="dense")) == ["ep3:00000", "ep1:00030", "ep2:00000", "ep1:00000"]
    result = run(index, "kiln", mode="lexical")
    assert sorted(ids(result)) == ["ep1:00030", "ep3:00000"]
    assert result.matching == 2


def test_a_query_in_another_script_is_answered_by_dense_order_alone():
    rows = [row(f"d{n}:00000", text) for n, text in enumerate(["kiln in the barn", "glaze crawled", "clay bucket"])]
    embedder = TinyEmbedder(4, {"가마는 어디에 있나": unit([1, 0, 0, 0])})
    index = index_of(
        rows, embedder, {"d0:00000": unit([2, 1, 0, 0]), "d1:00000": unit([0, 1, 1, 0]), "d2:00000": unit([1, 5, 0, 0])}
    )
    query = "가마는 어디에 있나"
    assert ids(run(index, query, mode="dense"))[0] == "d0:00000"
    for mode in ("fused", "hybrid"):
        assert ids(run(index, query, mode=mode)) == ids(run(index, query, mode="dense"))
    assert run(index, query, mode="lexical").hits == ()


def test_a_chunk_without_a_vector_is_found_by_words_and_never_by_dense():
    rows = [row("a:00000", "kiln one"), row("b:00000", "kiln two"), row("c:00000", "barn")]
    index = index_of(rows, TinyEmbedder(), {"a:00000": None, "c:00000": None})
    assert ids(run(index, "kiln", mode="dense")) == ["b:00000"]
    assert sorted(ids(run(index, "kiln", mode="lexical"))) == ["a:00000", "b:00000"]
    for mode in ("fused", "hybrid"):
        found = run(index, "kiln", mode=mode)
        assert sorted(ids(found)) == ["a:00000", "b:00000"]  # c has neither a vector nor the word
        assert found.matching == 2
        assert {h.chunk_id: h.dense for h in found.hits}["a:00000"] is None


def test_a_query_the_embedder_has_nothing_for_finds_by_words_alone():
    index = index_of(random_rows(random.Random(1)), TinyEmbedder(8, {"kiln": [np.nan] * 8}))
    assert run(index, "kiln", mode="dense").matching == 0
    assert set(ids(run(index, "kiln", mode="fused", k=99))) == set(ids(run(index, "kiln", mode="lexical", k=99)))


def test_terms_tell_how_many_chunks_of_the_whole_corpus_hold_each_word():
    result = run(spoken_index(), "the kilns of Peru", within=Filter(documents=frozenset({"ep2"})))
    assert result.terms == {"kiln": 2, "peru": 0}
    assert result.chunks_in_corpus == 4


# --- properties over random corpora ---------------------------------------------------------------


def matching_by_hand(rows, query, mode, within):
    wanted = set(query_tokens(query, ["en"]))
    out = []
    for item in rows:
        dated = item.published_at
        if within.start and (dated is None or dated < within.start):
            continue
        if within.end and (dated is None or dated >= within.end):
            continue
        if within.documents is not None and item.document_id not in within.documents:
            continue
        if item.id in within.exclude or (mode == "lexical" and not wanted & set(index_tokens(item.text, "en"))):
            continue
        out.append(item.id)
    return out


def random_filter(rng, rows):
    days = lambda: START + timedelta(days=rng.randrange(-20, 400))  # noqa: E731
    documents = sorted({item.document_id for item in rows})
    some = lambda ids, most: frozenset(rng.sample(ids, min(len(ids), rng.randrange(most))))  # noqa: E731
    return Filter(
        start=days() if rng.random() < 0.4 else None,
        end=days() if rng.random() < 0.4 else None,
        documents=some([*documents, "nowhere"], 6) if rng.random() < 0.4 else None,
        exclude=some([item.id for item in rows] + ["gone:00000"], 40) if rng.random() < 0.4 else frozenset(),
    )  # fmt: skip


def test_500_random_searches_return_exactly_min_k_matching_rows_in_score_order():
    rng = random.Random(20)
    seen_sizes = set()
    for _ in range(10):
        rows = random_rows(rng)
        index = index_of(rows, TinyEmbedder())
        for _ in range(50):
            mode, k = rng.choice(WITHOUT_FLOOR), rng.choice([1, 3, 10, 40, 41, 72, 500])
            query = " ".join(rng.choices([*WORDS, "zeppelin"], k=rng.randrange(1, 5)))
            within = random_filter(rng, rows)
            matching = matching_by_hand(rows, query, mode, within)
            result = run(index, query, mode=mode, k=k, within=within)
            assert result.matching == len(matching)
            assert len(result.hits) == min(k, len(matching))
            assert set(ids(result)) <= set(matching)
            assert len(set(ids(result))) == len(result.hits)
            keys = [(-hit.score, hit.chunk_id) for hit in result.hits]
            assert keys == sorted(keys)
            seen_sizes.add(len(matching))
    assert {0, 72} <= seen_sizes
    assert len(seen_sizes) > 20


@pytest.mark.parametrize("mode", ALL_MODES)
def test_fewer_hits_are_the_first_of_more_hits(mode):
    index = index_of(random_rows(random.Random(3)), TinyEmbedder())
    everything = ids(run(index, "kiln glaze", mode=mode, k=500))
    for k in (1, 2, 10, 40, 50):
        assert ids(run(index, "kiln glaze", mode=mode, k=k)) == everything[:k]


@pytest.mark.parametrize("mode", WITHOUT_FLOOR)
def test_paging_by_exclude_visits_each_matching_chunk_exactly_once(mode):
    rows = random_rows(random.Random(4))
    index = index_of(rows, TinyEmbedder())
    visited: list[str] = []
    for _ in range(200):
        page = ids(run(index, "kiln glaze barn", mode=mode, k=7, within=Filter(exclude=frozenset(visited))))
        if not page:
            break
        visited += page
    assert len(visited) == len(set(visited))
    assert sorted(visited) == sorted(matching_by_hand(rows, "kiln glaze barn", mode, Filter()))


@pytest.mark.parametrize("mode", ALL_MODES)
def test_a_second_page_goes_on_exactly_where_the_first_stopped(mode):
    index = index_of(random_rows(random.Random(5)), TinyEmbedder())
    first = run(index, "kiln glaze", mode=mode, k=5)
    second = run(index, "kiln glaze", mode=mode, k=5, within=Filter(exclude=frozenset(ids(first))))
    assert ids(first) + ids(second) == ids(run(index, "kiln glaze", mode=mode, k=10))
    assert first.held_back == 0
    assert second.held_back == 5
    assert second.matching == first.matching - 5


def test_only_chunks_that_would_have_matched_are_counted_as_held_back():
    index = spoken_index()
    shown = frozenset({"ep1:00030", "ep2:00000", "gone:00000"})
    assert run(index, "kiln", mode="lexical", within=Filter(exclude=shown)).held_back == 1
    assert run(index, "kiln", mode="dense", within=Filter(exclude=shown)).held_back == 2
    in_june = Filter(start=datetime(2025, 6, 1, tzinfo=UTC), exclude=shown)
    assert run(index, "kiln", mode="dense", within=in_june).held_back == 1


@pytest.mark.parametrize("mode", ALL_MODES)
def test_the_order_does_not_depend_on_the_order_of_insertion(mode):
    rng = random.Random(6)
    rows = random_rows(rng)
    # equal texts make equal scores: the tie must be broken by id and by nothing else
    rows += [row(f"x{n}:00000", "kiln barn") for n in range(9)]
    shuffled = rows[:]
    rng.shuffle(shuffled)
    one, other = index_of(rows, TinyEmbedder()), index_of(shuffled, TinyEmbedder())
    for query in ("kiln", "kiln barn", "river salt lamp"):
        a, b = run(one, query, mode=mode, k=500), run(other, query, mode=mode, k=500)
        assert [(h.chunk_id, h.score) for h in a.hits] == [(h.chunk_id, h.score) for h in b.hits]
    tied = [h.chunk_id for h in run(one, "kiln barn", mode=mode, k=500).hits if h.chunk_id.startswith("x")]
    assert tied == sorted(tied)


@pytest.mark.parametrize("mode", ["dense", "fused", "hybrid"])
def test_chunks_with_one_text_tie_exactly_and_go_by_id_at_any_place_of_the_matrix(mode):
    # A float32 product's last bit depends on the row's place in its block: see search/dense.py.
    for count in range(2, 61):
        rng = random.Random(count)
        texts = [" ".join(rng.choices(WORDS, k=8)) for _ in range(max(1, count // 4))]
        rows = [row(f"d{place:02}:00000", rng.choice(texts)) for place in range(count)]
        index = index_of(rows, TinyEmbedder(384))
        hits = run(index, "kiln glaze barn", mode=mode, k=count).hits
        assert len(hits) == count
        # Only the first 40 of `fused` lend each other, so its equal scores end at that border.
        border = min(MODES[mode].lending, count // 4)
        by_text: dict[str, list] = {}
        scores: dict[tuple[str, bool], set[float]] = {}
        for place, hit in enumerate(hits):
            by_text.setdefault(hit.text, []).append(hit)
            scores.setdefault((hit.text, place < border), set()).add(hit.score)
        for same in by_text.values():
            assert len({hit.dense for hit in same}) == 1, count
            assert [hit.chunk_id for hit in same] == sorted(hit.chunk_id for hit in same), count
        if mode != "hybrid":  # there a rank is given once
            assert all(len(values) == 1 for values in scores.values()), count


def test_rows_out_of_id_order_are_refused():
    rows = [row("b:00000", "kiln"), row("a:00000", "barn")]
    embedder = TinyEmbedder(4)
    with pytest.raises(ValueError, match="id order"):
        CorpusIndex(rows, np.zeros((2, 4), np.float32), LexicalIndex.build(["kiln", "barn"], ["en", "en"]), embedder)


# --- filters --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ALL_MODES)
def test_a_window_is_half_open_and_undated_documents_take_no_part(mode):
    rows = [
        row("before:00000", "kiln", published=datetime(2025, 1, 9, 23, 59, tzinfo=UTC)),
        row("start:00000", "kiln", published=datetime(2025, 1, 10, tzinfo=UTC)),
        row("end:00000", "kiln", published=datetime(2025, 1, 20, tzinfo=UTC)),
        row("undated:00000", "kiln", published=None),
    ]
    index = index_of(rows, TinyEmbedder())
    start, end = datetime(2025, 1, 10, tzinfo=UTC), datetime(2025, 1, 20, tzinfo=UTC)
    assert ids(run(index, "kiln", mode=mode, within=Filter(start=start, end=end))) == ["start:00000"]
    assert set(ids(run(index, "kiln", mode=mode, within=Filter(start=start)))) == {"start:00000", "end:00000"}
    assert set(ids(run(index, "kiln", mode=mode, within=Filter(end=end)))) == {"before:00000", "start:00000"}
    assert run(index, "kiln", mode=mode).matching == 4


def test_a_time_zone_is_taken_into_account_at_the_edge_of_a_window():
    kst = datetime.fromisoformat("2025-01-10T08:00:00+09:00")  # still the 9th in UTC
    index = index_of([row("a:00000", "kiln", published=kst)], TinyEmbedder())
    assert run(index, "kiln", within=Filter(start=datetime(2025, 1, 10, tzinfo=UTC))).matching == 0


def test_every_argument_changes_the_results():
    index = spoken_index()
    base = {"query": "kiln", "mode": "dense", "k": 2, "within": Filter()}

    def found(**change):
        options = {**base, **change}
        return ids(run(index, options.pop("query"), **options))

    first = found()
    january, february = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC)
    changes = [
        {"query": "weather"}, {"mode": "lexical"}, {"k": 1}, {"within": Filter(start=january)},
        {"within": Filter(end=february)}, {"within": Filter(documents=frozenset({"ep2"}))},
        {"within": Filter(exclude=frozenset({first[0]}))},
    ]  # fmt: skip
    for change in changes:
        assert found(**change) != first, change


def test_an_empty_list_of_documents_allows_none_and_is_not_any():
    assert run(spoken_index(), "kiln", within=Filter(documents=frozenset())).hits == ()


def test_documents_are_matched_whole_and_not_by_prefix():
    rows = [row("note:1:00000", "kiln"), row("note:00000", "kiln"), row("note:11:00000", "kiln")]
    index = index_of(rows, TinyEmbedder())
    assert ids(run(index, "kiln", within=Filter(documents=frozenset({"note:1"})))) == ["note:1:00000"]


# --- faults ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_an_empty_query_is_an_input_error(query):
    with pytest.raises(InputError, match="empty"):
        run(spoken_index(), query)


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_an_input_error(k):
    with pytest.raises(InputError, match="at least 1"):
        run(spoken_index(), "kiln", k=k)


def test_an_unknown_mode_is_not_found_and_the_known_ones_are_listed():
    with pytest.raises(NotFoundError) as caught:
        run(spoken_index(), "kiln", mode="magic")
    assert caught.value.exit_code == 2
    assert all(mode in caught.value.hint for mode in ALL_MODES)


def test_vectors_of_another_length_are_a_mismatch_that_says_what_to_do():
    rows = [row("a:00000", "kiln")]
    lexical = LexicalIndex.build(["kiln"], ["en"])
    with pytest.raises(MismatchError, match="3 long") as caught:
        CorpusIndex(rows, np.zeros((1, 3), np.float32), lexical, TinyEmbedder(4))
    assert "embed the corpus again" in caught.value.hint


@pytest.mark.parametrize("mode", ALL_MODES)
def test_an_empty_corpus_has_no_hits_and_no_fault(mode):
    result = run(index_of([], TinyEmbedder()), "kiln", mode=mode)
    assert (result.hits, result.matching, result.chunks_in_corpus) == ((), 0, 0)


def test_a_query_without_any_word_finds_by_meaning_alone():
    index = index_of(random_rows(random.Random(7)), TinyEmbedder())
    assert run(index, "?!", mode="lexical").hits == ()
    by_meaning = ids(run(index, "?!", mode="dense", k=99))
    assert ids(run(index, "?!", mode=replace(MODES["fused"], lending=0), k=99)) == by_meaning
    # The first 40 lend each other their scores, so they may come in another order.
    lent = ids(run(index, "?!", mode="fused", k=99))
    assert set(lent[:40]) == set(by_meaning[:40])
    assert lent[40:] == by_meaning[40:]
    assert len(lent) == 72


# --- the embedder is asked as little as needed ------------------------------------------------------


def test_a_query_is_embedded_once_as_a_query_and_not_at_all_for_lexical():
    index = spoken_index()
    run(index, "kiln", mode="lexical")
    assert index.embedder.asked == []
    for mode in ("dense", "fused", "hybrid", "dense"):
        run(index, "kiln", mode=mode)
    assert index.embedder.asked == [("kiln", "query")]


def test_results_stay_right_after_more_queries_than_are_remembered():
    index = index_of(random_rows(random.Random(8)), TinyEmbedder())
    first = ids(run(index, "kiln", mode="dense"))

    async def many():
        for n in range(300):
            await index.search(f"query {n}", mode="dense", k=1)

    asyncio.run(many())
    asked = len(index.embedder.asked)
    run(index, "query 299", mode="dense")
    assert len(index.embedder.asked) == asked  # the latest are the ones remembered
    assert ids(run(index, "kiln", mode="dense")) == first


def test_searches_at_the_same_time_do_not_mix():
    index = index_of(random_rows(random.Random(9)), TinyEmbedder())
    alone = {word: ids(run(index, word)) for word in WORDS}

    async def together():
        return await asyncio.gather(*(index.search(word, mode="fused", k=10) for word in WORDS for _ in range(3)))

    for result in asyncio.run(together()):
        assert ids(result) == alone[result.query]


# --- an open corpus -----------------------------------------------------------------------------------


def test_an_open_corpus_tells_which_cited_ids_exist():
    corpus = OpenCorpus(CorpusRef(name="kiln", snapshot="sha256:1"), spoken_index())
    found = asyncio.run(corpus.cited(["ep1:00030", "ep9:00000", "", "ep1:00030"]))
    assert list(found) == ["ep1:00030"]
    assert found["ep1:00030"].text == "We moved the kiln to the barn."
    assert corpus.embedder_key == "tiny@1/4"
    assert ids(asyncio.run(corpus.search("kiln", mode="dense", k=1))) == ["ep3:00000"]
