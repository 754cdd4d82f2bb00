"""Speed and quality of the embedders that are installed, side by side in one run.

    python benchmarks/embedders.py --data ../shared/data [--names minilm wordllama] [--passages 200]

Speed: passages of 60 words from XQuAD's English paragraphs, one call, after a first call that
loads the model. Other work on the machine disturbs wall time more than processor time, so both
are printed; compare within one run only ("of first" is the ratio to the first embedder named).
Quality: `xquad Q-P` is the share of questions in language Q whose own paragraph, in language P,
ranks first among 150; `locomo` the mean share of a question's evidence turns among the first 10
of two conversations put together (adversarial questions left out).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from answertrail.models.embedding.base import Embedder, Vectors
from answertrail.models.embedding.load import describe, load_embedder

LANGUAGES = (("en", "en"), ("zh", "en"), ("en", "zh"), ("zh", "zh"))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Questions, the texts they are asked of, and for each question the rows that answer it."""

    name: str
    questions: list[str]
    texts: list[str]
    relevant: list[frozenset[int]]
    k: int


def main() -> None:
    """Print one table of speed and one of quality."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--names", nargs="+", default=[line.name for line in describe() if line.installed])
    parser.add_argument("--passages", type=int, default=200)
    options = parser.parse_args()
    asyncio.run(_run(options.names, options.data / "b_qa", options.passages))


async def _run(names: Sequence[str], data: Path, count: int) -> None:
    passages = _passages(data, count)
    print("| embedder | first call, s | texts/s (wall) | texts per processor second | of first | one query, ms |")
    print("|---|---|---|---|---|---|")
    first = 0.0
    for name in names:
        embedder = load_embedder(name)
        load = await _timed(embedder, passages[:1])
        wall, processor = await _timed(embedder, passages)
        query = min([(await _timed(embedder, [passage[:60]]))[0] for passage in passages[:10]])
        rate = count / processor
        first = first or rate
        print(
            f"| {name} | {load[0]:.2f} | {count / wall:.0f} | {rate:.0f} | {rate / first:.2f} | {query * 1000:.1f} |",
            flush=True,
        )
    rankings = [*(_xquad(data, asked, read) for asked, read in LANGUAGES), _locomo(data)]
    print("\n| embedder | " + " | ".join(ranking.name for ranking in rankings) + " |")
    print("|---" * (1 + len(rankings)) + "|")
    for name in names:
        scores = [f"{await _score(load_embedder(name), ranking):.3f}" for ranking in rankings]
        print(f"| {name} | " + " | ".join(scores) + " |", flush=True)


async def _timed(embedder: Embedder, texts: Sequence[str]) -> tuple[float, float]:
    """Return wall and processor seconds of one call."""
    wall, processor = time.perf_counter(), time.process_time()
    await embedder.embed(texts, "passage")
    return time.perf_counter() - wall, time.process_time() - processor


async def _score(embedder: Embedder, ranking: Ranking) -> float:
    questions: Vectors = np.nan_to_num(await embedder.embed(ranking.questions, "query"))
    texts: Vectors = np.nan_to_num(await embedder.embed(ranking.texts, "passage"))
    best = np.argsort(-(questions @ texts.T), axis=1, kind="stable")[:, : ranking.k]
    found = [
        len(wanted.intersection(row.tolist())) / len(wanted) for wanted, row in zip(ranking.relevant, best, strict=True)
    ]
    return float(np.mean(found))


def _paragraphs(data: Path, language: str) -> list[dict[str, Any]]:
    content = json.loads((data / "xquad_en_zh_ar" / f"xquad.{language}.json").read_text(encoding="utf-8"))
    return [paragraph for article in content["data"] for paragraph in article["paragraphs"]]


def _passages(data: Path, count: int) -> list[str]:
    words = " ".join(paragraph["context"] for paragraph in _paragraphs(data, "en")).split()
    return [" ".join(words[start : start + 60]) for start in range(0, 60 * count, 60)]


def _xquad(data: Path, asked: str, read: str) -> Ranking:
    """The languages' files hold the same paragraphs in the same order."""
    pairs = [
        (question["question"], number)
        for number, paragraph in enumerate(_paragraphs(data, asked))
        for question in paragraph["qas"][:2]
    ]
    return Ranking(
        name=f"xquad {asked}-{read}",
        questions=[question for question, _ in pairs],
        texts=[paragraph["context"] for paragraph in _paragraphs(data, read)],
        relevant=[frozenset({number}) for _, number in pairs],
        k=1,
    )


def _locomo(data: Path) -> Ranking:
    questions: list[str] = []
    texts: list[str] = []
    relevant: list[frozenset[int]] = []
    # Turns of both conversations share one list; evidence ids are per conversation.
    for sample in json.loads((data / "locomo" / "locomo.json").read_text(encoding="utf-8"))[:2]:
        rows: dict[str, int] = {}
        for key, session in sample["conversation"].items():
            if key.startswith("session_") and isinstance(session, list):
                for turn in session:
                    rows[turn["dia_id"]] = len(texts)
                    texts.append(f"{turn['speaker']}: {turn['text']}")
        for item in sample["qa"]:
            wanted = frozenset(rows[key] for key in item.get("evidence", ()) if key in rows)
            if item["category"] != 5 and wanted:
                questions.append(item["question"])
                relevant.append(wanted)
    return Ranking("locomo", questions, texts, relevant, k=10)


if __name__ == "__main__":
    main()
