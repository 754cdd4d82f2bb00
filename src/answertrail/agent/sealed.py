"""The hash by which a run's record is known: it shows a change by accident or in haste, it is no signature."""

from __future__ import annotations

import hashlib
import json

from answertrail.records.run import Run


def record_hash(run: Run) -> str:
    """Return `sha256:` over the canonical JSON of a run without its own hash."""
    body = run.as_json()
    if isinstance(body.get("meta"), dict):
        body["meta"] = {k: v for k, v in body["meta"].items() if k != "record_hash"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def seal(run: Run) -> Run:
    """Return the run with `meta.record_hash` set."""
    return run.model_copy(update={"meta": {**(run.meta or {}), "record_hash": record_hash(run)}})
