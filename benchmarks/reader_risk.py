"""Risk against coverage of the built-in reader, as shipped: the table of docs/reader.md.

    python -m benchmarks.reader_risk [--plot FILE.png]     (the plot needs matplotlib)

Asks the factual and unanswerable development questions of g_gold once with the rule switched off,
so that every question is answered, and reads off what each threshold on the support would have
let through. Needs no database, see `benchmarks.gold_reader`.
"""

from __future__ import annotations

import argparse
import asyncio

from answertrail.agent.ask import Ask
from answertrail.agent.loop import run_agent
from answertrail.agent.recipe import load
from answertrail.models.chat.load import load_chat_model
from answertrail.models.reader import reader
from answertrail.models.reader.calibration import THRESHOLD
from answertrail.models.reader.decision import Verdict
from answertrail.models.reader.signals import Signals
from benchmarks.gold_reader import NotKept, cited_spans, found, opened
from benchmarks.sets.g_gold import QUESTIONS

THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)


async def supports() -> list[tuple[str, float, bool]]:
    """Return (tier, support, whether the answer cites gold) of each question."""
    rule = reader.judge
    seen: list[float] = []

    def always(signals: Signals, trajectory: bool) -> Verdict:
        seen.append(rule(signals, trajectory).support)
        return Verdict(seen[-1], True)

    reader.judge = always
    out: list[tuple[str, float, bool]] = []
    for name in QUESTIONS:
        corpus, questions = await opened(name)
        model = load_chat_model("reader", embedder=corpus.index.embedder)
        for question in questions:
            if question.tier in ("factual", "unanswerable"):
                run = await run_agent(Ask(question.question, load("default"), model, corpus), NotKept())
                out.append((question.tier, seen[-1], bool(found(question, cited_spans(run)))))
    return out


def plot(rows: list[tuple[str, float, bool]], path: str) -> None:
    """Draw risk against coverage, and both goals against the threshold."""
    import matplotlib.pyplot as plt

    levels = sorted({0.0, *(row[1] for row in rows)})
    kept = [[row for row in rows if row[1] >= level] for level in levels]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    coverage = [len(answered) / len(rows) for answered in kept]
    risk = [sum(not row[2] for row in answered) / len(answered) for answered in kept]
    left.step(coverage, risk, where="post")
    left.set(xlabel="coverage: questions answered", ylabel="risk: answered without gold", xlim=(0, 1.02), ylim=(0, 1))
    factual = [sum(row[2] for row in rows if row[0] == "factual" and row[1] >= level) for level in levels]
    declined = [sum(row[0] == "unanswerable" and row[1] < level for row in rows) for level in levels]
    totals = {tier: sum(row[0] == tier for row in rows) for tier in ("factual", "unanswerable")}
    # A threshold between two levels lets through what the upper one does.
    right.step(levels, [n / totals["factual"] for n in factual], where="pre", label="factual with evidence")
    right.step(levels, [n / totals["unanswerable"] for n in declined], "--", where="pre", label="unanswerable declined")
    right.axvline(THRESHOLD, color="grey", linestyle=":")
    right.set(xlabel="threshold on the support", ylabel="share", xlim=(0, 1), ylim=(0, 1.02))
    right.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the table, as Markdown, and draw it when asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE.png")
    options = parser.parse_args()
    rows = asyncio.run(supports())
    if options.plot:
        plot(rows, options.plot)
    factual = [row for row in rows if row[0] == "factual"]
    unanswerable = [row for row in rows if row[0] == "unanswerable"]
    print("| threshold | answered | risk | factual with evidence | unanswerable declined |")
    print("|---|---|---|---|---|")
    for threshold in THRESHOLDS:
        answered = [row for row in rows if row[1] >= threshold]
        wrong = sum(not row[2] for row in answered)
        risk = f"{wrong}/{len(answered)} = {wrong / len(answered):.2f}" if answered else "none answered"
        hits = sum(row[2] for row in factual if row[1] >= threshold)
        declined = sum(row[1] < threshold for row in unanswerable)
        shares = f"{hits}/{len(factual)} | {declined}/{len(unanswerable)}"
        print(f"| {threshold:g} | {len(answered)}/{len(rows)} | {risk} | {shares} |")


if __name__ == "__main__":
    main()
