"""An OpenAI-compatible endpoint, spoken to in the protocol it turns out to understand."""

from __future__ import annotations

from answertrail.models.chat.base import AssistantMessage, ChatReply, ChatRequest
from answertrail.models.chat.hosted import HostedModel
from answertrail.models.chat.json_action import JsonActionModel
from answertrail.models.chat.probe import ProbeResult, probe
from answertrail.models.chat.retry import RetryPolicy


class CompatibleEndpoint:
    """Probes the endpoint at the first call with tools, then speaks natively or in JSON actions.

    A `protocol` given by the user is taken at its word and not probed.
    """

    def __init__(self, model: HostedModel, *, base_url: str, protocol: ProbeResult | None = None) -> None:
        self._model = model
        self._base_url = base_url
        self._protocol = protocol

    @property
    def name(self) -> str:
        """`openai-compatible:MODEL`."""
        return self._model.name

    @property
    def family(self) -> str:
        """The makers named in the model's name, or `unknown:NAME`."""
        return self._model.family

    @property
    def price_known(self) -> bool:
        """Whether the user gave a price."""
        return self._model.price_known

    async def protocol(self) -> ProbeResult:
        """Return how tools are called here; asks the endpoint the first time."""
        if self._protocol is None:
            # One short retry: a server that answers `required` with 500 does so each time.
            policy = self._model.policy
            quick = RetryPolicy(attempts=2, base=0.2, sleep=policy.sleep, jitter=policy.jitter)
            self._protocol = await probe(self._model.with_policy(quick), self._base_url)
        return self._protocol

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See ChatModel."""
        about_tools = request.tools or any(
            isinstance(message, AssistantMessage) and message.calls for message in request.messages
        )
        # A judge's call needs no protocol, and no probe.
        if about_tools and (await self.protocol()).protocol == "json_action":
            return await JsonActionModel(self._model).complete(request)
        return await self._model.complete(request)
