"""The articles' two ablations with the built-in reader, registered before they are run.

    python -m benchmarks.ablations [--sets sample,ergo_calls,oxide_and_friends,practical_ai]

Baseline `answertrail-2026` against `hybrid` (rank fusion instead of dense search) and against
`no-loop` (one retrieval, one closing turn). Ingests what is missing into ANSWERTRAIL_HOME. A set's
registration is written to benchmarks/results/ before its first run and never again; a registration
that does not fit any more shows as deviations. Runs go to results/ablations/ and are made anew each
time: the reader is deterministic and free. Writes benchmarks/results/ablations.json and ablations.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from answertrail.cli.main import run as command_line
from answertrail.cli.progress import Bars
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.experiments.compare import Comparison, compare
from answertrail.experiments.inputs import QuestionSet, question_set, read_questions
from answertrail.experiments.registration import Registration, read_registration
from answertrail.experiments.side import Side
from answertrail.experiments.side_files import read_side
from answertrail.experiments.sides import runs_side, with_tiers
from answertrail.experiments.view.comparison import tables
from answertrail.experiments.view.markdown import markdown
from answertrail.metrics.measured import Measured, measure
from answertrail.metrics.values import Undefined
from answertrail.settings import Settings
from answertrail.store import corpora
from answertrail.store.connection import connect

SHARED = Path(os.environ.get("ANSWERTRAIL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SAMPLE = Path(str(resources.files("answertrail.sample")))
QUESTIONS = {
    "sample": SAMPLE / "questions.jsonl",
    "ergo_calls": SHARED / "data/g_gold/ergo_questions.jsonl",
    "oxide_and_friends": SHARED / "data/g_gold/oxide_questions.jsonl",
    "practical_ai": SHARED / "data/g_gold/practical_ai_questions.jsonl",
}
RESULTS = Path(__file__).parent / "results"
RUNS = Path("results/ablations")
BASELINE, ABLATIONS = "answertrail-2026", ("hybrid", "no-loop")
PRIMARY = tuple(
    f"{tier}/{name}" for tier in ("factual", "longitudinal") for name in ("needle_recall", "citation_recall")
)
EXPLORATORY = ("false_answer_rate", "over_refusal_rate")


def folder(name: str) -> Path:
    return SAMPLE / "channel" if name == "sample" else SHARED / "data/a_transcripts" / name


async def ingested(names: Sequence[str]) -> None:
    settings = Settings.from_environment()
    async with connect(settings) as db:
        known = {corpus.name for corpus in await corpora.list_all(db)}
        for name in names:
            if name not in known:
                from rich.console import Console

                with Bars(Console(stderr=True)) as bars:
                    await ingest(db, IngestRequest(name, [folder(name)]), bars)


def called(*words: object) -> None:
    """Run a command as a user would."""
    text = [str(word) for word in words]
    print("$ answertrail " + " ".join(text), file=sys.stderr)
    if code := command_line(text):
        raise SystemExit(code)


def registered(name: str) -> tuple[Registration, Path]:
    path = RESULTS / f"ablations_{name}_registration.json"
    if not path.exists():
        recipes = [word for recipe in (BASELINE, *ABLATIONS) for word in ("--recipe", recipe)]
        measures = [word for measure in PRIMARY for word in ("--measure", f"{measure}:totals")]
        called(
            "eval", "register", "--questions", QUESTIONS[name], "--corpus", name, *recipes, *measures, "--out", path,
            "--question", "What do rank fusion and the loop change of what the built-in reader retrieves and cites?",
            "--hypothesis", "As the articles found: hybrid changes little; without the loop less is retrieved, "
            "more so in longitudinal questions.",
            "--stopping-rule", "Every question once with each recipe (the reader is deterministic); one comparison.",
        )  # fmt: skip
    return read_registration(path), path


def compared(name: str) -> tuple[QuestionSet, dict[str, Side], list[Comparison]]:
    registration, path = registered(name)
    questions = read_questions(QUESTIONS[name])
    sides: dict[str, Side] = {}
    for recipe in (BASELINE, *ABLATIONS):
        out = RUNS / f"{name}_{recipe}.jsonl"
        for old in (out, out.with_name(out.name + ".part")):
            old.unlink(missing_ok=True)
        called(
            "eval", "run", "--questions", QUESTIONS[name], "--corpus", name, "--recipe", recipe, "--registration", path,
            "--out", out,
        )  # fmt: skip
        label, (runs, _) = read_side(str(out))
        side = runs_side(label, questions, runs)
        sides[recipe] = with_tiers(side, questions, [*PRIMARY, *EXPLORATORY])
    found = [
        compare(sides[BASELINE], sides[other], [*PRIMARY, *EXPLORATORY], registration=registration)
        for other in ABLATIONS
    ]
    return questions, sides, found


def pooled(parts: Mapping[str, tuple[QuestionSet, dict[str, Side]]]) -> list[Comparison]:
    """Compare over several sets together: exploratory, since each set was registered by itself."""
    questions = question_set(question for gold, _ in parts.values() for question in gold.questions)
    sides = {}
    for recipe in (BASELINE, *ABLATIONS):
        several = [sides[recipe] for _, sides in parts.values()]
        conditions = [c for c in several[0].conditions.conditions if c.name not in ("corpus", "gold")]
        sides[recipe] = Side(
            recipe,
            {name: _joined([side.measure(name) for side in several]) for name in (*PRIMARY, *EXPLORATORY)},
            replace(several[0].conditions, conditions=tuple(conditions)),
            {name: repeats for side in several for name, repeats in side.asked.items()},
            frozenset(key for side in several for key in side.failed),
        )
    assert len(questions.questions) == len(sides[BASELINE].asked)
    return [compare(sides[BASELINE], sides[other], [*PRIMARY, *EXPLORATORY]) for other in ABLATIONS]


def _joined(parts: Sequence[Measured | Undefined]) -> Measured | Undefined:
    known = [part for part in parts if isinstance(part, Measured)]
    if not known:
        return parts[0]
    one = known[0]
    return measure(
        one.name,
        (row for part in known for row in part.observations),
        statistic=one.statistic,
        if_empty=one.ratio.if_empty,
        unscored=(row for part in known for row in part.unscored),
        intervals=one.intervals,
        worst=one.worst,
        lost=(row for part in known for row in part.lost),
        share=one.share,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", default=",".join(QUESTIONS))
    names = parser.parse_args().sets.split(",")
    absent = [name for name in names if not QUESTIONS[name].exists()]
    if absent:
        print(f"left out, not here: {', '.join(absent)}", file=sys.stderr)
    names = [name for name in names if name not in absent]
    asyncio.run(ingested(names))
    found: dict[str, list[Comparison]] = {}
    parts: dict[str, tuple[QuestionSet, dict[str, Side]]] = {}
    for name in names:
        questions, sides, found[name] = compared(name)
        if name != "sample":
            parts[name] = (questions, sides)
    if len(parts) > 1:
        found["g_gold, pooled (exploratory)"] = pooled(parts)
    _write(found)
    return 0


def _write(found: Mapping[str, Sequence[Comparison]]) -> None:
    document: dict[str, Any] = {name: [row.as_json() for row in rows] for name, rows in found.items()}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "ablations.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines = ["# Ablations with the built-in reader", "", "Written by `python -m benchmarks.ablations`.", ""]
    for name, rows in found.items():
        lines += [f"## {name}", ""]
        for row in rows:
            lines += [markdown(shown, level=3) for shown in tables(row)]
    text = "\n".join(lines)
    (RESULTS / "ablations.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
