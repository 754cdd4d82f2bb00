"""One side of a comparison read from a file of runs or rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from answertrail.errors import InputError
from answertrail.experiments.inputs import read_runs
from answertrail.experiments.rankings import read_rankings
from answertrail.experiments.systems import by_system
from answertrail.records import RetrievalRun, Run, jsonl

Records = tuple[tuple[Run, ...], tuple[RetrievalRun, ...]]


def read_side(text: str) -> tuple[str, Records]:
    """Read `FILE` or `FILE#NAME`: one system's runs or one mode's rankings, and a label.

    Rankings are `retrieval_run/1` or a TREC run file. Raises InputError for a file that holds
    neither, or several systems or modes and no name.
    """
    path, name = _split(text)
    kind = _kind(path)
    if kind == "run/1":
        groups: Mapping[str, tuple[Run, ...] | tuple[RetrievalRun, ...]] = by_system(read_runs(path))
        what = "system"
    elif kind in ("retrieval_run/1", "trec"):
        rankings: dict[str, list[RetrievalRun]] = {}
        for row in read_rankings(path):
            rankings.setdefault(row.mode, []).append(row)
        groups, what = {mode: tuple(rows) for mode, rows in rankings.items()}, "mode"
    else:
        raise InputError(
            f"{kind or 'nothing'} cannot be compared",
            where=str(path),
            hint="give run/1, retrieval_run/1 or a TREC run file",
        )
    names = ", ".join(groups)
    if name is None and len(groups) > 1:
        raise InputError(f"the file holds {len(groups)} {what}s", where=str(path), hint=f"name one: {path}#{names}")
    if name is not None and name not in groups:
        raise InputError(f"the file has no {what} {name!r}", where=str(path), hint=f"it has {names}")
    chosen = name if name is not None else next(iter(groups))
    label = chosen if chosen != "unnamed" else path.name
    return label, records_of(groups[chosen])


def records_of(rows: Sequence[Run] | Sequence[RetrievalRun]) -> Records:
    """Part records by their kind."""
    runs = tuple(row for row in rows if isinstance(row, Run))
    return runs, tuple(row for row in rows if isinstance(row, RetrievalRun))


def _split(text: str) -> tuple[Path, str | None]:
    if Path(text).exists():
        return Path(text), None
    path, mark, name = text.rpartition("#")
    return (Path(path), name) if mark else (Path(text), None)


def _kind(path: Path) -> str | None:
    """The schema of the first record; "trec" for a first line that is no JSON object, None for an empty file."""
    for number, line in jsonl.numbered_lines(path):
        if not line.lstrip().startswith(("{", "[")):
            return "trec"
        try:
            row = jsonl.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}", where=f"{path}:{number}") from None
        return str(row.get("schema")) if isinstance(row, dict) else None
    return None
