"""An answer as Markdown, made from the answer object and from nothing else.

Numbers exist only here: ids inside, `[1]` for the reader, each with its link to the second.
Texts of models and corpora are shown as they are: none of them can make a link, a heading or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from answertrail.agent.coverage_view import Covered, covered, in_few_rows, summary
from answertrail.records.run import Answer, Run, RunChunk, Statement

OUTCOMES = {
    "answered": "Answered",
    "partly_answered": "Partly answered",
    "cannot_answer": "The corpus cannot answer this",
}

# Many renderers make links of bare addresses, and not one of them does inside a code span.
# The lengths are bounded so that a long word costs no more than its length.
_ADDRESS = re.compile(r"((?:[a-z][a-z0-9+.-]{0,30}://|www\.)\S+|[^\s<>`]{1,64}@\S+)", re.IGNORECASE)
_ACTIVE = re.compile(r"[\\`*_\[\]<>|!&~#]")
_NUMBERED = re.compile(r"\d{1,9}(?=[.)])")
_ENDS_DESTINATION = re.compile(r"[ ()<>\\`\"]")


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


def marks(statement: Statement, numbered: Sequence[Source]) -> str:
    """Return the marks of a statement: a number for a source, the id where the run carries no text of it."""
    number_of = {source.chunk.id: source.number for source in numbered}
    return "".join(f"[{number_of[c]}]" if c in number_of else code(c) for c in statement.citations)


def shown_answer(run: Run) -> Answer | None:
    """Return the answer a reader may see: that of a completed run, whatever a file says of others."""
    return run.answer if run.status == "completed" else None


def reason_of(run: Run) -> str:
    """Return why a run did not complete, as far as it was recorded."""
    return str((run.error or {}).get("message", "no reason was recorded"))


def markdown(run: Run) -> str:
    """Render a run for reading: outcome, statements with numbers, sources, what was not found."""
    lines = [f"# {literal(run.question)}", ""]
    answer = shown_answer(run)
    if answer is None:
        return "\n".join([*lines, f"The run ended **{run.status}**: {literal(reason_of(run))}", ""])
    lines += [f"**{OUTCOMES[answer.outcome]}**", ""]
    numbered = sources(run)
    for statement in _statements(answer):
        doubt = " *(support not found)*" if statement.support == "MISS" else ""
        lines.append(f"- {literal(statement.text)} {marks(statement, numbered)}{doubt}".rstrip())
    if answer.text and not answer.statements:
        lines.append(literal(answer.text))
    if answer.not_found:
        lines += ["", "Not found in the corpus:", *(f"- {literal(part)}" for part in answer.not_found)]
    if periods := covered(answer, run.chunks or ()):
        lines += ["", f"Over time: {summary(periods)}.", "", *_coverage_table(in_few_rows(periods), numbered)]
    if numbered:
        lines += ["", "Sources:"]
        for source in numbered:
            url = web_url(source.chunk.url)
            label = literal(source.label)
            lines.append(f"{source.number}. {f'[{label}]({url})' if url else label} {code(source.chunk.id)}")
    return "\n".join([*lines, ""])


def evidence_marks(period: Covered, numbered: Sequence[Source]) -> str:
    """Return the state of a period in words, or the marks of its evidence; what no statement cites is counted.

    A period of which passages were shown is never called one without evidence: they were not cited.
    """
    if not period.evidence:
        several = f"{period.periods} periods, " if period.periods > 1 else ""
        if period.state == "no evidence":
            return several + (f"{period.shown} shown, none cited" if period.shown else "searched, no evidence")
        return several + period.state
    number_of = {source.chunk.id: source.number for source in numbered}
    shown = "".join(f"[{number_of[cited]}]" for cited in period.evidence if cited in number_of)
    rest = sum(cited not in number_of for cited in period.evidence)
    return " ".join(
        part for part in (shown, f"{'and ' if shown else ''}{rest} not cited above" if rest else "") if part
    )


def _coverage_table(periods: Sequence[Covered], numbered: Sequence[Source]) -> list[str]:
    rows = (f"| {literal(period.label)} | {evidence_marks(period, numbered)} |" for period in periods)
    return ["| period | evidence |", "|---|---|", *rows]


def literal(text: str) -> str:
    """Return Markdown on one line that shows the text as it is."""
    # The odd parts are the addresses.
    parts = _ADDRESS.split(" ".join(text.split()))
    shown = "".join(code(part) if at % 2 else _ACTIVE.sub(r"\\\g<0>", part) for at, part in enumerate(parts))
    if number := _NUMBERED.match(shown):
        return f"{number[0]}\\{shown[number.end() :]}"
    return f"\\{shown}" if shown.startswith(("-", "+", "=")) else shown


def code(text: str) -> str:
    """Return a code span that the text cannot end."""
    line = " ".join(text.split())
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def web_url(url: str | None) -> str | None:
    """Return the address when it leads to the web, with what would end a link percent-encoded; else None."""
    url = (url or "").strip(" ")
    if not url.isprintable():  # Control characters, direction marks.
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return None
    return _ENDS_DESTINATION.sub(lambda sign: f"%{ord(sign[0]):02X}", url)


def clock(chunk: RunChunk) -> str:
    """Return the start as M:SS or H:MM:SS; empty for untimed chunks."""
    if chunk.start_s is None:
        return ""
    minutes, seconds = divmod(int(chunk.start_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _statements(answer: Answer | None) -> Sequence[Statement]:
    return (answer.statements or []) if answer else []
