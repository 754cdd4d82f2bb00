"""The yardstick's tables, made from what yardstick.json holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from answertrail.experiments.view.table import ReportTable, table
from benchmarks.yardstick_agent import BUDGET
from benchmarks.yardstick_score import DEFAULT, HEADLINE, PARTS

Entry = Mapping[str, Any]

COLUMNS = (
    "recall@10", "mean_recall@10", "ndcg@10", f"evidence_recall@b{BUDGET}", f"window_coverage@b{BUDGET}",
    "distinct_yield", "latency_p50_ms", "latency_p95_ms",
)  # fmt: skip
OVER_TIME = {
    "one query, dense": "dense",
    f"one query, {DEFAULT}": DEFAULT,
    "the articles' behaviour": "agent answertrail-2026",
    f"the same to {BUDGET}": f"agent answertrail-2026 to {BUDGET}",
    f"default recipe to {BUDGET}": f"agent default to {BUDGET}",
}
DASH = "A dash is undefined there; the JSON says why."


def tables(sets: Mapping[str, Entry]) -> list[ReportTable]:
    """Return the default against its parts, the three columns over time, every set, and every group."""
    out = [_default(sets)]
    if any("agent" in mode for entry in sets.values() for mode in entry["modes"]):
        out.append(_over_time(sets))
    out += [_set(name, entry) for name, entry in sets.items()]
    return out + [row for name, entry in sets.items() for row in _groups(name, entry)]


def _default(sets: Mapping[str, Entry]) -> ReportTable:
    rows = []
    for name, entry in sets.items():
        found = entry["default_minus_best"].get(HEADLINE)
        if found is None:
            continue
        interval = found.get("interval")
        rows.append(
            [
                name,
                _embedder(entry),
                *(_cell(entry["modes"].get(mode, {}).get(HEADLINE)) for mode in (*PARTS, DEFAULT)),
                found["best"],
                _difference(found),
                _verdict(found, interval),
            ]
        )
    return table(
        "default",
        f"{DEFAULT} against the better of {' and '.join(PARTS)}, {HEADLINE}",
        ("set", "embedder", *PARTS, DEFAULT, "better part", "difference", "interval"),
        rows,
        ["Paired bootstrap over whole clusters; the better part is chosen on the same questions."],
    )


def _verdict(found: Mapping[str, Any], interval: Mapping[str, Any] | None) -> str:
    if interval is None or "low" not in interval:
        return "none" if found.get("value") != 0 else "no difference"
    return "above 0" if interval["low"] > 0 else "BELOW 0" if interval["high"] < 0 else "spans 0"


def _over_time(sets: Mapping[str, Entry]) -> ReportTable:
    rows = []
    for name, entry in sets.items():
        if not any(mode.startswith("agent") for mode in entry["modes"]):
            continue
        for part, modes in entry["groups"].items():
            measures = [f"evidence_recall@b{BUDGET}", f"window_coverage@b{BUDGET}"]
            for measure in measures:
                cells = [_cell(modes.get(mode, {}).get(measure), counts=True) for mode in OVER_TIME.values()]
                if any(cell != "–" for cell in cells):
                    rows.append([name, part, measure, *cells])
    return table(
        "over-time",
        f"Questions over time and single facts, at {BUDGET} distinct chunks",
        ("set", "questions", "measure", *OVER_TIME),
        rows,
        [
            "The last three columns are the built-in reader planning its own searches; the first "
            f"{BUDGET} distinct chunks it was shown count. It may stop before: `shown` says where. Where it does, "
            f"`to {BUDGET}` goes on with its own searches, deeper.",
            DASH,
        ],
    )


def _set(name: str, entry: Entry) -> ReportTable:
    rows = [
        [
            mode,
            # A single search never repeats itself: an interval of that says nothing.
            *(_cell(measures.get(c), counts=entry["counts_only"], bounds=c != "distinct_yield") for c in COLUMNS),
            entry.get("shown", {}).get(mode),
        ]
        for mode, measures in entry["modes"].items()
    ]
    size = (
        f"{entry['documents']:,} documents in {entry['chunks']:,} chunks, ranked by {entry['unit']}; "
        f"{entry['questions']} questions; embedder {_embedder(entry)}."
    )
    drawn = (
        "Counts only: too few for an interval."
        if entry["counts_only"]
        else f"Intervals draw by {entry['clustered_by']}: {entry['clusters']}."
    )
    left = entry["left_out"]
    shown = "Shown: distinct chunks (or documents, nodes) a question, on average."
    notes = [size, drawn, shown, DASH, *([f"Left out or worth knowing: {_few(left)}"] if left else [])]
    return table(name.replace("/", "-"), name, ("mode", *COLUMNS, "shown"), rows, notes)


def _groups(name: str, entry: Entry) -> Iterator[ReportTable]:
    if not entry["groups"]:
        return
    modes = list(entry["modes"])
    rows = [
        [part, *(_cell(found.get(mode, {}).get(HEADLINE)) for mode in modes)] for part, found in entry["groups"].items()
    ]
    yield table(f"{name.replace('/', '-')}-groups", f"{name}: {HEADLINE} by group", ("group", *modes), rows, [DASH])


def _embedder(entry: Entry) -> str:
    name, _, rest = str(entry["embedder"]).partition("@")
    _, plus, context = rest.partition("+")
    return f"{name}{plus}{context}"


def _cell(value: Mapping[str, Any] | None, *, counts: bool = False, bounds: bool = True) -> str:
    """Write a value of the JSON: `0.559 [0.52, 0.60]`, with counts before it where they say more."""
    if value is None or "undefined" in value:
        return "–"
    number, interval = value["value"], value.get("interval") or {}
    if value["numerator"] is None:
        return f"{number:.1f}"
    text = f"{value['numerator']:g}/{value['denominator']:g} = " if counts else ""
    text += f"{number:.3f}"
    return text + (f" [{interval['low']:.3f}, {interval['high']:.3f}]" if bounds and "low" in interval else "")


def _difference(found: Mapping[str, Any]) -> str:
    if "undefined" in found:
        return "–"
    interval = found.get("interval") or {}
    bounds = f" [{interval['low']:+.3f}, {interval['high']:+.3f}]" if "low" in interval else ""
    return f"{found['value']:+.3f}{bounds}"


def _few(rows: list[str], shown: int = 3) -> str:
    more = f"; and {len(rows) - shown} more" if len(rows) > shown else ""
    return "; ".join(rows[:shown]) + more
