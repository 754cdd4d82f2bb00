"""LoCoMo: long dated conversations; each turn is a chunk, the questions name their evidence turns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.chunk import Chunk
from answertrail.records.question import Relevant
from benchmarks.sets.base import DATA, Cut, PublicSet, read_json

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
ADVERSARIAL = 5
_DAY = re.compile(r"on (\d{1,2} \w+, \d{4})$")


def load_locomo(data: Path = DATA, *, together: bool = False) -> PublicSet:
    """Return every conversation as a corpus, or all of them as one: a document a session, a chunk a turn.

    Apart is how the set is used elsewhere: a question is asked of its own conversation. Intervals by
    conversation.
    Adversarial questions are left out: their evidence is what misleads. Evidence ids that name no
    turn are dropped and listed; a question without any evidence stays and is ineligible.
    """
    cuts: list[Cut] = []
    questions: list[Question] = []
    clusters: dict[str, str] = {}
    left_out: list[str] = []
    adversarial = 0
    for sample in read_json(data / "b_qa" / "locomo" / "locomo.json"):
        name = sample["sample_id"]
        turns: dict[str, str] = {}
        for key, session in sample["conversation"].items():
            if isinstance(session, list):
                cut = _session(name, key, session, sample["conversation"][f"{key}_date_time"])
                cuts.append(cut)
                turns |= {turn["dia_id"]: chunk.id for turn, chunk in zip(session, cut.chunks, strict=True)}
        for number, item in enumerate(sample["qa"], 1):
            if item["category"] == ADVERSARIAL:
                adversarial += 1
                continue
            question = _question(f"{name}-q{number:03}", item, turns, left_out)
            questions.append(question)
            clusters[question.question_id] = name
    left_out.append(f"{adversarial} adversarial questions")
    return PublicSet(
        f"locomo/{'together' if together else 'apart'}",
        tuple(replace(cut, corpus="") for cut in cuts) if together else tuple(cuts),
        question_set(questions),
        "chunk",
        clusters,
        "conversation",
        left_out=tuple(left_out),
        asked_of={} if together else clusters,
    )


def _session(sample: str, key: str, turns: list[dict[str, Any]], said_at: str) -> Cut:
    number = int(key.removeprefix("session_"))
    document_id = f"{sample}-s{number:02}"
    speakers = list(dict.fromkeys(turn["speaker"] for turn in turns))
    text = "\n".join(turn["text"] for turn in turns)
    document = Document(
        id=document_id,
        title=f"{' and '.join(speakers)}, session {number}",
        published_at=_day(said_at),
        language="en",
        text=text,
    )
    chunks = []
    offset = 0
    for ordinal, turn in enumerate(turns):
        # Who speaks is part of a turn, as in a chat log; questions name people.
        words = f"{turn['speaker']}: " + " ".join(turn["text"].split())
        end = offset + len(turn["text"])
        chunks.append(
            Chunk(
                f"{document_id}:{offset:07}", document_id, ordinal, words, (words,), (turn["speaker"],),
                char_start=offset, char_end=end,
            )
        )  # fmt: skip
        offset = end + 1
    return Cut(document, tuple(chunks), sample)


def _day(text: str) -> str:
    """Return the day of `1:56 pm on 8 May, 2023`; the hour has no zone and is dropped."""
    found = _DAY.search(text)
    if found is None:
        raise ValueError(f"no date in {text!r}")
    return datetime.strptime(found[1], "%d %B, %Y").date().isoformat()


def _question(name: str, item: Mapping[str, Any], turns: Mapping[str, str], left_out: list[str]) -> Question:
    named = list(dict.fromkeys(item.get("evidence", ())))
    left_out += [f"{name}: evidence {text!r} names no turn" for text in named if text not in turns]
    if not named:
        left_out.append(f"{name}: no evidence, so ineligible")
    return Question(
        question_id=name,
        question=item["question"],
        tier="factual",
        language="en",
        group=CATEGORIES[item["category"]],
        relevant=[Relevant(id=turns[text]) for text in named if text in turns],
        split="dev",
    )
