"""WordLlama's static token vectors: the fast embedder for English."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Role
from answertrail.models.embedding.catalogue import WORDLLAMA
from answertrail.models.embedding.embedded import EmbeddedEmbedder


class WordLlama(EmbeddedEmbedder):
    """English, 256 dimensions, texts of any length; queries and passages are encoded alike.

    The package's files are read directly and its code is never imported: that code reconfigures
    logging, looks for its tokenizer online, and is compiled for some platforms only, while the
    vectors are nothing but a mean over a table.
    """

    model = WORDLLAMA

    def _load(self, files: Sequence[Path]) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self._table: npt.NDArray[np.floating] = load_file(str(files[0]))["embedding.weight"]
        self._tokenizer: Any = Tokenizer.from_file(str(files[1]))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def _encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.floating]:
        del role
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        out = np.full((len(texts), self.model.dims), np.nan, dtype=np.float32)
        for row, item in enumerate(encodings):
            if item.ids:
                out[row] = self._table[item.ids].mean(axis=0, dtype=np.float32)
        return out
