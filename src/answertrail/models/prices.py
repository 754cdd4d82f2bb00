"""What a call costs, from its own token counts.

Per call, never on totals: some models charge more beyond a length of input, so that 30 calls of
20,000 tokens priced as one would reach a tier that none of them reached. Unknown is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from answertrail.errors import InputError
from answertrail.models.chat.base import Usage

PRICE_VARIABLE = "ANSWERTRAIL_CHAT_PRICE"
_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class FlatPrice:
    """US dollars per million tokens, as the user gave them. Cached input costs as other input."""

    input: Decimal
    output: Decimal

    @classmethod
    def parse(cls, text: str) -> FlatPrice:
        """Read `INPUT,OUTPUT`; raise InputError for anything else."""
        try:
            price, output = (Decimal(part.strip()) for part in text.split(","))
        except (ValueError, InvalidOperation) as error:
            raise InputError(
                f"not a price: {text!r}",
                where=PRICE_VARIABLE,
                hint='two numbers, US dollars per million tokens: "INPUT,OUTPUT"',
            ) from error
        if not (price.is_finite() and output.is_finite()) or price < 0 or output < 0:
            raise InputError(f"not a price: {text!r}", where=PRICE_VARIABLE)
        return cls(price, output)


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of one model.

    `provider` is a name in genai-prices' table, None when the model's seller is not known.
    `flat` is used when the table has no price.
    """

    provider: str | None
    model: str
    flat: FlatPrice | None = None

    @classmethod
    def from_environment(cls, provider: str | None, model: str, environment: Mapping[str, str]) -> PriceList:
        """Take the user's own price from ANSWERTRAIL_CHAT_PRICE, if there is one."""
        text = environment.get(PRICE_VARIABLE)
        return cls(provider, model, FlatPrice.parse(text) if text else None)

    @property
    def known(self) -> bool:
        """Whether a call can be priced."""
        return self.cost(Usage(input_tokens=1, output_tokens=1), self.model) is not None

    def cost(self, usage: Usage, served: str = "") -> float | None:
        """Return US dollars for one call; None when a price or a token count is not known.

        `served` is the model the endpoint says it used, tried before the one asked for. Input
        read from the cache and written to it have prices of their own and are taken out of the
        input first. Reasoning tokens are part of the output and not added to it. Where the cached
        part is not reported, all input is priced as fresh: never too low.
        """
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        for model in dict.fromkeys(name for name in (served, self.model) if name):
            price = self._from_table(usage, model)
            if price is not None:
                return float(price)
        if self.flat is None:
            return None
        price = usage.input_tokens * self.flat.input + usage.output_tokens * self.flat.output
        return float(price / _MILLION)

    def models(self) -> list[str]:
        """Return the provider's models in the table, sorted; empty for an unknown provider."""
        if self.provider is None:
            return []
        from genai_prices.data_snapshot import get_snapshot

        return sorted(
            model.id
            for provider in get_snapshot().providers
            if provider.id == self.provider
            for model in provider.models
        )

    def _from_table(self, usage: Usage, model: str) -> Decimal | None:
        if self.provider is None:
            return None
        from genai_prices import Usage as Counts
        from genai_prices import calc_price

        counts: dict[str, Any] = {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cache_read_tokens": usage.cached_input_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        }
        try:
            return calc_price(Counts(**counts), model, provider_id=self.provider).total_price
        except LookupError:
            return None
