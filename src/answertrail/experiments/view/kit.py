"""The kit's rankings made again, as tables: modes side by side, what was missed, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answertrail.experiments.kit_recording import Changed
from answertrail.experiments.kit_summary import MEASURES, KitSummary
from answertrail.experiments.view.table import ReportTable, table
from answertrail.metrics.measured import Measured


def tables(
    split: str, summary: KitSummary, changed: Sequence[Changed], runtime: dict[str, Any], recorded: dict[str, Any]
) -> list[ReportTable]:
    """Return modes side by side in counts, the failures, and every ranking that is not the recorded one."""
    modes = summary.scores.modes
    rows = [[name, *(_count(summary.measures(mode)[name]) for mode in modes)] for name in MEASURES]
    rows.append(
        [
            "unsupported question: passages returned",
            *(_asked(m.unsupported_returned, m.unsupported_asked) for m in modes.values()),
        ]
    )
    sources = [summary.sources[mode] for mode in modes]
    rows.append(["outdated source above the current one", *(", ".join(row.stale_first) or "none" for row in sources)])
    rows.append(["sources of the other project", *(_asked(row.out_of_scope, row.returned) for row in sources)])
    missed = [(row.question_id, row.mode, ", ".join(row.found), ", ".join(row.missed)) for row in summary.failures]
    lists = [(row.question_id, row.mode, ", ".join(row.recorded), ", ".join(row.now)) for row in changed]
    notes = [
        f"{key}: recorded {recorded.get(key)}, now {now}" for key, now in runtime.items() if recorded.get(key) != now
    ]
    title = f"{split}: {summary.scores.eligible} questions with sources, {len(summary.scores.ineligible)} without"
    if not changed:
        notes = ["Every ranking is as recorded."]
    return [
        table(f"kit-{split}", title, ("", *modes), rows),
        table(f"kit-{split}-failures", "Not found", ("question", "mode", "found", "missed"), missed),
        table(f"kit-{split}-changed", "Not as recorded", ("question", "mode", "recorded", "now"), lists, notes),
    ]


def _count(value: Measured) -> str:
    """A few questions are counted: parts of a total, or the mean as it is."""
    if isinstance(value.value, float | int):
        return (
            _asked(value.ratio.numerator, value.ratio.denominator)
            if value.statistic == "totals"
            else f"{value.value:.3f}"
        )
    return f"undefined: {value.value.reason}"


def _asked(part: float, whole: float) -> str:
    return f"{part:g} of {whole:g}"
