"""The kit: its authored results, its recording, and writing it to a folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath

import pytest

from answertrail.corpus.report import Silent
from answertrail.errors import AnswerTrailError, InputError, MismatchError
from answertrail.experiments.inputs import read_questions
from answertrail.experiments.kit import MANIFEST, files, write_kit
from answertrail.experiments.kit_recording import (
    EMBEDDER,
    MODES,
    SPLITS,
    K,
    changes,
    kit_questions,
    record,
    recorded,
)
from answertrail.experiments.kit_summary import summarize
from answertrail.experiments.retrieval import score_retrieval
from answertrail.experiments.view.kit import tables
from answertrail.metrics.measured import Intervals
from answertrail.metrics.ranking.units import document_of
from answertrail.models.embedding.load import load_embedder
from answertrail.records import Document, RetrievalRun, jsonl


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kit")
    write_kit(folder)
    return folder


@pytest.fixture(scope="module")
def accurate():
    try:
        return load_embedder(EMBEDDER)
    except AnswerTrailError as error:
        pytest.skip(f"the recording was made with the embedder `{EMBEDDER}`, which is not here: {error}")


def test_the_teaching_fixture_gives_the_expected_results(kit):
    expected = json.loads((kit / "teaching/expected.json").read_text())
    questions = read_questions(kit / "teaching/questions.jsonl")
    rankings = list(jsonl.read(kit / "teaching/ranking.jsonl", RetrievalRun))
    scores = score_retrieval(questions, rankings, ks=(expected["k"],), intervals=Intervals("none"))
    measures = scores.modes["authored"].measures
    for name, counts in expected["measures"].items():
        assert (measures[name].ratio.numerator, measures[name].ratio.denominator) == tuple(counts.values()), name
    assert measures["returned_precision"].value == 4 / 12
    assert measures["recall@3"].value == 4 / 6
    assert measures["mean_recall@3"].value == 0.625
    for row in scores.questions:
        counts = expected["per_question"][row.question_id]
        assert len(row.found) == counts["found"]
        assert len(row.found) / (len(row.found) + len(row.missed)) == counts["recall"]
    assert scores.questions[0].question_id == "teach-3"  # the one that failed stands first


@pytest.mark.parametrize("split", SPLITS)
def test_each_split_is_seven_questions_of_which_one_has_no_source(kit, split):
    questions, (runs, _) = kit_questions(split), recorded(split)
    documents = {row.id for row in jsonl.read(kit / f"experiment/{split}/documents.jsonl", Document)}
    assert len(questions.questions) == 7
    assert [q.unanswerable_kind for q in questions.questions if not q.relevant] == ["missing_fact"]
    assert {row.id for q in questions.questions for row in q.relevant or ()} <= documents
    assert sorted((run.question_id, run.mode) for run in runs) == sorted((q, m) for q in questions.ids for m in MODES)
    assert all(len(run.ranked) <= K and {document_of(row.id) for row in run.ranked} <= documents for run in runs)
    assert {run.meta["corpus"]["snapshot"] for run in runs} == {recorded(split)[1]["corpus"]["snapshot"]}
    assert {q.split for q in questions.questions} <= {"dev", "regression"}  # nothing claims to be held out


def test_there_are_56_recorded_rankings():
    assert sum(len(recorded(split)[0]) for split in SPLITS) == 56


@pytest.mark.parametrize("split", SPLITS)
def test_the_checks_of_a_question_agree_with_its_labels_and_never_with_the_other_project(kit, split):
    for question in kit_questions(split).questions:
        checks = question.meta["checks"]
        relevant = {row.id for row in question.relevant or ()}
        assert set(checks["supporting"]) == relevant
        assert set(checks.get("current", ())) <= relevant
        assert not relevant & {*checks["out_of_scope"], *(() if len(relevant) > 1 else checks.get("stale", ()))}


@pytest.mark.parametrize("split", SPLITS)
def test_a_paraphrase_shares_no_content_word_with_its_source(kit, split):
    documents = {row.id: row for row in jsonl.read(kit / f"experiment/{split}/documents.jsonl", Document)}
    [question] = [q for q in kit_questions(split).questions if q.group == "paraphrase"]
    words = {word.strip(".,?").lower() for word in question.question.split()}
    source = {word.strip(".,?:").lower() for word in documents[question.relevant[0].id].text.split()}
    small = {"how", "do", "they", "which", "is", "too", "to", "why", "were", "some", "of", "the", "one", "not", "out"}
    assert not (words & source) - small


@pytest.mark.parametrize("split", SPLITS)
def test_the_recorded_summary_is_that_of_the_recorded_rankings(kit, split):
    again = summarize(kit_questions(split), recorded(split)[0]).as_json()
    assert again == json.loads((kit / f"experiment/{split}/summary.json").read_text())


@pytest.mark.parametrize("split", SPLITS)
def test_every_mode_returned_passages_for_the_unsupported_question(split):
    summary = summarize(kit_questions(split), recorded(split)[0])
    asked = {name: (mode.unsupported_returned, mode.unsupported_asked) for name, mode in summary.scores.modes.items()}
    assert asked == dict.fromkeys(MODES, (1, 1))
    [ineligible] = summary.scores.ineligible
    assert ineligible.question_id.endswith("-7")
    assert all(summary.measures(mode)[f"mean_recall@{K}"].ratio.denominator == 6 for mode in MODES)


def test_what_the_readme_says_of_the_recording_is_so():
    found = {split: summarize(kit_questions(split), recorded(split)[0]) for split in SPLITS}
    misses = {(row.question_id, row.mode) for summary in found.values() for row in summary.failures}
    assert misses == {("dev-3", "lexical"), ("reg-3", "lexical"), ("reg-6", "dense")}
    parts = [s.measures(mode)["returned_precision"].ratio for s in found.values() for mode in MODES]
    assert 0.2 < sum(r.numerator for r in parts) / sum(r.denominator for r in parts) < 0.3
    stale = {(mode, name) for s in found.values() for mode, row in s.sources.items() for name in row.stale_first}
    assert stale == {("lexical", "dev-2"), ("hybrid", "dev-2"), ("fused", "dev-2"), ("dense", "reg-2")}


@pytest.mark.asyncio
@pytest.mark.parametrize("split", SPLITS)
async def test_searching_again_gives_the_recorded_rankings(accurate, database, settings, split):
    runs, runtime = recorded(split)
    again = await record(database, settings, split, f"kit-{split}", Silent())
    assert again.runtime()["corpus"] == runtime["corpus"]
    assert again.embedder == runtime["embedder"] == accurate.identity.key
    assert again.stamp.questions_hash == runtime["questions_hash"]
    assert changes(runs, again.runs) == ()


@pytest.mark.asyncio
async def test_a_corpus_that_holds_something_else_is_refused(accurate, database, settings):
    await record(database, settings, "development", "mixed", Silent())
    with pytest.raises(MismatchError, match="28 documents"):
        await record(database, settings, "regression", "mixed", Silent())


def test_changes_are_other_ids_another_order_and_what_is_missing():
    runs, _ = recorded("development")
    swapped = runs[0].model_copy(update={"ranked": list(reversed(runs[0].ranked))})
    assert [(row.question_id, row.mode) for row in changes(runs, (swapped, *runs[1:]))] == [("dev-1", "dense")]
    assert [row.now for row in changes(runs, runs[1:])] == [()]
    assert changes(runs, tuple(reversed(runs))) == ()


def test_the_kit_is_written_once_and_a_foreign_file_stays(tmp_path):
    out = tmp_path / "new" / "kit"
    count = len(list(files()))
    assert write_kit(out) == (count, 0)
    assert write_kit(out) == (0, count)
    (out / "notes.txt").write_text("mine")
    (out / "teaching" / "METHOD.md").write_text("my own method")
    (out / "README.md").unlink()
    with pytest.raises(InputError, match="is not the kit's") as caught:
        write_kit(out)
    assert caught.value.where.endswith("METHOD.md")
    assert not (out / "README.md").exists()  # nothing was written
    assert (out / "teaching" / "METHOD.md").read_text() == "my own method"
    assert (out / "notes.txt").read_text() == "mine"


def test_a_file_of_an_earlier_kit_is_brought_up_to_date_unless_someone_changed_it(tmp_path):
    write_kit(tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    old = b"what an earlier version said"
    for name in ("README.md", "teaching/METHOD.md"):
        (tmp_path / name).write_bytes(old)
        manifest[name] = hashlib.sha256(old).hexdigest()
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert write_kit(tmp_path)[0] == 2
    assert (tmp_path / "README.md").read_bytes() == dict(files())[PurePosixPath("README.md")]
    (tmp_path / "README.md").write_bytes(old)
    with pytest.raises(InputError, match="is not the kit's"):
        write_kit(tmp_path)


def test_a_file_in_place_of_the_folder_and_a_dangling_link_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not a folder"):
        write_kit(tmp_path / "file")
    out = tmp_path / "kit"
    out.mkdir()
    (out / "README.md").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is not the kit's"):
        write_kit(out)
    assert not (tmp_path / "nowhere").exists()


def test_the_tables_of_the_docs_are_those_of_the_recording():
    page = (Path(__file__).parents[2] / "docs/kit.md").read_text(encoding="utf-8")
    for split in SPLITS:
        summary = summarize(kit_questions(split), recorded(split)[0])
        [shown, *_] = tables(split, summary, (), {}, {})
        cells = {row[0]: row[1:] for row in shown.rows}
        _, _, text = page.partition(f"| {split} | dense | lexical | hybrid | fused |\n|---|---|---|---|---|\n")
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|"))[1:] for line in text.splitlines()[:5]]
        assert rows[0] == cells[f"recall@{K}"]
        assert rows[1] == cells["returned_precision"]
        assert rows[2] == ("yes",) * 4
        assert cells["unsupported question: passages returned"] == ("1 of 1",) * 4
        assert rows[3] == cells["outdated source above the current one"]
        assert rows[4] == cells["sources of the other project"]
