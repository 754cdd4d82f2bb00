"""The OpenSearch adapter against a server that checks each request's shape and fails on demand.

No OpenSearch can be run here. What these tests show is said in opensearch_server.py.
"""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest

from answertrail.errors import InputError, ServiceError
from answertrail.models.chat.retry import RetryPolicy
from answertrail.search.engines.base import (
    ANY,
    EngineDownError,
    IndexBuildError,
    NoIndexError,
    StaleIndexError,
    UnsupportedError,
)
from answertrail.search.engines.opensearch import OpenSearchKind, OpenSearchSettings
from answertrail.search.hits import Filter
from answertrail.search.lexical import LexicalIndex
from tests.search.engines.opensearch_server import running_opensearch
from tests.search.engines.sources import ListSource, a_filter, a_query, engine_rows, lets_through, nearest
from tests.search.worlds import WORDS
from tests.soak import rounds

DIMS = 16
ALIAS = "answertrail_c7"


LOOPS: list[asyncio.Runner] = []


@pytest.fixture(scope="module", autouse=True)
def loop():
    """One event loop for all: an engine's connections stay open between searches."""
    with asyncio.Runner() as runner:
        LOOPS.append(runner)
        yield
        LOOPS.clear()


def run(work):
    return LOOPS[0].run(work)


@pytest.fixture
def server():
    with running_opensearch() as running:
        yield running


@pytest.fixture(scope="module")
def filled(loop):
    """A server with one published index, and the engine over it."""
    rows = engine_rows(1, 240, DIMS)
    with running_opensearch() as running:
        kind = kind_of(running)
        source = ListSource(rows, DIMS)
        built = run(kind.build(source))
        run(kind.publish(source, built))
        engine = run(kind.open(built.place, DIMS))
        yield running, rows, engine
        run(engine.close())


async def no_sleep(seconds):
    WAITS.append(seconds)


WAITS: list[float] = []


def kind_of(server, **more):
    policy = RetryPolicy(attempts=3, base=0.5, sleep=no_sleep, jitter=lambda: 1.0)
    return OpenSearchKind(OpenSearchSettings(server.url, **more), policy)


def dense(engine, vector, k, within=ANY):
    return run(engine.dense(vector, k, within))


def ids(found):
    return [hit.chunk_id for hit in found.hits]


def test_loading_creates_loads_refreshes_counts_and_only_then_moves_the_alias(filled):
    server, rows, engine = filled
    steps = [f"{verb} {path.rpartition('/')[2]}" for verb, path, _ in server.seen]
    order = [
        steps.index(step)
        for step in ("PUT " + engine.place, "POST _bulk", "POST _refresh", "POST _count", "POST _aliases")
    ]
    assert order == sorted(order)
    assert server.indices[engine.place].aliases == {ALIAS}
    body = server.indices[engine.place].body
    assert body["mappings"]["properties"]["vector"]["method"]["space_type"] == "cosinesimil"
    assert body["mappings"]["dynamic"] == "strict"
    assert body["settings"]["index"]["similarity"]["answertrail"] == {"type": "BM25", "k1": 1.2, "b": 0.6}
    assert engine.place.startswith(f"{ALIAS}_")
    assert f"_{len(rows)}_" in engine.place


def test_random_searches_return_min_k_matching_in_the_true_order(filled):
    _, rows, engine = filled
    rng, numbers = random.Random(5), np.random.default_rng(5)
    for _ in range(rounds(40, 1000)):
        vector, within, k = a_query(numbers, rows), a_filter(rng, rows), rng.choice([1, 3, 10, 40, 300])
        wanted = nearest(rows, vector, within)
        found = dense(engine, vector, k, within)
        assert ids(found) == [chunk for chunk, _ in wanted[:k]]
        assert [hit.score for hit in found.hits] == pytest.approx([score for _, score in wanted[:k]], abs=1e-6)
        assert found.matching in (None, len(wanted))


def test_words_are_scored_like_the_built_in_bm25(filled):
    _, rows, engine = filled
    texts, languages, contexts = ([getattr(row, name) for row in rows] for name in ("text", "language", "context"))
    own, rng = LexicalIndex.build(texts, languages, contexts), random.Random(6)
    for _ in range(rounds(20, 500)):
        query = " ".join(rng.choices([*WORDS, "zeppelin", "유약", "title"], k=rng.randrange(1, 5)))
        within, k = a_filter(rng, rows), rng.choice([1, 10, 300])
        scores, weight = own.scores(query)
        wanted = {row.id: float(s) for row, s in zip(rows, scores, strict=True) if s > 0 and lets_through(within, row)}
        found = run(engine.lexical(query, k, within))
        assert (len(found.hits), found.matching) == (min(k, len(wanted)), len(wanted))
        assert {hit.chunk_id: hit.score for hit in found.hits} == pytest.approx(
            {chunk: wanted[chunk] for chunk in ids(found)}, rel=1e-4
        )
        assert found.weight == pytest.approx(weight, abs=1e-6)
    held = run(engine.bm25("kiln", [row.id for row in rows[:20]]))
    assert set(held) == {row.id for row in rows[:20] if "kiln" in row.text}
    assert run(engine.terms("kilns zeppelin")) == {
        "kiln": sum("kiln" in row.text for row in rows),
        "zeppelin": 0,
    }


def test_counts_cosines_samples_and_pages_are_those_of_the_rows(filled):
    _, rows, engine = filled
    vector = a_query(np.random.default_rng(2), rows)
    truth = dict(nearest(rows, vector, ANY))
    assert run(engine.count(Filter(start=rows[50].published_at))) == sum(
        lets_through(Filter(start=rows[50].published_at), row) for row in rows
    )
    assert run(engine.cosines(vector, [row.id for row in rows])) == pytest.approx(truth, abs=1e-6)
    chunks, matrix = run(engine.sample(10_000))
    assert (list(chunks), matrix.shape) == (sorted(truth), (len(truth), DIMS))
    some, _ = run(engine.sample(30))
    assert (len(some), set(some) < set(chunks), run(engine.sample(30))[0]) == (30, True, some)
    seen: list[str] = []
    while page := ids(dense(engine, vector, 35, Filter(exclude=frozenset(seen)))):
        seen += page
    assert seen == [chunk for chunk, _ in nearest(rows, vector, ANY)]


def test_more_excluded_ids_than_one_clause_takes_are_several_clauses(filled):
    _, rows, engine = filled
    kept = min(row.id for row in rows if row.vector is not None)
    shown = frozenset(f"unknown{number}" for number in range(70_000)) | {row.id for row in rows if row.id != kept}
    assert ids(dense(engine, rows[0].vector, 5, Filter(exclude=shown))) == [kept]


def test_a_graph_that_comes_back_short_is_answered_exactly_and_says_so(filled):
    server, rows, engine = filled
    vector = a_query(np.random.default_rng(4), rows)
    server.near = lambda k: 2
    try:
        found = dense(engine, vector, 25)
    finally:
        server.near = lambda k: k
    assert ids(found) == [chunk for chunk, _ in nearest(rows, vector, ANY)[:25]]
    assert found.fallback == "the index gave 2 of 41 passages; searched exactly"


def test_a_tie_that_may_go_on_is_settled_by_id(server):
    rows = [
        row.__class__(row.id, row.document_id, row.published_at, row.text, "", "en", np.eye(DIMS, dtype=np.float32)[0])
        for row in engine_rows(3, 90, DIMS)
    ]
    kind = kind_of(server)
    engine = run(kind.open(run(kind.build(ListSource(rows[::-1], DIMS))).place, DIMS))
    found = dense(engine, np.eye(DIMS, dtype=np.float32)[0], 7)
    assert ids(found) == sorted(row.id for row in rows)[:7]
    assert "equally near" in found.fallback
    run(engine.close())


def test_hybrid_sends_both_queries_with_a_normalising_pipeline(filled):
    server, rows, engine = filled
    vector = a_query(np.random.default_rng(7), rows)
    found = run(engine.hybrid("kiln glaze", vector, 10, Filter(start=rows[40].published_at)))
    body = server.seen[-1][2]
    words, near = body["query"]["hybrid"]["queries"]
    assert words["bool"]["filter"] == [near["knn"]["vector"]["filter"]]
    assert body["search_pipeline"]["phase_results_processors"][0]["normalization-processor"]["normalization"] == {
        "technique": "min_max"
    }
    assert len(found.hits) == 10
    assert 1 >= found.hits[0].score >= found.hits[-1].score > 0


def test_a_swap_is_one_request_and_the_old_index_goes_only_after_it(server):
    rows, kind = engine_rows(1, 60, DIMS), kind_of(server)
    first = run(kind.build(one := ListSource(rows, DIMS)))
    run(kind.publish(one, first))
    second = run(kind.build(two := ListSource(rows[:30], DIMS, snapshot="sha256:two")))
    assert server.indices[first.place].aliases == {ALIAS}
    run(kind.publish(two, second))
    (swap,) = [body for _, path, body in server.seen[-2:] if path == "/_aliases"]
    assert swap["actions"] == [
        {"remove": {"index": first.place, "alias": ALIAS}},
        {"add": {"index": second.place, "alias": ALIAS}},
    ]
    assert (server.indices[first.place].aliases, server.indices[second.place].aliases) == (set(), {ALIAS})
    server.indices["answertrail_c70_0123456789ab_1_1_01234567"] = server.indices[first.place]
    assert run(kind.sweep(7, [second.place])) == [first.place]
    assert set(server.indices) == {second.place, "answertrail_c70_0123456789ab_1_1_01234567"}
    with pytest.raises(NoIndexError, match="not in OpenSearch"):
        run(kind.open(first.place, DIMS))
    with pytest.raises(StaleIndexError, match="16 dimensions"):
        run(kind.open(second.place, DIMS + 1))
    server.indices[second.place].shown.popitem()
    with pytest.raises(NoIndexError, match="29 of 30 chunks"):
        run(kind.open(second.place, DIMS))


def first_times(status, times, *, verb="POST", path="_bulk", headers=None):
    """A fault that answers so the first times a path is asked."""
    left = [times]

    def fault(asked_verb, asked_path):
        if asked_verb != verb or path not in asked_path or not left[0]:
            return None
        left[0] -= 1
        return status, {"error": {"type": "es_rejected_execution_exception", "reason": "queue full"}}, headers or {}

    return fault


@pytest.mark.parametrize("status", [429, 502, 503, 504, 0])
def test_what_passes_is_asked_again_with_growing_waits(server, status):
    WAITS.clear()
    server.faults.append(first_times(status, 2))
    built = run(kind_of(server).build(ListSource(engine_rows(1, 60, DIMS), DIMS)))
    assert built.rows == 60
    assert WAITS == [0.5, 1.0]


def test_a_server_that_asks_to_wait_is_obeyed(server):
    WAITS.clear()
    server.faults.append(first_times(429, 1, headers={"retry-after": "7"}))
    run(kind_of(server).build(ListSource(engine_rows(1, 20, DIMS), DIMS)))
    assert WAITS == [7.25]


@pytest.mark.parametrize(("status", "said"), [(429, "queue full"), (503, "queue full"), (0, "no connection")])
def test_what_does_not_pass_fails_the_load_and_leaves_the_alias_alone(server, status, said):
    kind, rows = kind_of(server), engine_rows(1, 30, DIMS)
    first = run(kind.build(source := ListSource(rows, DIMS)))
    run(kind.publish(source, first))
    server.faults.append(first_times(status, 10**6))
    with pytest.raises(IndexBuildError, match=said):
        run(kind.build(source))
    assert set(server.indices) == {first.place}
    assert server.indices[first.place].aliases == {ALIAS}


def test_rows_the_server_had_no_room_for_are_sent_again_and_no_others(server):
    rows = engine_rows(1, 50, DIMS)
    crowded = {rows[3].id: 2, rows[9].id: 1}

    def busy(name):
        if crowded.get(name):
            crowded[name] -= 1
            return {"status": 429, "error": {"type": "es_rejected_execution_exception", "reason": "busy"}}
        return None

    server.item_faults.append(busy)
    built = run(kind_of(server).build(ListSource(rows, DIMS)))
    sent = [len(body) // 2 for _, path, body in server.seen if path.endswith("_bulk")]
    assert (built.rows, sent) == (50, [50, 2, 1])


def test_a_refused_row_fails_the_load_and_is_named(server):
    rows = engine_rows(1, 50, DIMS)
    server.item_faults.append(
        lambda name: (
            {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no"}}
            if name == rows[7].id
            else None
        )
    )
    with pytest.raises(IndexBuildError, match="refuses 1 of 50 rows: mapper_parsing_exception: no") as error:
        run(kind_of(server).build(ListSource(rows, DIMS)))
    assert error.value.where == rows[7].id
    assert server.indices == {}


def test_a_wrong_count_is_refused(server):
    rows = engine_rows(1, 50, DIMS)
    with pytest.raises(IndexBuildError, match="OpenSearch holds 50 chunks"):
        run(kind_of(server).build(ListSource(rows, DIMS, claimed=51)))
    with pytest.raises(IndexBuildError, match="holds 50 chunks"):
        run(kind_of(server).build(ListSource([*rows, rows[0]], DIMS)))
    assert server.indices == {}


def test_an_index_that_was_made_though_the_answer_was_lost_is_used(server):
    lost = []

    def fault(verb, path):
        if verb == "PUT" and not lost:
            lost.append(path)
            server.indices[path.strip("/")] = server.indices.pop("ready")
            return 503, {"error": "lost"}, {}
        return None

    run(kind_of(server).build(ListSource(engine_rows(1, 5, DIMS), DIMS)))
    server.indices["ready"] = server.indices.pop(next(iter(server.indices)))
    server.indices["ready"].written.clear()
    server.faults.append(fault)
    assert run(kind_of(server).build(ListSource(engine_rows(1, 20, DIMS), DIMS))).rows == 20


def test_large_batches_are_cut_into_requests_of_bounded_size(server, monkeypatch):
    monkeypatch.setattr("answertrail.search.engines.opensearch._BULK_BYTES", 5000)
    rows = engine_rows(1, 60, DIMS)
    assert run(kind_of(server).build(ListSource(rows, DIMS))).rows == 60
    assert sum(path.endswith("_bulk") for _, path, _ in server.seen) > 3


def test_credentials_are_sent_and_never_shown(server):
    server.login = ("reader", "s3cret/pass")
    rows = engine_rows(1, 20, DIMS)
    assert run(kind_of(server, user="reader", password="s3cret/pass").build(ListSource(rows, DIMS))).rows == 20
    inside = server.url.replace("://", "://reader:s3cret%2Fpass@")
    assert run(OpenSearchKind(OpenSearchSettings(inside)).sweep(7, [])) != []
    wrong = OpenSearchKind(OpenSearchSettings(server.url.replace("://", "://reader:wr0ng@")))
    with pytest.raises(ServiceError, match="401") as error:
        run(wrong.sweep(7, []))
    shown = f"{error.value} {error.value.as_dict()} {wrong.settings!r}"
    assert "wr0ng" not in shown
    assert "ANSWERTRAIL_OPENSEARCH_PASSWORD" in error.value.hint
    assert error.value.where == server.url


def test_a_search_when_the_server_is_gone_is_typed_and_hinted(server):
    kind = kind_of(server)
    built = run(kind.build(ListSource(engine_rows(1, 20, DIMS), DIMS)))
    engine = run(kind.open(built.place, DIMS))
    server.faults.append(first_times(0, 10**6, path="_search"))
    with pytest.raises(EngineDownError, match="no connection") as error:
        dense(engine, np.eye(DIMS, dtype=np.float32)[0], 3)
    assert "ANSWERTRAIL_OPENSEARCH_URL" in error.value.hint
    run(engine.close())
    with pytest.raises(EngineDownError, match="no connection"):
        run(OpenSearchKind(OpenSearchSettings("http://127.0.0.1:9"), kind._policy).open(built.place, DIMS))


def test_what_cannot_be_asked_is_said(filled):
    server, rows, engine = filled
    with pytest.raises(UnsupportedError, match="10,000"):
        dense(engine, rows[0].vector, 10_001)
    assert dense(engine, rows[0].vector, 3, Filter(documents=frozenset())).hits == ()
    with pytest.raises(InputError, match="not the name"):
        run(kind_of(server).open("logs-2026", DIMS))


def test_settings_are_read_from_the_environment():
    env = {
        "ANSWERTRAIL_OPENSEARCH_URL": "https://search.example:9200/",
        "ANSWERTRAIL_OPENSEARCH_USER": "u",
        "ANSWERTRAIL_OPENSEARCH_PASSWORD": "p",
    }
    settings = OpenSearchSettings.of({"method": "faiss", "shards": 3, "server": "3.1.0"}, env)
    assert (settings.shown, settings.login, settings.as_json()["shards"]) == (
        "https://search.example:9200",
        ("u", "p"),
        3,
    )
    with pytest.raises(ServiceError, match="not set"):
        OpenSearchSettings.from_environment({})
    with pytest.raises(InputError, match="nmslib"):
        OpenSearchSettings.of({"method": "nmslib"}, env)
    with pytest.raises(InputError, match="not the address"):
        OpenSearchSettings("search.example")
