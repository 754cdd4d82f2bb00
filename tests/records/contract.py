"""Where the contract lies, read once. Tests that need it are skipped where it is absent."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

_REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("ANSWERTRAIL_SHARED") or _REPOSITORY.parent / "shared") / "contract"
PRESENT = (FOLDER / "schemas").is_dir()

needs_contract = pytest.mark.skipif(
    not PRESENT, reason=f"no contract at {FOLDER}; set ANSWERTRAIL_SHARED to the folder that holds contract/"
)

SCHEMAS: dict[str, dict[str, Any]] = {
    path.name.split(".")[0]: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((FOLDER / "schemas").glob("*.schema.json"))
}
VALIDATORS = {name: Draft202012Validator(schema) for name, schema in SCHEMAS.items()}

EXAMPLES: list[tuple[str, str]] = [
    (path.stem, line)
    for path in sorted((FOLDER / "examples").glob("*.jsonl"))
    if path.name != "invalid.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines()
]
INVALID: list[dict[str, Any]] = [
    json.loads(line)
    for path in (FOLDER / "examples").glob("invalid.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines()
]


def schema_accepts(name: str, line: str) -> bool:
    """Whether the contract's own `check` would pass the line as a record of that name."""

    def refuse(token: str) -> Any:
        raise ValueError(token)

    try:
        return VALIDATORS[name].is_valid(json.loads(line, parse_constant=refuse))
    except ValueError:
        return False
