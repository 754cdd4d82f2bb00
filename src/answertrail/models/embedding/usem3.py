"""Google's Universal Sentence Encoder multilingual v3 in numpy: the multilingual embedder."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Role
from answertrail.models.embedding.catalogue import USEM3
from answertrail.models.embedding.embedded import EmbeddedEmbedder

# Fewer texts are not worth a thread.
_LEAST_SHARE = 8


class Usem3(EmbeddedEmbedder):
    """Sixteen languages in one space, 512 dimensions, texts of any length.

    Texts are shared out among one thread a core, each with single-threaded matrix products.
    These are small, and numpy's own threads spend more time waiting for each other than they
    save: on a busy machine they made the model five times slower.
    """

    model = USEM3

    def _load(self, files: Sequence[Path]) -> None:
        del files  # the package finds the same ones by itself
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

        self._encoder: Any = importlib.import_module("usem3").USE(threads=1)
        # The package loads its files lazily and without a lock; this runs under ours.
        self._encoder.encode("load")
        self._products = ThreadpoolController()
        # The limit is the process's own, and two overlapping holders could restore each other's.
        self._limited = threading.Lock()
        self._cores = os.cpu_count() or 1

    def _encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.floating]:
        del role
        size = max(_LEAST_SHARE, -(-len(texts) // self._cores))
        shares = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        with self._limited, self._products.limit(limits=1, user_api="blas"):
            if len(shares) == 1:
                rows: list[npt.NDArray[np.floating]] = [self._encoder.encode(shares[0])]
            else:
                with ThreadPoolExecutor(len(shares)) as pool:
                    rows = list(pool.map(self._encoder.encode, shares))
        return np.concatenate(rows)
