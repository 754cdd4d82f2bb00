"""A run/1 file of another tool, read to its end: every fault of every line."""

from __future__ import annotations

from pathlib import Path

from answertrail.experiments.importing.imported import Fault, Imported, checked_run, unique_runs
from answertrail.records import Run, jsonl


def read_run_file(path: Path) -> Imported:
    """Read the runs that fulfil the contract and list what is wrong with the others.

    A run without a `question_id` is kept. A completed run without an answer is kept too and noted:
    it can be counted, not scored. Raises InputError when the file cannot be read as lines.
    """
    rows: list[tuple[str, Run]] = []
    faults: list[Fault] = []
    for number, line in jsonl.numbered_lines(path):
        where = f"line {number}"
        try:
            value = jsonl.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(where, "line", f"not valid JSON: {error}"))
            continue
        found = _run(value, where)
        if isinstance(found, Run):
            rows.append((where, found))
        else:
            faults += found
    runs, doubled = unique_runs(rows)
    silent = sum(run.status == "completed" and run.answer is None for run in runs)
    notes = [f"{silent} completed runs have no answer: they count as outcome unknown"] if silent else []
    return Imported(tuple(runs), (*faults, *doubled), (), tuple(notes))


def _run(value: object, where: str) -> Run | list[Fault]:
    if not isinstance(value, dict):
        return [Fault(where, "record", f"expected an object, not {type(value).__name__}")]
    kind = value.get("schema")
    if kind != "run/1":
        message = "required field is missing" if kind is None else f"expected run/1, not {kind!r}"
        return [Fault(where, "schema", message)]
    return checked_run(value, where)
