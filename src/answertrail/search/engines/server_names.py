"""What a corpus is called on a search server that others use too.

    answertrail_c7                                    the alias of corpus 7
    answertrail_c7_1f0c...(12)_25401_25399_9b2e44d0   a place: snapshot, rows, vectors, and a random end

A place says in its name what it must hold, so that one that was never filled is known anywhere.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from answertrail.errors import InputError
from answertrail.search.engines.base import Source

PREFIX_VARIABLE = "ANSWERTRAIL_SEARCH_PREFIX"
_PREFIX = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PLACE = re.compile(r"(?P<alias>[a-z][a-z0-9_]*_c\d+)_[0-9a-f]{12}_(?P<rows>\d+)_(?P<vectors>\d+)_[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Place:
    """A place's name, read: how many rows it must hold, and how many of them with a vector."""

    alias: str
    rows: int
    vectors: int


def prefix_of(env: Mapping[str, str]) -> str:
    """Return what all names begin with, `answertrail` when unset.

    Two installations that share a server need one each: both call their first corpus 1. Raises
    InputError for a prefix that some server would not take.
    """
    prefix = env.get(PREFIX_VARIABLE) or "answertrail"
    if not _PREFIX.fullmatch(prefix):
        raise InputError(
            f"{prefix!r} cannot begin the names on a search server",
            where=PREFIX_VARIABLE,
            hint="up to 40 small letters, digits and underscores, a letter first",
        )
    return prefix


def alias_of(prefix: str, corpus_id: int) -> str:
    """Return the alias of a corpus."""
    return f"{prefix}_c{corpus_id:d}"


def new_place(prefix: str, source: Source) -> str:
    """Return a name that no other build has."""
    snapshot = hashlib.sha256(source.snapshot.encode()).hexdigest()[:12]
    alias = alias_of(prefix, source.corpus_id)
    return f"{alias}_{snapshot}_{source.rows:d}_{source.vectors:d}_{secrets.token_hex(4)}"


def read_place(name: str) -> Place | None:
    """Return what a place's name says, None for a name that is no place's."""
    found = _PLACE.fullmatch(name)
    return Place(found["alias"], int(found["rows"]), int(found["vectors"])) if found else None
