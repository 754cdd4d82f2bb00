"""Answer scores as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from answertrail.experiments.answer_scores import AnswerScores, MissedNugget, QuestionScore
from answertrail.experiments.view.table import Cell, ReportTable, table
from answertrail.metrics.answers.asked import NO_RUN
from answertrail.metrics.answers.effort import Effort
from answertrail.metrics.answers.rates import Rate
from answertrail.metrics.answers.repeats import RepeatRange
from answertrail.metrics.answers.waterfall import MissSplit, Waterfall
from answertrail.metrics.values import Ratio, Undefined

SHOWN_FAILURES = 20
SHOWN_NUGGETS = 40
SHOWN_SIGNS = 60
SHOWN_IDS = 12
_MAIN = ("recall", "ceiling", "groundedness", "citation_support")


def tables(scores: AnswerScores) -> list[ReportTable]:
    """Return every table, the headline first, then failures, slices and lists; empty ones are left out."""
    out = [headline(scores)]
    if len(scores.tiers) > 1:
        out.append(by_tier(scores))
    if scores.waterfall.total:
        out.append(waterfall_table(scores))
    if scores.whole.miss_split.total:
        out.append(_misses(scores))
    if scores.stated_without_evidence:
        out.append(_without_evidence(scores))
    out += [failures(scores), *_missed_nuggets(scores), *_slices(scores), *_ranges(scores), _effort(scores.effort)]
    return [*out, *_lists(scores)]


def headline(scores: AnswerScores) -> ReportTable:
    """Return each measure with its interval, and beside it what was scored and what could not be."""
    rows = [
        (name, found.value, f"{found.scored} {found.unit}", _missing(found), _errored(found))
        for name, found in scores.rates.items()
    ]
    notes = [
        f"System {scores.system}; judge {scores.judge or 'none'}; citation support by {scores.support_source}.",
        f"{scores.whole.runs} runs of {scores.whole.questions} questions. "
        f"{scores.whole.errored_runs} did not complete: they are in no numerator and no denominator.",
        *_never_asked(scores),
        "Intervals resample questions with all their repeats. Shift and no-change nuggets are not in recall.",
    ]
    return table("answers", "Answers", ["measure", "value", "scored", "unscored", "errored"], rows, notes)


def _never_asked(scores: AnswerScores) -> Iterable[str]:
    names = {row.question_id for row in scores.ineligible if row.reason == NO_RUN}
    if names:
        yield f"{len(names)} of {scores.whole.questions} questions were never asked: they are lost, and fail gates."


def by_tier(scores: AnswerScores) -> ReportTable:
    """Return each measure of each tier; the rows of a measure add up to the headline.

    Without a judge, only the measures that need none.
    """
    rows: list[tuple[Cell, ...]] = [
        (name, tier, row.rates[name].value, row.rates[name].scored, _missing(row.rates[name]))
        for name, whole in scores.rates.items()
        if scores.judge or not isinstance(whole.value, Undefined)
        for tier, row in scores.tiers.items()
        if row.rates[name].scored or row.rates[name].unscored
    ]
    return table("answers_by_tier", "Answers by tier", ["measure", "tier", "value", "scored", "unscored"], rows)


def waterfall_table(scores: AnswerScores) -> ReportTable:
    """Return the four classes of nuggets, which add up, for all and by tier."""
    found: dict[str, Waterfall] = {"all": scores.waterfall}
    if len(scores.tiers) > 1:
        found |= {name: tier.waterfall for name, tier in scores.tiers.items() if tier.waterfall.total}
    rows: list[tuple[Cell, ...]] = [
        ("stated with evidence", *(_share(w.stated_with_evidence, w.total) for w in found.values())),
        ("retrieved but unused", *(_share(w.retrieved_unused, w.total) for w in found.values())),
        ("stated without evidence", *(_share(w.stated_without_evidence, w.total) for w in found.values())),
        ("neither", *(_share(w.neither, w.total) for w in found.values())),
        ("all four", *(w.total for w in found.values())),
        ("missed in synthesis", *(_share(w.retrieved_unused, w.missed) for w in found.values())),
        ("missed in retrieval", *(_share(w.neither, w.missed) for w in found.values())),
        ("without both verdicts", *(w.unscored for w in found.values())),
    ]
    notes = ["Stated = the first and third class; retrieved = the first and second. Fact and stance nuggets."]
    return table("waterfall", "Where nuggets are lost", ["nuggets", *found], rows, notes)


def failures(scores: AnswerScores) -> ReportTable:
    """Return the questions that went wrong, important ones first, worst first."""
    bad = failing(scores)
    rows: list[list[Cell]] = [
        [
            f"{row.question_id}{' (important)' if row.important else ''}",
            row.rates["recall"],
            row.rates["ceiling"],
            len(row.missed),
            row.unscored,
            row.errored_runs,
            row.tier,
            cut(row.question),
        ]
        for row in bad[:SHOWN_FAILURES]
    ]
    columns = ["question", "recall", "ceiling", "nuggets missed", "unscored", "errored runs", "tier", "text"]
    notes = [f"{len(bad)} of {len(scores.per_question)} questions; the first {len(rows)} are shown."]
    return table("failures", "Questions with failures", columns, rows, notes)


def failing(scores: AnswerScores) -> list[QuestionScore]:
    """Return the questions with a run that did not complete, a missed nugget, or, where judged, one unscored."""
    return [row for row in scores.per_question if row.errored_runs or row.missed or (row.unscored and scores.judge)]


def cut(text: str) -> str:
    """Return at most sixty signs of a text."""
    return text if len(text) <= SHOWN_SIGNS else text[: SHOWN_SIGNS - 1] + "…"


def _missed_nuggets(scores: AnswerScores) -> Iterable[ReportTable]:
    rows: list[tuple[Cell, ...]] = [
        (
            row.question_id,
            item.nugget_id,
            f"{item.missed} of {item.scored}",
            retrieved(item),
            item.kind,
            item.text,
        )
        for row in scores.per_question
        for item in row.missed
    ]
    columns = ["question", "nugget", "missed in runs", "retrieved all the same", "kind", "text"]
    notes = [f"{len(rows)} nuggets missed at least once; the first {min(len(rows), SHOWN_NUGGETS)} are shown."]
    if rows:
        yield table("missed_nuggets", "Missed nuggets", columns, rows[:SHOWN_NUGGETS], notes)


def retrieved(item: MissedNugget) -> str:
    """Return in how many of the runs that missed it a nugget was retrieved, of those where that was judged."""
    if item.retrieved_when_missed is None:
        return "not judged"
    judged = f"{item.retrieved_when_missed} of {item.missed - item.unscored_when_missed}"
    return f"{judged} ({item.unscored_when_missed} not judged)" if item.unscored_when_missed else judged


def _missing(found: Rate) -> str:
    if not found.unscored or found.bounds is None:
        return str(found.unscored)
    low, high = found.bounds
    return f"{found.unscored} (bounds {low * 100:.1f} to {high * 100:.1f} %)"


def _errored(found: Rate) -> str:
    runs = f"{found.errored_runs} runs" if found.errored_runs != 1 else "1 run"
    text = runs if found.errored is None or not found.errored_runs else f"{found.errored} in {runs}"
    return text if found.errors_as_misses is None else f"{text} (as misses: {found.errors_as_misses * 100:.1f} %)"


def _share(count: int, whole: int) -> Cell:
    return Ratio(count, whole, if_empty="none") if whole else 0


def _misses(scores: AnswerScores) -> ReportTable:
    found: dict[str, MissSplit] = {"all": scores.whole.miss_split}
    if len(scores.tiers) > 1:
        found |= {name: tier.miss_split for name, tier in scores.tiers.items() if tier.miss_split.total}
    rows = [(name, split.total, split.timing, split.stance, split.not_split) for name, split in found.items()]
    columns = ["tier", "missed", "right stance, wrong time", "stance absent", "not told apart"]
    return table("miss_split", "Missed stance nuggets", columns, rows)


def _without_evidence(scores: AnswerScores) -> ReportTable:
    rows = [
        (cell.question_id, cell.repeat, cell.nugget_id, cell.kind, cell.text, cell.recall.reason, cell.ceiling.reason)
        for cell in scores.stated_without_evidence
    ]
    columns = ["question", "repeat", "nugget", "kind", "text", "why stated", "why not retrieved"]
    notes = ["Each is knowledge of the model's own, an error of the judge, or a fault of the gold."]
    return table("stated_without_evidence", "Stated without evidence", columns, rows, notes)


def _slices(scores: AnswerScores) -> Iterable[ReportTable]:
    for by, found in scores.slices.items():
        if isinstance(found, Undefined):
            if not found.reason.startswith("all questions"):
                yield table(f"by_{by}", f"By {by}", ["not shown"], [[found.reason]])
            continue
        rows = [[value, *(rates[name].value for name in _MAIN)] for value, rates in found.items()]
        yield table(f"by_{by}", f"By {by}", [by, *_MAIN], rows, ["The rows add up to the headline."])


def _ranges(scores: AnswerScores) -> Iterable[ReportTable]:
    found = {name: tier.ranges for name, tier in scores.tiers.items()}
    rows: list[tuple[Cell, ...]] = [
        (tier, name, *_ends(spread), len(spread.by_repeat), "; ".join(str(n) for n in spread.uneven) or None)
        for tier, ranges in found.items()
        for name, spread in ranges.items()
        if len(spread.by_repeat) > 1
    ]
    columns = ["tier", "measure", "lowest", "highest", "repeats", "repeats that lack questions"]
    notes = ["The same rate of each repeat alone. It shows how runs vary, not how questions do: it is no interval."]
    if rows:
        yield table("ranges", "From repeat to repeat", columns, rows, notes)


def _ends(spread: RepeatRange) -> tuple[Cell, Cell]:
    ends = spread.ends
    if isinstance(ends, Undefined):
        return ends, None
    return f"{ends[0] * 100:.1f} %", f"{ends[1] * 100:.1f} %"


def _effort(found: Mapping[str, Effort]) -> ReportTable:
    rows: list[list[Cell]] = []
    for tier, group in found.items():
        for name, spent in group.quantities.items():
            rows.append([tier, group.runs, name, spent.mean, spent.median, spent.total, spent.unknown])
    columns = ["tier", "runs", "quantity", "mean", "median", "total", "unknown in runs"]
    notes = ["Over the runs that say it; unknown is not zero. Chunks are distinct; cost is in US dollars."]
    return table("effort", "Effort", columns, rows, notes)


def _lists(scores: AnswerScores) -> Iterable[ReportTable]:
    if scores.errors:
        rows = [(run.question_id, run.repeat, run.run_id, run.status, run.reason) for run in scores.errors]
        columns = ["question", "repeat", "run", "status", "reason"]
        yield table("errors", "Runs that did not complete", columns, rows)
    if scores.ineligible:
        groups: dict[tuple[str, str], list[str]] = {}
        for row in scores.ineligible:
            groups.setdefault((row.reason, _measures(row.measures, scores)), []).append(row.question_id)
        listed = [(why, what, len(ids), _few(ids)) for (why, what), ids in sorted(groups.items())]
        yield table("ineligible", "Not eligible", ["reason", "measures", "questions", "which"], listed)
    if scores.not_applicable:
        counts = Counter((row.measure, row.reason) for row in scores.not_applicable)
        kept = [(measure, reason, count) for (measure, reason), count in sorted(counts.items())]
        yield table("not_applicable", "Does not apply", ["measure", "reason", "runs"], kept)
    if scores.left_out:
        reasons = Counter((row.kind, row.reason) for row in scores.left_out)
        first = {(row.kind, row.reason): row.id for row in reversed(scores.left_out)}
        left = [(kind, why, count, first[(kind, why)]) for (kind, why), count in sorted(reasons.items())]
        yield table("left_out", "Left out", ["record", "reason", "records", "first"], left)
    if scores.outdated:
        notes = ["The claim judged is not the nugget's text: the gold was edited since, or the judge was given others."]
        yield table("outdated", "Verdicts on other words", ["verdict"], [[name] for name in scores.outdated], notes)


def _few(ids: list[str]) -> str:
    more = f" and {len(ids) - SHOWN_IDS} more" if len(ids) > SHOWN_IDS else ""
    return ", ".join(ids[:SHOWN_IDS]) + more


def _measures(names: tuple[str, ...], scores: AnswerScores) -> str:
    if len(names) == len(scores.rates):
        return "all"
    nuggets = [name for name, found in scores.rates.items() if found.unit == "nuggets"]
    if set(names) == set(nuggets):
        return "all of nuggets"
    return "all others" if set(names) == set(scores.rates) - set(nuggets) else ", ".join(names)
