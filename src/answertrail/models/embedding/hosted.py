"""Embeddings from OpenAI or any endpoint that speaks its protocol."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from answertrail.errors import NotFoundError, ServiceError
from answertrail.models.chat.base import Usage
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy, with_retries
from answertrail.models.embedding.base import EmbedderIdentity, EmbeddingSpend, Role, Vectors
from answertrail.models.embedding.hosted_reply import read_reply
from answertrail.models.embedding.hosted_spec import HostedSpec, parse_hosted
from answertrail.models.embedding.rows import clean
from answertrail.models.prices import PriceList

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# OpenAI takes 8,191 tokens a text and 300,000 a request. Tokens are told from bytes, on the safe
# side: English has about 4 bytes a token, and hardly any text has under 2.
MAX_TEXT_BYTES = 16_000
MAX_REQUEST_BYTES = 400_000
_TIMEOUT_S = 60.0


class HostedEmbedder:
    """An embedder behind HTTP.

    Equal texts of one call are sent once, blank ones never. `spend` adds up what the requests
    cost; `truncated` counts texts cut to 16,000 bytes. Failed requests are repeated by `policy`
    when that can help; rows of requests that succeeded before are lost with an error, so callers
    store after each call of at most `batch_size` texts.
    """

    def __init__(self, spec: HostedSpec, policy: RetryPolicy | None = None) -> None:
        self.spec = spec
        self.spend = EmbeddingSpend()
        self.truncated = 0
        # A long ingestion should outlast a minute of rate limits.
        self._policy = policy or RetryPolicy(attempts=7, longest=30.0)
        self._prices = PriceList(spec.seller, spec.model)
        self._shorten = spec.shorten

    @property
    def identity(self) -> EmbedderIdentity:
        """The space the vectors live in."""
        return EmbedderIdentity(self.spec.name, self.spec.model, self.spec.dims)

    @property
    def batch_size(self) -> int:
        """How many texts to send at once, at most: those of one request."""
        return self.spec.batch

    @property
    def price_known(self) -> bool:
        """Whether the cost can be told."""
        return self._prices.known

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return unit rows (len(texts), dims); NaN rows for blank texts.

        The protocol has no roles: queries and passages are sent alike.

        Raises EndpointError (a ServiceError) when the endpoint is down, refuses or answers with
        something unusable, NotFoundError when it does not know the model, and MismatchError when
        its vectors are not of the length asked for.
        """
        del role
        out = np.full((len(texts), self.spec.dims), np.nan, dtype=np.float32)
        rows_of: dict[str, list[int]] = {}
        for row, text in enumerate(map(clean, texts)):
            if text.strip():
                rows_of.setdefault(self._cut(text), []).append(row)
        if not rows_of:
            return out
        # A client's connections belong to one event loop, so none is kept from call to call.
        async with self._client() as client:
            for batch in _batches(list(rows_of), self.spec.batch):
                for text, vector in zip(batch, await self._request(client, batch), strict=True):
                    out[rows_of[text]] = vector
        return out

    def _client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        return AsyncOpenAI(api_key=self.spec.api_key, base_url=self.spec.base_url, timeout=_TIMEOUT_S, max_retries=0)

    async def _request(self, client: AsyncOpenAI, batch: list[str]) -> Vectors:
        shorten = self._shorten
        try:
            return await with_retries(lambda: self._once(client, batch, shorten=shorten), self._policy)
        except EndpointError as error:
            if error.reason == "missing":
                raise NotFoundError(
                    error.message, where=self.spec.name, hint=f"check the model's name and {self.spec.base_url}"
                ) from error
            # Many servers refuse to shorten a model that was not trained for it, even to its own
            # length. Ask again without; the length of what comes is checked all the same.
            if not shorten or error.status not in (400, 422) or "dimension" not in error.message.lower():
                raise
        self._shorten = False
        return await self._request(client, batch)

    async def _once(self, client: AsyncOpenAI, batch: list[str], *, shorten: bool) -> Vectors:
        import openai

        from answertrail.models.embedding.hosted_faults import endpoint_error

        try:
            reply = await client.embeddings.with_raw_response.create(
                model=self.spec.model,
                input=batch,
                dimensions=self.spec.dims if shorten else openai.omit,
                # A quarter of the bytes; servers that do not know it send numbers.
                encoding_format="base64",
            )
        except openai.OpenAIError as error:
            raise endpoint_error(error, self.spec) from error
        vectors, tokens = read_reply(reply.content, texts=len(batch), dims=self.spec.dims, name=self.spec.name)
        self.spend = self.spend.plus(tokens, self._prices.cost(Usage(input_tokens=tokens, output_tokens=0)))
        return vectors

    def _cut(self, text: str) -> str:
        raw = text.encode()
        if len(raw) <= MAX_TEXT_BYTES:
            return text
        self.truncated += 1
        return raw[:MAX_TEXT_BYTES].decode("utf-8", "ignore")


def hosted_embedder(spec: str, env: Mapping[str, str]) -> HostedEmbedder:
    """Return the embedder of a spec (see `parse_hosted` for its errors).

    Raises ServiceError when the packages of the extra `hosted` are missing.
    """
    parsed = parse_hosted(spec, env)
    if importlib.util.find_spec("openai") is None or importlib.util.find_spec("genai_prices") is None:
        raise ServiceError(
            "hosted embedders need packages that are not installed",
            where=spec,
            hint='run: pip install "answertrail[hosted]"',
        )
    return HostedEmbedder(parsed)


def _batches(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """Yield runs of the texts of at most `most` texts and 400,000 bytes."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == most or size + length > MAX_REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch
