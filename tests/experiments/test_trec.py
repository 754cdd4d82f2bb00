"""TREC files: errors by line, the order of a list, and the official outputs recomputed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from answertrail.errors import InputError
from answertrail.experiments.importing.trec import Order, read_qrels, read_trec_run
from answertrail.experiments.retrieval import score_retrieval
from answertrail.metrics.measured import Intervals, Measured
from answertrail.metrics.values import Undefined

SHARED = Path(os.environ.get("ANSWERTRAIL_SHARED") or Path(__file__).parents[3] / "shared") / "data" / "d_trec"
needs_data = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"no TREC files at {SHARED}; set ANSWERTRAIL_SHARED to the folder that has data/"
)


def written(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_text(text)
    return path


def test_a_list_is_in_the_order_of_its_ranks_and_comments_are_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, "# made by hand\n1 Q0 b 2 0.5 tag\n1 Q0 a 1 0.9 tag\n2 Q0 c 1 0.1 tag more words\n")
    rows = read_trec_run(path)
    assert [(row.question_id, row.mode, [entry.id for entry in row.ranked]) for row in rows] == [
        ("1", "tag", ["a", "b"]),
        ("2", "tag", ["c"]),
    ]


def test_by_score_equal_scores_are_ordered_by_id_descending(tmp_path: Path) -> None:
    path = written(tmp_path, "1 Q0 a 1 0.5 t\n1 Q0 c 2 0.5 t\n1 Q0 b 3 0.9 t\n")
    assert [entry.id for entry in read_trec_run(path, "score")[0].ranked] == ["b", "c", "a"]


def test_each_tag_is_a_mode(tmp_path: Path) -> None:
    path = written(tmp_path, "1 Q0 a 1 0.5 first\n1 Q0 a 1 0.5 second\n")
    assert [row.mode for row in read_trec_run(path)] == ["first", "second"]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("1 Q0 a 1 0.5\n", 1, "5 columns where 6 were expected"),
        ("1 Q0 a one 0.5 t\n", 1, "rank 'one' is not a whole number"),
        ("1 Q0 a 1 0.5 t\n1 Q0 b 2 nan t\n", 2, "'nan' is not a finite number"),
        ("1 Q0 a 1 inf t\n", 1, "'inf' is not a finite number"),
        ("1 Q0 a 1 high t\n", 1, "'high' is not a number"),
        ("1 Q0 a 1 0.5 t\n\n1 Q0 a 2 0.4 t\n", 3, "document 'a' of topic '1' is given twice, first in line 1"),
        ("1 Q0 a 1 0.5 t\n1 Q0 b 1 0.4 t\n", 2, "topic '1' has rank 1 twice"),
        ("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.7 t\n", 2, "rank 2 has score 0.7, rank 1 above it 0.5"),
    ],
)
def test_faults_of_a_run_name_their_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=said) as caught:
        read_trec_run(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 0 a\n", "3 columns where 4"),
        ("1 0 a high\n", "grade 'high'"),
        ("1 0 a 1\n1 0 a 0\n", "document 'a' of topic '1' is judged twice"),
        ("# nothing\n", "no judgement"),
    ],
)
def test_faults_of_qrels_name_their_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_qrels(written(tmp_path, text))


def test_a_topic_without_a_relevant_document_is_ineligible(tmp_path: Path) -> None:
    questions = read_qrels(written(tmp_path, "1 0 a 0\n1 0 b -1\n2 0 c 2\n"))
    folder = tmp_path / "run"
    folder.mkdir()
    scores = score_retrieval(questions, read_trec_run(written(folder, "1 Q0 a 1 1 t\n2 Q0 c 1 1 t\n")))
    assert [row.question_id for row in scores.ineligible] == ["1"]
    assert scores.modes["t"].measures["recall@10"].value == 1  # type: ignore[union-attr]


NAMES = {
    "map": "ap@1000",
    "recip_rank": "mrr@1000",
    "P_5": "mean_precision@5",
    "P_10": "mean_precision@10",
    "P_100": "mean_precision@100",
    "P_1000": "mean_precision@1000",
    "recall_5": "mean_recall@5",
    "recall_10": "mean_recall@10",
    "recall_100": "mean_recall@100",
    "recall_1000": "mean_recall@1000",
    "success_1": "success@1",
    "success_5": "success@5",
    "success_10": "success@10",
    "map_cut_5": "ap@5",
    "map_cut_10": "ap@10",
    "map_cut_100": "ap@100",
    "set_P": "mean_returned_precision",
    "set_recall": "mean_recall@1000",
    "ndcg": "ndcg@1000",
    "ndcg_cut_5": "ndcg@5",
    "ndcg_cut_10": "ndcg@10",
    "ndcg_cut_100": "ndcg@100",
    "ndcg_cut_1000": "ndcg@1000",
}


def measures(qrels: str, run: str, order: Order, min_grade: int = 1) -> dict[str, Measured]:
    scores = score_retrieval(
        read_qrels(SHARED / qrels, min_grade),
        read_trec_run(SHARED / run, order),
        ks=(1, 5, 10, 100, 1000),
        intervals=Intervals("none"),
    )
    (mode,) = scores.modes.values()
    return {name: value for name, value in mode.measures.items() if isinstance(value, Measured)}


def official(name: str) -> dict[tuple[str, str], float]:
    """Read `measure topic value` lines."""
    out = {}
    for line in (SHARED / "trec_eval_tests" / name).read_text().splitlines():
        measure, topic, value = line.split()
        if measure in NAMES:
            out[measure, topic] = float(value)
    return out


@needs_data
@pytest.mark.parametrize(
    ("output", "qrels", "run", "order", "min_grade", "left_out"),
    [
        ("out.test", "qrels.test", "results.test", "rank", 1, ()),
        ("out.test.a", "qrels.test", "results.test", "rank", 1, ()),
        ("out.test.aq", "qrels.test", "results.test", "rank", 1, ()),
        ("out.test.aq", "qrels.test", "results.test", "score", 1, ()),
        # A topic of the qrels that the run lacks counts 0, as we always have it.
        ("out.test.aqc", "qrels.test", "results.trunc", "score", 1, ()),
        # Our lowest grade holds for the gain as well, trec_eval's -l only for the binary measures.
        ("out.test.aql", "qrels.rel_level", "results.test", "score", 2, ("ndcg",)),
    ],
)
def test_official_outputs(
    output: str, qrels: str, run: str, order: Order, min_grade: int, left_out: tuple[str, ...]
) -> None:
    mine = measures(f"trec_eval_tests/{qrels}", f"trec_eval_tests/{run}", order, min_grade)
    compared = 0
    for (name, topic), value in official(output).items():
        if name.startswith(left_out) and left_out:
            continue
        own = mine[NAMES[name]]
        found = own.value if topic == "all" else own.over([topic]).value
        if isinstance(found, Undefined):
            # No relevant document: trec_eval gives 0 and keeps the topic in its mean, ours is ineligible.
            assert value == 0
            continue
        assert found == pytest.approx(value, abs=6e-5), (name, topic)
        compared += 1
    assert compared >= 5


@needs_data
@pytest.mark.parametrize(
    ("folder", "qrels", "run"),
    [
        ("trec_eval_tests", "qrels.test", "results.test"),
        ("ir_measures_cwl", "cwl.qrels", "cwl.run"),
        ("ranx_small", "qrels.trec", "run.trec"),
    ],
)
def test_recorded_values_of_pytrec_eval(folder: str, qrels: str, run: str) -> None:
    expected = json.loads((SHARED / folder / "expected_pytrec_eval.json").read_text())
    mine = measures(f"{folder}/{qrels}", f"{folder}/{run}", "rank")
    for name, own in NAMES.items():
        if name not in expected["mean"]:
            continue
        assert mine[own].value == pytest.approx(expected["mean"][name], abs=1e-9), name
        for topic, values in expected["per_query"].items():
            assert mine[own].over([topic]).value == pytest.approx(values[name], abs=1e-9), (name, topic)
