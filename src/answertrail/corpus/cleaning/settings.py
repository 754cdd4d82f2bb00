"""How the cleaning stage works: sizes of a batch, calls at once, which documents."""

from __future__ import annotations

from dataclasses import dataclass

from answertrail.errors import InputError


@dataclass(frozen=True, slots=True)
class CleaningSettings:
    """`lines`, `neighbours` and `characters` bound a batch, `concurrency` the calls at once in one document.

    A batch has at most `lines` lines and, beyond its first line, at most `characters` characters, so
    that paragraphs fit a small context too; `neighbours` lines each side are shown and not changed.
    `unlabelled` takes documents whose captions are of unknown origin as well. `max_tokens` bounds a
    reply; None leaves it to the size of the batch. `effort` and `temperature` go to the model as
    they are; None leaves the choice to its provider. Raises InputError for a size that cannot be.
    """

    lines: int = 20
    neighbours: int = 3
    characters: int = 4000
    concurrency: int = 4
    unlabelled: bool = False
    max_tokens: int | None = None
    effort: str | None = "low"
    temperature: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("lines", 1), ("neighbours", 0), ("characters", 1), ("concurrency", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}, and must be at least {least}", where="cleaning")
