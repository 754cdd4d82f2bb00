"""`runs verify` on tables and coverages: a run left alone holds, each kind of tampering is told."""

from __future__ import annotations

import copy
import json

import pytest

from answertrail.agent.evidence import seal
from answertrail.agent.verify import faults_of
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
        (lambda r: r["meta"].update(calendar={"by": "month"}), "calendar", "cannot be read"),
        (lambda r: r["meta"].update(calendar=None), "calendar", "cannot be read"),
        (lambda r: r["meta"].update(timeline_searches={"s1": 3}), "calendar", "cannot be read"),
    ],
)  # fmt: skip
def test_what_was_changed_is_told(record, change, kind, told):
    faults = changed(record, change)
    assert any(k == kind and told in message for k, message in faults), faults


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
