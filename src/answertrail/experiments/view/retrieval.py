"""Retrieval scores as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from answertrail.experiments.retrieval_scores import (
    FailedRanking,
    MissingRanking,
    ModeScores,
    QuestionRow,
    RetrievalScores,
    Value,
)
from answertrail.experiments.view.table import Cell, Counted, ReportTable, table
from answertrail.metrics.measured import Measured
from answertrail.metrics.values import Estimate

SMALL = 30
"""Below so many questions with gold a table says how many before it says which share."""
LISTED = 40
UNITS = 5
"""How many failures, and how many units of each, a table shows; the JSON has them all."""
_SHARES = (
    "recall",
    "all",
    "success",
    "precision",
    "returned_precision",
    "evidence_recall",
    "window_coverage",
    "distinct_yield",
)
_SLICED = ("recall", "all", "mrr", "ndcg")


def tables(scores: RetrievalScores) -> list[ReportTable]:
    """Return the modes side by side, the failures, the slices, and what was left out."""
    small = scores.eligible < SMALL
    out = [_modes(scores, small), _failures(scores, small)]
    if any(mode.tie_averaged for mode in scores.modes.values()):
        out.append(_averaged(scores, small))
    out += [_sliced(scores, kind, small) for kind in ("tier", "group") if len(_parts(scores, kind)) > 1]
    left_out = _left_out(scores)
    return [*out, left_out] if left_out.rows else out


def _modes(scores: RetrievalScores, small: bool) -> ReportTable:
    modes = list(scores.modes.values())
    names = dict.fromkeys(name for mode in modes for name in mode.measures)
    first = small and _whole(mode.measures for mode in modes)
    rows = [
        [name, *("invalid" if mode.invalid else _cell(mode.measures.get(name), name, first) for mode in modes)]
        for name in names
    ]
    return table("retrieval", "Retrieval", ["measure", *scores.modes], rows, [*_notes(scores, small), *_facts(scores)])


def _notes(scores: RetrievalScores, small: bool) -> list[str]:
    left = len(scores.ineligible)
    notes = [
        f"{scores.eligible} questions with gold, by {scores.unit}; "
        f"{left} without, in no denominator but that of distinct_yield.",
    ]
    longest = max((mode.longest for mode in scores.modes.values()), default=0)
    if longest > max(scores.ks):
        notes.append(f"Lists hold up to {longest} entries; returned_precision is of whole lists.")
    if small:
        notes.append(f"Fewer than {SMALL} questions: read the counts, not the percentages.")
    for mode in scores.modes.values():
        said = [
            f"{mode.duplicates} repeated ids removed" if mode.duplicates else "",
            f"{mode.tied} questions with equal scores, ranked in the order given" if mode.tied else "",
            f"{len(mode.missing)} rankings missing, counted as 0" if mode.missing else "",
            f"{len(mode.errors)} of {mode.rankings} rankings are errors, unscored" if mode.errors else "",
            mode.invalid or "",
            f"{len(mode.repeats)} repeats" if len(mode.repeats) > 1 else "",
        ]
        if any(said):
            notes.append(f"{mode.mode}: {'; '.join(part for part in said if part)}.")
    asked = [mode for mode in scores.modes.values() if mode.unsupported_asked]
    if asked:
        shares = ", ".join(f"{mode.mode} {mode.unsupported_returned} of {mode.unsupported_asked}" for mode in asked)
        notes.append(f"Passages returned for unanswerable questions: {shares}. A returned passage supports no answer.")
    return notes


def _facts(scores: RetrievalScores) -> list[str]:
    stamp = scores.stamp
    corpus = f"corpus {stamp.corpus.name} {stamp.corpus.snapshot}" if stamp.corpus else "corpus unknown"
    sha = f" {stamp.code.git_sha[:12]}" if stamp.code.git_sha else ""
    dirty = " with local changes" if stamp.code.dirty else ""
    program = f"answertrail {stamp.code.version}{sha}{dirty}"
    return [f"{corpus}; questions {scores.questions_hash}; {program}; Python {stamp.python}; {stamp.platform}."]


def _failures(scores: RetrievalScores, small: bool) -> ReportTable:
    """One row a question that some mode did not find in full, in the scores' order."""
    by_question: dict[str, dict[str, list[QuestionRow]]] = {}
    for row in scores.questions:
        by_question.setdefault(row.question_id, {}).setdefault(row.mode, []).append(row)
    failed = {name: modes for name, modes in by_question.items() if any(map(_fell_short, _flat(modes)))}
    shown = list(failed) if small else list(failed)[:LISTED]
    rows = []
    for name in shown:
        found = [_found(failed[name].get(mode, [])) for mode in scores.modes]
        lost = [set(row.missed) for row in _flat(failed[name]) if row.state != "error"]
        never = sorted(set.intersection(*lost)) if lost else []
        important = any(row.important for row in _flat(failed[name]))
        rows.append([f"{name} (important)" if important else name, *found, _few(never) or None])
    notes = [
        f"Found of wanted by rank {max(scores.ks)}, and the rank of the first found in the whole list. "
        f"{len(by_question) - len(failed)} of {len(by_question)} questions were found in full by every mode."
    ]
    if len(shown) < len(failed):
        notes.append(f"{len(failed) - len(shown)} more in the JSON.")
    return table("failures", "Not found in full", ["question", *scores.modes, "missed by all"], rows, notes)


def _few(names: Sequence[str]) -> str:
    rest = len(names) - UNITS
    return ", ".join(names[:UNITS]) + (f" and {rest} more" if rest > 0 else "")


def _flat(modes: Mapping[str, Sequence[QuestionRow]]) -> list[QuestionRow]:
    return [row for rows in modes.values() for row in rows]


def _fell_short(row: QuestionRow) -> bool:
    return bool(row.missed) or row.state == "error"


def _found(rows: Sequence[QuestionRow]) -> str:
    if not rows:
        return "–"
    return "; ".join(_found_once(row) for row in rows)


def _found_once(row: QuestionRow) -> str:
    if row.state != "scored":
        return row.state
    first = "" if row.first_rank is None else f", first at {row.first_rank}"
    return f"{len(row.found)} of {len(row.found) + len(row.missed)}{first}"


def _averaged(scores: RetrievalScores, small: bool) -> ReportTable:
    modes = list(scores.modes.values())
    names = dict.fromkeys(name for mode in modes for name in mode.tie_averaged)
    first = small and _whole(mode.tie_averaged for mode in modes)
    rows = [[name, *(_cell(mode.tie_averaged.get(name), name, first) for mode in modes)] for name in names]
    note = "The expected value when units with one score are put in every order."
    return table("tie_averaged", "Averaged over ties", ["measure", *scores.modes], rows, [note])


def _parts(scores: RetrievalScores, kind: str) -> list[str]:
    return list(dict.fromkeys(part for mode in scores.modes.values() for part in mode.slices.get(kind, {})))


def _sliced(scores: RetrievalScores, kind: str, small: bool) -> ReportTable:
    names = [f"{name}@{max(scores.ks)}" for name in _SLICED]
    found = [
        (part, mode.mode, mode.slices[kind][part])
        for part in _parts(scores, kind)
        for mode in scores.modes.values()
        if part in mode.slices.get(kind, {})
    ]
    few = small or any(measures[names[0]].questions < SMALL for _, _, measures in found)
    first = few and _whole(measures for _, _, measures in found)
    rows = [
        [part, mode, measures[names[0]].questions, *(_cell(measures[name], name, first) for name in names)]
        for part, mode, measures in found
    ]
    note = "Numerators and denominators of the parts add up to those of the whole, or this table is refused."
    return table(f"by_{kind}", f"By {kind}", [kind, "mode", "questions", *names], rows, [note])


def _left_out(scores: RetrievalScores) -> ReportTable:
    reasons: dict[str, list[str]] = {}
    for row in scores.ineligible:
        reasons.setdefault(f"ineligible: {row.reason}", []).append(row.question_id)
    for stray in scores.unknown:
        reasons.setdefault(f"{stray.mode}: ranking of a question that is not in the file", []).append(stray.question_id)
    for mode in scores.modes.values():
        for missing in mode.missing:
            reasons.setdefault(f"{mode.mode}: no ranking, counted as 0", []).append(_named(missing, mode))
        for failed in mode.errors:
            reasons.setdefault(f"{mode.mode}: error, unscored: {failed.reason}", []).append(_named(failed, mode))
    rows: list[list[Cell]] = [[reason, len(ids), ", ".join(ids)] for reason, ids in reasons.items()]
    return table("left_out", "Left out, or counted as 0", ["why", "number", "questions"], rows)


def _named(row: MissingRanking | FailedRanking, mode: ModeScores) -> str:
    return f"{row.question_id} repeat {row.repeat}" if len(mode.repeats) > 1 else row.question_id


def _whole(parts: Iterable[Mapping[str, Value]]) -> bool:
    """Whether all shares of a table are of whole counts: one that is not cannot be written counts first."""
    return all(
        value.ratio.numerator == int(value.ratio.numerator)
        for measures in parts
        for name, value in measures.items()
        if isinstance(value, Measured) and _is_share(name)
    )


def _is_share(name: str) -> bool:
    return name.partition("@")[0] in _SHARES


def _cell(value: Value | None, name: str, counts_first: bool) -> Cell:
    """Write a share counts first where the whole table can be: one form for all shares of a table."""
    if isinstance(value, Estimate):
        return f"{value.value:.1f}"
    if counts_first and isinstance(value, Measured) and _is_share(name):
        return Counted(value)
    return value
