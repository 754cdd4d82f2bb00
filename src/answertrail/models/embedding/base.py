"""The narrow interface of every embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from answertrail.records.embedder import EmbedderIdentity, Vectors

Role = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class EmbeddingSpend:
    """What an embedder has used so far.

    `requests` counts the answered ones. `input_tokens` and `cost_usd` (US dollars) become None
    for good with the first request of which they are not known.
    """

    requests: int = 0
    input_tokens: int | None = 0
    cost_usd: float | None = 0.0

    def plus(self, input_tokens: int | None, cost_usd: float | None) -> EmbeddingSpend:
        """Return the sum with one more request."""
        tokens = None if self.input_tokens is None or input_tokens is None else self.input_tokens + input_tokens
        cost = None if self.cost_usd is None or cost_usd is None else self.cost_usd + cost_usd
        return EmbeddingSpend(self.requests + 1, tokens, cost)


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """The space the vectors live in."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts to send at once, at most."""
        ...

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return an array of shape (len(texts), dims), each row of length 1.

        A text the model has nothing for gives a row of NaN, which callers must not store.
        Raises ServiceError when an endpoint is down or refuses.
        """
        ...


__all__ = ["Embedder", "EmbedderIdentity", "EmbeddingSpend", "Role", "Vectors"]
