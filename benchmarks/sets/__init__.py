"""The public sets by name, each loaded when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from answertrail.errors import NotFoundError
from benchmarks.sets import g_gold, gnome_help, xquad
from benchmarks.sets.base import PublicSet
from benchmarks.sets.cranfield import load_cranfield
from benchmarks.sets.fomc import load_fomc
from benchmarks.sets.g_gold import load_g_gold
from benchmarks.sets.gnome_help import load_gnome_help
from benchmarks.sets.locomo import load_locomo
from benchmarks.sets.peps import load_peps
from benchmarks.sets.planted import load_planted
from benchmarks.sets.timeqa import load_timeqa
from benchmarks.sets.xquad import load_xquad

Loader = Callable[[], PublicSet]

SETS: Mapping[str, Loader] = {
    **{f"g_gold/{name}": partial(load_g_gold, name) for name in g_gold.QUESTIONS},
    "planted/labelled": load_planted,
    "planted/unlabelled": partial(load_planted, labelled=False),
    "locomo/apart": load_locomo,
    "locomo/together": partial(load_locomo, together=True),
    "cranfield": load_cranfield,
    "timeqa": load_timeqa,
    **{f"xquad/{q}-{d}": partial(load_xquad, q, d) for q in xquad.LANGUAGES for d in xquad.LANGUAGES},
    **{
        f"gnome_help/{q}-{d}": partial(load_gnome_help, q, d)
        for q in gnome_help.LANGUAGES
        for d in gnome_help.LANGUAGES
    },
    "peps": load_peps,
    "fomc": load_fomc,
}


def named(names: Sequence[str]) -> dict[str, Loader]:
    """Return loaders by name; a name before the slash stands for all of its parts.

    Raises NotFoundError listing the known ones.
    """
    found: dict[str, Loader] = {}
    for name in names:
        here = {known: load for known, load in SETS.items() if name in (known, known.partition("/")[0])}
        if not here:
            raise NotFoundError(f"no set {name!r}", hint=f"known: {', '.join(SETS)}")
        found |= here
    return found


__all__ = ["SETS", "Loader", "PublicSet", "named"]
