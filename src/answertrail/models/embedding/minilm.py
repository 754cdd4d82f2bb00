"""all-MiniLM-L6-v2 (8-bit weights, ONNX): the accurate embedder for English."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Role
from answertrail.models.embedding.catalogue import MINILM, WeightFile
from answertrail.models.embedding.embedded import MAX_CHARACTERS, EmbeddedEmbedder
from answertrail.models.embedding.weights import verified_file

# The weights' package has no tokenizer, so ours is beside this file (see NOTICE there).
_TOKENIZER = WeightFile(
    "minilm_files/tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
)
_MAX_TOKENS = 256
# Small batches stay in the processor's cache: 8 at a time were as fast as any larger number.
_BATCH = 8
_SPECIAL = frozenset({0, 100, 101, 102, 103})  # [PAD] [UNK] [CLS] [SEP] [MASK]


class MiniLm(EmbeddedEmbedder):
    """English, 384 dimensions, 256 tokens; queries and passages are encoded alike.

    The weights are stored in 8 bits and computed with in 32, so a text's vector does not depend
    on what it is batched with. A text without one known word piece gives NaN.
    """

    model = MINILM

    def _load(self, files: Sequence[Path]) -> None:
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        tokenizer = verified_file(Path(__file__).parent, _TOKENIZER, self.model.name)
        self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        # The file asks for 128 tokens, always padded; the model was made for up to 256.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        options = onnxruntime.SessionOptions()
        # onnxruntime takes one thread a core by itself; threads that spin while they wait
        # slow everything else on the machine and, on a busy one, the model too.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(str(files[0]), options, providers=["CPUExecutionProvider"])

    def _encode(self, texts: Sequence[str], role: Role) -> npt.NDArray[np.floating]:
        del role
        encodings = self._tokenizer.encode_batch(list(texts))
        longer = sum(
            bool(item.overflowing) and len(text) < MAX_CHARACTERS for item, text in zip(encodings, texts, strict=True)
        )
        self._count_truncated(longer, f"{_MAX_TOKENS} tokens")
        out = np.full((len(texts), self.model.dims), np.nan, dtype=np.float32)
        known = [row for row, item in enumerate(encodings) if not _SPECIAL.issuperset(item.ids)]
        known.sort(key=lambda row: len(encodings[row].ids))
        for start in range(0, len(known), _BATCH):
            rows = known[start : start + _BATCH]
            out[rows] = self._pooled([encodings[row].ids for row in rows])
        return out

    def _pooled(self, batch: Sequence[Sequence[int]]) -> npt.NDArray[np.floating]:
        """Return the mean of the token vectors of each text, (len(batch), 384)."""
        width = max(len(ids) for ids in batch)
        ids = np.zeros((len(batch), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: npt.NDArray[np.float32] = self._session.run(["last_hidden_state"], inputs)[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled: npt.NDArray[np.floating] = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled
