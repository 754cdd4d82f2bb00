"""`--k` and `--budget`: where commands on rankings cut the lists."""

from __future__ import annotations

import click

from answertrail.errors import InputError


def _ranks(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> tuple[int, ...]:
    text = ",".join(texts)
    try:
        ks = tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise InputError(f"{text!r} is no list of ranks", where="--k", hint="write 10 or 1,5,10") from None
    if min(ks) < 1:
        raise InputError(f"a rank is at least 1, not {min(ks)}", where="--k")
    return ks


def _budget(_context: click.Context, _option: click.Parameter, budget: int | None) -> int | None:
    if budget is not None and budget < 1:
        raise InputError(f"a budget is at least 1, not {budget}", where="--budget")
    return budget


k_option = click.option(
    "--k",
    "ks",
    multiple=True,
    default=("10",),
    show_default="10",
    metavar="N[,N]",
    callback=_ranks,
    help="Ranks to cut the lists at; may be repeated.",
)
budget_option = click.option(
    "--budget",
    type=int,
    metavar="N",
    callback=_budget,
    help="Also what the first N distinct chunks and their neighbours hold.",
)
