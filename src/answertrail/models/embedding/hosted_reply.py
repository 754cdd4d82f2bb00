"""The body of an embeddings endpoint's reply, believed only after it has been checked."""

from __future__ import annotations

import base64
import binascii

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ValidationError

from answertrail.errors import MismatchError
from answertrail.models.chat.failures import EndpointError
from answertrail.models.embedding.base import Vectors
from answertrail.models.embedding.rows import unit_rows


class _Item(BaseModel):
    index: int
    embedding: list[float] | str


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    total_tokens: int | None = None


class _Reply(BaseModel):
    data: list[_Item]
    usage: _Usage | None = None


def read_reply(body: bytes, *, texts: int, dims: int, name: str) -> tuple[Vectors, int | None]:
    """Return unit rows (texts, dims) in the order sent, and the tokens billed (None: not said).

    Raises MismatchError for vectors of another length, and EndpointError for anything that is
    not one usable vector for each text: no JSON, texts missing or answered twice, zero, NaN or
    infinite vectors.
    """
    try:
        reply = _Reply.model_validate_json(body)
    except ValidationError as error:
        raise _garbled("the reply is not one of an embeddings endpoint", name, retryable=True) from error
    if sorted(item.index for item in reply.data) != list(range(texts)):
        raise _garbled(f"sent {texts} texts, the {len(reply.data)} vectors returned are not one for each", name)
    rows = np.empty((texts, dims), dtype=np.float32)
    for item in reply.data:
        vector = _vector(item.embedding, name)
        if vector.size != dims:
            raise MismatchError(
                f"asked for vectors of {dims} numbers, the endpoint returned {vector.size}",
                where=name,
                hint=f"write {name}@{vector.size} if that is the length you want; one corpus holds one length",
            )
        rows[item.index] = vector
    units = unit_rows(rows)
    unusable = int(np.isnan(units).any(axis=1).sum())
    if unusable:
        raise _garbled(f"{unusable} of {texts} vectors are zero or hold NaN", name)
    usage = reply.usage or _Usage()
    return units, usage.prompt_tokens if usage.prompt_tokens is not None else usage.total_tokens


def _vector(embedding: list[float] | str, name: str) -> npt.NDArray[np.floating]:
    if isinstance(embedding, list):
        return np.asarray(embedding, dtype=np.float64)
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except (binascii.Error, ValueError) as error:
        raise _garbled("a vector is neither numbers nor base64", name) from error


def _garbled(message: str, name: str, *, retryable: bool = False) -> EndpointError:
    # A body that is no reply may be a proxy's passing trouble; a wrong reply costs money each time.
    return EndpointError(message, reason="garbled", where=name, retryable=retryable)
