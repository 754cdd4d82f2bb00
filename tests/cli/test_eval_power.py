"""`answertrail eval power` and `eval kit` as they are typed."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from answertrail.errors import AnswerTrailError
from answertrail.experiments.kit_recording import EMBEDDER
from answertrail.models.embedding.load import load_embedder

KIT = Path(str(resources.files("answertrail.kit"))) / "experiment" / "development"
PILOT = ("--pilot-a", f"{KIT}/runs.jsonl#lexical", "--pilot-b", f"{KIT}/runs.jsonl#fused")
GOLD = ("--questions", KIT / "questions.jsonl")


def test_questions_and_differences_in_words_and_as_json(cli):
    done = cli("eval", "power", "--questions-n", 35, "--spread", 0.3)
    assert done.code == 0
    assert "35 questions show a difference of 14.6 points or more" in done.out
    assert cli("eval", "power", "--difference", 0.05, "--spread", 0.3, "--json").json["questions"] == 285
    done = cli("eval", "power", "--difference", 0.1, "--binary", "--discordant", 0.2, "--json").json
    assert (done["questions"], done["test"]) == (155, "McNemar")


def test_a_pilot_of_rankings_gives_spread_and_size(cli):
    done = cli("eval", "power", *PILOT, *GOLD, "--k", 5, "--measure", "mean_recall@5", "--json").json
    assert done["source"] == "a pilot of 6 questions, mean_recall@5"  # the unsupported one has no recall
    assert done["questions"] == 6
    assert done["spread"] == pytest.approx((1 / 6) ** 0.5)  # one of six differs, by 1
    more = cli("eval", "power", *PILOT, *GOLD, "--k", 5, "--measure", "mean_recall@5", "--difference", 0.1, "--json")
    assert more.json["questions"] == 133


def test_a_pilot_of_trec_run_files_is_read(cli, tmp_path):
    path, gold = tmp_path / "run.txt", tmp_path / "gold.jsonl"
    lines = [f"q{n} Q0 {'x' if n % 3 else f'q{n}'} 1 2.0 one\nq{n} Q0 q{n} 1 2.0 two\n" for n in range(9)]
    path.write_text("".join(lines))
    row = {"schema": "question/1", "question": "?", "tier": "lookup"}
    rows = [{**row, "question_id": f"q{n}", "relevant": [{"id": f"q{n}"}]} for n in range(9)]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pilot = ("--pilot-a", f"{path}#one", "--pilot-b", f"{path}#two", "--questions", gold)
    done = cli("eval", "power", *pilot, "--measure", "mean_recall@10", "--json")
    assert done.code == 0, done.err
    assert done.json["spread"] == pytest.approx(0.5)  # six of nine differ by 1


def test_a_gold_file_counts_its_answerable_questions(cli):
    done = cli("eval", "power", *GOLD, "--spread", 0.3, "--json")
    assert done.json["questions"] == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing says how much"),
        (("--spread", 0.3), "--questions-n N or --difference D"),
        (("--spread", 0.3, "--questions-n", 5, "--difference", 0.1), "not both"),
        (("--spread", "nan", "--questions-n", 5), "--spread"),
        (("--spread", 0.3, "--difference", 1), "--difference"),
        (("--spread", 0.3, "--difference", 0.1, "--power", 1), "--power"),
        (("--baseline", 0.3, "--difference", 0.1), "add --binary"),
        (("--binary", "--difference", 0.1), "--discordant or --baseline"),
        (("--binary", "--discordant", 0.3, "--spread", 0.2, "--questions-n", 9), "give one of"),
        (("--pilot-a", "a.jsonl", "--questions-n", 9), "two files and their questions"),
        (("--measure", "recall", "--spread", 0.3, "--questions-n", 9), "are of a pilot"),
        ((*PILOT, *GOLD), "they have recall@10"),
        ((*PILOT, *GOLD, "--measure", "nonsense"), "no measure 'nonsense'"),
        ((*PILOT[:2], "--pilot-b", KIT / "runs.jsonl", *GOLD, "--measure", "recall@10"), "4 modes"),
        ((*PILOT, "--questions", "nowhere.jsonl", "--measure", "recall@10"), "nowhere.jsonl"),
    ],
)
def test_what_cannot_be_planned_says_what_to_give(cli, words, said):
    done = cli("eval", "power", *words)
    assert done.code == 2, done.out
    assert said in done.err
    assert cli("eval", "power", *words, "--json").json["error"]["kind"] in ("input", "not_found", "usage")


def test_the_kit_is_written_once(cli, tmp_path):
    done = cli("eval", "kit", "--out", tmp_path / "kit", "--json").json
    assert (done["written"] > 10, done["unchanged"]) == (True, 0)
    again = cli("eval", "kit", "--out", tmp_path / "kit")
    assert (again.code, "0 files written" in again.out) == (0, True)
    (tmp_path / "kit" / "README.md").write_text("mine")
    refused = cli("eval", "kit", "--out", tmp_path / "kit")
    assert (refused.code, (tmp_path / "kit" / "README.md").read_text()) == (2, "mine")
    assert cli("eval", "kit").code == 2


def test_the_kit_is_run_again(cli):
    try:
        load_embedder(EMBEDDER)
    except AnswerTrailError as error:
        pytest.skip(f"the recording was made with the embedder `{EMBEDDER}`, which is not here: {error}")
    rerun = cli("eval", "kit", "--rerun")
    assert rerun.code == 0, rerun.out + rerun.err
    assert rerun.out.count("Every ranking is as recorded.") == 2
    assert "7 of 27" in rerun.out
    again = cli("eval", "kit", "--rerun", "--json").json["splits"]
    assert [(split["rankings"], split["changed"]) for split in again.values()] == [(28, []), (28, [])]


@pytest.mark.parametrize(
    "words", [("--difference", "nan", "--spread", "0.3"), ("--questions-n", "9", "--spread", "inf")]
)
def test_what_is_no_number_is_a_usage_error(cli, words):
    assert cli("eval", "power", *words).code == 2


def test_a_difference_too_small_to_count_is_undefined_and_no_crash(cli):
    done = cli("eval", "power", "--difference", "1e-300", "--spread", "0.3", "--json")
    assert done.code == 0
    assert "more questions than can be counted" in done.out
