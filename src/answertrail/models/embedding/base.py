"""The narrow interface of every embedder, and its identity as stored with a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Role = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What must be equal for two vectors to live in one space.

    `revision` pins the weights (a sha256 for embedded ones, the model id for hosted ones).
    `dims` is the length of each vector.
    """

    name: str
    revision: str
    dims: int

    @property
    def key(self) -> str:
        """One string for logs, errors and file names."""
        return f"{self.name}@{self.revision[:12]}/{self.dims}"


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
        Raises ServiceError when an endpoint is down or refuses, InputError for a missing key.
        """
        ...
