"""`runs verify` finds each kind of tampering, and nothing in a run that was left alone."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from answertrail.agent.sealed import record_hash, seal
from answertrail.agent.support import SupportVerdict
from answertrail.agent.verify import faults_of, unchecked
from answertrail.records import Run
from answertrail.records.chunk import text_hash
from answertrail.records.jsonl import dumps, parse, parse_line
from tests.records.contract import EXAMPLES, needs_contract

TEXTS = {
    "ep1:00030": "So in January we moved the kiln to the barn.",
    "ep1:00060": "The glaze kept crawling until we fired at 1240 degrees.",
    "ep2:00000": "In June we moved the kiln back to the shed.",
}


def body() -> dict[str, Any]:
    return {
        "schema": "run/1", "run_id": "r1", "question": "Where did the kiln go?", "status": "completed",
        "recipe": {"name": "default", "version": "1", "hash": "sha256:ab"},
        "corpus": {"name": "kiln", "snapshot": "sha256:cd"}, "code": {"version": "0.1.0"},
        "searches": [
            {"search_id": "s1", "turn": 1, "mode": "fused", "query": "kiln moved",
             "returned": ["ep1:00030", "ep1:00060"], "new": ["ep1:00030", "ep1:00060"], "held_back": 0},
            {"search_id": "s2", "turn": 2, "mode": "fused", "query": "kiln shed",
             "returned": ["ep1:00030", "ep2:00000"], "new": ["ep2:00000"], "held_back": 0},
        ],
        "retrieved": list(TEXTS),
        "chunks": [
            {"id": chunk, "document_id": chunk[:3], "title": "Episode", "published_at": "2025-01-10T00:00:00Z",
             "start_s": 30, "end_s": 60, "url": None, "text": text, "text_hash": text_hash(text)}
            for chunk, text in TEXTS.items()
        ],
        "answer": {
            "outcome": "answered",
            "statements": [
                {"text": "In January the kiln was moved to the barn.", "kind": "claim", "citations": ["ep1:00030"],
                 "support": "HIT"},
                {"text": "It came back.", "kind": "framing", "citations": [], "support": "UNSCORED"},
                {"text": "In June the kiln was moved back to the shed.", "kind": "claim",
                 "citations": ["ep2:00000", "ep1:00030"], "support": "HIT"},
            ],
            "not_found": [],
        },
        "cost_usd": 0.0, "error": None, "meta": {"turns_used": 3},
    }  # fmt: skip


def sealed() -> dict[str, Any]:
    return seal(parse(Run, body(), where="t:1")).as_json()


def kinds(record: dict[str, Any], **options) -> list[str]:
    return [fault.kind for fault in faults_of(parse(Run, record, where="t:1"), **options)]


def test_a_sealed_run_left_alone_has_no_faults():
    assert kinds(sealed()) == []


def test_a_sealed_run_has_no_faults_after_a_round_trip_through_a_file_in_any_key_order():
    run = parse(Run, sealed(), where="t:1")
    assert list(faults_of(parse_line(Run, dumps(run), where="f:1"))) == []
    assert list(faults_of(parse_line(Run, json.dumps(sealed(), sort_keys=True), where="f:1"))) == []


def test_the_hash_covers_every_field_but_itself():
    first = sealed()
    run = parse(Run, first, where="t:1")
    assert first["meta"]["record_hash"] == record_hash(run)
    hashes = {record_hash(run)}
    for field, value in {
        "run_id": "r2", "question": "Why?", "status": "failed", "recipe": None, "corpus": None, "code": None,
        "searches": [], "retrieved": [], "chunks": [], "answer": None, "cost_usd": 0.5, "error": {"kind": "x"},
        "meta": {"turns_used": 4}, "usage": [{}], "guards": [{}], "citation_checks": [{}], "tier": "factual",
        "repeat": 1, "question_id": "q", "models": {"agent": "m"}, "started_at": "2025-01-01", "elapsed_ms": 1.0,
    }.items():  # fmt: skip
        hashes.add(record_hash(parse(Run, {**first, field: value}, where="t:1")))
    assert len(hashes) == 23
    for field in ("recipe", "searches", "chunks", "answer", "error"):  # absent is not null
        hashes.add(record_hash(parse(Run, {k: v for k, v in first.items() if k != field}, where="t:1")))
    assert len(hashes) == 28


def changed_text(run):
    run["chunks"][1]["text"] = "The glaze was perfect."


def changed_text_with_its_hash(run):
    run["chunks"][1]["text"] = "The glaze was perfect."
    run["chunks"][1]["text_hash"] = text_hash("The glaze was perfect.")


def changed_answer(run):
    run["answer"]["statements"][0]["text"] = "In January the kiln was sold to the barn keeper."


def changed_outcome(run):
    run["answer"]["outcome"] = "partly_answered"


def changed_cost(run):
    run["cost_usd"] = 99.0


def changed_search(run):
    run["searches"][0]["query"] = "something else"


def removed_cited_chunk(run):
    del run["chunks"][0]


def removed_uncited_chunk(run):
    del run["chunks"][1]


def removed_all_chunks(run):
    del run["chunks"]


def cited_another_chunk(run):
    run["answer"]["statements"][0]["citations"] = ["ep9:00000"]


def added_a_retrieved_id(run):
    run["retrieved"].append("ep9:00000")


def added_and_cited_a_chunk(run):
    run["chunks"].append({"id": "ep9:00000", "document_id": "ep9", "text": "kiln", "text_hash": text_hash("kiln")})
    run["answer"]["statements"][0]["citations"].append("ep9:00000")


def claimed_more_new_chunks(run):
    run["searches"][1]["new"] = ["ep1:00030", "ep2:00000"]


def removed_a_search(run):
    del run["searches"][1]


def removed_the_answer(run):
    run["answer"] = None


def failed_with_an_answer(run):
    run["status"] = "failed"


def uncited_claim(run):
    run["answer"]["statements"][0]["citations"] = []


def claims_became_framing(run):
    for statement in run["answer"]["statements"]:
        statement["kind"] = "framing"


def marked_hit_without_support(run):
    run["answer"]["statements"][0]["text"] = "In January the kiln was moved to the barn by 17 people."


TAMPERED = [
    (changed_text, {"record_hash", "text_hash"}, {"text_hash"}),
    (changed_text_with_its_hash, {"record_hash"}, set()),
    (changed_answer, {"record_hash"}, set()),
    (changed_outcome, {"record_hash"}, set()),
    (changed_cost, {"record_hash"}, set()),
    (changed_search, {"record_hash"}, set()),
    (removed_cited_chunk, {"record_hash", "chunks", "citation"}, {"chunks", "citation"}),
    (removed_uncited_chunk, {"record_hash", "chunks"}, {"chunks"}),
    (removed_all_chunks, {"record_hash", "chunks"}, {"chunks"}),
    (cited_another_chunk, {"record_hash", "citation"}, {"citation"}),
    (added_a_retrieved_id, {"record_hash", "retrieved"}, {"retrieved"}),
    (added_and_cited_a_chunk, {"record_hash", "citation"}, {"citation"}),
    (claimed_more_new_chunks, {"record_hash", "new"}, {"new"}),
    (removed_a_search, {"record_hash", "retrieved"}, {"retrieved"}),
    (removed_the_answer, {"record_hash", "status"}, {"status"}),
    (failed_with_an_answer, {"record_hash", "status"}, {"status"}),
    (uncited_claim, {"record_hash", "cited"}, {"cited"}),
    (claims_became_framing, {"record_hash", "cited"}, {"cited"}),
    (marked_hit_without_support, {"record_hash", "support"}, {"support"}),
]


@pytest.mark.parametrize(("tamper", "found", "found_unsealed"), TAMPERED, ids=[t[0].__name__ for t in TAMPERED])
def test_each_kind_of_tampering_is_found(tamper, found, found_unsealed):
    run = sealed()
    tamper(run)
    assert set(kinds(run)) >= found
    # who takes the seal off hides a changed word, but not what does not fit together
    bare = copy.deepcopy(run)
    del bare["meta"]["record_hash"]
    assert set(kinds(bare)) >= found_unsealed


def test_a_forged_seal_is_found():
    run = sealed()
    run["meta"]["record_hash"] = "sha256:" + "0" * 64
    assert kinds(run) == ["record_hash"]


def test_a_fault_names_the_run_and_the_chunk_or_statement():
    run = sealed()
    changed_text(run)
    cited_another_chunk(run)
    faults = list(faults_of(parse(Run, run, where="t:1")))
    assert {fault.run_id for fault in faults} == {"r1"}
    told = {fault.kind: fault.message for fault in faults}
    assert "ep1:00060" in told["text_hash"]
    assert "statement 1" in told["citation"]
    assert "ep9:00000" in told["citation"]
    assert faults[0].as_json() == {"run_id": "r1", "kind": faults[0].kind, "message": faults[0].message}


def test_a_date_in_another_zone_does_not_turn_a_hit_into_a_fault():
    run = body()
    run["chunks"][0]["published_at"] = "2025-01-10T08:00:00+09:00"
    run["answer"]["statements"][0]["text"] = "On 9 January 2025 the kiln was moved to the barn."
    assert kinds(seal(parse(Run, run, where="t:1")).as_json()) == []


def test_the_support_check_may_be_another_one():
    class Never:
        def judge(self, statement, texts):
            return SupportVerdict("MISS", "never")

    assert "support" in kinds(sealed(), support=Never())


@pytest.mark.parametrize("status", ["failed", "cancelled", "interrupted", "over_budget"])
def test_a_run_that_did_not_complete_has_no_faults_without_an_answer_and_one_with_it(status):
    run = {**body(), "status": status, "answer": None, "error": {"kind": "x", "message": "y"}}
    assert kinds(seal(parse(Run, run, where="t:1")).as_json()) == []
    assert kinds({**body(), "status": status}) == ["status"]


def test_an_imported_run_with_a_text_alone_has_no_faults():
    record = {"schema": "run/1", "run_id": "i", "question": "?", "status": "completed",
              "answer": {"outcome": "answered", "text": "In the barn."}}  # fmt: skip
    assert kinds(record) == []


def test_an_imported_run_with_citations_but_no_chunks_has_no_faults():
    statements = [{"text": "It is in the barn.", "citations": ["ep1:00030"]}]
    record = {"schema": "run/1", "run_id": "i", "question": "?", "status": "completed",
              "answer": {"outcome": "answered", "statements": statements}}  # fmt: skip
    assert kinds(record) == []


@needs_contract
def test_the_runs_of_the_contract_have_no_faults():
    runs = [line for name, line in EXAMPLES if name == "run"]
    assert len(runs) == 2
    for line in runs:
        assert list(faults_of(parse_line(Run, line, where="t:1"))) == []


def added_framing(run):
    run["answer"]["statements"].append(
        {"text": "Thieves fled to Peru.", "kind": "framing", "citations": [], "support": "UNSCORED"}
    )


def hid_the_support(run):
    run["answer"]["statements"][0] |= {
        "text": "In January the kiln was sold to Peru for 900 euros.",
        "support": "UNSCORED",
    }


def forgot_the_cost(run):
    run["usage"] = [{"turn": 1, "phase": "explore", "model": "m", "cost_usd": 3.0}]


def declined_with_claims(run):
    run["answer"]["outcome"] = "cannot_answer"


def named_a_source(run):
    run["answer"]["statements"][0]["text"] += " (bbc.com/kiln)"


@pytest.mark.parametrize(
    ("tamper", "kind"),
    [
        (added_framing, "cited"),
        (hid_the_support, "support"),
        (forgot_the_cost, "cost"),
        (declined_with_claims, "cited"),
        (named_a_source, "citation"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_who_takes_the_seal_off_is_still_found_by_the_checks(tamper, kind):
    run = body()
    tamper(run)
    assert kind in kinds(run)


def test_what_a_run_does_not_carry_is_said():
    assert unchecked(parse(Run, sealed(), where="t:1")) == ["usage"]
    bare = {
        "schema": "run/1",
        "run_id": "i",
        "question": "?",
        "status": "completed",
        "answer": {"outcome": "answered", "text": "x"},
    }
    assert unchecked(parse(Run, bare, where="t:1")) == ["record_hash", "searches", "retrieved", "citations", "usage"]
