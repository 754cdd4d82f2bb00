"""Vectors to any size out of real ones, with the dates and documents that filters need.

A row is a real passage's vector (minilm, from results/vectors.sqlite) moved a little in a random
direction, so that clusters and their unlike sizes stay as texts have them; uniform noise has no
neighbours to find. More than 384 dimensions are the same vectors turned by a fixed rotation into
the larger space, where the move has all directions. Queries are made alike from passages that no
row was made from.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]

PER_DOCUMENT = 100
START = datetime(2021, 1, 1, tzinfo=UTC)
DAYS = 1461
MOVE = 0.5
"""Length of the random move, in lengths of a vector: a row's cosine with its passage is about 0.89."""
_HELD_OUT = 2000
_BLOCK = 50_000


@dataclass(frozen=True, slots=True)
class Rows:
    """`matrix` is (rows, dims), `queries` (queries, dims), all of length 1; `days` the date of each row's document."""

    matrix: Matrix
    queries: Matrix
    days: npt.NDArray[np.float64]

    @property
    def size(self) -> int:
        return len(self.matrix)

    def document(self, row: int) -> str:
        return f"d{row // PER_DOCUMENT:06d}"

    def chunk(self, row: int) -> str:
        return f"d{row // PER_DOCUMENT:06d}:{30 * (row % PER_DOCUMENT):05d}"

    def date(self, row: int) -> datetime:
        return START + timedelta(days=float(self.days[row]))

    def quarter(self, number: int) -> tuple[datetime, datetime]:
        """Return one of sixteen equal periods, half-open."""
        step = timedelta(days=DAYS / 16)
        return START + number * step, START + (number + 1) * step


def save(rows: Rows, folder: Path) -> None:
    """Write rows for the processes that measure one engine each."""
    for name in ("matrix", "queries", "days"):
        np.save(folder / f"{name}.npy", getattr(rows, name))


def load(folder: Path) -> Rows:
    """Read what `save` wrote, into memory."""
    return Rows(*(np.load(folder / f"{name}.npy") for name in ("matrix", "queries", "days")))


def real_vectors(path: Path, identity: str = "minilm") -> Matrix:
    """Return all cached vectors of an embedder; SystemExit when there are too few to build on."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = connection.execute(
        "SELECT vector FROM vectors WHERE identity LIKE ? ORDER BY identity, text", (f"{identity}@%",)
    ).fetchall()
    connection.close()
    if len(found) < 10 * _HELD_OUT:
        raise SystemExit(f"{path} holds {len(found)} vectors of {identity}; run the yardstick on g_gold first")
    matrix = np.stack([np.frombuffer(vector, dtype=np.float32) for (vector,) in found])
    kept: Matrix = matrix[np.isfinite(matrix).all(axis=1)]
    return kept


def grown(real: Matrix, rows: int, dims: int, queries: int, seed: int = 20261130) -> Rows:
    """Return so many rows of so many dimensions, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    real = real[rng.permutation(len(real))]
    held_out, real = real[:_HELD_OUT], real[_HELD_OUT:]
    turn = _rotation(rng, real.shape[1], dims)
    out = np.empty((rows, dims), dtype=np.float32)
    for begin in range(0, rows, _BLOCK):
        end = min(rows, begin + _BLOCK)
        out[begin:end] = _moved(rng, real[rng.integers(len(real), size=end - begin)] @ turn)
    asked = _moved(rng, held_out[rng.permutation(len(held_out))[:queries]] @ turn)
    documents = -(-rows // PER_DOCUMENT)
    days = np.repeat(np.arange(documents) * (DAYS / documents), PER_DOCUMENT)[:rows]
    return Rows(out, asked, days)


def _rotation(rng: np.random.Generator, low: int, high: int) -> Matrix:
    if high == low:
        return np.eye(low, dtype=np.float32)
    wide, _ = np.linalg.qr(rng.normal(size=(high, low)))
    turned: Matrix = wide.T.astype(np.float32)
    return turned


def _moved(rng: np.random.Generator, vectors: Matrix) -> Matrix:
    noise = rng.standard_normal(size=vectors.shape, dtype=np.float32)
    out: Matrix = vectors + noise * np.float32(MOVE / np.sqrt(vectors.shape[1]))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out
