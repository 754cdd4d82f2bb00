"""scale.json, to which rows are added as they are measured, and its Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HEAD = (
    "engine", "build s", "index MB", "memory MB", "k=10 p50, p95 ms (fastest)", "numpy beside it p50 ms (fastest)",
    "ratio", "recall@10", "in a period p50, p95 ms (fastest)", "recall@10", "16 x 3 p50, p95 ms (fastest)", "ratio",
    "short", "8 clients: searches/s, p50, p95 ms", "load", "note",
)  # fmt: skip
"""The columns; docs/scaling.md explains them."""


def write(size: str, row: Mapping[str, Any], machine: Mapping[str, Any], folder: Path) -> str:
    """Put one engine's row in the place of an older one of the same size; return the Markdown of all."""
    path = folder / "scale.json"
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rows: list[Any] = known.setdefault("sizes", {}).setdefault(size, [])
    places = [at for at, old in enumerate(rows) if old["engine"] == row["engine"]]
    if places:
        rows[places[0]] = dict(row)
    else:
        rows.append(dict(row))
    known["machine"] = dict(machine)
    text = "# Scale\n\nWritten by `python -m benchmarks.scale`; docs/scaling.md says what each figure is.\n\n"
    text += "\n".join(table(name, found) for name, found in known["sizes"].items())
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    (folder / "scale.md").write_text(text, encoding="utf-8")
    return text


def table(size: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Return one size as Markdown."""
    rows, dims = size.split("x")
    lines = [f"## {int(rows):,} chunks, {int(dims):,} dimensions\n", _line(HEAD), _line(["---"] * len(HEAD))]
    lines += [_line(_cells(row)) for row in found]
    return "\n".join(lines) + "\n"


def _cells(row: Mapping[str, Any]) -> list[Any]:
    if "missing" in row:
        note = f"not measured: {row['missing']} ({row['spent_s']} s spent)"
        return [row["engine"], *[""] * (len(HEAD) - 3), row["load"], note]
    return [
        row["engine"],
        row["build_s"],
        "" if row["bytes"] is None else round(row["bytes"] / 1e6),
        "" if row["memory_mb"] is None else row["memory_mb"],
        _spread(row["k10_ms"]),
        f"{row['numpy_k10_ms']['p50']}{_fastest(row['numpy_k10_ms'])}",
        row["k10_ratio"],
        row["recall"],
        _spread(row["window_ms"]),
        row["window_recall"],
        _spread(row["strata_ms"]),
        row["strata_ratio"],
        row["short"],
        f"{row['clients_per_s']}, {row['clients_ms']['p50']}, {row['clients_ms']['p95']}",
        row["load"],
        row["note"],
    ]


def _spread(took: Mapping[str, float]) -> str:
    return f"{took['p50']}, {took['p95']}{_fastest(took)}"


def _fastest(took: Mapping[str, float]) -> str:
    # Rows written before it was kept have none.
    return f" ({took['fastest']})" if "fastest" in took else ""


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
