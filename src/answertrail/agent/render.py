"""An answer as Markdown, made from the answer object and from nothing else.

Numbers exist only here: ids inside, `[1]` for the reader, each with its link to the second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answertrail.records.run import Answer, Run, RunChunk, Statement

OUTCOMES = {
    "answered": "Answered",
    "partly_answered": "Partly answered",
    "cannot_answer": "The corpus cannot answer this",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A cited chunk with the number the reader sees."""

    number: int
    chunk: RunChunk

    @property
    def label(self) -> str:
        """Title, date and time, as far as they are known."""
        date = (self.chunk.published_at or "")[:10]
        return ", ".join(part for part in (self.chunk.title or self.chunk.document_id, date, clock(self.chunk)) if part)


def sources(run: Run) -> list[Source]:
    """Number the cited chunks by first citation, from 1."""
    chunks = {chunk.id: chunk for chunk in run.chunks or []}
    cited = dict.fromkeys(c for s in _statements(run.answer) for c in s.citations if c in chunks)
    return [Source(number, chunks[chunk]) for number, chunk in enumerate(cited, 1)]


def markdown(run: Run) -> str:
    """Render a run for reading: outcome, statements with numbers, sources, what was not found."""
    lines = [f"# {run.question}", ""]
    if run.answer is None or run.status != "completed":
        reason = (run.error or {}).get("message", "no reason was recorded")
        return "\n".join([*lines, f"The run ended **{run.status}**: {reason}", ""])
    lines += [f"**{OUTCOMES[run.answer.outcome]}**", ""]
    numbered = sources(run)
    number_of = {source.chunk.id: source.number for source in numbered}
    for statement in _statements(run.answer):
        marks = "".join(f"[{number_of[c]}]" if c in number_of else f"`{c}`" for c in statement.citations)
        doubt = " *(support not found)*" if statement.support == "MISS" else ""
        lines.append(f"- {statement.text} {marks}{doubt}".rstrip())
    if run.answer.text and not run.answer.statements:
        lines.append(run.answer.text)
    if run.answer.not_found:
        lines += ["", "Not found in the corpus:", *(f"- {part}" for part in run.answer.not_found)]
    if numbered:
        lines += ["", "Sources:"]
        for source in numbered:
            label = re.sub(r"([\\\[\]`<])", r"\\\1", source.label)  # a title of the corpus makes no links
            place = f"[{label}]({source.chunk.url})" if source.chunk.url else label
            lines.append(f"{source.number}. {place} `{source.chunk.id}`")
    return "\n".join([*lines, ""])


def clock(chunk: RunChunk) -> str:
    """Return the start as M:SS or H:MM:SS; empty for untimed chunks."""
    if chunk.start_s is None:
        return ""
    minutes, seconds = divmod(int(chunk.start_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _statements(answer: Answer | None) -> Sequence[Statement]:
    return (answer.statements or []) if answer else []
