"""The narrow interface of every embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from answertrail.records.embedder import EmbedderIdentity, Vectors

Role = Literal["query", "passage"]


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


__all__ = ["Embedder", "EmbedderIdentity", "Role", "Vectors"]
