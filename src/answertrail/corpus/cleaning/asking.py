"""Ask the model for one batch: twice at most, and a reply that cannot be used is never content.

An endpoint may refuse a batch for what it says or how long it is, and it may refuse everything, as
one does whose model was changed or unloaded. A plain batch tells the two apart.
"""

from __future__ import annotations

from answertrail.corpus.cleaning.batching import batches, lines_of
from answertrail.corpus.cleaning.prompt import render, request
from answertrail.corpus.cleaning.replies import BadReplyError, parse
from answertrail.corpus.cleaning.report import Spending
from answertrail.corpus.cleaning.settings import CleaningSettings
from answertrail.errors import ServiceError
from answertrail.models.chat.base import ChatModel
from answertrail.models.chat.failures import EndpointError
from answertrail.store.cleaning import KeptReply

ATTEMPTS = 2
IN_A_ROW = 3
"""So many refusals in a row may be for what the batches say; then a plain one is asked for."""

_PLAIN = "and then we went home and had a cup of tea"


class Refused(KeptReply):
    """A batch the endpoint refused. That is no reply, so it is not kept and may be asked for again."""


async def ask(model: ChatModel, rendered: str, count: int, settings: CleaningSettings, spent: Spending) -> KeptReply:
    """Ask for a batch of `count` lines; after a faulty reply once more, with its fault. Calls go to `spent`.

    After the second fault the batch has no texts, and the reason names both. Raises what the model
    raises: ServiceError when it is down.
    """
    faults: list[str] = []
    for _ in range(ATTEMPTS):
        try:
            reply = await model.complete(request(rendered, settings, faults[-1] if faults else None))
        except ServiceError:
            spent.add(None)
            raise
        spent.add(reply)
        try:
            return KeptReply(parse(reply, count))
        except BadReplyError as fault:
            faults.append(str(fault))
    said = faults[0] if faults[0] == faults[1] else "; then ".join(faults)
    return KeptReply(None, f"no usable reply in {ATTEMPTS} attempts: {said}")


def is_refusal(error: ServiceError) -> bool:
    """Whether an endpoint is up and would not take a request: it is too long, or not allowed."""
    return isinstance(error, EndpointError) and error.reason in ("rejected", "too_long")


async def ask_plainly(model: ChatModel, settings: CleaningSettings, spent: Spending) -> None:
    """Ask for a batch of usual size that nobody refuses for what it says; what is replied does not matter.

    Raises what the model raises: a refusal of this one says that the endpoint refuses everything.
    """
    lines = lines_of([_PLAIN] * settings.lines)
    batch = batches(lines, size=settings.lines, neighbours=0, characters=settings.characters)[0]
    await ask(model, render(batch, title="A talk", description=None, terms=()), len(batch.lines), settings, spent)
