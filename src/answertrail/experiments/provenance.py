"""A trajectory kept as two files: `provenance.jsonl`, one line a retrieval, and `citations.json`, the ids cited."""

from __future__ import annotations

from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from answertrail.errors import InputError
from answertrail.metrics.trajectory.cited_share import cited_share, fabricated
from answertrail.metrics.trajectory.definitions import CITED_SHARE
from answertrail.metrics.values import Json, Ratio
from answertrail.records import jsonl

_LINE = 'one object a line with an "id", such as {"id": "g1"}'
_CITED = '["g1", ...] or {"citations": [{"id": "g1"}, ...]}'


@dataclass(frozen=True, slots=True)
class ProvenanceScores:
    """Distinct ids retrieved and cited, in file order, the share cited, and the ids cited that were never retrieved."""

    retrieved: tuple[str, ...]
    cited: tuple[str, ...]
    cited_share: Ratio
    fabricated: tuple[str, ...]

    def as_json(self) -> Json:
        """Return `cited_share` with its definition, the counts, and both kinds of ids that do not meet."""
        cited = set(self.cited)
        return {
            "measures": {"cited_share": {**self.cited_share.as_json(), "definition": CITED_SHARE}},
            "retrieved": len(self.retrieved),
            "cited": len(self.cited),
            "not_cited": [name for name in self.retrieved if name not in cited],
            "fabricated": list(self.fabricated),
        }


def score_provenance(provenance: Path, citations: Path) -> ProvenanceScores:
    """Reconcile a ledger of retrievals with the ids cited.

    Raises InputError naming file and line: a line without an id, an id retrieved twice, citations
    of another shape.
    """
    retrieved, cited = read_provenance(provenance), read_citations(citations)
    return ProvenanceScores(retrieved, cited, cited_share(retrieved, cited), fabricated(retrieved, cited))


def read_provenance(path: Path) -> tuple[str, ...]:
    """Read the ids of a ledger in order. Fields beside `id` are not read. Raises InputError with file and line."""
    first: dict[str, int] = {}
    for number, line in jsonl.numbered_lines(path):
        where = f"{path}:{number}"
        name = _id(_parsed(line, where), where, _LINE)
        if name in first:
            raise InputError(
                f"{name!r} is retrieved twice, first in line {first[name]}",
                where=where,
                hint="give each retrieval an id of its own",
            )
        first[name] = number
    return tuple(first)


def read_citations(path: Path) -> tuple[str, ...]:
    """Read the distinct ids cited, in order; an id may be cited many times. Raises InputError naming the entry."""
    value = _parsed(_text(path), str(path), whole=True)
    if isinstance(value, dict):
        if "citations" not in value:
            raise InputError("no `citations`", where=str(path), hint=f"expected {_CITED}")
        value = value["citations"]
    if not isinstance(value, list):
        raise InputError("not a list of citations", where=str(path), hint=f"expected {_CITED}")
    names = []
    for place, entry in enumerate(value):
        where = f"{path}: citation {place}"
        names.append(_name(entry, where, _CITED) if isinstance(entry, str) else _id(entry, where, _CITED))
    return tuple(dict.fromkeys(names))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8", where=str(path), hint="save the file as UTF-8") from None
    except OSError as error:
        raise InputError(error.strerror or str(error), where=str(path)) from None


def _parsed(text: str, where: str, *, whole: bool = False) -> Any:
    """Parse JSON; `whole` says that the text is a file of many lines, so that a fault has a line of its own."""
    try:
        return jsonl.loads(text)
    except JSONDecodeError as error:
        place = f"{where}:{error.lineno}" if whole else where
        raise InputError(f"not valid JSON: {error.msg} (column {error.colno})", where=place) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", where=where) from None


def _id(entry: object, where: str, wanted: str) -> str:
    if not isinstance(entry, dict) or "id" not in entry:
        raise InputError("no `id`", where=where, hint=f"expected {wanted}")
    return _name(entry["id"], where, wanted)


def _name(value: object, where: str, wanted: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError("`id` is not a text", where=where, hint=f"expected {wanted}")
    return value
