"""What a look at held-out questions looks at, besides runs: rankings and resolutions, by what made or is in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from answertrail.experiments.conditions import retrieval_conditions
from answertrail.experiments.registered import artefacts_of
from answertrail.records import Resolution, RetrievalRun, Run


def ranking_artefacts(rankings: Iterable[RetrievalRun]) -> list[str]:
    """Return each search mode by its conditions, or by its lists where they do not say theirs."""
    by_mode: dict[str, list[RetrievalRun]] = {}
    for row in rankings:
        by_mode.setdefault(row.mode, []).append(row)
    return [retrieval_conditions(rows).artefact for rows in by_mode.values()]


def record_artefacts(rows: Sequence[Run] | Sequence[RetrievalRun]) -> list[str]:
    """Return those of runs, or of rankings."""
    rankings = [row for row in rows if isinstance(row, RetrievalRun)]
    return [*artefacts_of([row for row in rows if isinstance(row, Run)]), *ranking_artefacts(rankings)]


def resolution_artefacts(resolutions: Iterable[Resolution]) -> list[str]:
    """Return `sha256:` over the resolutions in any order; they do not name their resolver's version."""
    lines = sorted(json.dumps(row.as_json(), sort_keys=True, ensure_ascii=False) for row in resolutions)
    return ["sha256:" + hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()] if lines else []
