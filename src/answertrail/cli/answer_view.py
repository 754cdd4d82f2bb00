"""How a run looks in the terminal: the trail while it works, then the answer with its sources."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from answertrail.agent import events
from answertrail.agent.render import OUTCOMES, sources
from answertrail.records.run import Run
from answertrail.search.tokens import index_tokens, query_tokens

_SENTENCE = re.compile(r".+?(?:[.!?。！？]+[\"')\]]*(?=\s|$)\s*|$)", re.DOTALL)
_LONG_WORDS = 40
_FEW_SENTENCES = 2
_STYLE = {"answered": "bold green", "partly_answered": "bold yellow", "cannot_answer": "bold magenta"}


class Trail:
    """Prints one line per event, to a console on stderr."""

    def __init__(self, console: Console) -> None:
        self._console = console

    async def __call__(self, event: events.Event) -> None:
        """Print the event, if a reader wants to see it."""
        line = self._line(event)
        if line is not None:
            self._console.print(line, soft_wrap=True)

    def _line(self, event: events.Event) -> Text | None:
        match event:
            case events.RunStarted(question=question, recipe=recipe, model=model):
                return Text.assemble(
                    ("? ", "bold cyan"), (question, "bold"), (f"   recipe {recipe}, model {model}", "dim")
                )
            case events.SearchFinished(
                query=query, returned=returned, new=new, elapsed_ms=elapsed, start=start, end=end
            ):
                found = f"{returned} passages, {new} new" if returned else "nothing"
                dates = f" [{start or '…'} to {end or '…'}]" if start or end else ""
                return Text.assemble(("  search ", "cyan"), query, (f"{dates}   {found}, {elapsed:.0f} ms", "dim"))
            case events.GuardActed(guard=guard, detail=detail):
                return Text.assemble(("  guard  ", "yellow"), (f"{guard}: {detail}", "dim"))
            case events.AnswerRejected(attempt=attempt, reasons=reasons):
                return Text.assemble(("  check  ", "red"), f"answer {attempt} sent back: ", ("; ".join(reasons), "dim"))
            case events.TurnStarted(phase="submit"):
                return Text.assemble(("  write  ", "cyan"), ("answer, then check every citation", "dim"))
            case _:
                return None


def print_run(run: Run, console: Console) -> None:
    """Print outcome, statements with numbered marks, sources with links, and the bill."""
    console.print()
    if run.answer is None:
        reason = (run.error or {}).get("message", "no reason was recorded")
        console.print(Text.assemble((f"Run {run.status}: ", "bold red"), str(reason)), soft_wrap=True)
    else:
        console.print(Text(OUTCOMES[run.answer.outcome], style=_STYLE[run.answer.outcome]))
        _statements(run, console)
    console.print(_bill(run), soft_wrap=True)


def _statements(run: Run, console: Console) -> None:
    numbered = sources(run)
    number_of = {source.chunk.id: source.number for source in numbered}
    answer = run.answer
    if answer is None:
        return
    for statement in answer.statements or []:
        body = emphasised(statement.text, run.question)
        marks = "".join(f"[{number_of[c]}]" for c in statement.citations if c in number_of)
        doubt = "  support not found in the cited text" if statement.support == "MISS" else ""
        console.print(Text.assemble("  • ", body, (f" {marks}", "cyan"), (doubt, "yellow")))
    for part in answer.not_found or []:
        console.print(Text.assemble(("  not found: ", "magenta"), part))
    if numbered:
        console.print()
    for source in numbered:
        link = source.chunk.url or ""
        style = f"link {link}" if link else ""
        line = Text.assemble((f"  [{source.number}] ", "cyan"), (source.label, style), (f"  {source.chunk.id}", "dim"))
        console.print(line, soft_wrap=True)
        if link:
            console.print(Text(f"      {link}", style="dim"), soft_wrap=True)


def emphasised(statement: str, question: str) -> Text:
    """Return a long statement with the sentence nearest to the question standing out.

    Nearest: most content words of the question in it, the earlier one on a tie. Short statements,
    and those that share no word with the question, are left plain.
    """
    sentences = _SENTENCE.findall(statement)
    if len(statement.split()) <= _LONG_WORDS or len(sentences) < _FEW_SENTENCES:
        return Text(statement)
    asked = set(query_tokens(question, ["en"]))
    shared = [len(asked & set(index_tokens(sentence, "en"))) for sentence in sentences]
    if not max(shared):
        return Text(statement)
    best = shared.index(max(shared))
    return Text.assemble(*((sentence, "bold" if at == best else "dim") for at, sentence in enumerate(sentences)))


def _bill(run: Run) -> Text:
    meta = run.meta or {}
    cost = "cost unknown" if run.cost_usd is None else "free" if run.cost_usd == 0 else f"${run.cost_usd:.4f}"
    checks = run.citation_checks or []
    passed = sum(1 for check in checks if check.get("passed"))
    parts = [
        f"{len(run.searches or [])} searches",
        f"{len(run.retrieved or [])} passages",
        f"{meta.get('cited_count', 0)} cited",
        f"{passed} of {len(checks)} checks passed",
        cost,
        f"{(run.elapsed_ms or 0) / 1000:.1f} s",
        f"run {run.run_id}",
    ]
    return Text("\n" + " · ".join(parts), style="dim")
