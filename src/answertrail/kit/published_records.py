"""Questions, runs and verdicts that have exactly the published counts of an arm.

Where a count is known of a question it is kept; the rest is spread evenly. Which of the hits lack
evidence, and which of the misses had it, is known only in total, so the first ones are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

from answertrail.experiments.inputs import QuestionSet, question_set
from answertrail.kit.published import Arm
from answertrail.records import Question, Run, Verdict

JUDGE = {"name": "published"}


def records(arm: Arm) -> tuple[QuestionSet, tuple[Run, ...], tuple[Verdict, ...]]:
    """Return the records of an arm. Raises ValueError when its counts contradict each other."""
    questions = question_set(_questions(arm))
    runs = tuple(_runs(arm))
    return questions, runs, (*_nugget_verdicts(arm), *_shift_verdicts(arm), *_assertion_verdicts(arm))


def _questions(arm: Arm) -> Iterator[Question]:
    kind = "fact" if arm.tier == "factual" else "stance"
    for name, units in arm.nuggets.items():
        nuggets = [{"nugget_id": f"{name}_n{n}", "text": f"nugget {n}", "kind": kind} for n in range(1, units + 1)]
        if arm.shift[1]:
            nuggets.append({"nugget_id": f"{name}_shift", "text": "how the view moved", "kind": "shift"})
        yield Question.model_validate(
            {"schema": "question/1", "question_id": name, "question": f"{name}?", "tier": arm.tier, "nuggets": nuggets}
        )


def _runs(arm: Arm) -> Iterator[Run]:
    turns, searches, chunks, cost = arm.effort or (1, 1, 10, None)
    retrieved = [f"video:{30 * n:05}" for n in range(chunks)]
    for name, repeat in _asked(arm):
        run = {
            "schema": "run/1", "run_id": _run_id(arm, name, repeat), "question": f"{name}?", "question_id": name,
            "repeat": repeat, "tier": arm.tier, "status": "completed",
            "recipe": {"name": arm.name, "hash": f"published:{arm.name}"}, "retrieved": retrieved,
            "searches": [{"search_id": f"s{n}", "query": "q", "returned": retrieved} for n in range(searches)],
            "answer": {"outcome": "answered", "text": "not published"}, "meta": {"turns_used": turns},
        }  # fmt: skip
        yield Run.model_validate({**run, **({"cost_usd": cost} if cost is not None else {})})


def _nugget_verdicts(arm: Arm) -> Iterator[Verdict]:
    evidenced, unused, unevidenced, _ = arm.waterfall
    hits = _hits(arm)
    stated_only, retrieved_only, timing = unevidenced, unused, arm.misses[0]
    for name, units in arm.nuggets.items():
        left = hits[name]
        for repeat in range(arm.repeats):
            for number in range(1, units + 1):
                stated, left = left > 0, left - 1
                if stated:
                    retrieved, stated_only = stated_only <= 0, stated_only - 1
                else:
                    retrieved, retrieved_only = retrieved_only > 0, retrieved_only - 1
                meta: dict[str, str] = {}
                if not stated and any(arm.misses):
                    meta = {"miss_kind": "timing" if timing > 0 else "stance"}
                    timing -= 1
                unit = f"{name}_n{number}"
                yield _verdict(arm, name, repeat, "recall", unit, f"nugget {number}", hit=stated, meta=meta)
                yield _verdict(arm, name, repeat, "ceiling", unit, f"nugget {number}", hit=retrieved)
    if evidenced + unevidenced != sum(hits.values()):
        raise ValueError(f"{arm.name}, {arm.tier}: {sum(hits.values())} hits placed of {evidenced + unevidenced}")


def _shift_verdicts(arm: Arm) -> Iterator[Verdict]:
    left, total = arm.shift
    if not total:
        return
    for name, repeat in _asked(arm):
        claim = "how the view moved"
        yield _verdict(arm, name, repeat, "recall", f"{name}_shift", claim, hit=left > 0)
        yield _verdict(arm, name, repeat, "ceiling", f"{name}_shift", claim, hit=left > 0)
        left -= 1


def _assertion_verdicts(arm: Arm) -> Iterator[Verdict]:
    grounded, total = arm.grounded
    order = cycle(list(_asked(arm)))
    for number in range(total):
        name, repeat = next(order)
        yield _verdict(arm, name, repeat, "groundedness", f"a{number}", "an assertion", hit=number < grounded)


def _asked(arm: Arm) -> Iterator[tuple[str, int]]:
    return ((name, repeat) for name in arm.nuggets for repeat in range(arm.repeats))


def _hits(arm: Arm) -> dict[str, int]:
    """Return the hits of each question: those known, the rest one at a time to each other question in turn."""
    hits = {name: arm.hits.get(name, 0) for name in arm.nuggets}
    left = arm.waterfall[0] + arm.waterfall[2] - sum(hits.values())
    for _ in range(arm.repeats * max(arm.nuggets.values())):
        for name in arm.nuggets:
            if left > 0 and name not in arm.hits and hits[name] < arm.repeats * arm.nuggets[name]:
                hits[name] += 1
                left -= 1
    return hits


def _run_id(arm: Arm, question_id: str, repeat: int) -> str:
    return f"{arm.name}-{question_id}-{repeat}"


def _verdict(
    arm: Arm,
    question_id: str,
    repeat: int,
    direction: str,
    unit: str,
    claim: str,
    *,
    hit: bool,
    meta: dict[str, str] | None = None,
) -> Verdict:
    run_id = _run_id(arm, question_id, repeat)
    record = {
        "schema": "verdict/1", "verdict_id": f"{run_id}-{direction}-{unit}", "key": "published", "run_id": run_id,
        "question_id": question_id, "repeat": repeat, "direction": direction, "claim": claim, "judge": JUDGE,
        "unit": {"kind": "assertion" if direction == "groundedness" else "nugget", "id": unit},
        "verdict": "HIT" if hit else "MISS",
    }  # fmt: skip
    return Verdict.model_validate({**record, **({"meta": meta} if meta else {})})
