"""Each of the five checks alone, and what a recipe does with them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from answertrail.agent.arguments import SubmitArguments
from answertrail.agent.citations import check_answer
from answertrail.agent.recipe import CheckSettings, load
from answertrail.agent.support import LexicalSupport, SupportVerdict
from answertrail.search.hits import ChunkRow

ORDER = ["exists", "retrieved", "in_bounds", "cited", "supported"]
ALL_REJECT = CheckSettings(exists="reject", retrieved="reject", in_bounds="reject", cited="reject", supported="reject")
KILN, GLAZE, NOTE = "ep1:00030", "ep1:00060", "note:glaze:0000000"


def chunk(chunk_id, text, start=30.0, end=60.0, duration=95.0):
    return ChunkRow(
        id=chunk_id, document_id=chunk_id.rsplit(":", 1)[0], title="Episode 1",
        published_at=datetime(2025, 1, 10, tzinfo=UTC), url=None, language="en", duration_s=duration, start_s=start,
        end_s=end, text=text,
    )  # fmt: skip


CHUNKS = {
    c.id: c
    for c in (
        chunk(KILN, "So in January we moved the kiln to the barn with 4 people. See https://kiln.example/plan now."),
        chunk(GLAZE, "The glaze kept crawling [3] until we fired at 1240 degrees [ 12 ] (see shelf:00042 for it)."),
        chunk(NOTE, "Glaze log: fired twice.", None, None, None),
    )
}  # fmt: skip
MOVED = "In January the kiln was moved to the barn."


def said(*statements, outcome="answered", not_found=()):
    listed = [
        {"text": text, "citations": list(cited), "kind": more[0] if more else "claim"}
        for text, cited, *more in statements
    ]
    return SubmitArguments.model_validate({"outcome": outcome, "statements": listed, "not_found": list(not_found)})


def report(answer, *, retrieved=None, settings=ALL_REJECT, chunks=CHUNKS, question="Where is the kiln?", judge=None):
    seen = frozenset(chunks) if retrieved is None else frozenset(retrieved)
    return check_answer(
        answer, asked=[question], chunks=chunks, retrieved=seen, settings=settings, judge=judge or LexicalSupport()
    )


def failed(found):
    return sorted({c.check for c in found.checks if c.passed is False}, key=ORDER.index)


class Agrees:
    """Takes the fifth check out of sight, so that the other four are seen alone."""

    def judge(self, statement, texts):
        return SupportVerdict("HIT", "agreed")


def test_a_sound_answer_passes_all_five_and_is_not_rejected():
    found = report(said((MOVED, [KILN])))
    assert failed(found) == []
    assert found.rejections == ()
    assert found.support == ("HIT",)
    assert {c.check for c in found.checks} == set(ORDER)


@pytest.mark.parametrize(
    ("why", "answer", "broken"),
    [
        ("no such document", said((MOVED, [KILN, "ep9:00030"])), ["exists", "retrieved", "in_bounds"]),
        ("no such second", said((MOVED, [KILN, "ep1:00031"])), ["exists", "retrieved", "in_bounds"]),
        ("an id with a space at its end", said((MOVED, [KILN, KILN + " "])), ["exists", "retrieved", "in_bounds"]),
        ("an id in other letters", said((MOVED, [KILN, KILN.upper()])), ["exists", "retrieved", "in_bounds"]),
        ("an empty id", said((MOVED, [KILN, ""])), ["exists", "retrieved", "in_bounds"]),
        ("a link in the text", said((MOVED + " https://elsewhere.example/x", [KILN])), ["exists"]),
        ("a link without a scheme", said((MOVED + " www.elsewhere.example", [KILN])), ["exists"]),
        ("a link longer than the one spoken", said((MOVED + " https://kiln.example/planet", [KILN])), ["exists"]),
        ("an id in brackets", said((MOVED + " [ep1:00030]", [KILN])), ["exists"]),
        ("two ids in brackets", said((MOVED + " [ep1:00030, ep1:00060]", [KILN])), ["exists"]),
        ("an id with spaces in brackets", said((MOVED + " [My kiln notes:0000120]", [KILN])), ["exists"]),
        ("an id in round brackets", said((MOVED + " (ep1:00030)", [KILN])), ["exists"]),
        ("an id in wide brackets", said((MOVED + " 【ep1:00030】", [KILN])), ["exists"]),
        ("a footnote number", said((MOVED + " [1]", [KILN])), ["exists"]),
        ("footnote numbers", said((MOVED + " [1, 2]", [KILN])), ["exists"]),
        ("a footnote mark", said((MOVED + " [^4]", [KILN])), ["exists"]),
        ("a span of seconds", said((MOVED + " [30-60]", [KILN])), ["exists"]),
        ("a marker in what was not found", said((MOVED, [KILN]), not_found=["cost [ep1:00060]"]), ["exists", "cited"]),
        ("a link in what was not found", said((MOVED, [KILN]), not_found=["see http://x.example"]), ["exists"]),
        ("a claim without a citation", said((MOVED, [KILN]), (MOVED, [])), ["cited"]),
        ("no statement at all", said(), ["cited"]),
        ("cannot_answer with framing", said(("The kiln is there.", [], "framing"), outcome="cannot_answer"), ["cited"]),
        ("framing with a number in words", said((MOVED, [KILN]), ("It had nine doors.", [], "framing")), ["cited"]),
        ("a bare domain", said((MOVED + " (bbc.com/kiln)", [KILN])), ["exists"]),
        ("a Markdown link", said((MOVED + " [as the BBC says](//bbc.com)", [KILN])), ["exists"]),
        ("HTML", said((MOVED + " <img src=x onerror=y>", [KILN])), ["exists"]),
        ("author and year", said((MOVED + " (Smith et al., 2019)", [KILN])), ["exists"]),
        ("a number nobody asked about", said((MOVED, [KILN]), not_found=["the price of 900 euros"]), ["cited"]),
        ("framing alone", said(("Here is what was found.", [], "framing")), ["cited"]),
        ("framing alone, though cited", said((MOVED, [KILN], "framing")), ["cited"]),
        ("partly answered without a cited claim", said(outcome="partly_answered", not_found=["x"]), ["cited"]),
        ("cannot_answer with a claim", said((MOVED, [KILN]), outcome="cannot_answer"), ["cited"]),
        ("framing with a number of its own", said((MOVED, [KILN]), ("All 700 saw it.", [], "framing")), ["cited"]),
    ],
)  # fmt: skip
def test_each_fault_fails_its_own_checks_and_no_other(why, answer, broken):
    assert failed(report(answer, judge=Agrees())) == broken, why


@pytest.mark.parametrize(
    ("statement", "cited"),
    [(MOVED + " It took 9 people.", KILN), ("Cats sleep in buckets most of winter.", KILN), (MOVED, GLAZE)],
)
def test_a_statement_the_cited_text_does_not_make_fails_supported_alone(statement, cited):
    found = report(said((statement, [cited])))
    assert failed(found) == ["supported"]
    assert found.support == ("MISS",)


@pytest.mark.parametrize(
    ("why", "answer"),
    [
        ("an untimed chunk", said(("The glaze log says it was fired twice.", [NOTE]))),
        ("cannot_answer with nothing", said(outcome="cannot_answer", not_found=["the cost"])),
        ("partly answered", said((MOVED, [KILN]), outcome="partly_answered", not_found=["what it cost"])),
        ("framing with a number of a cited chunk", said((MOVED, [KILN]), ("The 4 people had help.", [], "framing"))),
        ("a marker that the chunk itself says", said(("The glaze kept crawling [3] until 1240 degrees.", [GLAZE]))),
        ("a spaced marker that the chunk says", said(("The glaze was fired at 1240 degrees [ 12 ].", [GLAZE]))),
        ("a bracketed reference that the chunk says", said(("Glaze kept crawling (see shelf:00042 for it).", [GLAZE]))),
        ("a link that the chunk says", said(("We moved the kiln, look at https://kiln.example/plan.", [KILN]))),
        ("ordinary brackets", said((MOVED + " [the speaker laughs] (in winter) (at 10:30)", [KILN, GLAZE], "claim"))),
    ],
)  # fmt: skip
def test_what_is_sound_passes_every_check(why, answer):
    assert failed(report(answer, judge=Agrees())) == [], why


def test_what_was_asked_may_be_named_in_what_was_not_found_and_nowhere_else():
    question = "What does https://asked.example/x say about the kiln?"
    missing = said(outcome="cannot_answer", not_found=[question])
    assert failed(report(missing, question=question, judge=Agrees())) == []
    claimed = said((MOVED + " See https://asked.example/x", [KILN]))
    assert "exists" in failed(report(claimed, question=question, judge=Agrees()))


def test_a_marker_spoken_in_a_chunk_that_is_not_cited_is_no_excuse():
    assert "exists" in failed(report(said((MOVED + " [3]", [KILN]))))
    assert "exists" in failed(report(said(("The glaze crawled, see https://kiln.example/plan.", [GLAZE]))))


def test_a_number_of_the_question_may_be_repeated_in_framing():
    answer = said((MOVED, [KILN]), ("Whether 700 guests did come:", [], "framing"))
    assert failed(report(answer, question="Did 700 guests come?")) == []


def test_an_existing_chunk_that_no_search_returned_fails_retrieved_alone():
    found = report(said((MOVED, [KILN])), retrieved=[GLAZE])
    assert failed(found) == ["retrieved"]
    assert "was not returned by a search of this run" in found.rejections[0]


@pytest.mark.parametrize(
    ("start", "end", "duration", "fine"),
    [
        (30.0, 60.0, 95.0, True), (90.0, 95.0, 95.0, True), (95.0, None, 95.0, False), (30.0, 60.0, None, True),
        (30.0, 60.0, 40.0, False), (90.0, 97.0, 95.0, True), (None, None, 40.0, True),
        (270.0, 300.0, 201.0, False), (60.0, 30.0, 95.0, False), (-1.0, 30.0, 95.0, False),
    ],
)  # fmt: skip
def test_23_a_chunk_must_start_inside_its_document(start, end, duration, fine):
    chunks = {KILN: chunk(KILN, CHUNKS[KILN].text, start, end, duration)}
    assert failed(report(said((MOVED, [KILN])), chunks=chunks)) == ([] if fine else ["in_bounds"])


def test_an_id_given_twice_is_checked_once_a_statement():
    found = report(said((MOVED, [KILN, KILN, KILN])))
    assert [c.citation for c in found.checks if c.check == "exists"] == [KILN]
    twice = report(said((MOVED, ["nope:00000", "nope:00000"]), (MOVED, [KILN])))
    assert len([r for r in twice.rejections if "no passage has the id" in r]) == 1


def test_a_very_long_id_is_shortened_in_every_reason_and_kept_whole_in_the_record():
    long = "x" * 5000
    found = report(said((MOVED, [KILN, long])))
    assert len(found.rejections) == 3
    assert all(len(reason) < 200 and "xxx..." in reason for reason in found.rejections)
    assert long in {c.citation for c in found.checks}


def test_checks_come_statement_by_statement_in_the_five_orders_and_the_answer_last():
    found = report(said((MOVED, [KILN, GLAZE]), (MOVED, [KILN])))
    assert [(c.statement, c.check) for c in found.checks] == [
        (0, "exists"), (0, "retrieved"), (0, "in_bounds"), (0, "exists"), (0, "retrieved"), (0, "in_bounds"),
        (0, "cited"), (0, "supported"),
        (1, "exists"), (1, "retrieved"), (1, "in_bounds"), (1, "cited"), (1, "supported"),
        (None, "cited"),
    ]  # fmt: skip


def test_all_five_run_also_when_the_first_fails():
    found = report(said((MOVED, ["nope:00000"])))
    assert {c.check for c in found.checks} == set(ORDER)
    assert found.support == ("MISS",)


def test_a_reason_counts_statements_from_one_and_says_what_to_do():
    found = report(said((MOVED, [KILN]), (MOVED, ["nope:00000"]), (MOVED, [])))
    assert any(r.startswith("statement 2: no passage has the id 'nope:00000'; cite only") for r in found.rejections)
    assert "statement 3: a claim needs at least one citation" in found.rejections


def test_34_the_last_of_the_retrieved_chunks_is_as_citable_as_the_first():
    for cited in CHUNKS:
        found = report(said((CHUNKS[cited].text, [cited])))
        assert [c for c in failed(found) if c in {"exists", "retrieved", "in_bounds"}] == []


FAULTY = {
    "exists": (said((MOVED, [KILN]), (MOVED + " [ep1:00030]", [KILN])), None),
    "retrieved": (said((MOVED, [KILN])), [GLAZE]),
    "cited": (said((MOVED, [KILN]), ("All 700 guests saw it.", [], "framing")), None),
    "supported": (said(("Cats sleep in buckets most of winter.", [KILN])), None),
}


@pytest.mark.parametrize("name", ["answertrail-2026", "hybrid", "no-loop", "default"])
@pytest.mark.parametrize("check", sorted(FAULTY))
def test_the_recipe_says_which_fault_returns_the_answer_and_every_fault_is_recorded(name, check):
    settings = load(name).checks
    answer, retrieved = FAULTY[check]
    judge = LexicalSupport() if check == "supported" else Agrees()
    found = report(answer, retrieved=retrieved, settings=settings, judge=judge)
    rejecting = {"exists"} if name != "default" else {"exists", "retrieved", "in_bounds", "cited"}
    assert failed(found) == [check]
    assert bool(found.rejections) == (check in rejecting)
    entry = next(c.as_json(2) for c in found.checks if not c.passed)
    assert entry["action"] == ("reject" if check in rejecting else "flag")
    assert entry["attempt"] == 2
    assert entry["reason"]


def test_the_record_of_a_check_leaves_out_what_does_not_apply():
    found = report(said((MOVED, [KILN])))
    first, last = found.checks[0].as_json(1), found.checks[-1].as_json(1)
    assert first == {"attempt": 1, "check": "exists", "passed": True, "statement": 0, "citation": KILN}
    assert last == {"attempt": 1, "check": "cited", "passed": True}


def test_framing_without_citations_is_unscored_and_framing_with_citations_is_judged():
    found = report(
        said((MOVED, [KILN]), ("So much for that.", [], "framing"), ("Cats sleep a lot.", [KILN], "framing"))
    )
    assert found.support == ("HIT", "UNSCORED", "MISS")
    assert [c.statement for c in found.checks if c.passed is None] == [1]


def test_a_judge_can_take_the_place_of_the_plain_check_and_sees_title_date_and_text():
    class Strict:
        def __init__(self):
            self.asked = []

        def judge(self, statement, texts):
            self.asked.append((statement, list(texts)))
            return SupportVerdict("MISS", "the judge says no")

    judge = Strict()
    found = report(said((MOVED, [KILN, GLAZE])), judge=judge)
    assert found.rejections == ("statement 1: the judge says no",)
    statement, texts = judge.asked[0]
    assert statement == MOVED
    assert len(texts) == 2
    assert all("Episode 1" in t and "2025-01-10" in t for t in texts)


def test_a_citation_that_does_not_exist_lends_no_support():
    assert report(said((MOVED, ["nope:00000"]))).support == ("MISS",)


def test_framing_that_states_a_fact_of_its_own_is_refused():
    found = report(said((MOVED, [KILN]), ("Thieves took it and fled to Peru.", [], "framing")))
    assert failed(found) == ["cited"]
    assert "make it a claim" in found.rejections[0]
