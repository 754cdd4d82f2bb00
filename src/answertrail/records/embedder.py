"""The identity of an embedder, as stored with a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Vectors as rows, (texts, dims)."""


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
        """One string for logs and errors."""
        return f"{self.name}@{self.revision[:12]}/{self.dims}"


def embedder_key(identity: EmbedderIdentity, context: Sequence[str]) -> str:
    """Return the embedder's key with what was embedded beside the text, `minilm@8199be6f699a/384+title,previous`."""
    return f"{identity.key}+{','.join(context)}" if context else identity.key
