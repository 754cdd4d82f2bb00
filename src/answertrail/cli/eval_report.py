"""`answertrail eval report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from answertrail.cli.common import err, json_option, out, print_json
from answertrail.cli.gold_option import questions_option
from answertrail.cli.rank_options import budget_option, k_option

if TYPE_CHECKING:
    from answertrail.cli.gold_option import Gold

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("report")
@questions_option
@click.option("--runs", "run_files", multiple=True, metavar="F", type=_FILE, help="run/1 lines; may be repeated.")
@click.option(
    "--verdicts", "verdict_files", multiple=True, metavar="F", type=_FILE, help="verdict/1 lines; repeatable."
)
@click.option("--judge", metavar="NAME", help="Whose verdicts, where there are several judges'.")
@click.option("--system", metavar="NAME", help="Whose runs, where there are several systems'.")
@click.option("--run", "ranking_files", multiple=True, metavar="F", type=_FILE, help="Rankings to score; repeatable.")
@k_option
@budget_option
@click.option("--resolutions", "resolutions_file", metavar="F", type=_FILE, help="resolution/1 lines.")
@click.option("--compare-with", metavar="F", help="Runs or rankings to compare with, FILE or FILE#SYSTEM.")
@click.option("--under-test", default="recipe,prompt", show_default=True, metavar="WHAT,...", help="Meant to differ.")
@click.option("--registration", "registration_file", metavar="F", type=_FILE, help="Print deviations from it.")
@click.option("--title", default="Evaluation report", show_default=True, metavar="T", help="Heading of the report.")
@click.option(
    "--out", "out_file", required=True, metavar="F", type=_FILE, help="Where to write: .html, .md or .json says how."
)
@json_option
def command(
    gold: Gold,
    run_files: tuple[Path, ...],
    verdict_files: tuple[Path, ...],
    judge: str | None,
    system: str | None,
    ranking_files: tuple[Path, ...],
    ks: tuple[int, ...],
    budget: int | None,
    resolutions_file: Path | None,
    compare_with: str | None,
    under_test: str,
    registration_file: Path | None,
    title: str,
    out_file: Path,
    as_json: bool,
) -> int:
    """Write one report of runs, rankings or resolutions: a page that needs no network, Markdown or JSON.

    The page has the headline first, then the failures. The terminal shows the tables of its first
    sections. The same files give the same report, byte for byte.
    """
    from answertrail.experiments.report.build import build_report
    from answertrail.experiments.report.load import Files, load, score
    from answertrail.experiments.report.write import form_of, write

    form_of(out_file)
    files = Files(gold.path, run_files, verdict_files, ranking_files, resolutions_file, compare_with, registration_file)
    questions = gold.read()
    loaded = load(files, system=system)
    seal = gold.open(questions, "eval report", loaded.artefacts)
    tested = tuple(part.strip() for part in under_test.split(",") if part.strip())
    scored = score(questions, loaded, judge=judge, seal=seal, ks=ks, budget=budget, under_test=tested)
    report = build_report(scored, title=title)
    size = write(out_file, report)
    if as_json:
        left = [section.key for section in report.sections]
        print_json({"file": str(out_file), "bytes": size, "made_at": report.made_at, "sections": left})
        return 0
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.report.build import opening

    print_tables(out(), opening(report))
    err().print(f"report written to {out_file} ({size / 1000:.0f} kB)", soft_wrap=True)
    return 0
