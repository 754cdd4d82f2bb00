"""How a run looks in the terminal: the trail while it works, then the answer with its sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from answertrail.agent import events
from answertrail.agent.coverage import AROUND_MODE
from answertrail.agent.coverage_view import covered, in_few_rows, summary
from answertrail.agent.render import OUTCOMES, evidence_marks, marks, reason_of, shown_answer, sources, web_url
from answertrail.cli.plain import linked, one_line
from answertrail.records.run import Answer, Run
from answertrail.search.tokens import index_tokens, query_tokens

_SENTENCE = re.compile(r".+?(?:[.!?。！？]+[\"')\]]*(?=\s|$)\s*|$)", re.DOTALL)
_LONG_WORDS = 40
_FEW_SENTENCES = 2
_TOOL = {"timeline": "timeline", AROUND_MODE: "around"}
"""How the trail calls searches that are not by words alone."""
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
                how = one_line(f"recipe {recipe}, model {model}")
                return Text.assemble(("? ", "bold cyan"), (one_line(question), "bold"), (f"   {how}", "dim"))
            case events.SearchFinished(query=query, mode=mode, elapsed_ms=elapsed, start=start, end=end):
                dates = f" [{one_line(start or '…')} to {one_line(end or '…')}]" if start or end else ""
                rest = f"{dates}   {_found(event)}, {elapsed:.0f} ms"
                return Text.assemble((f"  {_TOOL.get(mode, 'search'):<6} ", "cyan"), one_line(query), (rest, "dim"))
            case events.GuardActed(guard=guard, detail=detail):
                return Text.assemble(("  guard  ", "yellow"), (one_line(f"{guard}: {detail}"), "dim"))
            case events.AnswerRejected(attempt=attempt, reasons=reasons):
                why = one_line("; ".join(reasons))
                return Text.assemble(("  check  ", "red"), f"answer {attempt} sent back: ", (why, "dim"))
            case events.TableRejected(attempt=attempt, reasons=reasons):
                why = one_line("; ".join(reasons))
                return Text.assemble(("  check  ", "red"), f"table {attempt} sent back: ", (why, "dim"))
            case events.TableAccepted(stances=stances, nothing_found=empty):
                rows = f"{stances} dated rows, {empty} with nothing found"
                return Text.assemble(("  table  ", "cyan"), (rows, "dim"))
            case events.TurnStarted(phase="timeline"):
                return Text.assemble(("  write  ", "cyan"), ("dated table, then check every row", "dim"))
            case events.TurnStarted(phase="submit"):
                return Text.assemble(("  write  ", "cyan"), ("answer, then check every citation", "dim"))
            case _:
                return None


def _found(search: events.SearchFinished) -> str:
    if search.returned:
        return f"{search.returned} passages, {search.new} new"
    return f"nothing new ({search.held_back} shown before)" if search.held_back else "nothing"


def print_run(run: Run, console: Console) -> None:
    """Print outcome, statements with numbered marks, sources with links, and the bill."""
    console.print()
    answer = shown_answer(run)
    if answer is None:
        console.print(Text.assemble((f"Run {run.status}: ", "bold red"), one_line(reason_of(run))), soft_wrap=True)
    else:
        console.print(Text(OUTCOMES[answer.outcome], style=_STYLE[answer.outcome]))
        _statements(run, answer, console)
    console.print(_bill(run), soft_wrap=True)


def _statements(run: Run, answer: Answer, console: Console) -> None:
    numbered = sources(run)
    for statement in answer.statements or []:
        body = emphasised(one_line(statement.text), run.question)
        doubt = "  support not found in the cited text" if statement.support == "MISS" else ""
        mark = one_line(marks(statement, numbered))
        console.print(Text.assemble("  • ", body, (f" {mark}", "cyan"), (doubt, "yellow")))
    if answer.text and not answer.statements:
        console.print(Text(f"  {one_line(answer.text)}"))
    for part in answer.not_found or []:
        console.print(Text.assemble(("  not found: ", "magenta"), one_line(part)))
    if periods := covered(answer, run.chunks or ()):
        console.print(Text(f"\n  Over time: {summary(periods)}"), soft_wrap=True)
    for period in in_few_rows(periods):
        style = {"evidence": "cyan", "no evidence": "dim"}.get(period.state, "yellow")
        console.print(Text.assemble(f"    {period.label}  ", (evidence_marks(period, numbered), style)), soft_wrap=True)
    if numbered:
        console.print()
    for source in numbered:
        label = linked(source.label, source.chunk.url)
        line = Text.assemble((f"  [{source.number}] ", "cyan"), label, (f"  {one_line(source.chunk.id)}", "dim"))
        console.print(line, soft_wrap=True)
        if link := web_url(source.chunk.url):
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
    parts = [
        f"{len(run.searches or [])} searches",
        f"{len(run.retrieved or [])} passages",
        f"{meta.get('cited_count', 0)} cited",
        checks_passed(run),
        cost,
        f"{(run.elapsed_ms or 0) / 1000:.1f} s",
        f"run {run.run_id}",
    ]
    return Text("\n" + one_line(" · ".join(parts)), style="dim")


def checks_passed(run: Run) -> str:
    """Count the checks of the last attempt, which is the accepted one; what was not scored apart."""
    checks = run.citation_checks or []
    last = max((_attempt(check) for check in checks), default=0)
    of_last = [check for check in checks if _attempt(check) == last]
    scored = [check for check in of_last if _is_scored(check)]
    passed = sum(1 for check in scored if check.get("passed"))
    unscored = len(of_last) - len(scored)
    return f"{passed} of {len(scored)} checks passed" + (f", {unscored} not scored" if unscored else "")


def _attempt(check: Mapping[str, Any]) -> int:
    attempt = check.get("attempt")
    return attempt if isinstance(attempt, int) else 0


def _is_scored(check: Mapping[str, Any]) -> bool:
    # Runs written before `passed` could be null say it in the reason alone.
    return check.get("passed") is not None and not str(check.get("reason", "")).startswith("not scored")
