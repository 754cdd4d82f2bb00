"""`answertrail eval power`: what so many questions can show, and how many a difference needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from answertrail.cli.amounts import Finite
from answertrail.cli.common import json_option, out, print_json
from answertrail.cli.gold_option import Gold
from answertrail.errors import InputError

if TYPE_CHECKING:
    from answertrail.experiments.inputs import QuestionSet
    from answertrail.experiments.power import Design

_FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class _Pilot:
    """Where the spread of the per-question differences comes from, as asked for."""

    first: str | None
    second: str | None
    verdicts: tuple[Path, ...]
    measure: str | None
    ks: tuple[int, ...]

    @property
    def given(self) -> bool:
        return self.first is not None or self.second is not None


@click.command("power")
@click.option("--questions-n", metavar="N", type=int, help="So many questions: which difference do they show?")
@click.option(
    "--difference", metavar="D", type=Finite(), help="Such a difference (0.05 is 5 points): how many questions?"
)
@click.option("--spread", metavar="S", type=Finite(), help="Standard deviation of the per-question differences.")
@click.option(
    "--pilot-a",
    metavar="FILE",
    help="Pilot of the first system: rankings (ours, TREC's) or runs; FILE#NAME of several.",
)
@click.option("--pilot-b", metavar="FILE", help="Pilot of the second system on the same questions.")
@click.option("--questions", metavar="F", type=_FILE, help="Gold file: of the pilot, or to count its questions.")
@click.option("--verdicts", metavar="F", type=_FILE, multiple=True, help="verdict/1 of the pilot; repeatable.")
@click.option("--measure", metavar="NAME", help="Measure of the pilot; an unknown one lists those it has.")
@click.option("--k", "ks", multiple=True, type=click.IntRange(min=1), default=(10,), help="Cutoff of pilot rankings.")
@click.option("--binary", is_flag=True, help="Each question is right or wrong (McNemar's test).")
@click.option(
    "--discordant", metavar="P", type=Finite(), help="With --binary: share of questions that only one gets right."
)
@click.option(
    "--baseline",
    metavar="P",
    type=Finite(),
    help="With --binary: the first system's share right. Without --discordant the two are taken to fail independently, "
    "which is cautious: most systems fail on the same questions.",
)
@click.option(
    "--power", type=Finite(), default=0.8, show_default=True, help="Chance of finding a difference that is there."
)
@click.option(
    "--alpha", type=Finite(), default=0.05, show_default=True, help="Chance of finding one that is not, two-sided."
)
@json_option
def command(
    questions_n: int | None,
    difference: float | None,
    spread: float | None,
    pilot_a: str | None,
    pilot_b: str | None,
    questions: Path | None,
    verdicts: tuple[Path, ...],
    measure: str | None,
    ks: tuple[int, ...],
    binary: bool,
    discordant: float | None,
    baseline: float | None,
    power: float,
    alpha: float,
    as_json: bool,
) -> int:
    """Say which difference a number of questions can show, or how many questions a difference needs.

    For two systems asked the same questions. What counts is how much they differ from question to
    question: take that from a pilot (--pilot-a, --pilot-b, --questions, --measure), give it
    (--spread), or plan for right-or-wrong outcomes (--binary with --discordant or --baseline).
    Without --questions-n and --difference, the size of the pilot or of the question file is used.
    """
    from answertrail.cli.table_view import print_tables
    from answertrail.experiments.power import needed_for, shown_by
    from answertrail.experiments.view.power import tables

    pilot = _Pilot(pilot_a, pilot_b, verdicts, measure, ks)
    _one_source(pilot, spread, binary, discordant, baseline)
    if questions_n is not None and difference is not None:
        raise InputError("give --questions-n or --difference, not both")
    gold = Gold(questions, None) if questions else None
    given: dict[str, Any] = {"power": power, "alpha": alpha}
    count: int | None
    if pilot.given:
        design, count = _from_pilot(pilot, gold, given)
    else:
        from answertrail.experiments.power import Design

        design = Design(spread=spread, discordant=discordant, baseline=baseline, **given)
        count = _eligible(gold.read()) if gold else None
    if difference is not None:
        plan = needed_for(difference, design)
    else:
        number = questions_n if questions_n is not None else count
        if number is None:
            raise InputError("how many questions, or which difference?", hint="give --questions-n N or --difference D")
        plan = shown_by(number, design)
    if as_json:
        print_json(plan.as_json())
    else:
        print_tables(out(), tables(plan))
    return 0


def _one_source(
    pilot: _Pilot, spread: float | None, binary: bool, discordant: float | None, baseline: float | None
) -> None:
    """Raise InputError unless exactly one thing says how much the systems differ."""
    if not binary and (discordant is not None or baseline is not None):
        raise InputError("--discordant and --baseline are of right-or-wrong outcomes", hint="add --binary")
    if binary and discordant is None and baseline is None:
        raise InputError("--binary needs --discordant or --baseline")
    if sum([pilot.given, spread is not None, binary]) > 1:
        raise InputError("give one of a pilot, --spread and --binary")
    if not pilot.given and (pilot.measure or pilot.verdicts):
        raise InputError("--measure and --verdicts are of a pilot", hint="give --pilot-a and --pilot-b")


def _from_pilot(pilot: _Pilot, gold: Gold | None, given: dict[str, Any]) -> tuple[Design, int]:
    from answertrail.experiments.compare_measures import paired_by_repeat
    from answertrail.experiments.inputs import read_verdicts
    from answertrail.experiments.power import from_pilot
    from answertrail.experiments.side_files import read_side
    from answertrail.experiments.sides import artefacts, names_to_compare, side_of, with_tiers
    from answertrail.metrics.values import Undefined

    if pilot.first is None or pilot.second is None or gold is None:
        raise InputError("a pilot is two files and their questions", hint="give --pilot-a, --pilot-b and --questions")
    questions = gold.read()
    records = [read_side(pilot.first), read_side(pilot.second)]
    verdicts = [verdict for path in pilot.verdicts for verdict in read_verdicts(path)]
    gold.open(questions, "power", artefacts(records))
    first, second = (side_of(label, found, questions, verdicts, ks=pilot.ks) for label, found in records)
    if pilot.measure is None:
        known = ", ".join(names_to_compare(first, second, ["all"]))
        raise InputError("which measure of the pilot?", where="--measure", hint=f"they have {known}")
    found = []
    for side in (with_tiers(side, questions, [pilot.measure]) for side in (first, second)):
        measured = side.measure(pilot.measure)
        if isinstance(measured, Undefined):
            known = ", ".join(names_to_compare(first, second, ["all"]))
            said = measured.reason if pilot.measure in side.measures else f"no measure {pilot.measure!r}"
            raise InputError(f"{said} in {side.label}", where="--measure", hint=f"they have {known}")
        found.append(measured)
    one, other, _ = paired_by_repeat(*found)
    return from_pilot(one, other, **given)


def _eligible(questions: QuestionSet) -> int:
    """Count the questions that can show anything: those with an answer."""
    return sum(question.tier != "unanswerable" for question in questions.questions)
