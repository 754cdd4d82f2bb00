"""`eval retrieval` as a user meets it."""

from __future__ import annotations

import json

import pytest

from answertrail.records import RetrievalRun, jsonl

KILN = {"document_id": "20250110_ep1", "start_s": 31, "end_s": 37}
SHED = {"document_id": "20250620_ep2", "start_s": 2, "end_s": 8}


def question(name, text, **more):
    return {"schema": "question/1", "question_id": name, "question": text, "tier": "factual", **more}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def gold(tmp_path):
    return lines(
        tmp_path / "gold.jsonl",
        [
            question("kiln", "Where did we move the kiln?", evidence=[KILN, SHED]),
            question("glaze", "At how many degrees did we fire the glaze?", relevant=[{"id": "20250110_ep1:00060"}]),
            question("cost", "What would a new kiln cost?", tier="unanswerable", unanswerable_kind="near_miss"),
        ],
    )


def test_modes_are_searched_scored_and_saved(cli, ingested, gold, tmp_path):
    saved = tmp_path / "rankings.jsonl"
    done = cli(
        "eval", "retrieval", "--questions", gold, "--modes", "lexical, dense", "--k", "1,3", "--budget", 4, "--json",
        "--interval", "none", "--save", saved,
    )  # fmt: skip
    assert done.code == 0, done.err
    scores = done.json
    assert list(scores["modes"]) == ["lexical", "dense"]
    assert scores["modes"]["lexical"]["recall@3"]["value"] == 1
    assert scores["modes"]["lexical"]["recall@3"]["denominator"] == 3
    assert scores["modes"]["lexical"]["evidence_recall@b4"]["value"] == 1
    assert scores["modes"]["lexical"]["latency_p50_ms"]["value"] > 0
    assert [row["question_id"] for row in scores["ineligible"]] == ["cost"]
    assert scores["corpus"] == {"name": "kiln", "snapshot": ingested["snapshot"]}
    assert scores["details"]["lexical"]["unsupported"] == {"asked": 1, "returned": 1}
    assert "6 rankings written" in done.err

    rows = list(jsonl.read(saved, RetrievalRun))
    assert len(rows) == 6
    assert rows[0].meta["corpus"]["snapshot"] == ingested["snapshot"]
    again = cli("eval", "retrieval", "--questions", gold, "--run", saved, "--k", "1,3", "--budget", 4, "--json",
                "--interval", "none")  # fmt: skip
    assert again.json == scores


def test_documents_are_ranked_deep_enough(cli, ingested, tmp_path):
    # The best two chunks are both of the first episode; the second document comes third at the earliest.
    text = "welcome to the pottery channel, in January we moved the kiln to the barn with 4 people"
    gold = lines(tmp_path / "gold.jsonl", [question("q", text, relevant=[{"id": "20250620_ep2"}])])
    words = ("eval", "retrieval", "--questions", gold, "--modes", "lexical", "--k", 2, "--json", "--interval", "none")
    done = cli(*words)
    assert done.json["unit"] == "document"
    assert done.json["modes"]["lexical"]["recall@2"]["value"] == 1
    assert done.json["per_question"][0]["first_rank"] == 2
    assert cli(*words, "--unit", "chunk").json["modes"]["lexical"]["recall@2"]["value"] == 0


def test_the_terminal_shows_measures_failures_and_what_was_left_out(cli, ingested, gold):
    done = cli("eval", "retrieval", "--questions", gold, "--modes", "default", "--k", 1)
    assert done.code == 0, done.err
    for said in ("recall@1", "2 of 3", "Not found in full", "Left out", "unanswerable", "A returned passage supports"):
        assert said in done.out, said


def test_gold_that_no_search_could_find_is_an_error_before_anything_runs(cli, ingested, tmp_path):
    gold = lines(tmp_path / "gold.jsonl", [question("q", "?", evidence=[{"document_id": "nowhere"}])])
    done = cli("eval", "retrieval", "--questions", gold, "--modes", "dense", "--json")
    assert done.code == 2
    assert done.json["error"]["message"] == "1 gold id(s) are not in corpus kiln: nowhere (q)"
    assert "searching" not in done.err


@pytest.fixture
def run_file(tmp_path):
    rows = [
        {"schema": "retrieval_run/1", "question_id": "kiln", "mode": "m", "ranked": [{"id": "20250110_ep1:00030"}]},
        {"schema": "retrieval_run/1", "question_id": "glaze", "mode": "m", "ranked": [{"id": "20250110_ep1:00060"}]},
    ]
    return lines(tmp_path / "run.jsonl", rows)


def test_a_gate_that_falls_short_exits_1(cli, gold, run_file):
    words = ("eval", "retrieval", "--questions", gold, "--run", run_file, "--interval", "none", "--json")
    assert cli(*words, "--fail-under", "recall@10=0.6").code == 0
    short = cli(*words, "--fail-under", "m/recall@10=0.7")
    assert short.code == 1
    assert short.json["gates"][0]["passed"] is False


def test_rankings_that_are_errors_exit_1_and_an_invalid_mode_fails_its_gate(cli, gold, tmp_path):
    rows = [{"schema": "retrieval_run/1", "question_id": "kiln", "mode": "m", "ranked": [], "meta": {"error": "down"}}]
    run = lines(tmp_path / "run.jsonl", rows)
    done = cli("eval", "retrieval", "--questions", gold, "--run", run, "--fail-under", "recall@10=0", "--json")
    assert done.code == 1
    assert "more than 2.0%" in done.json["modes"]["m"]["recall@10"]["undefined"]
    assert done.json["gates"][0]["reason"].startswith("unmeasurable")


def test_trec_files_need_no_corpus(cli, tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n3 0 d 0\n")
    run.write_text("1 Q0 b 1 0.9 bm25\n1 Q0 a 2 0.8 bm25\n")
    done = cli("eval", "retrieval", "--qrels", qrels, "--run", run, "--json", "--interval", "none", "--tie-averaged")
    assert done.code == 0, done.err
    assert done.json["modes"]["bm25"]["mrr@10"]["value"] == 1 / 2 / 2
    assert done.json["details"]["bm25"]["tie_averaged"]["mrr@10"]["value"] == 1 / 2 / 2
    assert [row["question_id"] for row in done.json["ineligible"]] == ["3"]


def test_answers_are_checked_beside(cli, gold, run_file, tmp_path):
    answer = {"outcome": "answered", "statements": [{"text": "s", "citations": ["20250110_ep1:00030"]}]}
    runs = lines(
        tmp_path / "runs.jsonl",
        [
            {"schema": "run/1", "run_id": name, "question_id": name, "question": "?", "status": "completed"}
            | {"answer": answer}
            for name in ("kiln", "cost")
        ],
    )
    words = ("eval", "retrieval", "--questions", gold, "--run", run_file, "--answers", runs, "--interval", "none")
    checks = cli(*words, "--json").json["answer_checks"]["measures"]
    assert checks["source_support"]["value"] == 1
    assert checks["refusal"]["value"] == 0
    shown = cli(*words).out
    assert "Answer checks" in shown
    assert "the outcome is answered" in shown
    rows = [{**json.loads(line), "models": {"agent": str(n)}} for n, line in enumerate(runs.read_text().splitlines())]
    lines(runs, rows)
    assert "runs of 2 systems: 0, 1" in cli(*words).err
    lines(runs, [])
    checks = cli(*words, "--json").json["answer_checks"]["measures"]
    assert checks["refusal"]["unscored"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give one of --questions and --qrels"),
        (("--questions", "GOLD"), "give one of --modes"),
        (("--questions", "GOLD", "--run", "RUN", "--modes", "dense"), "give one of --modes"),
        (("--questions", "GOLD", "--run", "RUN", "--k", "ten"), "'ten' is no list of ranks"),
        (("--questions", "GOLD", "--run", "RUN", "--k", "0"), "at least 1, not 0"),
        (("--questions", "GOLD", "--run", "RUN", "--budget", "0"), "at least 1, not 0"),
        (("--questions", "GOLD", "--run", "RUN", "--unit", "page"), "not 'page'"),
        (("--questions", "GOLD", "--run", "RUN", "--max-errors", "2"), "not in the range 0<=x<=1"),
        (("--questions", "GOLD", "--run", "RUN", "--run", "RUN"), "is in another --run file as well"),
        (("--questions", "GOLD", "--run", "RUN", "--min-grade", "2"), "--min-grade goes with --qrels"),
        (("--qrels", "GOLD", "--run", "RUN", "--split", "dev"), "--split goes with --questions"),
        (("--questions", "GOLD", "--run", "nowhere.jsonl"), "No such file"),
        (("--questions", "GOLD", "--run", "RUN", "--fail-under", "recall@5=0.1"), "no measure 'recall@5'"),
        (("--questions", "GOLD", "--modes", "telepathy"), "no search mode 'telepathy'"),
        (("--questions", "GOLD", "--modes", "dense,dense"), "a mode is named twice"),
    ],
)
def test_bad_words_say_what_was_expected(cli, gold, run_file, words, said):
    filled = [{"GOLD": gold, "RUN": run_file}.get(word, word) for word in words]
    done = cli("eval", "retrieval", *filled, "--json")
    assert done.code == 2, done.out
    assert said in done.json["error"]["message"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"ranked": [{"id": "a", "score": 1}, {"id": "b", "score": 2}]}, "the score rises from 1 to 2 at rank 2"),
        ({"ranked": [{"id": "a", "score": "high"}]}, "ranked.0.score"),
        ({"question_id": "kiln", "ranked": []}, "is given twice, first in line 1"),
    ],
)
def test_faults_of_a_ranking_file_name_the_line(cli, gold, run_file, row, said):
    with run_file.open("a") as stream:
        stream.write(json.dumps({"schema": "retrieval_run/1", "question_id": "z", "mode": "m"} | row) + "\n")
    done = cli("eval", "retrieval", "--questions", gold, "--run", run_file, "--json")
    assert done.code == 2
    assert said in done.json["error"]["message"]
    assert done.json["error"]["where"] == f"{run_file}:3"
