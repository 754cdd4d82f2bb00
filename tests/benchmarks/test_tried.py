"""Rules beside `fused`: hand-computed scores, and a small set measured and written as the program does it."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from benchmarks.sets.base import PublicSet, alone, cut_all
from benchmarks.tried_rules import BASE, VARIANTS, World, ask, standard

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Relevant
from answertrail.search.hits import ChunkRow
from answertrail.search.index import CorpusIndex
from answertrail.search.load import lexical_index
from benchmarks import tried
from tests.search.worlds import TinyEmbedder

TEXTS = {"a": "The kiln was moved.", "b": "The river rose.", "c": "A tractor stood there."}


def row(name):
    return ChunkRow(
        id=f"{name}:0", document_id=name, title=name, published_at=None, url=None, language="en", duration_s=None,
        start_s=None, end_s=None, text=TEXTS[name], lines=(TEXTS[name],), speakers=(),
    )  # fmt: skip


async def asked_of(query):
    rows, embedder = [row(name) for name in TEXTS], TinyEmbedder()
    matrix = await embedder.embed([one.text for one in rows], "passage")
    return await ask(World(CorpusIndex(rows, matrix, lexical_index(rows), embedder), matrix), query, embedder)


def test_standard_scores_put_what_is_unknown_at_the_mean():
    # Mean 2, deviation 1.
    assert standard(np.array([1.0, np.nan, 3.0])).tolist() == [-1, 0, 1]
    assert standard(np.array([2.0, 2.0])).tolist() == [0, 0]
    assert standard(np.array([np.nan])).tolist() == [0]


@pytest.mark.asyncio
async def test_rules_by_hand():
    asked = await asked_of("kiln zebra")
    assert asked.bm25.tolist() == [asked.bm25[0], 0, 0]
    # idf of a term that one of three rows holds is ln(1 + 2.5 / 1.5), of none ln(1 + 3.5 / 0.5).
    assert asked.share == pytest.approx(np.log(8 / 3) / (np.log(8 / 3) + np.log(8)))
    # Standardised, one of three that stands out has sqrt(2), the others -1 / sqrt(2).
    added = VARIANTS["z-scores"].rule(asked) - asked.cosines
    assert added == pytest.approx([2**0.5, -(0.5**0.5), -(0.5**0.5)])
    ranks = np.argsort(np.argsort(-asked.cosines, kind="stable")) + 1
    expected = 1 / (60 + ranks)
    expected[0] += 1 / 61
    assert VARIANTS["reciprocal ranks"].rule(asked) == pytest.approx(expected)
    twice = VARIANTS["passages × 2"].rule(asked) - asked.fused
    # A document of one passage is short: 2/3 of a vote each.
    assert twice == pytest.approx(2 / 3 * asked.signals.weight * asked.bm25)
    assert VARIANTS["short documents like long ones"].rule(asked) == pytest.approx(
        asked.cosines + 4 / 3 * asked.passages + 1 / 3 * asked.documents
    )
    assert VARIANTS["k1 2, b 0.75"].rule(asked)[0] != asked.fused[0]


@pytest.mark.asyncio
@pytest.mark.parametrize("query", ["kiln", "zebra", "?"])
async def test_every_rule_gives_every_passage_a_finite_score(query):
    asked = await asked_of(query)
    for name, variant in VARIANTS.items():
        scores = variant.rule(asked)
        assert scores.shape == (3,), name
        assert np.isfinite(scores).all(), name


def small():
    """Three documents and two questions."""
    cuts, _ = cut_all(Document(id=name, title=name, language="en", text=text) for name, text in TEXTS.items())
    questions = question_set(
        Question(question_id=key, question=text, tier="factual", language="en", relevant=[Relevant(id=gold)])
        for key, text, gold in (("q1", "where is the kiln", "a"), ("q2", "what stood there", "c"))
    )
    return PublicSet("small", cuts, questions, "document", alone(questions), "question")


def test_what_was_measured_is_written_a_row_a_rule_and_earlier_sets_stay(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tried, "named", lambda names: dict.fromkeys(names, small))
    for name in ("small", "other"):
        arguments = ["--sets", name, "--embedder", "wordllama", "--resamples", "100"]
        paths = ["--vectors", str(tmp_path / "vectors.sqlite"), "--out", str(tmp_path)]
        monkeypatch.setattr(sys, "argv", ["tried", *arguments, *paths])
        assert tried.main() == 0
    written = json.loads((tmp_path / "tried.json").read_text())
    assert list(written) == ["small", "other"]
    assert list(written["small"]["rules"]) == list(VARIANTS)
    # Three documents all fit among ten: recall is 1 whatever the rule, and nothing differs.
    assert written["small"]["rules"][BASE] == {"mean_recall@10": {"value": 1}}
    assert written["small"]["rules"]["RM3"]["mean_recall@10"]["difference"]["value"] == 0
    text = (tmp_path / "tried.md").read_text()
    assert text in capsys.readouterr().out
    assert "| RM3 | 1.000 +0.000 | 1.000 +0.000 |" in text
    assert "- small: 2 questions, wordllama" in text
