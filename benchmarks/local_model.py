"""Ask the sample questions with any GGUF, opt-in: does a local model keep to the protocol, and is it right?

    ANSWERTRAIL_GGUF=/path/model.gguf ANSWERTRAIL_GGUF_SHA256=... python -m benchmarks.local_model [--questions 3]

The file's hash is checked before it is loaded. Minutes per question on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from tests import local_model

from answertrail.agent.ask import Limits
from answertrail.agent.recipe import load
from answertrail.cli.asking import ask_corpus
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.models.chat.load import load_chat_model
from answertrail.records import Question, jsonl
from answertrail.search.load import open_corpus
from answertrail.settings import Settings
from answertrail.store.connection import connect
from benchmarks.gold_reader import cited_spans, found, silent

SAMPLE = Path(__file__).parents[1] / "src" / "answertrail" / "sample"


async def ask_all(count: int) -> None:
    """Print one line a question: status, outcome, whether gold is cited, calls, seconds."""
    base_url, served = local_model.start()
    model = load_chat_model(f"openai-compatible:{served}", base_url=base_url, environment={})
    recipe = load("default")
    # A short context and few turns: these models read at some tens of tokens a second.
    recipe = recipe.model_copy(
        update={
            "loop": recipe.loop.model_copy(update={"max_steps": 4, "context_chars": 9000}),
            "search": recipe.search.model_copy(update={"k": 4}),
            "model": recipe.model.model_copy(update={"max_tokens": 400, "temperature": 0.0}),
        }
    )
    settings = Settings.from_environment()
    async with connect(settings) as db:
        await ingest(db, IngestRequest("sample", [SAMPLE / "channel"]))
        corpus = await open_corpus(db, settings, "sample")
        for question in list(jsonl.read(SAMPLE / "questions.jsonl", Question))[:count]:
            run = await ask_corpus(db, corpus, question.question, recipe, model, Limits(), silent)
            outcome = run.answer.outcome if run.answer else (run.error or {}).get("kind")
            gold = "cites gold" if found(question, cited_spans(run)) else "no gold cited"
            calls, seconds = len(run.usage or []), (run.elapsed_ms or 0) / 1000
            print(
                f"{question.question_id}: {run.status}, {outcome}, {gold}, {calls} calls, {seconds:.0f} s", flush=True
            )


def main() -> None:
    """Refuse to start without a model; otherwise ask."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=3)
    options = parser.parse_args()
    if not os.environ.get("ANSWERTRAIL_GGUF"):
        sys.exit("name a model: ANSWERTRAIL_GGUF=/path/model.gguf ANSWERTRAIL_GGUF_SHA256=...")
    asyncio.run(ask_all(options.questions))


if __name__ == "__main__":
    main()
