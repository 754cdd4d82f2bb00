"""Planting: where a passage is spoken, that nothing real is lost, and that the gold is what holds it."""

from __future__ import annotations

import json

import pytest
from benchmarks.sets.planted import Passage, load_planted, plant
from benchmarks.sets.planted_files import PLANTED, passages_of, read_arcs, read_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.windows import windows
from answertrail.errors import InputError
from answertrail.metrics.ranking.units import Span, covers, place_of
from answertrail.records import Document, Segment
from tests.benchmarks.shared import needs_data

ARC = {
    "arc_id": "a1", "topic": "Moss Clock", "oblique": True, "speaker": "Ada Finch",
    "question": "How did Ada Finch see the Moss Clock?",
    "stances": [
        {"from": "2019-01-01", "to": "2020-01-01", "date": "2019-05-01", "stance": "for", "passage": "I love it."},
        {"from": "2020-01-01", "to": "2021-01-01", "date": "2020-05-01", "stance": "against", "passage": "No more."},
    ],
    "distractors": [{"date": "2019-06-01", "passage": "Moss grows."}],
}  # fmt: skip
FACT = {
    "fact_id": "f1", "date": "2019-02-01", "speaker": "Bo Lark", "question": "What colour?", "answer": "teal",
    "passage": "It was teal.", "distractor": {"date": "2019-03-01", "passage": "Colours are hard."},
}  # fmt: skip


def episode(name, date, seconds, words="real talk"):
    """An episode of segments of so many seconds, each with words of its own."""
    segments, start = [], 0.0
    for number, length in enumerate(seconds):
        text = f"{words} {name} {number}."
        segments.append(Segment(start_s=start, end_s=start + length, text=text, speaker="Host"))
        start += length
    return Document(id=name, title=name, published_at=date, segments=segments)


def test_a_passage_is_spoken_in_the_middle_of_a_part_that_takes_its_date():
    ten = " ".join(["word"] * 10)
    passages = [Passage("x/s1", "2021-01-01", "Ada", ten), Passage("x/s0", "2020-01-01", "Ada", ten)]
    documents, gold = plant(passages, [episode("e", "2018-01-01", [10, 10, 10, 10])])
    first, second = documents
    assert (first.id, first.published_at) == ("e-part-1", "2020-01-01")
    assert (second.id, second.published_at) == ("e-part-2", "2021-01-01")
    # Ten words take four seconds; what follows begins so much later.
    assert [(s.start_s, s.end_s, s.speaker) for s in first.segments] == [
        (0, 10, "Host"), (10, 14, "Ada"), (14, 24, "Host"),
    ]  # fmt: skip
    assert [s.start_s for s in second.segments] == [0, 10, 14]
    place = gold["x/s0"]
    assert (place.document_id, place.start_s, place.end_s) == ("e-part-1", 10, 14)


def test_the_gold_ends_with_the_window_that_holds_the_last_words():
    # Spoken from 28 to 32 in one breath: all its words are of the window from 0 to 30.
    _, gold = plant([Passage("x/s0", "2020-01-01", "Ada", "one two three four five six seven eight nine ten")],
                    [episode("e", "2018-01-01", [28, 10])])  # fmt: skip
    assert (gold["x/s0"].start_s, gold["x/s0"].end_s) == (28, 30)


def test_a_planted_speaker_who_is_real_is_refused():
    with pytest.raises(InputError, match="also real ones: Host"):
        plant([Passage("x/s0", "2020-01-01", "Host", "Hello.")], [episode("e", "2018-01-01", [5, 5])])


def test_more_passages_than_places_is_an_error():
    passages = [Passage(f"x/s{n}", "2020-01-01", "Ada", "Hello.") for n in range(3)]
    with pytest.raises(ValueError, match="3 passages and only 2 parts"):
        plant(passages, [episode("e", "2018-01-01", [5, 5])])


lengths = st.lists(st.integers(1, 90), min_size=12, max_size=20)
texts = st.lists(
    st.text("abc .", min_size=1, max_size=400).filter(lambda text: bool(text.split())), min_size=1, max_size=6
)


@settings(max_examples=40, deadline=None)
@given(lengths, lengths, texts)
def test_nothing_real_is_lost_and_every_window_the_gold_covers_holds_its_passage(first, second, spoken):
    episodes = [episode("b", "2019-01-01", first), episode("a", "2018-01-01", second)]
    passages = [Passage(f"p{n}", f"20{10 + n}-01-01", f"Guest {n}", text) for n, text in enumerate(spoken)]
    documents, gold = plant(passages, episodes)
    told = [s.text for document in documents for s in document.segments if s.speaker == "Host"]
    assert told == [s.text for document in reversed(episodes) for s in document.segments]
    assert len({span.document_id for span in gold.values()}) == len(passages)
    for passage in passages:
        span = gold[passage.key]
        (document,) = [d for d in documents if d.id == span.document_id]
        assert document.published_at == passage.date
        chunks = windows(document)
        holding = [chunk.id for chunk in chunks if passage.speaker in chunk.speakers]
        covered = [c.id for c in chunks if covers(place_of(c.id), Span(span.document_id, span.start_s, span.end_s))]
        assert covered == holding
        assert " ".join(passage.text.split()) in " ".join(chunk.text for chunk in chunks if chunk.id in holding)


def written(folder, arcs=(ARC,), facts=(FACT,)):
    (folder / "arcs_1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in arcs))
    (folder / "facts_1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in facts))
    return folder


def test_files_are_read_as_written(tmp_path):
    written(tmp_path)
    passages = passages_of(read_arcs(tmp_path), read_facts(tmp_path))
    assert [(key, date, text) for key, date, _, text in passages] == [
        ("a1/s0", "2019-05-01", "I love it."),
        ("a1/s1", "2020-05-01", "No more."),
        ("a1/d0", "2019-06-01", "Moss grows."),
        ("f1/s0", "2019-02-01", "It was teal."),
        ("f1/d0", "2019-03-01", "Colours are hard."),
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stances": [ARC["stances"][0] | {"date": "2020-01-01"}, ARC["stances"][1]]}, "2020-01-01 is not in"),
        ({"oblique": "yes"}, "oblique"),
        ({"extra": 1}, "extra"),
        ({"question": ""}, "question"),
        ({"distractors": [{"date": "2019-06-01", "passage": " "}]}, "passage"),
    ],
)
def test_a_row_of_another_shape_is_refused_by_file_and_line(tmp_path, change, said):
    written(tmp_path, arcs=(ARC | {"arc_id": "a0"}, ARC | change))
    with pytest.raises(InputError, match=said) as fault:
        read_arcs(tmp_path)
    assert fault.value.where == f"{tmp_path / 'arcs_1.jsonl'}:2"


def test_an_arc_given_twice_is_refused(tmp_path):
    with pytest.raises(InputError, match="'a1' is given twice"):
        read_arcs(written(tmp_path, arcs=(ARC, ARC)))


def test_a_folder_without_arcs_says_so(tmp_path):
    with pytest.raises(InputError, match="no arcs_"):
        load_planted(folder=tmp_path)


def test_forty_arcs_half_of_them_oblique_and_forty_facts_are_written():
    arcs, facts = read_arcs(), read_facts()
    assert (len(arcs), sum(arc.oblique for arc in arcs), len(facts)) == (40, 20, 40)
    assert all(3 <= len(arc.stances) <= 5 and arc.distractors for arc in arcs)


@needs_data
@pytest.mark.parametrize("labelled", [True, False])
def test_the_planted_corpus_holds_every_passage_where_its_gold_says(labelled):
    found = load_planted(labelled=labelled)
    chunks = [chunk for cut in found.cuts for chunk in cut.chunks]
    assert any(chunk.speakers for chunk in chunks) == labelled
    dates = {cut.document.id: cut.document.published_at for cut in found.cuts}
    by_document = {cut.document.id: cut.chunks for cut in found.cuts}
    passages = {key: (date, text) for key, date, _, text in passages_of(read_arcs(), read_facts())}
    for question in found.questions.questions:
        for number, span in enumerate(question.evidence):
            date, text = passages[f"{question.question_id}/s{number}"]
            assert dates[span.document_id] == date
            place = Span(span.document_id, span.start_s, span.end_s)
            held = [c.text for c in by_document[span.document_id] if covers(place_of(c.id), place)]
            assert " ".join(text.split()) in " ".join(held)
    assert {q.group for q in found.questions.questions} == {"arc named", "arc oblique", "fact"}
    assert PLANTED.is_dir()
