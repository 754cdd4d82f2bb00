"""The loaders of the public sets: counts as each set's own page gives them, and gold that can be found."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest
from benchmarks.sets import SETS, named
from benchmarks.sets.base import DATA
from benchmarks.sets.cranfield import load_cranfield
from benchmarks.sets.xquad import load_xquad

from answertrail.errors import InputError, NotFoundError
from answertrail.metrics.measured import Ineligible
from answertrail.metrics.ranking.gold import gold_of
from answertrail.metrics.ranking.units import document_of
from answertrail.records.base import instant
from tests.benchmarks.shared import needs_data

PUBLIC = [name for name in SETS if not name.startswith("planted")]

# documents, questions, questions with gold, clusters
SIZES = {
    "g_gold/ergo_calls": (83, 30 + 12 + 16, 30 + 12, 58),
    "g_gold/oxide_and_friends": (110, 15 + 6 + 8, 15 + 6, 29),
    "g_gold/practical_ai": (180, 10 + 8 + 6, 10 + 8, 24),
    "locomo/apart": (159, 145 + 190 + 51 + 463, 145 + 190 + 51 + 463 - 2, 6),
    "locomo/together": (159, 145 + 190 + 51 + 463, 145 + 190 + 51 + 463 - 2, 6),
    "cranfield": (1400 - 2, 135, 135, 135),
    "timeqa": (7901, 584, 584 - 109, 155),
    "peps": (311, 5, 5, 5),
    "fomc": (5322, 3, 3, 3),
} | {name: (150, 757, 757, 30) for name in SETS if name.startswith("xquad")}
SIZES |= {name: (177, 354, 354, 177) for name in SETS if name.startswith("gnome")}


@cache
def loaded(name):
    return SETS[name]()


@needs_data
@pytest.mark.parametrize("name", PUBLIC)
def test_counts_are_those_the_set_is_published_with(name):
    found = loaded(name)
    golds = [gold_of(question, found.unit) for question in found.questions.questions]
    eligible = sum(not isinstance(gold, Ineligible) for gold in golds)
    clusters = len(set(found.clusters.values()))
    assert (len(found.cuts), len(found.questions.ids), eligible, clusters) == SIZES[name]


@needs_data
@pytest.mark.parametrize("name", PUBLIC)
def test_all_gold_is_among_what_is_indexed(name):
    found = loaded(name)
    documents = {cut.document.id for cut in found.cuts}
    chunks = [chunk.id for cut in found.cuts for chunk in cut.chunks]
    assert len(set(chunks)) == len(chunks)
    units = set(chunks) if found.unit == "chunk" else documents
    for question in found.questions.questions:
        assert {item.id for item in question.relevant or ()} <= units
        assert {span.document_id for span in question.evidence or ()} <= documents
    for cuts, questions in found.corpora():
        here = {cut.document.id for cut in cuts}
        assert {document_of(item.id) for question in questions for item in question.relevant or ()} <= here
    asked = [question.question_id for _, questions in found.corpora() for question in questions]
    assert sorted(asked) == sorted(found.questions.ids)
    assert sum(len(cuts) for cuts, _ in found.corpora()) == len(found.cuts)


@needs_data
def test_locomo_keeps_its_defects_in_sight_and_its_turns_whole():
    found = loaded("locomo/apart")
    turns = [chunk for cut in found.cuts for chunk in cut.chunks]
    assert len(turns) == 3496
    assert Counter(q.group for q in found.questions.questions) == {
        "multi-hop": 145, "temporal": 190, "open-domain": 51, "single-hop": 463,
    }  # fmt: skip
    assert sorted(found.left_out) == [
        "235 adversarial questions",
        "conv-26-q031: no evidence, so ineligible",
        "conv-26-q047: no evidence, so ineligible",
        "conv-47-q039: evidence 'D4:36' names no turn",
    ]
    first = next(cut for cut in found.cuts if cut.document.id == "conv-26-s01")
    assert first.document.published_at == "2023-05-08"
    assert (first.chunks[2].speakers, first.chunks[2].text) == (
        ("Caroline",),
        "Caroline: I went to a LGBTQ support group yesterday and it was so powerful.",
    )
    assert [len(questions) for _, questions in found.corpora()] == [
        sum(q.question_id.startswith(name) for q in found.questions.questions)
        for name in ("conv-26", "conv-30", "conv-41", "conv-44", "conv-47", "conv-48")
    ]
    assert len(list(loaded("locomo/together").corpora())) == 1
    question = found.questions.questions[0]
    assert question.question == "When did Caroline go to the LGBTQ support group?"
    assert [item.id for item in question.relevant] == [first.chunks[2].id]


@needs_data
def test_cranfield_turns_its_scale_round_and_counts_queries_by_their_place():
    found = loaded("cranfield")
    grades = Counter(item.grade for question in found.questions.questions for item in question.relevant)
    assert grades == {4: 224, 3: 239, 2: 438, 1: 244}
    # The third query is printed with the id 4; a judgment of "3" means it.
    third = found.questions.by_id["cranfield-3"]
    assert third.question.startswith("what problems of heat conduction in composite slabs")
    lines = (DATA / "b_qa" / "cranfield" / "qrels.txt").read_text().splitlines()
    judged = {f"cran-{row.split()[2]}" for row in lines if row.split()[0] == "3"}
    assert {item.id for item in third.relevant} == judged
    assert found.left_out == ("cran-471: the document holds no words", "cran-995: the document holds no words")


@needs_data
def test_timeqa_answers_stand_in_the_paragraphs_that_are_gold():
    found = loaded("timeqa")
    text = {cut.document.id: cut.document.text for cut in found.cuts}
    spans = 0
    for article in json.loads((DATA / "b_qa" / "timeqa" / "timeqa_human_test.json").read_text()):
        for number, (_, answers) in enumerate(article["questions"], 1):
            question = found.questions.by_id[f"{article['index'].removeprefix('/wiki/')}-{number}"]
            gold = {item.id for item in question.relevant or ()}
            for answer in answers:
                if answer["answer"]:
                    spans += 1
                    assert any(answer["answer"] in text[name] for name in gold)
    assert spans == 507


@needs_data
@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_xquad_answers_stand_in_the_paragraph_that_is_gold_whatever_language_asks(language):
    texts = {cut.document.id: cut.document.text for cut in loaded(f"xquad/en-{language}").cuts}
    content = json.loads((DATA / "b_qa" / "xquad_en_zh_ar" / f"xquad.{language}.json").read_text())
    answers = {
        item["id"]: item["answers"][0]["text"]
        for article in content["data"] for paragraph in article["paragraphs"] for item in paragraph["qas"]
    }  # fmt: skip
    for asked in ("en", "zh", "ar"):
        for question in loaded(f"xquad/{asked}-{language}").questions.questions:
            (gold,) = question.relevant
            assert answers[question.question_id] in texts[gold.id]


@needs_data
def test_xquad_can_be_asked_two_questions_a_paragraph():
    found = load_xquad("zh", "en", per_paragraph=2)
    asked = Counter(question.relevant[0].id for question in found.questions.questions)
    assert len(asked) == 150
    assert max(asked.values()) == 2


@needs_data
@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_gnome_page_holds_its_description_as_its_opening(language):
    found = loaded(f"gnome_help/{language}-{language}")
    text = {cut.document.id: cut.document.text for cut in found.cuts}
    described = [q for q in found.questions.questions if q.group == "desc"]
    assert len(described) == 177
    assert not any(text[q.relevant[0].id].startswith(q.question) for q in described)


@needs_data
def test_every_pep_pair_is_asked_or_said_to_be_left_out():
    found = loaded("peps")
    assert len(found.questions.ids) + sum(" to " in line for line in found.left_out) == 16
    assert found.counts_only


@needs_data
def test_a_policy_turn_is_found_in_passages_of_its_window_that_hold_a_sentence_so_labelled():
    found = loaded("fomc")
    text = {cut.document.id: cut.document.text for cut in found.cuts}
    date = {cut.document.id: cut.document.published_at for cut in found.cuts}
    rows = (DATA / "f_longitudinal" / "fomc_meeting_minutes" / "labelled.jsonl").read_text().splitlines()
    labelled = [json.loads(row) for row in rows]
    (whole,) = [q for q in found.questions.questions if q.question_id == "fomc-stance"]
    assert [nugget.text for nugget in whole.nuggets] == ["2008 cuts", "2015 lift-off", "2020 cuts", "2022 hikes"]
    for nugget in whole.nuggets:
        stance = "dovish" if "cuts" in nugget.text else "hawkish"
        assert nugget.evidence
        for index in nugget.evidence:
            name = whole.evidence[index].document_id
            assert instant(nugget.window.from_) <= instant(date[name]) < instant(nugget.window.to)
            # A passage may end within a sentence that is very long; its beginning is there.
            assert any(
                row["stance"] == stance and " ".join(row["sentence"].split())[:60] in text[name] for row in labelled
            )


def test_an_absent_set_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(InputError, match=r"no data at .*cran\.all\.1400") as fault:
        load_cranfield(tmp_path)
    assert "ANSWERTRAIL_SHARED" in (fault.value.hint or "")


def test_a_name_stands_for_its_parts_and_an_unknown_one_is_an_error():
    assert list(named(["gnome_help"])) == [f"gnome_help/{cell}" for cell in ("en-en", "en-ko", "ko-en", "ko-ko")]
    assert list(named(["xquad/zh-en", "peps"])) == ["xquad/zh-en", "peps"]
    with pytest.raises(NotFoundError, match="no set 'squad'") as fault:
        named(["squad"])
    assert "xquad/zh-en" in (fault.value.hint or "")
