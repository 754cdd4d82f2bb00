"""Costs recomputed by hand from the raw token counts that the endpoint sent."""

from __future__ import annotations

import pytest

from answertrail.errors import InputError
from answertrail.models.chat.base import Usage
from answertrail.models.prices import FlatPrice, PriceList

from .fake_server import FakeServer, anthropic, chat, output_text, responses, text_block
from .support import ask, model_at, request


def test_openai_cached_tokens_are_charged_once_at_their_own_price(server: FakeServer) -> None:
    usage = {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 600},
        "output_tokens": 100,
        "output_tokens_details": {"reasoning_tokens": 40},
        "total_tokens": 1100,
    }
    server.answers = [responses(output_text("hi"), usage=usage)]
    reply = ask(model_at("openai:gpt-5.4", server.url), request())
    # gpt-5.4: 2.50 fresh, 0.25 cached, 15 out; the 40 reasoning tokens are among the 100.
    assert reply.cost_usd == pytest.approx((400 * 2.5 + 600 * 0.25 + 100 * 15) / 1e6)
    assert reply.usage == Usage(1000, 600, 0, 100, 40)


def test_anthropic_reads_and_writes_of_the_cache_have_their_prices(server: FakeServer) -> None:
    usage = {
        "input_tokens": 100,
        "cache_read_input_tokens": 600,
        "cache_creation_input_tokens": 50,
        "output_tokens": 70,
    }
    server.answers = [anthropic(text_block("hi"), usage=usage)]
    reply = ask(model_at("anthropic:claude-sonnet-5", server.url), request())
    # claude-sonnet-5: 2 fresh, 0.20 read, 2.50 written, 10 out. Their `input_tokens` is fresh only.
    assert reply.cost_usd == pytest.approx((100 * 2 + 600 * 0.2 + 50 * 2.5 + 70 * 10) / 1e6)


def test_calls_are_priced_one_by_one() -> None:
    prices = PriceList("openai", "gpt-5.4")
    call = prices.cost(Usage(input_tokens=100_000, output_tokens=0))
    total = prices.cost(Usage(input_tokens=1_000_000, output_tokens=0))
    assert call is not None
    assert total is not None
    # The total would fall into the long-context tier, which no call reached.
    assert total > 10 * call


def test_the_served_model_goes_before_the_one_asked_for() -> None:
    prices = PriceList("openai", "gpt-5.4")
    usage = Usage(input_tokens=1_000, output_tokens=0)
    assert prices.cost(usage, "gpt-5.4-mini") == pytest.approx(0.75 / 1e3)
    assert prices.cost(usage, "a-private-alias") == pytest.approx(2.5 / 1e3)


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_unknown_tokens_have_an_unknown_cost(usage: Usage) -> None:
    assert PriceList("openai", "gpt-5.4").cost(usage) is None


def test_an_unknown_model_has_an_unknown_cost() -> None:
    prices = PriceList("openai", "gpt-of-tomorrow")
    assert not prices.known
    assert prices.cost(Usage(input_tokens=5, output_tokens=5)) is None


def test_an_endpoint_has_no_price_unless_the_user_gives_one(server: FakeServer) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    server.answers = [chat("a", usage=usage), chat("b", usage=usage)]
    unpriced = model_at("openai-compatible:gpt-5.4", server.url)
    priced = model_at("openai-compatible:gpt-5.4", server.url, ANSWERTRAIL_CHAT_PRICE="0.5, 2")
    assert not unpriced.price_known
    assert priced.price_known
    assert ask(unpriced, request()).cost_usd is None
    assert ask(priced, request()).cost_usd == pytest.approx((1000 * 0.5 + 100 * 2) / 1e6)


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_a_price_is_two_numbers(text: str) -> None:
    with pytest.raises(InputError, match="not a price"):
        FlatPrice.parse(text)
