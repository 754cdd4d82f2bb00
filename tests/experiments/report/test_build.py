"""What is in a report: the scores' own tables, figures that add up, runs that failed, what was read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from answertrail.errors import InputError
from answertrail.experiments.inputs import read_questions
from answertrail.experiments.report.build import Scored, build_report
from answertrail.experiments.report.data import Bars, HeatMap, Stacked, Waterfall
from answertrail.experiments.report.load import Files, load, score
from answertrail.experiments.report.model import Figure, Report, Section
from answertrail.experiments.report.sections.parts import spoken
from answertrail.experiments.view import answers, refusal, retrieval, trajectory
from answertrail.experiments.view.table import cell_text
from answertrail.metrics.measured import Intervals
from tests.experiments.report.worlds import RUNS, VERDICTS, files, question, run, written

FEW = Intervals(resamples=50)


def made(folder: Path, **more: object) -> tuple[Scored, Report]:
    gold, runs, verdicts = files(folder)
    found = score(read_questions(gold), load(Files(gold, [runs], [verdicts], **more)), intervals=FEW)  # type: ignore[arg-type]
    return found, build_report(found)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scored, Report]:
    return made(tmp_path_factory.mktemp("world"))


def section(report: Report, key: str) -> Section:
    (found,) = (part for part in report.sections if part.key == key)
    return found


def figure(report: Report, key: str) -> Figure:
    (found,) = (one for part in report.sections for one in part.figures if one.key == key)
    return found


def test_every_table_of_the_terminal_is_in_the_report_once(world: tuple[Scored, Report]) -> None:
    scored, report = world
    assert scored.answers
    assert scored.refusals
    assert scored.trajectory
    wanted = [
        *answers.tables(scored.answers),
        *refusal.tables(scored.refusals),
        *trajectory.tables(scored.trajectory),
    ]
    found = [(table.title, table.rows) for part in report.sections for table in part.tables]
    for table in wanted:
        assert found.count((table.title, table.rows)) >= 1, table.key
    own = ("provenance-", "report-")
    of_areas = [table for part in report.sections for table in part.tables if not table.key.startswith(own)]
    assert len(of_areas) == len(wanted)


def test_the_waterfall_has_the_four_classes_of_both_verdicts(world: tuple[Scored, Report]) -> None:
    data = figure(world[1], "figure-waterfall").data
    assert isinstance(data, Waterfall)
    (whole,) = data.wholes
    assert (whole.label, whole.total) == ("factual", 5)
    assert {part.label: part.count for part in whole.parts} == {
        "stated with evidence": 2,
        "retrieved but unused": 1,
        "stated without evidence": 1,
        "neither": 1,
    }
    assert "1 without both verdicts" in figure(world[1], "figure-waterfall").caption


def test_the_heat_map_puts_failures_first_and_names_failed_runs(world: tuple[Scored, Report]) -> None:
    data = figure(world[1], "figure-questions").data
    assert isinstance(data, HeatMap)
    assert data.columns == ("repeat 0", "repeat 1")
    rows = {row.label: [cell.text for cell in row.cells] for row in data.rows}
    assert list(rows) == ["q2", "q1"]
    assert rows == {"q2": ["1/1", "failed"], "q1": ["1/2", "1/2"]}


def test_facts_are_counted_by_the_quarter_their_window_begins_in(world: tuple[Scored, Report]) -> None:
    data = figure(world[1], "figure-windows").data
    assert isinstance(data, Stacked)
    counts = {whole.label: [part.count for part in whole.parts] for whole in data.wholes}
    # n0 of q1 twice and of q2 once in January; n1 of q1 twice in April, that of q2 has no verdict.
    assert counts == {"2025 Q1": [2, 0, 1, 0], "2025 Q2": [0, 1, 0, 1]}


def test_periods_that_runs_report_are_searched_found_or_never_searched(tmp_path: Path) -> None:
    periods = [
        {"from": "2025-01-01", "to": "2025-04-01", "searched": True, "evidence": ["d:00000"]},
        {"from": "2025-04-01", "to": "2025-07-01", "searched": True, "evidence": []},
        {"from": "2025-07-01", "to": "2025-10-01", "searched": False},
    ]
    gold, _, _ = files(tmp_path)
    answer = {"outcome": "answered", "statements": [], "coverage": periods}
    runs = written(tmp_path / "covered.jsonl", [run("q1", answer=answer)])
    report = build_report(score(read_questions(gold), load(Files(gold, [runs])), intervals=FEW))
    data = figure(report, "figure-coverage").data
    assert isinstance(data, Stacked)
    assert {whole.label: [part.count for part in whole.parts] for whole in data.wholes} == {
        "2025 Q1": [1, 0, 0, 0],
        "2025 Q2": [0, 1, 0, 0],
        "2025 Q3": [0, 0, 1, 0],
    }


def test_effort_tells_unknown_from_nothing(world: tuple[Scored, Report]) -> None:
    data = figure(world[1], "figure-effort").data
    assert isinstance(data, Bars)
    bars = {(panel.title, bar.label): bar.text for panel in data.panels for bar in panel.bars}
    assert bars["searches a run", "factual"] == "1"
    assert bars["US dollars a run", "factual"] == "0.05"
    assert bars["tokens a run", "factual"] == "unknown"


def test_the_failures_say_what_was_missed_and_link_what_was_cited(world: tuple[Scored, Report]) -> None:
    part = section(world[1], "failures")
    assert [case.title for case in part.cases] == ["u1: What of u1?", "q2: What of q2?", "q1: What of q1?"]
    lines = [(line.mark, line.text, [link.url for link in line.links]) for line in part.cases[1].lines]
    assert ("did not complete", "repeat 1, failed: the endpoint is down", []) in lines
    assert ("without a verdict", "1 units", []) in lines
    assert ("it says", "It is said of q2.", ["https://example.org/v?t=0"]) in lines
    missed = [line.text for line in part.cases[2].lines if line.mark == "missed"]
    assert missed == ["fact 1 of q1 (not stated in 2 of 2 runs, retrieved in 1 of those)"]


def test_the_trajectory_says_what_cited_share_means_beside_it(world: tuple[Scored, Report]) -> None:
    (first, *_) = section(world[1], "trajectory").intro
    assert first.startswith("cited_share: of the distinct passages the run retrieved")
    assert "no failure" in first


def test_provenance_names_files_by_content_and_says_what_is_not_recorded(
    world: tuple[Scored, Report], tmp_path: Path
) -> None:
    tables = {table.key: table for table in section(world[1], "provenance").tables}
    facts = {str(row[0]): str(row[1]) for row in tables["provenance-facts"].rows}
    assert facts["gold hash"] == world[0].questions.hash
    assert facts["recipe"] == "default sha256:aaaa"
    assert facts["corpus"] == "c sha256:cccc"
    assert facts["code"] == "not recorded"
    assert facts["judge"] == "hand"
    gold, _, _ = files(tmp_path)
    wanted = ("questions", "questions.jsonl", hashlib.sha256(gold.read_bytes()).hexdigest())
    assert wanted in tables["provenance-files"].rows
    methods = {row[2]: row for row in tables["provenance-intervals"].rows}
    assert any("bootstrap" in str(name) or "percentile" in str(name) for name in methods)
    assert all(row[5] for row in tables["provenance-intervals"].rows if row[4] is not None)


def test_rankings_alone_make_a_report_of_modes_side_by_side(tmp_path: Path) -> None:
    gold = written(
        tmp_path / "gold.jsonl",
        [
            {"schema": "question/1", "question_id": name, "question": "?", "tier": "lookup", "relevant": [{"id": "x"}]}
            for name in ("a", "b")
        ],
    )
    rows = [
        {"schema": "retrieval_run/1", "question_id": name, "mode": mode, "ranked": [{"id": found}]}
        for mode, name, found in (
            ("dense", "a", "x"), ("dense", "b", "y"), ("lexical", "a", "y"), ("lexical", "b", "y")
        )
    ]  # fmt: skip
    files_ = Files(gold, rankings=[written(tmp_path / "rank.jsonl", rows)])
    scored = score(read_questions(gold), load(files_), intervals=FEW)
    report = build_report(scored)
    assert [part.key for part in report.sections] == ["retrieval", "provenance"]
    assert scored.retrieval
    shown = [table.rows for table in section(report, "retrieval").tables]
    assert shown == [table.rows for table in retrieval.tables(scored.retrieval)]
    heat = figure(report, "figure-question-modes").data
    assert isinstance(heat, HeatMap)
    assert {row.label: [cell.text for cell in row.cells] for row in heat.rows} == {
        "b": ["0/1", "0/1"],
        "a": ["1/1", "0/1"],
    }
    assert [row.label for row in heat.rows] == ["b", "a"]


def test_a_comparison_is_drawn_around_zero_and_only_own_verdicts_are_scored(tmp_path: Path) -> None:
    gold, runs, verdicts = files(tmp_path)
    other = {"recipe": {"name": "no-loop", "hash": "sha256:bbbb"}}
    b_runs = written(tmp_path / "b.jsonl", [{**row, **other, "run_id": f"b-{row['run_id']}"} for row in RUNS])
    b_verdicts = written(
        tmp_path / "bv.jsonl",
        [
            {**row, "run_id": f"b-{row['run_id']}", "verdict_id": f"b-{row['verdict_id']}", "verdict": "MISS"}
            for row in VERDICTS
        ],
    )
    asked = Files(gold, [runs], [verdicts, b_verdicts], compare_with=str(b_runs))
    scored = score(read_questions(gold), load(asked), intervals=FEW)
    report = build_report(scored)
    shown = figure(report, "figure-differences")
    assert shown.title == "default minus no-loop"
    row = next(row for row in shown.as_json()["data"]["rows"] if row["label"] == "recall")
    assert row["value"] == pytest.approx(3 / 5)
    assert row["text"].startswith("+60.0 points")
    assert scored.answers
    assert not scored.answers.left_out
    notes = report.sections[0]
    assert notes.title == "Read this first"
    assert [line[:40] for line in notes.intro] == [
        "1 of 6 runs ended by an accident (service"[:40],
        "Comparison, no-loop: 1 of 6 runs ended b"[:40],
        "Comparison, default: 1 of 6 runs ended b"[:40],
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing to report on"),
        ({"verdicts": ["v"], "rankings": ["r"]}, "verdicts need the runs they judge"),
        ({"resolutions": "r", "compare_with": "x"}, "nothing to compare"),
    ],
)
def test_files_that_make_no_report_are_refused(tmp_path: Path, given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(Files(tmp_path / "q", **given))  # type: ignore[arg-type]


def test_an_id_of_two_files_is_refused_and_so_are_two_systems(tmp_path: Path) -> None:
    gold, runs, _ = files(tmp_path)
    with pytest.raises(InputError, match="'q1-0' is also in"):
        load(Files(gold, [runs, runs]))
    other = run("q1", recipe={"name": "other", "hash": "sha256:bbbb"})
    two = written(tmp_path / "two.jsonl", [*RUNS, {**other, "run_id": "z"}])
    with pytest.raises(InputError, match="2 systems: default, other"):
        load(Files(gold, [two]))
    assert {row.run_id for row in load(Files(gold, [two]), system="other").runs} == {"z"}


def test_what_is_spoken_of_a_figure_counts_what_it_leaves_out() -> None:
    assert spoken((f"v{number}" for number in range(14)), "Values").endswith("v11; and 2 more.")
    assert cell_text(None) == "–"


def test_false_answers_come_first_with_their_kind_and_what_was_said_also_with_a_judge(
    world: tuple[Scored, Report],
) -> None:
    part = section(world[1], "failures")
    lines = [(line.mark, line.text, [link.url for link in line.links]) for line in part.cases[0].lines]
    assert lines == [
        ("false answer", "repeat 1: answered; unanswerable, missing_topic", []),
        ("the false answer", "u1-1: answered", []),
        ("it says", "It is said of u1.", ["https://example.org/v?t=0"]),
    ]
    (wrong,) = (table for table in part.tables if table.key == "report-said_wrongly")
    assert wrong.rows == (("u1", "false answer", "missing_topic", 1, "answered", "What of u1?"),)


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Report:
    gold_rows = [
        question("q1", relevant=[{"id": "d:00000"}, {"id": "d:00060"}]),
        question("q2"),
        question("u1", 0, tier="unanswerable", unanswerable_kind="near_miss"),
    ]
    runs = [run("q1"), run("q1", 1, outcome=None), run("q2", outcome="cannot_answer"), run("u1")]
    gold, ran, _ = files(tmp_path_factory.mktemp("unjudged"), gold_rows, runs, [])
    return build_report(score(read_questions(gold), load(Files(gold, [ran])), intervals=FEW))


def test_without_verdicts_the_headline_shows_what_is_known_and_what_needs_them(unjudged: Report) -> None:
    part = section(unjudged, "headline")
    assert "Recall, ceiling and groundedness need verdicts" in part.intro[0]
    (shown,) = (table for table in part.tables if table.key == "report-known")
    values = {str(row[0]): cell_text(row[1]).split(" [")[0] for row in shown.rows}
    assert list(values) == [
        "needle_recall", "citation_recall", "supporting_fact_f1", "false_answer_rate", "over_refusal_rate",
        "citation_exists", "citation_retrieved", "citation_support",
    ]  # fmt: skip
    assert values["needle_recall"].startswith("50.0 % (1/2)")
    assert values["false_answer_rate"].startswith("100.0 % (1/1)")
    assert values["over_refusal_rate"].startswith("50.0 % (1/2)")
    assert not any(
        "no verdicts given" in cell_text(cell) for table in part.tables for row in table.rows for cell in row
    )
    left = section(unjudged, "left-out")
    assert "answers-answers" in {table.key for table in left.tables}


def test_without_verdicts_false_answers_refusals_and_failed_runs_are_failures(unjudged: Report) -> None:
    part = section(unjudged, "failures")
    assert [case.key.startswith("case-") and case.title for case in part.cases] == [
        "u1: What of u1?",
        "q1: What of q1?",
        "q2: What of q2?",
    ]
    (wrong,) = (table for table in part.tables if table.key == "report-said_wrongly")
    assert [row[:3] for row in wrong.rows] == [
        ("u1", "false answer", "near_miss"),
        ("q2", "over-refusal", "factual"),
    ]
    assert "answers-errors" in {table.key for table in part.tables}


def test_without_verdicts_no_heading_stands_over_nothing_and_each_question_says_what_is_known(
    unjudged: Report,
) -> None:
    assert "waterfall" not in {part.key for part in unjudged.sections}
    part = section(unjudged, "questions")
    (shown,) = part.tables
    assert [row[:4] for row in shown.rows] == [
        ("q1", "answered; failed", "1/2", "1/2"),
        ("q2", "declined", "no gold", "no gold"),
        ("u1", "answered", "no gold", "no gold"),
    ]
    data = figure(unjudged, "figure-questions").data
    assert isinstance(data, HeatMap)
    assert [(row.label, [cell.text for cell in row.cells]) for row in data.rows] == [("q1", ["1/2", "1/2"])]


def test_a_missed_nugget_whose_ceiling_nobody_judged_is_not_said_to_be_not_retrieved(unjudged: Report) -> None:
    (missed,) = (table for table in section(unjudged, "failures").tables if table.key == "answers-missed_nuggets")
    where = missed.columns.index("retrieved all the same")
    assert {row[where] for row in missed.rows} == {"not judged"}
    rows = unjudged.as_json()["scores"]["answers"]["per_question"]
    found = [item for row in rows for item in row["missed"]]
    assert [(item["retrieved_when_missed"], item["unscored_when_missed"]) for item in found] == [(None, 1), (None, 1)]
    lines = [line.text for case in section(unjudged, "failures").cases for line in case.lines if line.mark == "missed"]
    assert all("not judged whether it was retrieved" in line for line in lines)
