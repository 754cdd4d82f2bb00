"""Google's Universal Sentence Encoder multilingual v3 in numpy: the multilingual embedder."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Role
from answertrail.models.embedding.catalogue import USEM3
from answertrail.models.embedding.embedded import EmbeddedEmbedder


class Usem3(EmbeddedEmbedder):
    """Sixteen languages in one space, 512 dimensions, texts of any length."""

    model = USEM3

    def _load(self, files: Sequence[Path]) -> None:
        del files  # the package finds the same ones by itself
        self._encoder: Any = importlib.import_module("usem3").USE()
        # The package loads its files lazily and without a lock; this runs under ours.
        self._encoder.encode("load")

    def _encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.floating]:
        del role
        # It packs texts end to end without padding, so sorting by length would gain nothing.
        rows: npt.NDArray[np.floating] = self._encoder.encode(list(texts))
        return rows
