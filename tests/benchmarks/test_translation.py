"""What a translated query is worth, measured with questions' twins."""

from __future__ import annotations

import asyncio

import pytest
from benchmarks.sets.base import DATA
from benchmarks.sets.gnome_help import load_gnome_help
from benchmarks.sets.xquad import load_xquad

from benchmarks import translation


@pytest.mark.parametrize(
    ("load", "asked", "path"),
    [(load_xquad, "zh", "b_qa/xquad_en_zh_ar"), (load_gnome_help, "ko", "e_vault/gnome_help_en_ko")],
)
def test_a_twin_is_worth_more_than_a_question_the_embedder_does_not_read(load, asked, path, tmp_path, monkeypatch):
    if not (DATA / path).exists():
        pytest.skip(f"no data at {DATA / path}")
    monkeypatch.setattr(translation, "VECTORS", tmp_path / "vectors.sqlite")
    found = asyncio.run(translation.measured(load, asked, "en", "wordllama", ["fused"], 30))
    recall = {way: values["mean_recall@10"]["value"] for way, values in found["modes"]["fused"].items()}
    assert list(recall) == list(translation.WAYS)
    assert recall["as asked"] < recall["twin alone"]
    assert recall["both, highest"] >= recall["twin alone"] - 0.1
    text = translation.tables({"set": found}, ["fused"])
    assert f"{recall['twin alone']:.3f}" in text
