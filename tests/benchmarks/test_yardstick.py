"""The yardstick: clusters, differences, a corpus in memory like an ingested one, and what is written."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from benchmarks.in_memory import embedder_for, open_in_memory
from benchmarks.sets.base import PublicSet, alone, cut_all
from benchmarks.sets.g_gold import transcripts
from benchmarks.vector_cache import CachedEmbedder
from benchmarks.yardstick_agent import agent_rankings
from benchmarks.yardstick_score import by_cluster, clustered, rankings, score

from answertrail.corpus.context import context_parts
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.experiments.inputs import question_set
from answertrail.metrics.clusters import Observation
from answertrail.metrics.measured import Intervals, measure
from answertrail.metrics.values import Interval
from answertrail.records import Document, Question, RetrievalRun, jsonl
from answertrail.records.embedder import EmbedderIdentity
from answertrail.records.question import Relevant
from answertrail.records.retrieval import Ranked
from answertrail.search.load import open_corpus
from answertrail.search.modes import MODES
from benchmarks import yardstick
from tests.search.worlds import TinyEmbedder

NONE = Intervals("none")


def small(name="small", unit="document", clusters=None, **more):
    """Three documents and three questions, the second without anything to find it by."""
    documents = [
        Document(id=key, title=key, language="en", published_at=day, text=text)
        for key, day, text in (
            ("kiln", "2020-01-01", "The kiln was moved to the barn."),
            ("river", "2021-01-01", "The river rose over the weir."),
            ("tractor", "2022-01-01", "A tractor stood in the way."),
        )
    ]
    asked = {"q1": ("where is the kiln", "kiln"), "q2": ("zebra", "river"), "q3": ("what stood in the way", "tractor")}
    questions = question_set(
        Question(question_id=key, question=text, tier="factual", relevant=[Relevant(id=gold)])
        for key, (text, gold) in asked.items()
    )
    cuts, _ = cut_all(documents)
    return PublicSet(name, cuts, questions, unit, clusters or alone(questions), "question", **more)


def test_means_and_totals_are_drawn_by_cluster_and_keep_their_value():
    rows = [Observation("q1", 1, 2), Observation("q2", 3, 3), Observation("q3", 0, 4)]
    clusters = {"q1": "a", "q2": "a", "q3": "b"}
    means = measure("mean_recall@10", rows, statistic="means", intervals=NONE)
    found = by_cluster(means, clusters, Intervals(resamples=4000))
    assert found.value == pytest.approx((0.5 + 1 + 0) / 3)
    # Two clusters can be drawn as aa, ab, ba or bb: 3/4, 1/2, 1/2, 0.
    assert isinstance(found.interval, Interval)
    assert (found.interval.low, found.interval.high) == (0, 0.75)
    totals = by_cluster(measure("recall@10", rows, statistic="totals", intervals=NONE), clusters, NONE)
    assert (totals.ratio.numerator, totals.ratio.denominator) == (4, 9)


def test_repeats_of_a_question_count_once_within_its_cluster_and_empty_ones_not_at_all():
    rows = [Observation("q1", 1, 1), Observation("q1", 0, 1, 1), Observation("q2", 1, 1), Observation("q3", 0, 0)]
    value = measure("mean_recall@10", rows, statistic="means", intervals=NONE)
    found = clustered(value, {"q1": "a", "q2": "a", "q3": "a"})
    assert found == [Observation("a", 0.5, 1, 0), Observation("a", 1, 1, 1)]


def ranked(question, mode, *ids):
    return RetrievalRun(question_id=question, mode=mode, unit="document", ranked=[Ranked(id=name) for name in ids])


def test_the_default_is_set_against_the_better_of_its_parts_pair_by_pair():
    rows = [
        ranked("q1", "dense", "kiln"), ranked("q2", "dense", "river"), ranked("q3", "dense", "river"),
        ranked("q1", "lexical", "kiln"), ranked("q2", "lexical"), ranked("q3", "lexical"),
        ranked("q1", "fused", "kiln"), ranked("q2", "fused"), ranked("q3", "fused", "kiln", "river"),
    ]  # fmt: skip
    scored = score(small(), rows, Intervals(resamples=500))
    part, found = scored.differences["mean_recall@10"]
    assert part == "dense"
    assert found.difference.value == pytest.approx(1 / 3 - 2 / 3)
    assert found.questions == 3
    assert scored.shown == {"dense": 1.0, "lexical": pytest.approx(0.3), "fused": 1.0}


def test_sets_of_counts_have_neither_interval_nor_difference():
    rows = [ranked("q1", mode, "kiln") for mode in ("dense", "lexical", "fused")]
    scored = score(small(counts_only=True), rows, Intervals())
    assert scored.differences == {}
    assert scored.measures["fused"]["recall@10"].interval is None
    assert scored.measures["fused"]["recall@10"].as_json()["numerator"] == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("unit", ["document", "node"])
async def test_every_mode_ranks_every_question_in_the_unit_of_the_set(unit):
    found = small(unit=unit)
    rows = await rankings(found, await open_in_memory(found, TinyEmbedder()), list(MODES))
    assert [(row.mode, row.question_id) for row in rows] == [(m, q) for m in MODES for q in ("q1", "q2", "q3")]
    scored = score(found, rows, NONE)
    # Nothing in the corpus has a word of "zebra": by words two of three are found.
    assert scored.measures["lexical"]["mean_recall@10"].value == pytest.approx(2 / 3)
    assert scored.measures["dense"]["mean_recall@10"].value == 1


@pytest.mark.asyncio
async def test_of_several_corpora_a_question_is_asked_of_its_own():
    found = small(asked_of={"q1": "a", "q2": "a", "q3": "b"})
    kiln, river, tractor = found.cuts
    found = replace(found, cuts=(replace(kiln, corpus="a"), replace(river, corpus="b"), replace(tractor, corpus="b")))
    rows = await rankings(found, await open_in_memory(found, TinyEmbedder()), ["dense"])
    assert {row.question_id: {entry.id.partition(":")[0] for entry in row.ranked} for row in rows} == {
        "q1": {"kiln"}, "q2": {"kiln"}, "q3": {"river", "tractor"},
    }  # fmt: skip


@pytest.mark.asyncio
async def test_an_agents_ranking_is_all_it_was_shown_in_order_repeats_too():
    documents = [
        Document(id=f"d{day:02}", title=f"Day {day}", language="en", published_at=f"2020-01-{day:02}", text=text)
        for day in range(1, 31)
        for text in [f"On day {day} we moved kiln {day} to the barn and said why."]
    ]
    asked = Question(
        question_id="q1", question="How did moving the kiln change over time?", tier="longitudinal",
        relevant=[Relevant(id="d01")],
    )  # fmt: skip
    questions = question_set([asked])
    found = PublicSet("kilns", cut_all(documents)[0], questions, "document", alone(questions), "question")
    row, deeper = await agent_rankings((await open_in_memory(found, TinyEmbedder()))[0], "answertrail-2026")
    assert (row.question_id, row.mode) == ("q1", "agent answertrail-2026")
    assert deeper.mode == "agent answertrail-2026 to 40"
    shown = [entry.id for entry in row.ranked]
    assert row.meta["searches"] >= 2
    assert len(shown) == 10 * row.meta["searches"]
    # The corpus has but thirty chunks: going on brings every one of them, each once.
    assert [entry.id for entry in deeper.ranked][: len(shown)] == shown
    assert sorted({entry.id for entry in deeper.ranked}) == sorted(c.id for cut in found.cuts for c in cut.chunks)
    assert len(deeper.ranked) == len(shown) + 30 - len(set(shown))
    yielded = score(found, [row], NONE).measures["agent answertrail-2026"]["distinct_yield"]
    assert yielded.value == len(set(shown)) / len(shown)


@pytest.mark.asyncio
@pytest.mark.parametrize("context", ["none", "title,previous"])
async def test_a_corpus_in_memory_ranks_as_an_ingested_one(database, settings, context):
    sample = Path(str(resources.files("answertrail.sample")))
    documents, _ = transcripts(sample / "channel")
    cuts, _ = cut_all(documents)
    questions = question_set(jsonl.read(sample / "questions.jsonl", Question))
    found = PublicSet("sample", cuts, questions, "chunk", alone(questions), "question")
    await ingest(database, IngestRequest("sample", [sample / "channel"], embedder="wordllama", context=context))
    stored = await open_corpus(database, settings, "sample")
    (opened,) = await open_in_memory(found, embedder_for(found, "wordllama"), context_parts(context))
    here = opened.fresh()
    for question in questions.questions[:5]:
        for mode in MODES:
            theirs = await stored.search(question.question, mode=mode, k=20)
            ours = await here.search(question.question, mode=mode, k=20)
            assert ours == theirs


@pytest.mark.asyncio
async def test_vectors_are_made_once_and_belong_to_one_embedder(tmp_path):
    texts = ["kiln", "river", "kiln"]
    tiny = TinyEmbedder()
    first = CachedEmbedder(tiny, tmp_path / "v" / "vectors.sqlite")
    made = await first.embed(texts, "passage")
    assert (first.made, tiny.asked) == (2, [("kiln", "passage"), ("river", "passage")])
    again = CachedEmbedder(tiny, tmp_path / "v" / "vectors.sqlite")
    assert np.array_equal(await again.embed(texts, "passage"), made)
    assert again.made == 0
    await again.embed(["kiln"], "query")
    assert tiny.asked[2:] == [("kiln", "query")]
    other = TinyEmbedder()
    other.identity = EmbedderIdentity("other", "1", 8)
    stranger = CachedEmbedder(other, tmp_path / "v" / "vectors.sqlite")
    await stranger.embed(texts, "passage")
    assert stranger.made == 2


def test_what_was_measured_before_stays_and_the_tables_show_all(tmp_path, monkeypatch):
    monkeypatch.setattr(yardstick, "VECTORS", tmp_path / "vectors.sqlite")
    for name in ("planted/labelled", "cranfield"):
        entry = asyncio.run(
            yardstick.measure_set(
                partial(small, name),
                modes=["dense", "lexical", "fused"],
                spec="wordllama",
                recipes=["answertrail-2026"],
                intervals=Intervals(resamples=100),
            )
        )
        text = yardstick.write({name: entry}, tmp_path)
    written = json.loads((tmp_path / "yardstick.json").read_text())
    assert list(written) == ["planted/labelled", "cranfield"]
    agents = ["agent answertrail-2026", "agent answertrail-2026 to 40"]
    assert list(written["planted/labelled"]["modes"])[3:] == agents
    assert list(written["cranfield"]["modes"]) == ["dense", "lexical", "fused"]
    assert (tmp_path / "yardstick.md").read_text() == text
    assert "## planted/labelled" in text
    assert "## cranfield" in text
    assert "3 documents in 3 chunks, ranked by document; 3 questions; embedder wordllama." in text
    row = next(line for line in text.splitlines() if line.startswith("| cranfield"))
    assert row.split("|")[2].strip() == "wordllama"
