"""Hosted models: OpenAI, Anthropic and any OpenAI-compatible endpoint."""

from __future__ import annotations

import dataclasses
import difflib
import ssl
from functools import cache
from typing import cast

import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.settings import ModelSettings

from answertrail.errors import InputError, NotFoundError
from answertrail.models.chat.base import ChatReply, ChatRequest, UserMessage
from answertrail.models.chat.dialects import Dialect, Plan, schema_in_words
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.faults import endpoint_error
from answertrail.models.chat.retry import RetryPolicy, with_retries
from answertrail.models.chat.wire import to_history, to_reply
from answertrail.models.prices import PriceList

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


class HostedModel:
    """A model behind HTTP, asked through pydantic-ai's direct requests.

    `timeout` is in seconds and bounds one attempt as a whole. Its own retries are the only ones:
    those of the provider's client are off.
    """

    def __init__(
        self,
        *,
        name: str,
        family: str,
        dialect: Dialect,
        prices: PriceList,
        timeout: float = 120.0,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.name = name
        self.family = family
        self.dialect = dialect
        self.policy = policy or RetryPolicy()
        self._prices = prices
        self._timeout = timeout
        self._schema_way = 0

    @property
    def price_known(self) -> bool:
        """Whether a call's cost can be told."""
        return self._prices.known

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Run one call.

        Raises EndpointError (a ServiceError) when the endpoint is down, refuses or times out,
        after the policy's retries; NotFoundError when it does not know the model; InputError for
        a request that no endpoint could take.
        """
        _check(request)
        last = self.dialect.schema_ways - 1 if request.schema is not None else self._schema_way
        for way in range(self._schema_way, last):
            try:
                reply = await self._retried(request, way)
            except EndpointError as error:
                if not (error.reason == "rejected" or error.status in {500, 501}):
                    raise
            else:
                # Kept only now: a request refused for another reason says nothing of schemas.
                self._schema_way = way
                return reply
        reply = await self._retried(request, last)
        self._schema_way = last
        return reply

    def with_policy(self, policy: RetryPolicy) -> HostedModel:
        """Return the same model with other retries."""
        return HostedModel(
            name=self.name,
            family=self.family,
            dialect=self.dialect,
            prices=self._prices,
            timeout=self._timeout,
            policy=policy,
        )

    async def _retried(self, request: ChatRequest, schema_way: int) -> ChatReply:
        try:
            return await with_retries(lambda: self._once(request, schema_way), self.policy)
        except EndpointError as error:
            if error.reason == "missing":
                raise self._unknown(error) from error
            raise

    async def _once(self, request: ChatRequest, schema_way: int) -> ChatReply:
        # A client a call: a kept one would be bound to the event loop that first used it and leak
        # its sockets in the next. It costs one handshake, little beside a model's answer.
        async with httpx2.AsyncClient(verify=_tls(), timeout=self._timeout, follow_redirects=True) as http:
            model = self.dialect.model(http)
            plan = self.dialect.plan(request, model, schema_way)
            messages = list(request.messages)
            if request.schema is not None and plan.schema_in_words:
                messages.append(UserMessage(schema_in_words(request.schema)))
            history = to_history(messages, owner=self.name, keep_thinking=plan.keep_thinking)
            try:
                response = await model_request(
                    model,
                    history,
                    model_settings=self._settings(plan),
                    model_request_parameters=plan.parameters(request.schema),
                )
            except AgentRunError as error:
                raise endpoint_error(error, self.name) from error
            except UserError as error:
                # pydantic-ai found, before sending, that this model cannot take this request.
                raise InputError(str(error), where=self.name) from error
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                # JSON of another shape than the protocol's falls through the provider's client,
                # which does not validate, and breaks where pydantic-ai reads it.
                raise EndpointError(
                    f"the endpoint's answer is not a reply ({error!r})",
                    reason="garbled",
                    where=self.name,
                    hint="check that the address is one of the right protocol",
                ) from error
        reply = to_reply(response, owner=self.name, cached_reported=self.dialect.cached_reported)
        return dataclasses.replace(reply, cost_usd=self._prices.cost(reply.usage, reply.model))

    def _settings(self, plan: Plan) -> ModelSettings:
        # `timeout` bounds each read, `request_timeout` the attempt as a whole.
        limits = {"timeout": self._timeout, "request_timeout": self._timeout, "max_retries": 0}
        return cast(ModelSettings, plan.settings | limits)

    def _unknown(self, error: EndpointError) -> NotFoundError:
        near = difflib.get_close_matches(self.name.partition(":")[2], self._prices.models(), n=5, cutoff=0.5)
        known = f"known to the price table: {', '.join(near)}" if near else "check its name and the endpoint's address"
        return NotFoundError(f"no such model: {error.message}", where=self.name, hint=known)


def _check(request: ChatRequest) -> None:
    names = [tool.name for tool in request.tools]
    if request.forced is not None and request.forced not in names:
        raise InputError(f"the forced tool {request.forced!r} is not among {names}")
    if request.schema is not None and names:
        raise InputError("a schema for the text and tools exclude each other")
    if request.choice == "required" and not names:
        raise InputError("a tool call is required, but no tool is offered")
    if request.effort is not None and request.effort not in EFFORTS:
        raise InputError(f"unknown effort {request.effort!r}", hint=f"one of {', '.join(EFFORTS)}")


@cache
def _tls() -> ssl.SSLContext:
    """Return the one TLS context: reading the certificates takes longer than the rest."""
    return httpx2.create_ssl_context()
