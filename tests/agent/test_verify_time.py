"""`runs verify` on tables and coverages: a run left alone holds, each kind of tampering is told."""

from __future__ import annotations

import copy
import json

import pytest

from answertrail.agent.sealed import seal
from answertrail.agent.verify import faults_of, unchecked
from answertrail.models.chat.scripted import ScriptedModel
from answertrail.records import Run
from answertrail.records.jsonl import dumps, parse, parse_line
from tests.agent.seasons import (
    FIRST,
    QUESTION,
    QUIET,
    TURN,
    TWO_STEP,
    around,
    nothing,
    seasons,
    stance,
    table,
    timeline,
)
from tests.agent.world import ask, ready, says, search, submit
from tests.records.contract import needs_contract, schema_accepts

TOASTER = "An electric kiln is a toaster."
LATER = "b1:00030"


@pytest.fixture(scope="module")
def record():
    steps = [
        says(timeline("electric kiln")), says(around(FIRST)), says(search("classes", k=1)), says(ready()),
        says(table(stance("2024-02", "We bought an electric kiln.", TURN), stance("2023-02", TOASTER, FIRST),
                   nothing("2023-08"))),
        says(submit("answered", (TOASTER, [FIRST]))),
    ]  # fmt: skip
    run = ask(ScriptedModel(steps), recipe=TWO_STEP, question=QUESTION, corpus=seasons())
    assert run.status == "completed"
    return run.as_json()


def found(record, *, sealed=True):
    run = parse(Run, record, where="t:1")
    return [(fault.kind, fault.message) for fault in faults_of(seal(run) if sealed else run)]


def changed(record, change):
    out = copy.deepcopy(record)
    change(out)
    return found(out)


def test_a_run_left_alone_holds_also_after_a_round_trip(record):
    assert found(record, sealed=False) == []
    run = parse(Run, record, where="t:1")
    assert list(faults_of(parse_line(Run, dumps(run), where="f:1"))) == []


@needs_contract
def test_it_is_a_run_of_the_contract(record):
    assert schema_accepts("run", json.dumps(record))


def rows(record):
    return record["meta"]["timeline"]["rows"]


@pytest.mark.parametrize(
    ("change", "kind", "told"),
    [
        (lambda r: rows(r)[0].update(when="2023-05"), "timeline", "row 1: d1:00000 is of 2024-02-01, outside 2023-05"),
        (lambda r: rows(r)[0].update(citations=["z9:00000"]), "timeline", "no passage has the id 'z9:00000'"),
        (lambda r: rows(r)[0].update(citations=[]), "timeline", "row 1: a stance needs at least one citation"),
        (lambda r: rows(r)[2].update(when="2023-02"), "timeline", "row 3: row 2 gives a stance in 2023-02"),
        (lambda r: rows(r)[0].update(support="MISS"), "timeline", "row 1 is marked MISS, but the check says HIT"),
        (lambda r: rows(r)[0].update(stance="It cost 9000 euros."), "timeline", "9000"),
        (lambda r: rows(r)[0].update(when="soon"), "timeline", "could never have been submitted"),
        (lambda r: rows(r).append(7), "timeline", "could never have been submitted"),
        (lambda r: r["meta"]["timeline"].update(rows=[]), "timeline", "could never have been submitted"),
        (lambda r: r["answer"]["coverage"][2].update(searched=False), "coverage", "not what its searches"),
        (lambda r: r["answer"]["coverage"][2].update(evidence=[QUIET]), "coverage", "not what its searches"),
        (lambda r: r["answer"]["coverage"].pop(), "coverage", "not what its searches"),
        (lambda r: r["meta"].update(timeline_searches={}), "coverage", "not what its searches"),
        (lambda r: r["meta"]["timeline"].update(checks="x"), "timeline", "the checks of the dated table cannot be"),
        (lambda r: r["meta"]["timeline"].update(checks=["x"]), "timeline", "the checks of the dated table cannot be"),
        (lambda r: rows(r)[0].update(citations=7), "timeline", "could never have been submitted"),
        (lambda r: r["meta"]["timeline"].update(rows=5), "timeline", "could never have been submitted"),
        (lambda r: r["answer"].pop("coverage"), "coverage", "over time, and it carries no coverage"),
        (lambda r: r["meta"].update(over_time=False), "coverage", "not taken for one over time"),
        (lambda r: r["searches"][1].update(query="e1:00000"), "around", "reads around e1:00000, which was not shown"),
        (lambda r: r["searches"].insert(0, r["searches"].pop(1)), "around", "reads around a1:00000, which was not"),
        (lambda r: (rows(r)[2].update(when="2023-05"), r["answer"]["statements"][0].update(citations=[LATER])),
         "timeline",
         f"row 3 says that nothing was found in 2023-05, but the answer cites {LATER}"),
        (lambda r: (rows(r)[2].update(when="2023-05"), rows(r)[1].update(when="2023", citations=[LATER])),
         "timeline",
         f"row 3: row 2 cites {LATER} of 2023-05-20, inside 2023-05"),
        (lambda r: r["meta"].update(calendar={"by": "month"}), "calendar", "cannot be read"),
        (lambda r: r["meta"].update(calendar=None), "calendar", "cannot be read"),
        (lambda r: r["meta"].update(timeline_searches={"s1": 3}), "calendar", "cannot be read"),
    ],
)  # fmt: skip
def test_what_was_changed_is_told(record, change, kind, told):
    faults = changed(record, change)
    assert any(k == kind and told in message for k, message in faults), faults


INFINITE = float("inf")


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r["meta"]["timeline"].update(checks="x"),
        lambda r: r["meta"]["timeline"].update(checks=["x", 7, None, {"passed": False, "action": "flag"}]),
        lambda r: r["meta"]["timeline"].update(
            checks=[{"check": [], "statement": {}, "citation": [], "passed": False, "action": "flag"}]
        ),
        lambda r: rows(r)[0].update(citations=7),
        lambda r: rows(r)[0].update(citations=[["x"], 7, None]),
        lambda r: rows(r)[0].update(support=["HIT"]),
        lambda r: rows(r)[0].update(when=7),
        lambda r: r["meta"]["timeline"].update(rows=5),
        lambda r: r["meta"]["timeline"].update(rows="rows"),
        lambda r: r["meta"]["timeline"].update(rows={"when": "2023"}),
        lambda r: r["meta"].update(timeline=[]),
        lambda r: r["meta"].update(timeline_searches=[]),
        lambda r: r["meta"].update(timeline_searches={"s1": {"periods": [{"state": ["found"]}]}}),
        lambda r: r["meta"].update(timeline_searches={"s1": {"periods": [{"state": "found", "from": 5, "to": 6}]}}),
        lambda r: r["meta"].update(complete_searches=7),
        lambda r: r["meta"].update(complete_searches=[["s1"]]),
        lambda r: r["meta"]["calendar"]["periods"][0].update(documents=INFINITE),
        lambda r: r["meta"]["calendar"].update(periods=7),
        lambda r: r["meta"].update(agent_config=7),
        lambda r: r["meta"].update(agent_config={"loop": []}),
        lambda r: r["meta"].update(over_time=[]),
        lambda r: r["citation_checks"].append({"attempt": "x", "check": []}),
        lambda r: r["citation_checks"].append({"check": [], "passed": False, "action": "flag", "attempt": 1}),
    ],
)  # fmt: skip
def test_a_file_that_holds_anything_gives_faults_and_never_a_traceback(record, change):
    hostile = copy.deepcopy(record)
    change(hostile)
    run = parse(Run, hostile, where="t:1")
    assert "record_hash" in [fault.kind for fault in faults_of(run)]
    assert isinstance(unchecked(run), list)


def test_missing_evidence_of_time_is_named(record):
    def left(change):
        out = copy.deepcopy(record)
        change(out)
        return [name for name in unchecked(parse(Run, out, where="t:1")) if name in {"coverage", "table"}]

    assert left(lambda r: None) == []
    assert left(lambda r: r["meta"].pop("calendar")) == ["coverage"]
    assert left(lambda r: r["answer"].pop("coverage")) == ["coverage"]
    assert left(lambda r: r["meta"].pop("timeline")) == ["table"]
    assert left(lambda r: r["meta"]["timeline"].pop("rows")) == ["table"]
    assert left(lambda r: (r.pop("meta"), r["answer"].pop("coverage"))) == ["coverage", "table"]
    # A recipe of one step makes neither, and a question about a fact needs neither.
    assert left(lambda r: (r["answer"].pop("coverage"), r["meta"].pop("timeline"),
                           r["meta"]["agent_config"]["loop"].pop("two_step"))) == []  # fmt: skip
    assert left(lambda r: (r["answer"].pop("coverage"), r["meta"].update(over_time=False))) == []


def test_a_coverage_of_another_program_is_checked_by_its_dates_alone(record):
    def bare(r):
        del r["meta"]["calendar"], r["meta"]["timeline"], r["meta"]["timeline_searches"]

    def wrong(r):
        bare(r)
        r["answer"]["coverage"][0]["evidence"] = [TURN, "z9:00000"]

    assert changed(record, bare) == []
    assert [message for _, message in changed(record, wrong)] == [
        "d1:00000 is no evidence of 2023-02-01 to 2023-03-01",
        "z9:00000 is no evidence of 2023-02-01 to 2023-03-01",
    ]
