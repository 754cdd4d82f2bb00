"""The page: whole, escaped, alone, and small."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from answertrail.experiments.inputs import read_questions
from answertrail.experiments.report.build import Scored, build_report
from answertrail.experiments.report.html import OPEN_ROWS, ROWS, html
from answertrail.experiments.report.load import Files, load, score
from answertrail.experiments.report.markdown import markdown
from answertrail.experiments.report.model import Case, CaseLine, Link, Report, Section
from answertrail.experiments.report.write import as_json_text
from answertrail.experiments.view.table import cell_text, table
from answertrail.metrics.measured import Intervals
from answertrail.metrics.values import Interval, Ratio, Undefined
from answertrail.plain_text import one_line
from tests.experiments.report.worlds import HOSTILE, QUESTIONS, RUNS, VERDICTS, both, files, question, run

FEW = Intervals(resamples=50)
VOID = {"meta", "link", "br", "img", "hr", "wbr"}


class Page(HTMLParser):
    """Elements with attributes, and text, in order. Raises ValueError where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.glued = False  # A place where a word may break does not part it.
        self.feed(text)
        self.close()
        if self.open:
            raise ValueError(f"left open: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "wbr":
            self.glued = True
        elif tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            raise ValueError(f"{tag} is closed out of order")

    def handle_data(self, data: str) -> None:
        if self.glued:
            self.words[-1] += data
        elif self.open and self.open[-1] != "style":
            self.words.append(data)
        self.glued = False

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def scored(folder: Path, **rows: list[dict[str, object]]) -> Scored:
    gold, runs, verdicts = files(folder, **rows)
    questions = read_questions(gold)
    return score(questions, load(Files(gold, [runs], [verdicts])), intervals=FEW)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return build_report(scored(tmp_path_factory.mktemp("world")), title="A report")


def test_every_table_figure_and_case_of_the_report_is_on_the_page(report: Report) -> None:
    page = Page(html(report))
    anchors = {attributes.get("id") for _, attributes in page.elements}
    for section in report.sections:
        assert {section.key, *section.keys} <= anchors
        assert f"#{section.key}" in {attributes.get("href") for attributes in page.of("a")}
        for shown in section.tables:
            assert one_line(shown.title) in page.text
            for row in shown.rows[:ROWS]:
                for cell in row:
                    assert one_line(cell_text(cell))[:200].split(" (")[0] in page.text
            assert all(one_line(note) in page.text for note in shown.notes)
        for figure in section.figures:
            assert one_line(figure.caption) in page.text
            assert one_line(figure.alt) in page.text
    drawn = page.of("svg")
    assert len(drawn) == 2 * sum(len(section.figures) for section in report.sections)
    assert all(attributes["role"] == "img" and attributes["aria-labelledby"] for attributes in drawn)
    assert len(page.of("caption")) == len(page.of("table"))
    assert {attributes["scope"] for attributes in page.of("th")} == {"row", "col"}


def test_the_sections_come_in_the_order_of_what_a_reader_asks(report: Report) -> None:
    keys = [section.key for section in report.sections]
    wanted = ["notes", "headline", "failures", "waterfall", "questions", "slices", "over-time", "unsupported",
              "trajectory", "effort", "left-out", "provenance"]  # fmt: skip
    assert keys == wanted


def test_identifiers_are_unique_and_every_anchor_leads_somewhere(report: Report) -> None:
    page = Page(html(report))
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    targets = {str(attributes["href"])[1:] for attributes in page.of("a") if str(attributes["href"]).startswith("#")}
    assert targets <= set(names)
    spoken = " ".join(str(attributes.get("aria-labelledby") or "") for _, attributes in page.elements).split()
    assert set(spoken) <= set(names)


def test_the_page_needs_nothing_else_and_runs_nothing(report: Report) -> None:
    text = html(report)
    page = Page(text)
    assert {"script", "link", "img", "iframe", "object", "form"}.isdisjoint(tag for tag, _ in page.elements)
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    cited = {attributes["href"] for attributes in page.of("a") if not str(attributes["href"]).startswith("#")}
    assert cited == {"https://example.org/v?t=0"}
    rest = re.sub(r'href="https://example\.org/v\?t=0"', "", text).replace('http-equiv="Content', "")
    assert "http" not in rest.replace('a[href^="http"]', "")
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", text)
    (policy,) = (attributes["content"] for attributes in page.of("meta") if "http-equiv" in attributes)
    assert str(policy).startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_the_same_records_give_the_same_bytes_in_every_form(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first = build_report(scored(tmp_path / "a"))
    second = build_report(scored(tmp_path / "b", runs=RUNS, verdicts=VERDICTS[::-1]))
    hashes = re.compile(r"\b[0-9a-f]{64}\b")  # of the files, whose lines stand in another order
    for form in (html, markdown, as_json_text):
        assert hashes.sub("", form(second)) == hashes.sub("", form(first))
    assert html(build_report(scored(tmp_path / "a"))) == html(first)
    assert first.made_at == "2026-01-03T00:00:00Z"


def test_hostile_text_of_questions_runs_and_verdicts_is_only_text(tmp_path: Path) -> None:
    bad = question("q1", question=HOSTILE)
    bad["nuggets"][0]["text"] = HOSTILE
    said = {"outcome": "answered", "statements": [{"text": HOSTILE, "kind": "claim", "citations": ["d:00000"]}]}
    chunk = {"id": "d:00000", "document_id": "d", "title": HOSTILE, "published_at": None, "text": HOSTILE}
    runs = [
        run("q1", question=HOSTILE, answer=said, chunks=[{**chunk, "url": "javascript:alert(1)"}]),
        run("q1", 1, question=HOSTILE, answer=said, chunks=[{**chunk, "url": 'https://x.org/"><script>'}]),
        run("q1", 2, question=HOSTILE, outcome=None, error={"kind": "service", "message": HOSTILE}),
    ]
    found = build_report(
        scored(tmp_path, questions=[bad], runs=runs, verdicts=both("q1", 0, "MISS", "HIT")), title=HOSTILE
    )
    text = html(found)
    page = Page(text)
    assert "<script" not in text
    assert not set("\u202e\x1b") & set(text)
    assert one_line(HOSTILE) in page.text
    assert all(str(attributes["href"]).startswith(("#", "https://")) for attributes in page.of("a"))
    assert "\u202e" not in markdown(found)
    assert "](javascript" not in markdown(found)
    assert HOSTILE in json.loads(as_json_text(found))["title"]


def test_an_undefined_value_is_shown_with_its_reason_in_every_form() -> None:
    shown = table("t", "T", ("measure", "value"), [("recall", Undefined("no verdicts were given"))])
    found = Report("R", None, (Section("s", "S", tables=(shown,)),))
    assert "undefined: no verdicts were given" in Page(html(found)).text
    assert "undefined: no verdicts were given" in markdown(found)
    assert json.loads(as_json_text(found))["sections"][0]["tables"][0]["rows"] == [
        ["recall", {"undefined": "no verdicts were given"}]
    ]
    assert "No record carries a date" in Page(html(found)).text


def test_a_value_on_the_page_reads_as_in_the_terminal() -> None:
    value = Ratio(135, 159, Interval(0.701, 0.97, 0.95, "x"))
    found = Report("R", None, (Section("s", "S", tables=(table("t", "T", ("m", "v"), [("recall", value)]),)),))
    assert (
        cell_text(value) in Page(html(found)).text == "R R No record carries a date"
        or cell_text(value) in Page(html(found)).text
    )


def test_long_tables_and_many_cases_are_cut_and_say_so() -> None:
    rows = [(f"q{number}", number) for number in range(1000)]
    cases = tuple(Case(f"case-{number}", f"c{number}", (CaseLine("m", "t", (Link("l"),)),)) for number in range(50))
    found = Report("R", None, (Section("s", "S", tables=(table("t", "T", ("q", "n"), rows),), cases=cases),))
    page = Page(html(found))
    assert f"{ROWS - OPEN_ROWS} more rows" in page.text
    assert "700 rows more are not shown here" in page.text
    assert "30 more are not shown here" in page.text
    assert "900 more rows are in the JSON form" in markdown(found)
    assert len(json.loads(as_json_text(found))["sections"][0]["tables"][0]["rows"]) == 1000


def test_keys_given_twice_are_refused() -> None:
    shown = table("t", "T", ("a",), [(1,)])
    with pytest.raises(ValueError, match="keys given twice: t"):
        Report("R", None, (Section("s", "S", tables=(shown, shown)),))


def test_a_thousand_questions_asked_three_times_stay_small(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(1000)]
    runs = [run(name, repeat, chunks=[]) for name in names for repeat in range(3)]
    verdicts = [
        row
        for at, name in enumerate(names)
        for repeat in range(3)
        for row in both(name, 0, ("HIT", "MISS")[(at + repeat) % 2], "HIT", repeat)
    ]
    found = build_report(
        scored(tmp_path, questions=[question(name, 1) for name in names], runs=runs, verdicts=verdicts)
    )
    assert len(html(found).encode()) < 1_500_000
    assert len(found.as_json()["scores"]["answers"]["per_question"]) == len(QUESTIONS) - 3 + 1000
