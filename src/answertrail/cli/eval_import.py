"""`answertrail eval import FORMAT FILE`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from answertrail.cli.common import err, json_option, out, print_json
from answertrail.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from answertrail.experiments.importing.imported import Imported, OutcomeRule

FORMATS = ("run", "ragas", "otel", "trec-run", "trec-qrels")
_SHOWN = 20
_BELONGS: Mapping[str, tuple[str, ...]] = {
    "questions": ("run", "ragas", "otel"),
    "id_field": ("ragas", "otel"),
    "outcome_field": ("ragas", "otel"),
    "outcome": ("ragas", "otel"),
    "assume_outcome": ("ragas", "otel"),
    "questions_out": ("ragas",),
    "tier": ("ragas",),
    "search_tool": ("otel",),
    "trec_order": ("trec-run",),
    "min_grade": ("trec-qrels",),
}
_TIERS = ("factual", "longitudinal", "comparative", "unanswerable", "lookup")
_OUTCOMES = ("answered", "partly_answered", "cannot_answer")
_FILE = click.Path(path_type=Path)


@click.command("import")
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("file", type=_FILE)
@click.option("--out", "path", required=True, metavar="F", type=_FILE, help="Write the records here.")
@click.option("--questions", metavar="F", type=_FILE, help="Match runs to these questions by their words.")
@click.option("--id-field", metavar="NAME", help="Column or attribute with the question's id (default: question_id).")
@click.option("--outcome-field", metavar="NAME", help="Column or attribute that says whether the run answered.")
@click.option("--outcome", multiple=True, metavar="VALUE=OUTCOME", help="What a value of that field means; repeatable.")
@click.option(
    "--assume-outcome",
    type=click.Choice(_OUTCOMES),
    help="Outcome where the export has none (default: answered). The run says so and no abstention measure counts it.",
)
@click.option("--questions-out", metavar="F", type=_FILE, help="Also write questions, each reference one nugget.")
@click.option("--tier", type=click.Choice(_TIERS), help="The tier of those questions.")
@click.option("--search-tool", multiple=True, metavar="NAME", help="A tool that searches (default: by its name).")
@click.option("--trec-order", type=click.Choice(["rank", "score"]), help="Order by rank (default) or score column.")
@click.option("--min-grade", type=click.IntRange(min=1), help="The lowest relevant grade of qrels (default: 1).")
@json_option
def command(form: str, file: Path, path: Path, as_json: bool, **options: Any) -> int:
    """Turn another tool's export into records of ours.

    \b
    FORMAT      FILE                                      writes
    run         run/1 lines of another tool               run/1
    ragas       RAGAS-style rows: JSON Lines, JSON, CSV   run/1
    otel        OpenTelemetry GenAI spans, OTLP/JSON      run/1
    trec-run    TREC run                                  retrieval_run/1
    trec-qrels  TREC qrels                                question/1

    Rows with faults are listed and the others written: exit 1. Exit 2 when nothing can be used.
    """
    _check_options(form, options)
    if path.resolve() == file.resolve():
        raise InputError("--out is the file that is read", where=str(path))
    if form.startswith("trec"):
        return _trec(form, file, path, options, as_json=as_json)
    found = _read(form, file, options)
    if options["questions"]:
        found = _matched(found, options["questions"])
    if not found.runs:
        _list_faults(found, _lines(err()))
        raise InputError(_nothing(found), where=str(file), hint="see docs/importing.md for what each format needs")
    return _write(form, found, path, options["questions_out"], as_json=as_json)


def _check_options(form: str, options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if value not in (None, ()) and form not in _BELONGS[name]:
            where = f"--{name.replace('_', '-')}"
            raise InputError(f"is not for {form} but for {' and '.join(_BELONGS[name])}", where=where)
    if (options["questions_out"] is None) != (options["tier"] is None):
        raise InputError(
            "--questions-out and --tier go together",
            hint="an export does not say of which tier its questions are; factual is one fact each",
        )


def _read(form: str, file: Path, options: Mapping[str, Any]) -> Imported:
    if form == "run":
        from answertrail.experiments.importing.run_file import read_run_file

        return read_run_file(file)
    rule = _outcome(options)
    name = options["id_field"] or "question_id"
    if form == "ragas":
        from answertrail.experiments.importing.ragas import read_ragas

        return read_ragas(file, outcome=rule, id_field=name, tier=options["tier"])
    from answertrail.experiments.importing.otel import read_otel

    return read_otel(file, outcome=rule, id_field=name, search_tools=options["search_tool"])


def _outcome(options: Mapping[str, Any]) -> OutcomeRule:
    from answertrail.experiments.importing.imported import OutcomeRule

    values: dict[str, str] = {}
    for text in options["outcome"]:
        value, equals, outcome = text.rpartition("=")
        if not equals or not value:
            raise InputError(f"{text!r} is not VALUE=OUTCOME", where="--outcome", hint="such as refused=cannot_answer")
        if values.setdefault(value, outcome) != outcome:
            raise InputError(f"{value!r} is given two outcomes", where="--outcome")
    return OutcomeRule(options["outcome_field"], values, options["assume_outcome"] or "answered")


def _matched(found: Imported, questions: Path) -> Imported:
    from dataclasses import replace

    from answertrail.experiments.importing.imported import matched
    from answertrail.experiments.inputs import read_questions

    runs, lost = matched(found.runs, read_questions(questions))
    return replace(found, runs=runs, unmatched=lost)


def _nothing(found: Imported) -> str:
    reasons = [f"{row.where}, {row.field}: {row.message}" for row in found.faults]
    reasons += [f"{row.where}: {row.reason}" for row in found.skipped]
    if not reasons:
        return "the file holds nothing to import"
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"nothing in the file can be used; {reasons[0]}{more}"


def _write(form: str, found: Imported, path: Path, questions_out: Path | None, *, as_json: bool) -> int:
    from answertrail.records import jsonl

    jsonl.write(path, found.runs)
    if questions_out is not None:
        jsonl.write(questions_out, found.questions)
    code = int(bool(found.faults))
    if as_json:
        files = {"file": str(path), **({"questions_file": str(questions_out)} if questions_out else {})}
        print_json({"format": form, **found.as_json(), **files})
        return code
    line = _lines(out())
    line(f"{len(found.runs)} runs written to {path}")
    if questions_out is not None:
        line(f"{len(found.questions)} questions written to {questions_out}; check each nugget: it is a whole reference")
    if found.assumed:
        line(f"{found.assumed} outcomes assumed: abstention is not scored for these runs (see --outcome-field)")
    for note in found.notes:
        line(note)
    _list("not matched to a question", (f"{name}: {text}" for name, text in found.unmatched), line)
    _list("skipped", (f"{row.where}: {row.reason}" for row in found.skipped), line)
    _list_faults(found, line)
    return code


def _lines(console: Console) -> Callable[[str], None]:
    """Print text of an export as one line of text, whatever it holds."""
    from answertrail.cli.plain import one_line

    def line(text: str) -> None:
        indent = text[: len(text) - len(text.lstrip(" "))]
        console.print(indent + one_line(text), soft_wrap=True, markup=False, highlight=False)

    return line


def _list_faults(found: Imported, line: Callable[[str], None]) -> None:
    _list("faults", (f"{row.where}, {row.field}: {row.message}" for row in found.faults), line)


def _list(title: str, rows: Iterable[str], line: Callable[[str], None]) -> None:
    texts: Sequence[str] = list(rows)
    if not texts:
        return
    line(f"{len(texts)} {title}:")
    for text in texts[:_SHOWN]:
        line(f"  {text}")
    if len(texts) > _SHOWN:
        line(f"  and {len(texts) - _SHOWN} more; --json lists all")


def _trec(form: str, file: Path, path: Path, options: Mapping[str, Any], *, as_json: bool) -> int:
    from answertrail.experiments.importing.trec import read_qrels, read_trec_run
    from answertrail.records import jsonl

    if form == "trec-run":
        rankings = read_trec_run(file, options["trec_order"] or "rank")
        count, what = jsonl.write(path, rankings), "rankings"
    else:
        questions = read_qrels(file, options["min_grade"] or 1)
        count, what = jsonl.write(path, questions.questions), "questions"
    if as_json:
        print_json({"format": form, "imported": count, "skipped": [], "faults": [], "file": str(path)})
    else:
        _lines(out())(f"{count} {what} written to {path}")
    return 0
