"""Ask the model for one batch: twice at most, and a reply that cannot be used is never content."""

from __future__ import annotations

from answertrail.corpus.cleaning.prompt import request
from answertrail.corpus.cleaning.replies import BadReplyError, parse
from answertrail.corpus.cleaning.report import Spending
from answertrail.corpus.cleaning.settings import CleaningSettings
from answertrail.errors import ServiceError
from answertrail.models.chat.base import ChatModel
from answertrail.models.chat.failures import EndpointError
from answertrail.store.cleaning import KeptReply

ATTEMPTS = 2


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


def is_of_the_batch(error: ServiceError, spent: Spending) -> bool:
    """Whether an endpoint refuses this batch and not all: it is too long, or others were answered before."""
    if not isinstance(error, EndpointError):
        return False
    return error.reason == "too_long" or (error.reason == "rejected" and spent.calls > spent.failed)
