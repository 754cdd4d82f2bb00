"""The table of `benchmarks.ingest_scale`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_HEAD = (
    "| videos | embedder | chunks | stage | seconds | chunks a second | peak MB |",
    "|---|---|---|---|---|---|---|",
)
_PEERS = (
    "| videos | tool | parts | seconds | peak MB | answertrail's reading, times as long |",
    "|---|---|---|---|---|---|",
)


def write(rows: Sequence[dict[str, Any]], machine: dict[str, Any], when: str, out: Path) -> None:
    """Write the rows as JSON and as Markdown."""
    out.mkdir(parents=True, exist_ok=True)
    body = {"when": when, "machine": machine, "rows": list(rows)}
    _put(out / "ingest_scale.json", json.dumps(body, indent=1, sort_keys=True) + "\n")
    _put(out / "ingest_scale.md", "\n".join(lines(rows, machine, when)) + "\n")


def lines(rows: Sequence[dict[str, Any]], machine: dict[str, Any], when: str) -> list[str]:
    """Return the Markdown."""
    text = [
        "# Seconds and memory of an ingest, by stage",
        "",
        f"`python -m benchmarks.ingest_scale --peers`, {when}, {machine['cpus']} processors, "
        f"Python {machine['python']}.",
        "",
        *_HEAD,
    ]
    for row in rows:
        if "missing" in row:
            text.append(f"| {row['videos']:,} | {row['embedder']} | | not measured: {row['missing']} | | | |")
            continue
        for stage, value in row["stages"].items():
            a_second = row["chunks"] / value["seconds"]
            text.append(
                f"| {row['videos']:,} | {row['embedder']} | {row['chunks']:,} | {stage} | {value['seconds']:.1f} |"
                f" {a_second:,.0f} | {value['peak_mb']:.0f} |"
            )
    text += ["", "Read, split and stored, nothing embedded, by others in the same run:", "", *_PEERS]
    for row in rows:
        for name, peer in row.get("peers", {}).items():
            if "missing" in peer or "missing" in row:
                text.append(f"| {row['videos']:,} | {name} | not measured: {peer.get('missing', '')} | | | |")
                continue
            ratio = row["stages"]["reading"]["seconds"] / peer["seconds"]
            text.append(
                f"| {row['videos']:,} | {name} | {peer['parts']:,} | {peer['seconds']:.1f} | {peer['peak_mb']:.0f} |"
                f" {ratio:.2f} |"
            )
    growth = _growth(rows)
    return [*text, "", *growth] if growth else text


def _growth(rows: Sequence[dict[str, Any]]) -> list[str]:
    good = [row for row in rows if "missing" not in row]
    out = []
    for one in good:
        for other in good:
            if other["embedder"] != one["embedder"] or other["videos"] <= one["videos"]:
                continue
            times = other["chunks"] / one["chunks"]
            parts = [
                f"{stage} {other['stages'][stage]['seconds'] / one['stages'][stage]['seconds']:.1f} times as long"
                f" with {other['stages'][stage]['peak_mb'] - one['stages'][stage]['peak_mb']:+.0f} MB"
                for stage in one["stages"]
                if stage in other["stages"]
            ]
            out.append(f"- {times:.1f} times the chunks ({one['embedder']}): {'; '.join(parts)}.")
    return out


def _put(path: Path, text: str) -> None:
    new = path.with_suffix(path.suffix + ".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
