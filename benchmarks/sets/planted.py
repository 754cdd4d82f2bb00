"""Planted arcs: fictional topics whose passages are spoken between real ones of practical_ai.

Episodes are cut into parts, one a passage; each part is dated by its passage, which is spoken in
its middle. So the passages stand in the corpus as its own talk does: chunks hold some of both, and
nothing but the words tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from answertrail.corpus.windows import WINDOW_S, windows
from answertrail.errors import InputError
from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question, Segment
from answertrail.records.question import Evidence, Nugget, Window
from benchmarks.sets.base import DATA, PublicSet, alone, cut_all
from benchmarks.sets.g_gold import transcripts
from benchmarks.sets.planted_files import PLANTED, Arc, Fact, passages_of, read_arcs, read_facts

WORDS_PER_S = 2.5
"""How fast a planted passage is spoken; the real ones run at 2 to 3."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage to be planted. `key` names it in the gold."""

    key: str
    date: str
    speaker: str
    text: str


def load_planted(data: Path = DATA, folder: Path = PLANTED, *, labelled: bool = True) -> PublicSet:
    """Return the parts of practical_ai with what is planted in them, and its questions.

    Longitudinal questions have a nugget with a window for every stance, group `arc named` or `arc
    oblique`; the control is factual, group `fact`. Gold is the seconds in which a passage is
    spoken. Every question about an arc names its speaker, and chunks are found by who speaks: with
    `labelled` false nobody's name is kept, as in machine transcripts, and words alone can find a
    passage. Raises InputError without any planted file, and for a speaker whom the episodes have.
    """
    arcs, facts = read_arcs(folder), read_facts(folder)
    if not arcs and not facts:
        raise InputError(f"no arcs_*.jsonl or facts_*.jsonl in {folder}", hint="leave the set planted out")
    episodes, left_out = transcripts(data / "a_transcripts" / "practical_ai")
    untimed = [f"{episode.id}: it has no times" for episode in episodes if episode.segments is None]
    documents, gold = plant([Passage(*row) for row in passages_of(arcs, facts)], episodes)
    cuts, empty = cut_all(documents if labelled else map(_unlabelled, documents))
    questions = question_set(
        [*(_arc_question(arc, gold) for arc in arcs), *(_fact_question(fact, gold) for fact in facts)]
    )
    name = "planted/labelled" if labelled else "planted/unlabelled"
    return PublicSet(
        name, cuts, questions, "chunk", alone(questions), "question", left_out=(*left_out, *untimed, *empty)
    )


def plant(passages: Sequence[Passage], episodes: Sequence[Document]) -> tuple[list[Document], dict[str, Evidence]]:
    """Return the parts with the passages spoken in them, and by key where each is spoken.

    Timed episodes in order of date are cut into equal numbers of parts, as many as it takes; passages
    in order of date take one part after the other, spread over all of them. Parts without a passage
    keep their episode's date. Raises InputError for a planted speaker who speaks in an episode, and
    ValueError for more passages than there are segments to part.
    """
    real = {segment.speaker for episode in episodes for segment in episode.segments or ()}
    if known := sorted({passage.speaker for passage in passages} & real):
        raise InputError(f"planted speakers who are also real ones: {', '.join(known)}", hint="give them other names")
    timed = sorted((row for row in episodes if row.segments), key=lambda row: (row.published_at or "", row.id))
    per_episode = -(-len(passages) // len(timed))
    parts = [part for episode in timed for part in _parts(episode, per_episode)]
    if len(parts) < len(passages):
        raise ValueError(f"{len(passages)} passages and only {len(parts)} parts of episodes to speak them in")
    ordered = sorted(passages, key=lambda passage: (passage.date, passage.key))
    hosts = {place * len(parts) // len(ordered): passage for place, passage in enumerate(ordered)}
    documents, gold = [], {}
    for place, part in enumerate(parts):
        passage = hosts.get(place)
        if passage is None:
            documents.append(part)
        else:
            document, gold[passage.key] = _spoken(part, passage)
            documents.append(document)
    return documents, gold


def _parts(episode: Document, count: int) -> list[Document]:
    """Cut an episode into parts of about as many segments each, each beginning at 0 seconds."""
    segments = episode.segments or []
    count = min(count, len(segments))
    bounds = [number * len(segments) // count for number in range(count + 1)]
    return [
        episode.model_copy(
            update={
                "id": f"{episode.id}-part-{number}",
                "title": f"{episode.title}, part {number}",
                "segments": _moved(segments[low:high], -segments[low].start_s),
                "duration_s": None,
            }
        )
        for number, (low, high) in enumerate(pairwise(bounds), 1)
    ]


def _moved(segments: Sequence[Segment], by: float) -> list[Segment]:
    return [
        segment.model_copy(
            update={
                "start_s": max(segment.start_s + by, 0.0),
                "end_s": None if segment.end_s is None else max(segment.end_s + by, 0.0),
            }
        )
        for segment in segments
    ]


def _spoken(part: Document, passage: Passage) -> tuple[Document, Evidence]:
    """Speak a passage in the middle of a part; what follows it comes later by as long as it takes."""
    segments = part.segments or []
    middle = len(segments) // 2
    before, after = segments[:middle], segments[middle:]
    start = round(after[0].start_s, 3)
    text = " ".join(passage.text.split())
    length = round(len(text.split()) / WORDS_PER_S, 3)
    spoken = Segment(start_s=start, end_s=start + length, text=text, speaker=passage.speaker)
    document = part.model_copy(
        update={"published_at": passage.date, "segments": [*before, spoken, *_moved(after, length)]}
    )
    # Its last words belong to the window in which their sentence begins, so the next holds none of them.
    last = max(chunk.start_s or 0.0 for chunk in windows(document) if passage.speaker in chunk.speakers)
    end = min(start + length, last + WINDOW_S)
    quote = " ".join(text.split()[:12])
    return document, Evidence(document_id=part.id, start_s=start, end_s=end, quote=quote)


def _unlabelled(document: Document) -> Document:
    segments = [segment.model_copy(update={"speaker": None}) for segment in document.segments or ()]
    return document if document.segments is None else document.model_copy(update={"segments": segments})


def _arc_question(arc: Arc, gold: Mapping[str, Evidence]) -> Question:
    return Question(
        question_id=arc.arc_id,
        question=arc.question,
        tier="longitudinal",
        language="en",
        group="arc oblique" if arc.oblique else "arc named",
        evidence=[gold[f"{arc.arc_id}/s{number}"] for number in range(len(arc.stances))],
        nuggets=[
            Nugget(
                nugget_id=f"{arc.arc_id}-n{number}",
                text=row.stance,
                kind="stance",
                evidence=[number],
                window=Window.model_validate({"from": row.from_, "to": row.to}),
                written_by="model",
            )
            for number, row in enumerate(arc.stances)
        ],
        split="dev",
    )


def _fact_question(fact: Fact, gold: Mapping[str, Evidence]) -> Question:
    return Question(
        question_id=fact.fact_id,
        question=fact.question,
        tier="factual",
        language="en",
        group="fact",
        evidence=[gold[f"{fact.fact_id}/s0"]],
        nuggets=[
            Nugget(nugget_id=f"{fact.fact_id}-n0", text=fact.answer, kind="fact", evidence=[0], written_by="model")
        ],
        split="dev",
    )
