"""OpenTelemetry GenAI spans -> run/1: one outermost agent span, else one trace, is one run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from answertrail.experiments.importing.imported import (
    Fault,
    Imported,
    OutcomeRule,
    Skipped,
    checked_run,
    unique_runs,
)
from answertrail.experiments.importing.otel_episodes import Episode, episodes_of
from answertrail.experiments.importing.otel_messages import Message, messages_of
from answertrail.experiments.importing.otel_searches import Search, searches_of
from answertrail.experiments.importing.otel_spans import Span, read_spans
from answertrail.metrics.ranking.units import document_of
from answertrail.metrics.refusal.cases import ASSUMED_OUTCOME
from answertrail.records import Run

ID_FIELD = "question_id"
_TOKENS: Mapping[str, tuple[str, ...]] = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    "cached_input_tokens": ("gen_ai.usage.cache_read.input_tokens",),
    "cache_write_tokens": ("gen_ai.usage.cache_creation.input_tokens",),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    "reasoning_tokens": ("gen_ai.usage.reasoning.output_tokens",),
}


def read_otel(
    path: Path,
    *,
    outcome: OutcomeRule = OutcomeRule(),  # noqa: B008 - frozen
    id_field: str = ID_FIELD,
    search_tools: Collection[str] = (),
) -> Imported:
    """Read an OTLP/JSON export into runs.

    A span `invoke_agent` with no such span above it, and all below it, is one run; a trace without
    one is one run when it holds a model call. The question is the first user message, the answer
    the last assistant message. What spans do not hold (messages not captured, ids of what a search
    returned, prices) is left out and said; a run is skipped without a question, and without an
    answer unless it failed or is told to have declined. `outcome` and `id_field` name attributes
    of the root span. Raises as `read_spans`.
    """
    spans, faults, doubled = read_spans(path)
    traces: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        traces[span.trace_id].append(span)
    skipped: list[Skipped] = []
    notes: Counter[str] = Counter()
    if doubled:
        notes["spans are in the export twice and count once"] = doubled
    found: list[tuple[str, Run]] = []
    for trace_id, members in traces.items():
        episodes = episodes_of(trace_id, members)
        outside = len(members) - sum(len(episode.spans) for episode in episodes)
        if not episodes:
            skipped.append(Skipped(f"trace {trace_id}", "no agent span and no model call of the GenAI conventions"))
            continue
        if outside:
            notes["spans lie outside every agent span of their trace and are not read"] += outside
        for episode in episodes:
            made = _run(episode, path, outcome, id_field, search_tools, notes)
            if isinstance(made, Skipped):
                skipped.append(made)
            elif isinstance(made, Run):
                found.append((f"run {episode.run_id}", made))
            else:
                faults += made
    runs, twice = unique_runs(found)
    said = tuple(f"{count} {text}" for text, count in sorted(notes.items()))
    return Imported(tuple(runs), (*faults, *twice), tuple(skipped), said)


def _run(
    episode: Episode,
    path: Path,
    rule: OutcomeRule,
    id_field: str,
    search_tools: Collection[str],
    notes: Counter[str],
) -> Run | Skipped | list[Fault]:
    where = f"run {episode.run_id}"
    asked = _asked(episode)
    if not asked:
        return Skipped(where, "no user message: the content of messages was not captured")
    if len(asked) > 1:
        notes["runs hold several user messages; the first is the question"] += 1
    failed = _failed(episode)
    answer = _last_text(episode)
    try:
        told, assumed = rule.of(episode.root.attributes.get(rule.field) if rule.field else None)
    except ValueError as error:
        return [Fault(episode.root.where, rule.field or "outcome", str(error))]
    if answer is None and not failed and (assumed or told != "cannot_answer"):
        return Skipped(where, "no assistant message: the content of messages was not captured, or there was none")
    meta: dict[str, Any] = {"imported": {"format": "otel", "file": path.name, "trace_id": episode.root.trace_id}}
    parts: dict[str, Any] = {
        "run_id": episode.run_id,
        "question": asked[0].text,
        "status": "failed" if failed else "completed",
        "cost_usd": None,
        "meta": meta,
        **_times(episode),
        **_searches(searches_of(episode.spans, search_tools), notes),
    }
    if failed:
        kind = episode.root.attributes.get("error.type") or "error"
        parts["error"] = {"kind": str(kind), "message": failed}
    else:
        parts["answer"] = {"outcome": told} | ({} if answer is None else {"text": answer})
        if assumed:
            meta["assumed"] = [ASSUMED_OUTCOME]
    name = episode.root.attributes.get(id_field)
    if name is not None:
        parts["question_id"] = str(name)
    if usage := _usage(episode):
        parts["usage"] = usage
        if models := [row["model"] for row in usage if row["model"]]:
            parts["models"] = {"agent": models[0]}
    return checked_run(parts, where)


def _asked(episode: Episode) -> list[Message]:
    """Return the user messages of the first span that has any: the agent's, else the first model call's."""
    for span in (episode.root, *episode.calls):
        if found := [message for message in messages_of(span, "input") if message.role in ("user", "human")]:
            return found
    return []


def _last_text(episode: Episode) -> str | None:
    """Return the agent's last output text, else that of the last model call that has one."""
    for span in (episode.root, *reversed(episode.calls)):
        said = [message.text for message in messages_of(span, "output") if message.role not in ("tool", "user")]
        if said:
            return said[-1]
    return None


def _failed(episode: Episode) -> str:
    """Return why the run failed, empty when it did not: only its root and its last model call decide."""
    last = episode.calls[-1:]
    for span in (episode.root, *last):
        if span.status == "error":
            return span.message or str(span.attributes.get("error.type") or "the span ended in an error")
    return ""


def _times(episode: Episode) -> dict[str, Any]:
    starts = [span.start for span in episode.spans if span.start is not None]
    ends = [span.end for span in episode.spans if span.end is not None]
    start = episode.root.start or min(starts, default=None)
    out: dict[str, Any] = {}
    if start is not None:
        moment = datetime.fromtimestamp(start // 1_000_000_000, UTC).replace(microsecond=start // 1000 % 1_000_000)
        out["started_at"] = moment.isoformat().replace("+00:00", "Z")
        end = episode.root.end or max(ends, default=None)
        if end is not None and end >= start:
            out["elapsed_ms"] = (end - start) / 1e6
    return out


def _searches(found: Sequence[Search], notes: Counter[str]) -> dict[str, Any]:
    """Return searches, retrieved ids and passages, each only as far as the spans hold it whole."""
    records: list[dict[str, Any]] = []
    texts: dict[str, str | None] = {}
    for search in found:
        if search.found is None:
            notes["searches do not say which ids they returned and are left out"] += 1
            continue
        for item in search.found:
            texts[item.id] = texts.get(item.id) or item.text
        if search.query is None:
            notes["searches do not hold their query and are left out; what they returned is kept"] += 1
            continue
        record: dict[str, Any] = {"search_id": search.span.span_id, "query": search.query}
        record["returned"] = list(dict.fromkeys(item.id for item in search.found))
        if search.span.elapsed_ms is not None:
            record["elapsed_ms"] = search.span.elapsed_ms
        records.append(record)
    if not found:
        return {}
    out: dict[str, Any] = {"searches": records} if records else {}
    if all(search.found is not None for search in found):
        out["retrieved"] = list(texts)
    if texts and all(text is not None for text in texts.values()):
        out["chunks"] = [{"id": name, "document_id": document_of(name), "text": text} for name, text in texts.items()]
    return out


def _usage(episode: Episode) -> list[dict[str, Any]]:
    """One entry a model call; of the agent span when no call is there. Prices are unknown: null."""
    spans = episode.calls or [episode.root]
    out = []
    for span in spans:
        row: dict[str, Any] = {
            "model": span.attributes.get("gen_ai.response.model") or span.attributes.get("gen_ai.request.model")
        }
        for name, keys in _TOKENS.items():
            row[name] = next((span.attributes[key] for key in keys if _count(span.attributes.get(key))), None)
        if any(value is not None for value in row.values()):
            out.append({**row, "cost_usd": None})
    return out


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
