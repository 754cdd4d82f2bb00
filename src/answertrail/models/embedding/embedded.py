"""What every embedder that runs on this machine shares: loading once, blanks, threads, cuts."""

from __future__ import annotations

import asyncio
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import EmbedderIdentity, Role, Vectors
from answertrail.models.embedding.catalogue import EmbeddedModel
from answertrail.models.embedding.rows import clean, unit_rows
from answertrail.models.embedding.weights import require_package, verified_file

_log = logging.getLogger(__name__)

# No window or passage comes near this; it keeps one absurd text from filling the memory.
MAX_CHARACTERS = 20_000


class EmbeddedEmbedder(ABC):
    """An embedder over an `EmbeddedModel`; subclasses say how to load and how to encode.

    Constructing one only looks the package up (ServiceError when it is missing). The weights
    are verified and loaded at the first `embed`, in a thread, once. `truncated` counts the
    texts so far of which only the beginning was embedded.
    """

    model: EmbeddedModel

    def __init__(self) -> None:
        self._folder = require_package(self.model)
        self._loading = threading.Lock()
        self._loaded = False
        self.truncated = 0

    @property
    def identity(self) -> EmbedderIdentity:
        """The space the vectors live in."""
        return self.model.identity

    @property
    def batch_size(self) -> int:
        """How many texts to send at once: enough to sort by length, few enough to show progress."""
        return 64

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return unit rows (len(texts), dims); NaN rows for blank texts. Works in a thread.

        Raises ServiceError when a weight file is missing, MismatchError when it is not the
        pinned one.
        """
        return await asyncio.to_thread(self.embed_now, texts, role)

    def embed_now(self, texts: Sequence[str], role: Role) -> Vectors:
        """Do the same in the calling thread."""
        out = np.full((len(texts), self.model.dims), np.nan, dtype=np.float32)
        cleaned = [clean(text) for text in texts]
        kept = [row for row, text in enumerate(cleaned) if text.strip()]
        if kept:
            self._ensure_loaded()
            out[kept] = unit_rows(self._encode([self._cut(cleaned[row]) for row in kept], role))
        return out

    @abstractmethod
    def _load(self, files: Sequence[Path]) -> None:
        """Load the verified files, in the order of `model.files`."""

    @abstractmethod
    def _encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.floating]:
        """Return rows (len(texts), dims) for texts that are not blank, in order.

        May be called from several threads at once.
        """

    def _ensure_loaded(self) -> None:
        with self._loading:
            if not self._loaded:
                self._load([verified_file(self._folder, file, self.model.name) for file in self.model.files])
                self._loaded = True

    def _cut(self, text: str) -> str:
        if len(text) <= MAX_CHARACTERS:
            return text
        self._count_truncated(1, f"{MAX_CHARACTERS} characters")
        return text[:MAX_CHARACTERS]

    def _count_truncated(self, texts: int, limit: str) -> None:
        if texts and not self.truncated:
            _log.warning(
                "embedder %s: texts longer than %s are embedded by their beginning only", self.model.name, limit
            )
        self.truncated += texts
