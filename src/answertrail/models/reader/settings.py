"""The ideas by which the reader plans the searches of a question over time, each with its switch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlanSettings:
    """What the planner does between the question as asked and the periods; docs/reader.md says what each is worth.

    words: the content words are asked as well.
    known_words: in both, those no chunk of the corpus holds are left out.
    topic: so is the subject alone, without words of change, of view and of time.
    speakers: a person whom the question names and who speaks in the corpus is asked for by name.
    dated: the question is asked again of the dates it names.
    keywords: what was found is searched on from in its own rarest words.
    feedback: the question is asked again with the words its best hits have in common.
    periods: the question is asked of each of six periods; without it, it pages on.
    """

    words: bool = True
    known_words: bool = True
    topic: bool = False
    speakers: bool = True
    dated: bool = True
    keywords: bool = True
    feedback: bool = False
    periods: bool = True


PLAN = PlanSettings()
