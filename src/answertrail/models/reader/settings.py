"""The ideas by which the reader plans its searches, each with its switch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlanSettings:
    """What the planner does beside asking the question; docs/reader.md says what each is worth.

    Over time:
    spread: many documents, and nothing beside what was shown.
    also: the content words and the subject alone are searched as one with the question.
    like: so are the passages that hold most of the subject, for later talk that leaves out its name.
    ends: a few passages are asked for of each time the question names.
    dated: the rest is asked for within the dates it names.
    around: the passages on either side of the seeds are read.
    periods: the last 10 of about 40 passages are the best of each period instead.
    timeline: after that every period is searched; without it the main search pages on.

    Of a fact:
    fact_like: the second page goes on from the best passages of the first.
    meaning: what is near in meaning alone is asked for as well.
    read_on: the passages on either side of the best are read.
    """

    spread: bool = True
    also: bool = True
    like: bool = True
    ends: bool = True
    dated: bool = True
    around: bool = False
    periods: bool = False
    timeline: bool = True
    fact_like: bool = True
    meaning: bool = True
    read_on: bool = False


PLAN = PlanSettings()
