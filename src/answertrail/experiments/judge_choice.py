"""Verdicts of one judge: a score that mixes judges is refused unless told whose to take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from answertrail.errors import InputError, NotFoundError
from answertrail.experiments.judges import UNNAMED, identity
from answertrail.metrics.answers.asked import LeftOut
from answertrail.records import Verdict


class Chosen(NamedTuple):
    """Verdicts of one judge, its name (None without verdicts), and the verdicts of others."""

    verdicts: tuple[Verdict, ...]
    judge: str | None
    left_out: tuple[LeftOut, ...]


def judge_name(verdict: Verdict) -> str:
    """Return a judge's short name: `judge.name`, else `judge.model`, else `unnamed judge`."""
    about = verdict.judge or {}
    return str(about.get("name") or about.get("model") or UNNAMED)


def one_judge(verdicts: Iterable[Verdict], judge: str | None = None) -> Chosen:
    """Return the verdicts of one judge.

    With `judge`, verdicts of judges of other names are left out and listed. Raises InputError when
    more than one judge is left (one name with two models or prompts is two judges), NotFoundError
    when none is.
    """
    rows = list(verdicts)
    kept = [row for row in rows if judge is None or judge_name(row) == judge]
    others = [
        LeftOut("verdict", row.verdict_id, f"of judge {judge_name(row)!r}")
        for row in rows
        if judge is not None and judge_name(row) != judge
    ]
    if rows and not kept:
        known = ", ".join(sorted({judge_name(row) for row in rows}))
        raise NotFoundError(f"no verdict is of judge {judge!r}", where="--judge", hint=f"known: {known}")
    found = {identity(row.judge): judge_name(row) for row in kept}
    if len(found) > 1:
        names = sorted(set(found.values()))
        several = len(names) > 1
        listed = ", ".join(names) if several else "; ".join(sorted(found))
        raise InputError(
            f"verdicts of {len(found)} judges in one score: {listed}",
            where="verdicts",
            hint="choose one with --judge NAME" if several else "score the verdicts of each of them apart",
        )
    return Chosen(tuple(kept), next(iter(found.values()), None), tuple(others))
