"""Minutes of the Federal Reserve: how many of the known turns of policy does one question bring up?

Descriptive: three questions over four turns, so a share and no interval.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from answertrail.corpus.passages import passages
from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Evidence, Nugget, Window
from benchmarks.sets.base import DATA, PublicSet, alone, cut_all, present, read_lines


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of policy, the meetings in which it shows, `[start, end)`, and how its sentences lean."""

    name: str
    start: str
    end: str
    stance: str


TURNS = (
    Turn("2008 cuts", "2007-09-01", "2009-01-01", "dovish"),
    # The labelled sentences lead up to the decision of December; none of that day stands alone.
    Turn("2015 lift-off", "2015-06-01", "2016-01-01", "hawkish"),
    Turn("2020 cuts", "2020-03-01", "2020-07-01", "dovish"),
    Turn("2022 hikes", "2022-03-01", "2022-10-01", "hawkish"),
)
QUESTIONS = {
    "stance": ("How did the Committee's stance on interest rates change over the years?", None),
    "easing": ("When did the Committee lower interest rates, and why?", "dovish"),
    "tightening": ("When did the Committee raise interest rates, and why?", "hawkish"),
}


def load_fomc(data: Path = DATA) -> PublicSet:
    """Return each passage of the minutes as a document of its own, and the turns as windows of evidence.

    A turn is covered by a passage of its window that holds a sentence which people labelled with
    its stance. So that such a sentence names one passage, passages are documents, and sentences
    that stand in several minutes are not used.
    """
    folder = data / "f_longitudinal" / "fomc_meeting_minutes"
    documents: list[Document] = []
    place: dict[tuple[str, str], str] = {}
    for _, row in read_lines(folder / "documents.jsonl"):
        sentences = _sentences(present(folder / row["file"]))
        parts, held_in = _passages(row["date"], sentences)
        documents += parts
        place |= {(row["date"], sentence): name for sentence, name in held_in.items()}
    evidence: dict[str, list[str]] = {turn.name: [] for turn in TURNS}
    repeated = 0
    for _, row in read_lines(folder / "labelled.jsonl"):
        if len(row["dates"]) > 1:
            repeated += 1
            continue
        for turn in TURNS:
            if row["stance"] == turn.stance and turn.start <= row["dates"][0] < turn.end:
                evidence[turn.name].append(place[row["dates"][0], " ".join(row["sentence"].split())])
    questions = question_set(
        _question(name, text, [turn for turn in TURNS if stance in (None, turn.stance)], evidence)
        for name, (text, stance) in QUESTIONS.items()
    )
    cuts, empty = cut_all(documents)
    left_out = (f"{repeated} labelled sentences that stand in several minutes", *empty)
    return PublicSet(
        "fomc", cuts, questions, "chunk", alone(questions), "question", counts_only=True, left_out=left_out
    )


def _sentences(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [" ".join(row["sentence"].split()) for row in csv.DictReader(stream)]


def _passages(date: str, sentences: Iterable[str]) -> tuple[list[Document], dict[str, str]]:
    """Return the minutes' passages as documents, and in which of them each sentence begins."""
    text = ""
    starts: dict[str, int] = {}
    for sentence in sentences:
        starts.setdefault(sentence, len(text))
        text += sentence + "\n"
    minutes = Document(id=f"fomc-{date}", title="", text=text)
    parts, held_in = [], {}
    for chunk in passages(minutes):
        name = f"fomc-{date}-p{chunk.ordinal:02}"
        title = "Minutes of the Federal Open Market Committee"
        parts.append(Document(id=name, title=title, published_at=date, language="en", text=chunk.text))
        for sentence, start in starts.items():
            if (chunk.char_start or 0) <= start < (chunk.char_end or 0):
                held_in[sentence] = name
    return parts, held_in


def _question(name: str, text: str, turns: Iterable[Turn], evidence: Mapping[str, list[str]]) -> Question:
    items: list[Evidence] = []
    nuggets = []
    for turn in turns:
        first = len(items)
        items += [Evidence(document_id=place) for place in dict.fromkeys(evidence[turn.name])]
        nuggets.append(
            Nugget(
                nugget_id=turn.name.replace(" ", "-"),
                text=turn.name,
                kind="stance",
                evidence=list(range(first, len(items))),
                window=Window.model_validate({"from": turn.start, "to": turn.end}),
            )
        )
    return Question(
        question_id=f"fomc-{name}", question=text, tier="longitudinal", language="en", evidence=items, nuggets=nuggets,
        split="dev",
    )  # fmt: skip
