"""`eval trajectory`: runs, gold, a provenance ledger, drift; informational measures take no gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from answertrail.metrics.trajectory.definitions import CITED_SHARE
from answertrail.records import jsonl
from tests.experiments.trajectory_worlds import asked, ran


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A run that finds one of two spans and cites it, and one that cites what it never retrieved."""
    jsonl.write(tmp_path / "q.jsonl", [asked("p", ("a", 0, 10), ("a", 90, 95)), asked("q", ("b", 0, 10))])
    runs = [ran("p", [["a:00000", "a:00030"]], ["a:00000"]), ran("q", [["b:00030"]], ["b:00030", "z:00000"])]
    jsonl.write(tmp_path / "r.jsonl", runs)
    return tmp_path / "q.jsonl", tmp_path / "r.jsonl"


def test_runs_and_gold_in_json_and_in_the_terminal(cli, files) -> None:
    result = cli("eval", "trajectory", "--runs", files[1], "--questions", files[0], "--json")
    assert result.code == 0, result.err
    measures = result.json["measures"]
    assert (measures["needle_recall"]["numerator"], measures["needle_recall"]["denominator"]) == (1, 3)
    assert (measures["cited_share"]["numerator"], measures["cited_share"]["denominator"]) == (2, 3)
    assert measures["cited_share"]["definition"] == CITED_SHARE
    assert result.json["fabricated"] == [{"run_id": "run-q-0", "id": "z:00000"}]
    shown = cli("eval", "trajectory", "--runs", files[1], "--questions", files[0])
    assert shown.code == 0
    for text in ("66.7 % (2/3)", "a@90-95", "Cited but never retrieved", "z:00000"):
        assert text in shown.out
    assert CITED_SHARE in " ".join(shown.out.split())


def test_by_document(cli, files) -> None:
    found = cli("eval", "trajectory", "--runs", files[1], "--questions", files[0], "--unit", "document", "--json").json
    assert found["unit"] == "document"
    assert found["measures"]["needle_recall"]["numerator"] == found["measures"]["needle_recall"]["denominator"] == 2


def test_the_two_files_of_a_ledger(cli, files, tmp_path: Path) -> None:
    ledger, citations = tmp_path / "provenance.jsonl", tmp_path / "citations.json"
    ledger.write_text('{"id": "g1"}\n{"id": "g2"}\n{"id": "g3"}\n{"id": "g4"}\n')
    citations.write_text('{"citations": [{"id": "g1"}, {"id": "g7"}]}')
    words = ("eval", "trajectory", "--provenance", ledger, "--citations", citations)
    alone = cli(*words, "--json").json
    assert alone["measures"]["cited_share"]["value"] == 0.25
    assert alone["fabricated"] == ["g7"]
    assert CITED_SHARE in " ".join(cli(*words).out.split())
    both = cli(*words, "--runs", files[1], "--json").json
    assert both["provenance"] == alone
    ledger.write_text('{"id": "g1"}\n{"id": "g1"}\n')
    twice = cli(*words)
    assert twice.code == 2
    assert f"{ledger}:2: 'g1' is retrieved twice" in twice.err


@pytest.mark.parametrize("gate", ["cited_share=0.5", "cited_share=0.5:lower", "retrieval_drift=0.1"])
def test_no_gate_on_what_only_informs(cli, files, gate: str) -> None:
    for option in ("--fail-under", "--fail-over"):
        result = cli("eval", "trajectory", "--runs", files[1], option, gate)
        assert result.code == 2
        assert "gate" in result.err


def test_precision_at_k_is_refused_and_the_recall_analog_can_be_gated(cli, files) -> None:
    refused = cli("eval", "trajectory", "--runs", files[1], "--fail-under", "precision@5=0.5", "--json")
    assert refused.code == 2
    assert "without one ranking" in refused.json["error"]["message"]
    words = ("eval", "trajectory", "--runs", files[1], "--questions", files[0])
    assert cli(*words, "--fail-under", "needle_recall=0.3").code == 0
    assert cli(*words, "--fail-under", "needle_recall=0.5").code == 1


def test_drift_by_the_embedder_of_a_corpus_or_one_named(cli, files, ingested) -> None:
    by_name = cli("eval", "trajectory", "--runs", files[1], "--drift", "--embedder", "fast", "--json")
    assert by_name.code == 0, by_name.err
    by_corpus = cli("eval", "trajectory", "--runs", files[1], "--drift", "--corpus", "kiln", "--json")
    assert by_corpus.json["measures"]["retrieval_drift"] == by_name.json["measures"]["retrieval_drift"]
    assert 0 < by_name.json["measures"]["retrieval_drift"]["value"] < 2
    assert "informational" in by_name.json["measures"]["retrieval_drift"]
    unknown = cli("eval", "trajectory", "--runs", files[1], "--drift", "--corpus", "nope")
    assert unknown.code == 2
    assert "known: kiln" in unknown.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing to score"),
        (("--provenance", "p"), "belong together"),
        (("--provenance", "p", "--citations", "c", "--drift"), "--drift needs --runs"),
        (("--runs", "RUNS", "--drift"), "--drift needs an embedder"),
        (("--runs", "RUNS", "--drift", "--embedder", "fast", "--corpus", "x"), "--drift needs an embedder"),
        (("--runs", "RUNS", "--embedder", "fast"), "--embedder is used by --drift only"),
        (("--runs", "none.jsonl"), "No such file"),
        (("--runs", "RUNS", "--drift", "--embedder", "nope"), "no embedder is called 'nope'"),
    ],
)
def test_options_that_say_nothing_are_refused(cli, files, words: tuple[str, ...], said: str) -> None:
    result = cli("eval", "trajectory", *(files[1] if word == "RUNS" else word for word in words))
    assert result.code == 2
    assert said in result.err


def test_a_file_without_runs_is_refused(cli, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("")
    result = cli("eval", "trajectory", "--runs", tmp_path / "r.jsonl")
    assert result.code == 2
    assert "no run in the file" in result.err


def test_runs_that_failed_or_were_never_made_count_against_a_gate(cli, tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(10)]
    jsonl.write(tmp_path / "q.jsonl", [asked(name, ("a", 0, 10)) for name in names])
    down = {"status": "failed", "error": {"kind": "service", "message": "down"}}
    over = {"status": "over_budget", "error": {"kind": "over_budget", "message": "too dear"}}
    one = ran("q0", [["a:00000"]], ["a:00000"])
    for more, said in (
        ([ran(name, [], **over) for name in names[1:]], "9 unit(s) lost: run ended over_budget"),
        ([], "9 unit(s) lost: the question was never asked"),
        ([ran(name, [], **down) for name in names[1:]], "9 of 10 runs ended by an accident"),
    ):
        jsonl.write(tmp_path / "r.jsonl", [one, *more])
        words = ("eval", "trajectory", "--runs", tmp_path / "r.jsonl", "--questions", tmp_path / "q.jsonl", "--json")
        for gate in ("needle_recall=0.9", "factual/needle_recall=0.9", "mean_citation_recall=0.9"):
            done = cli(*words, "--fail-under", gate)
            assert done.code == 1, done.out
            assert said in done.json["gates"][0]["reason"]
        assert cli(*words, "--fail-under", "supporting_fact_precision=0").code == 1
        assert len(cli(*words).json["flags"]) == said.startswith("9 of 10")
