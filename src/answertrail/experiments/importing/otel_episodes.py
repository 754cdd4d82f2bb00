"""Which spans make one run: an outermost agent span and all below it, else a whole trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answertrail.experiments.importing.otel_spans import Span

INFERENCE = frozenset({"chat", "generate_content", "text_completion"})


@dataclass(frozen=True, slots=True)
class Episode:
    """The spans of one run; `root` is its agent span, or the span of the trace that has no parent."""

    run_id: str
    root: Span
    spans: tuple[Span, ...]

    @property
    def calls(self) -> list[Span]:
        """Model calls by start time."""
        found = [span for span in self.spans if span.attributes.get("gen_ai.operation.name") in INFERENCE]
        return sorted(found, key=lambda span: (span.start or 0, span.end or 0, span.span_id))


def episodes_of(trace_id: str, members: Sequence[Span]) -> list[Episode]:
    """Cut a trace into runs; without an agent span and without a model call there is none."""
    by_id = {span.span_id: span for span in members}
    top: dict[str, Span | None] = {span.span_id: _outermost(span, by_id) for span in members}
    agents = {found.span_id: found for found in top.values() if found is not None}
    if agents:
        return [
            Episode(
                trace_id if len(agents) == 1 else f"{trace_id}:{name}",
                agent,
                tuple(span for span in members if (above := top[span.span_id]) is not None and above.span_id == name),
            )
            for name, agent in sorted(agents.items(), key=lambda item: (item[1].start or 0, item[0]))
        ]
    roots = sorted((s for s in members if s.parent_id not in by_id), key=lambda s: (s.start or 0, s.span_id))
    whole = Episode(trace_id, roots[0] if roots else members[0], tuple(members))
    return [whole] if whole.calls else []


def _outermost(span: Span, by_id: Mapping[str, Span]) -> Span | None:
    """Return the highest agent span on the way up; a loop of parents ends the way."""
    found, seen = None, set()
    step: Span | None = span
    while step is not None and step.span_id not in seen:
        seen.add(step.span_id)
        if step.attributes.get("gen_ai.operation.name") == "invoke_agent":
            found = step
        step = by_id.get(step.parent_id or "")
    return found
