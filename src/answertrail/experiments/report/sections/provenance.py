"""What the numbers were made from and by, so that someone else can make them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from answertrail.experiments.conditions import Conditions
from answertrail.experiments.inputs import QuestionSet
from answertrail.experiments.report.model import Section
from answertrail.experiments.report.sections.parts import Value, keyed
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.values import Interval, Undefined
from answertrail.records.run import CodeRef, CorpusRef


def provenance(
    questions: QuestionSet,
    measures: Iterable[tuple[str, Mapping[str, Value]]],
    *,
    conditions: Conditions | None = None,
    corpus: CorpusRef | None = None,
    code: CodeRef | None = None,
    files: Sequence[tuple[str, str, str]] = (),
    more: Sequence[ReportTable] = (),
) -> Section:
    """Return questions, conditions, files and intervals. `files` are (what, name, hash)."""
    rows = [*_questions(questions), *_conditions(conditions)]
    if corpus is not None:
        rows.append(("corpus searched", f"{corpus.name} {corpus.snapshot}"))
    if code is not None:
        rows.append(("scored by", f"answertrail {_code(code)}"))
    tables = [table("facts", "Made from and by", ("what", "value"), rows), *more]
    if files:
        tables.append(table("files", "Files read", ("records", "file", "SHA-256"), files))
    tables.append(_intervals(measures))
    intro = ("Hashes name content: the same hash is the same recipe, corpus or gold. What nobody recorded says so.",)
    return Section("provenance", "Provenance", intro, keyed("provenance", tables))


def _questions(questions: QuestionSet) -> Iterator[tuple[str, str]]:
    rows = questions.questions
    yield "questions", f"{len(rows)}: {_counted(row.tier for row in rows)}"
    yield "splits", _counted(row.split or "none" for row in rows)
    yield "gold hash", questions.hash


def _counted(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(names).items())


def _conditions(conditions: Conditions | None) -> Iterator[tuple[str, str]]:
    if conditions is None:
        return
    yield "system", conditions.system
    for condition in conditions.conditions:
        if condition.name == "gold":
            continue
        whole = condition.name in ("recipe", "corpus", "prompt") and condition.value
        shown = condition.shown if not whole or condition.shown.startswith("mixed") else _with(condition.shown, whole)
        yield condition.name, shown


def _with(shown: str, value: str) -> str:
    """Say the whole hash where what is shown cuts it."""
    short = shown.rpartition(" ")[2]
    return f"{shown.removesuffix(short)}{value}" if value.startswith(short) else shown


def _code(code: CodeRef) -> str:
    sha = f" {code.git_sha}" if code.git_sha else ", no git checkout"
    return f"{code.version}{sha}{' with uncommitted changes' if code.dirty else ''}"


def _intervals(measures: Iterable[tuple[str, Mapping[str, Value]]]) -> ReportTable:
    """Measures whose intervals were made alike share a row."""
    groups: dict[tuple[Cell, ...], list[str]] = {}
    for area, found in measures:
        for name, value in found.items():
            interval = None if isinstance(value, Undefined) else value.interval
            if isinstance(interval, Interval):
                seed = None if interval.seed is None else str(interval.seed)
                how = (area, interval.method, f"{interval.level:g}", interval.resamples, seed)
                groups.setdefault(how, []).append(name)
    rows = [(area, ", ".join(names), *how) for (area, *how), names in groups.items()]
    columns = ("area", "measures", "method", "level", "resamples", "seed")
    note = "A seed comes from the ids of the questions, so the same questions give the same interval."
    return table("intervals", "How intervals were made", columns, rows, (note,))
