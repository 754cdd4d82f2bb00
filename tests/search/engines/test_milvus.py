"""The Milvus adapter on the real file-based engine: loading, swapping, and searches against brute force."""

from __future__ import annotations

import asyncio
import importlib.util
import random
import secrets
import threading
from dataclasses import replace

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError, ServiceError
from answertrail.search.engines.base import (
    ANY,
    EngineDownError,
    IndexBuildError,
    NoIndexError,
    StaleIndexError,
    UnsupportedError,
)
from answertrail.search.engines.milvus import MilvusKind, MilvusSettings, _dropped
from answertrail.search.engines.milvus_client import Milvus
from answertrail.search.engines.server_names import alias_of
from answertrail.search.hits import Filter
from answertrail.search.lexical import LexicalIndex
from tests.search.engines.milvus_server import running_server
from tests.search.engines.sources import ODD, ListSource, a_filter, a_query, engine_rows, lets_through, nearest
from tests.search.worlds import WORDS
from tests.soak import rounds

if importlib.util.find_spec("milvus_lite") is None or importlib.util.find_spec("pymilvus") is None:
    pytest.skip(
        'the file-based Milvus is not installed: pip install "answertrail[milvus-lite]"', allow_module_level=True
    )

DIMS = 24


@pytest.fixture(scope="module", params=["file", "server"])
def uri(request, tmp_path_factory):
    """The file-based engine, and a real server where there is one (see milvus_server.py)."""
    if request.param == "file":
        yield str(tmp_path_factory.mktemp("milvus") / "corpora.db")
    else:
        with running_server(tmp_path_factory.mktemp("server")) as address:
            yield address
            milvus = Milvus(MilvusSettings(address))
            for name in milvus.call("list_collections"):
                if name.startswith(RUN):
                    _dropped(milvus, name)
            milvus.close()


@pytest.fixture(scope="module")
def rows(uri):
    # A server makes a graph of more than 1,024 rows only.
    return engine_rows(1, 3000 if "://" in uri else 360, DIMS)


RUN = f"test_{secrets.token_hex(4)}"
"""What all names begin with: a server may be used by others, and by an earlier run that was killed."""


def kind_of(uri, prefix="answertrail", **more):
    return MilvusKind(MilvusSettings(uri, prefix=f"{RUN}_{prefix}", **more))


@pytest.fixture(scope="module", params=["FLAT", "HNSW"])
def engine(request, uri, rows):
    kind = kind_of(uri, index=request.param, prefix=f"search_{request.param.lower()}")
    built = asyncio.run(kind.build(ListSource(rows, DIMS)))
    made = asyncio.run(kind.open(built.place, DIMS))
    yield made
    asyncio.run(made.close())


def dense(engine, vector, k, within=ANY):
    return asyncio.run(engine.dense(vector, k, within))


def ids(found):
    return [hit.chunk_id for hit in found.hits]


def test_random_filtered_and_paged_searches_return_min_k_matching_in_the_true_order(engine, rows):
    rng, numbers = random.Random(5), np.random.default_rng(5)
    kept = asked = 0
    for _ in range(rounds(100, 5000)):
        vector, within, k = a_query(numbers, rows), a_filter(rng, rows), rng.choice([1, 3, 10, 40, 400])
        wanted = nearest(rows, vector, within)
        found = dense(engine, vector, k, within)
        assert len(found.hits) == min(k, len(wanted))
        assert found.matching in (None, len(wanted))
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        assert all(
            one.score > other.score or one.chunk_id < other.chunk_id
            for one, other in zip(found.hits, found.hits[1:], strict=False)
        )
        truth = dict(wanted)
        assert all(truth[hit.chunk_id] == pytest.approx(hit.score, abs=1e-6) for hit in found.hits)
        kept += len(set(ids(found)) & {chunk for chunk, _ in wanted[:k]})
        asked += len(found.hits)
        if engine.capabilities.exact:
            assert ids(found) == [chunk for chunk, _ in wanted[:k]]
    assert kept >= 0.99 * asked


def test_pages_through_exclude_meet_every_chunk_once_and_are_cut_off_one_list(engine, rows):
    vector = a_query(np.random.default_rng(8), rows)
    with_vector = {row.id for row in rows if row.vector is not None}
    size, seen = max(50, len(rows) // 12), []
    while page := ids(dense(engine, vector, size, Filter(exclude=frozenset(seen)))):
        seen += page
    assert len(seen) == len(with_vector)
    assert set(seen) == with_vector
    # Past a thousand a graph may find what it had missed before; an exact search never misses any.
    same = len(seen) if engine.capabilities.exact else min(len(seen), 900)
    assert seen[:same] == ids(dense(engine, vector, same))


def test_equal_vectors_are_in_id_order_even_where_k_cuts_them(uri):
    rows = [
        replace(row, vector=np.eye(DIMS, dtype=np.float32)[at % 2]) for at, row in enumerate(engine_rows(2, 120, DIMS))
    ]
    kind = kind_of(uri, prefix="ties")
    engine = asyncio.run(kind.open(asyncio.run(kind.build(ListSource(rows, DIMS))).place, DIMS))
    first = sorted(row.id for at, row in enumerate(rows) if at % 2 == 0)
    for k in (1, 7, 59, 60, 61, 120):
        assert ids(dense(engine, np.eye(DIMS, dtype=np.float32)[0], k))[: len(first)] == first[:k]
    asyncio.run(engine.close())


def test_ids_of_any_characters_filter_only_themselves(engine, rows):
    vector = a_query(np.random.default_rng(3), rows)
    for document in [*ODD, rows[200].document_id]:
        mine = {row.id for row in rows if row.document_id == document and row.vector is not None}
        only = frozenset([document])
        assert set(ids(dense(engine, vector, 30, Filter(documents=only)))) == mine
        one = min(mine)
        without = Filter(documents=only, exclude=frozenset([one]))
        assert set(ids(dense(engine, vector, 30, without))) == mine - {one}
    with pytest.raises(InputError, match="null character"):
        dense(engine, vector, 5, Filter(documents=frozenset(["a\0b"])))


def test_thousands_of_excluded_ids_are_one_search(engine, rows):
    vector = a_query(np.random.default_rng(4), rows)
    strangers = frozenset(f"unknown{number}:00000" for number in range(5000))
    kept = min(row.id for row in rows if row.vector is not None)
    shown = strangers | {row.id for row in rows if row.id != kept}
    assert ids(dense(engine, vector, 10, Filter(exclude=shown))) == [kept]


def test_counts_cosines_and_samples_are_those_of_the_rows(engine, rows):
    rng = random.Random(2)
    vector = a_query(np.random.default_rng(2), rows)
    for _ in range(5):
        within = a_filter(rng, rows)
        assert asyncio.run(engine.count(within)) == sum(lets_through(within, row) for row in rows)
    truth = dict(nearest(rows, vector, Filter()))
    asked = [row.id for row in rows[:40]]
    found = asyncio.run(engine.cosines(vector, [*asked, "unknown:00000"]))
    assert found == pytest.approx({chunk: truth[chunk] for chunk in asked if chunk in truth}, abs=1e-6)
    by_id = {row.id: row.vector for row in rows if row.vector is not None}
    for size in (20, 10_000):
        chunks, matrix = asyncio.run(engine.sample(size))
        assert (list(chunks), len(chunks)) == (sorted(chunks), min(size, len(by_id)))
        assert np.array_equal(matrix, np.stack([by_id[chunk] for chunk in chunks]))
        assert asyncio.run(engine.sample(size))[0] == chunks


def need_words(engine):
    """An older server holds no words: it must say so, and the test of them is over."""
    if not engine.capabilities.lexical:
        with pytest.raises(UnsupportedError, match="makes no BM25"):
            asyncio.run(engine.lexical("kiln", 5))
        pytest.skip("this server makes no BM25")


def reference(rows):
    texts, languages, contexts = ([getattr(row, name) for row in rows] for name in ("text", "language", "context"))
    return LexicalIndex.build(texts, languages, contexts)


def test_words_find_the_chunks_that_the_built_in_bm25_finds(engine, rows):
    need_words(engine)
    rng, own = random.Random(6), reference(rows)
    for _ in range(rounds(30, 1000)):
        query = " ".join(rng.choices([*WORDS, "zeppelin", "유약", "title"], k=rng.randrange(1, 5)))
        within, k = a_filter(rng, rows), rng.choice([1, 10, 400])
        scores, weight = own.scores(query)
        wanted = {
            row.id: float(score)
            for row, score in zip(rows, scores, strict=True)
            if score > 0 and lets_through(within, row)
        }
        found = asyncio.run(engine.lexical(query, k, within))
        assert len(found.hits) == min(k, len(wanted))
        assert found.matching == len(wanted)
        assert found.weight == pytest.approx(weight, abs=1e-6)
        assert set(ids(found)) <= set(wanted)
        assert all(hit.score == pytest.approx(wanted[hit.chunk_id], rel=1e-4) for hit in found.hits)
        some = [row.id for row in rows[:30]]
        assert set(asyncio.run(engine.bm25(query, some))) == {
            row.id for row, s in zip(rows[:30], scores, strict=False) if s > 0
        }


def test_terms_are_counted_and_a_korean_word_is_found(engine, rows):
    need_words(engine)
    korean = [row.id for row in rows if "유약" in row.text]
    assert asyncio.run(engine.terms("유약 kilns")) == {
        "유약": len(korean),
        "kiln": sum("kiln" in row.text for row in rows),
    }
    assert ids(asyncio.run(engine.lexical("유약", 1000))) == sorted(korean)
    assert asyncio.run(engine.lexical("zeppelin", 5)).hits == ()


def test_what_cannot_be_asked_is_said(engine):
    vector = np.eye(DIMS, dtype=np.float32)[0]
    with pytest.raises(UnsupportedError, match="16,384"):
        dense(engine, vector, 16_385)
    with pytest.raises(MismatchError):
        dense(engine, vector[:5], 3)
    with pytest.raises(InputError):
        dense(engine, np.zeros(DIMS, dtype=np.float32), 3)
    assert dense(engine, vector, 3, Filter(documents=frozenset())).hits == ()


class Short:
    """Stands before a client and drops rows of searches that look too narrowly, as a broken graph would."""

    def __init__(self, client, least_ef):
        self._client, self._least = client, least_ef

    def __getattr__(self, name):
        return getattr(self._client, name)

    def search(self, *args, search_params, **kwargs):
        found = self._client.search(*args, search_params=search_params, **kwargs)
        narrow = search_params.get("params", {}).get("ef", 0) < self._least
        return [list(hits)[:2] for hits in found] if narrow else found


@pytest.mark.parametrize(("least", "said"), [(32_768, "searched more widely"), (10**9, "searched exactly")])
def test_a_search_that_comes_back_short_is_made_again_and_says_so(engine, rows, least, said, monkeypatch):
    if engine.capabilities.exact:
        said = "searched exactly"
    monkeypatch.setattr(engine._milvus, "client", Short(engine._milvus.client, least))
    vector = a_query(np.random.default_rng(9), rows)
    within = Filter(start=rows[100].published_at)
    found = dense(engine, vector, 25, within)
    assert ids(found) == [chunk for chunk, _ in nearest(rows, vector, within)[:25]]
    assert "gave 2 of" in found.fallback
    assert said in found.fallback


def alias_target(kind):
    milvus = Milvus(kind.settings)
    try:
        return milvus.call("describe_alias", alias_of(kind.settings.prefix, 7))["collection_name"]
    finally:
        milvus.close()


def test_a_swap_moves_the_alias_in_one_step_while_searches_go_on(uri, rows):
    kind = kind_of(uri, prefix="swap")
    first = asyncio.run(kind.build(old := ListSource(rows, DIMS)))
    asyncio.run(kind.publish(old, first))
    engine = asyncio.run(kind.open(first.place, DIMS))
    wanted = ids(dense(engine, rows[0].vector, 20))
    stop, wrong, done = threading.Event(), [], []
    alias = alias_of(kind.settings.prefix, 7)

    def searching():
        milvus = Milvus(kind.settings)
        while not stop.is_set():
            held = milvus.call("query", alias, filter="", output_fields=["count(*)"])[0]["count(*)"]
            if held not in (len(rows), len(rows) // 2):
                wrong.append(held)
            if not done and ids(dense(engine, rows[0].vector, 20)) != wanted:
                wrong.append("other rows")
        milvus.close()

    threads = [threading.Thread(target=searching) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        second = asyncio.run(kind.build(new := ListSource(rows[: len(rows) // 2], DIMS, snapshot="sha256:two")))
        assert alias_target(kind) == first.place
        asyncio.run(kind.publish(new, second))
        done.append(True)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert (wrong, alias_target(kind)) == ([], second.place)
    assert asyncio.run(kind.sweep(7, [second.place])) == [first.place]
    assert asyncio.run(kind.sweep(8, [])) == []
    with pytest.raises(NoIndexError, match="not in Milvus"):
        asyncio.run(kind.open(first.place, DIMS))
    with pytest.raises(StaleIndexError, match="24 dimensions"):
        asyncio.run(kind.open(second.place, DIMS + 1))
    asyncio.run(engine.close())


def test_a_load_with_a_wrong_count_is_refused_and_leaves_the_alias_alone(uri, rows):
    kind = kind_of(uri, prefix="counted")
    first = asyncio.run(kind.build(good := ListSource(rows[:60], DIMS)))
    asyncio.run(kind.publish(good, first))
    with pytest.raises(IndexBuildError, match="Milvus holds 60 chunks"):
        asyncio.run(kind.build(ListSource(rows[:60], DIMS, claimed=61)))
    assert alias_target(kind) == first.place
    assert asyncio.run(kind.sweep(7, [first.place])) == []


def test_a_batch_that_came_twice_in_place_of_another_is_found(uri, rows, monkeypatch):
    sent = []

    def call(self, name, *args, **kwargs):
        if name == "insert":
            sent.append(args)
            args = sent[0] if len(sent) == 2 else args
        return true_call(self, name, *args, **kwargs)

    kind, true_call = kind_of(uri, prefix="twice"), Milvus.call
    monkeypatch.setattr(Milvus, "call", call)
    monkeypatch.setattr("answertrail.search.engines.milvus._BATCH_BYTES", 1)
    with pytest.raises(IndexBuildError, match=r"came twice|Milvus holds 44 chunks"):
        asyncio.run(kind.build(ListSource(rows[:60], DIMS)))
    assert asyncio.run(kind.sweep(7, [])) == []


def test_a_load_that_breaks_leaves_nothing_behind_and_one_that_was_killed_is_swept(uri, rows, monkeypatch):
    def broken(number):
        if number == 1:
            raise RuntimeError("the power went")

    kind = kind_of(uri, prefix="killed")
    first = asyncio.run(kind.build(good := ListSource(rows, DIMS)))
    asyncio.run(kind.publish(good, first))
    monkeypatch.setattr("answertrail.search.engines.milvus._BATCH_BYTES", 200_000)
    with pytest.raises(RuntimeError):
        asyncio.run(kind.build(ListSource(rows, DIMS, at_batch=broken)))
    assert asyncio.run(kind.sweep(7, [first.place])) == []
    # Killed outright, nothing is tidied up.
    with monkeypatch.context() as patch:
        patch.setattr("answertrail.search.engines.milvus._dropped", lambda *_: None)
        with pytest.raises(RuntimeError):
            asyncio.run(kind.build(ListSource(rows, DIMS, at_batch=broken)))
    assert alias_target(kind) == first.place
    (left,) = asyncio.run(kind.sweep(7, [first.place]))
    assert left.startswith(f"{RUN}_killed_c7_")
    asyncio.run(asyncio.run(kind.open(first.place, DIMS)).close())


def test_a_half_filled_collection_is_not_opened(uri, rows):
    kind = kind_of(uri, prefix="half")
    built = asyncio.run(kind.build(ListSource(rows[:40], DIMS)))
    milvus = Milvus(kind.settings)
    milvus.call("delete", built.place, ids=[rows[0].id])
    milvus.close()
    with pytest.raises(NoIndexError, match="39 of 40 chunks"):
        asyncio.run(kind.open(built.place, DIMS))
    with pytest.raises(InputError, match="not the name"):
        asyncio.run(kind.open("somebody_elses", DIMS))


def test_two_installations_on_one_server_do_not_sweep_each_other(uri, rows):
    one, other = kind_of(uri, prefix="team"), kind_of(uri, prefix="team_two")
    mine = asyncio.run(one.build(ListSource(rows[:20], DIMS)))
    theirs = asyncio.run(other.build(ListSource(rows[:20], DIMS)))
    assert asyncio.run(one.sweep(7, [])) == [mine.place]
    asyncio.run(asyncio.run(other.open(theirs.place, DIMS)).close())


def test_progress_is_told_and_the_settings_are_recorded(uri, rows):
    told = []
    built = asyncio.run(kind_of(uri, prefix="told").build(ListSource(rows, DIMS), lambda *seen: told.append(seen)))
    assert told[0][0] == "loading"
    assert ("loading", len(rows), len(rows)) in told
    assert told[-1] == ("indexing", len(rows), len(rows))
    assert (built.rows, built.vectors) == (len(rows), sum(row.vector is not None for row in rows))
    assert built.settings["index"] == "HNSW"
    assert built.settings["words_cut"] == 0


def test_a_server_that_is_not_there_is_told_without_the_password():
    settings = MilvusSettings("http://someone:s3cret@127.0.0.1:9", password="s3cret", timeout=1.0)
    with pytest.raises(EngineDownError) as error:
        asyncio.run(MilvusKind(settings).open("answertrail_c7_0123456789ab_1_1_01234567", DIMS))
    assert error.value.where == "http://127.0.0.1:9"
    assert "ANSWERTRAIL_MILVUS_URI" in error.value.hint
    assert "s3cret" not in f"{error.value} {settings!r}"


def test_a_file_that_cannot_be_opened_and_a_missing_package_say_what_to_do(tmp_path, monkeypatch):
    with pytest.raises(EngineDownError, match="cannot open the file"):
        asyncio.run(kind_of(str(tmp_path / "nowhere" / "x.db")).sweep(1, []))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ServiceError, match="not installed") as error:
        asyncio.run(kind_of("http://127.0.0.1:9").sweep(1, []))
    assert error.value.hint == 'run: pip install "answertrail[milvus]"'


def test_settings_are_read_from_the_environment():
    env = {
        "ANSWERTRAIL_MILVUS_URI": "https://m.example:19530",
        "ANSWERTRAIL_MILVUS_PASSWORD": "p",
        "ANSWERTRAIL_SEARCH_PREFIX": "lab",
    }
    settings = MilvusSettings.from_environment(env)
    assert (settings.uri, settings.password, settings.prefix, settings.index) == (
        "https://m.example:19530",
        "p",
        "lab",
        "HNSW",
    )
    with pytest.raises(ServiceError, match="not set"):
        MilvusSettings.from_environment({})
    assert MilvusSettings.of({"index": "FLAT", "server": "2.5"}, env).as_json()["index"] == "FLAT"
    with pytest.raises(InputError, match="no setting 'nlist'"):
        MilvusSettings.of({"nlist": 5}, env)
    with pytest.raises(InputError, match="IVF"):
        MilvusSettings.from_environment({**env, "ANSWERTRAIL_MILVUS_INDEX": "ivf"})
    with pytest.raises(InputError, match="names"):
        MilvusSettings.from_environment({**env, "ANSWERTRAIL_SEARCH_PREFIX": "No-Good"})
