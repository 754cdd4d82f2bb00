"""Texts made safe for a model, and its output made into unit rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from answertrail.models.embedding.base import Vectors


def clean(text: str) -> str:
    """Return the text without what encoders choke on.

    NUL ends a C string early and a lone surrogate cannot be written as UTF-8.
    """
    if "\x00" in text:
        text = text.replace("\x00", " ")
    return text.encode("utf-8", "replace").decode("utf-8")


def unit_rows(rows: npt.NDArray[np.floating]) -> Vectors:
    """Return the rows (n, dims) as float32 of length 1.

    A row that is zero or holds NaN or infinity has no direction and becomes NaN throughout.
    """
    wide = np.asarray(rows, dtype=np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    usable = np.isfinite(lengths) & (lengths > 0)
    out = np.full(wide.shape, np.nan, dtype=np.float32)
    out[usable] = wide[usable] / lengths[usable, None]
    return out
