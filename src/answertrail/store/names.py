"""Names of corpora: those that users give, and those of the copies that are kept or made beside one.

`kiln` is live. `kiln@1f0c9e2ab377` is what it was, named by the first twelve digits of its
snapshot; `kiln@next.17` is what is being made of it, begun when its revision was 17. Users cannot
give a name with `@`.
"""

from __future__ import annotations

import re

from answertrail.errors import InputError

_NAME = re.compile(r"(?![-\s])[\w .\-/]{1,100}(?<!\s)")
_NEXT = re.compile(r"(.+)@next\.(new|[0-9]+)", re.DOTALL)
_DIGITS = 12


def check_name(name: str) -> str:
    """Return a name that a user may give to a corpus; InputError for any other."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name[:60]!r} cannot name a corpus",
            hint="1 to 100 letters, digits, spaces and . _ - /, not - first",
        )
    return name


def live_name(name: str) -> str:
    """Return the name that a copy was made of, `kiln` of `kiln@1f0c9e2ab377`; a live one's is its own."""
    return name.partition("@")[0]


def is_beside(name: str) -> bool:
    """Whether the corpus lies beside a live one: kept from before, or being made."""
    return "@" in name


def kept_name(name: str, snapshot: str) -> str:
    """Return the name under which a former state of a corpus is kept."""
    return f"{name}@{snapshot.removeprefix('sha256:')[:_DIGITS]}"


def next_name(name: str, revision: int | None) -> str:
    """Return the name of what is made beside a corpus of this revision; None where there is no such corpus yet."""
    return f"{name}@next.{'new' if revision is None else revision}"


def begun_at(name: str) -> tuple[str, int | None] | None:
    """Take a name of `next_name` apart; None for any other."""
    found = _NEXT.fullmatch(name)
    return (found[1], None if found[2] == "new" else int(found[2])) if found else None


def state(name: str) -> str:
    """Say what a corpus is by its name: `live`, `kept` or `being built`."""
    return "live" if not is_beside(name) else "kept" if begun_at(name) is None else "being built"
