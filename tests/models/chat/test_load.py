from __future__ import annotations

import subprocess
import sys

import pytest

from answertrail.errors import InputError, NotFoundError, ServiceError
from answertrail.models.chat import load
from answertrail.models.chat.family import family_of, independent


@pytest.mark.parametrize("spec", ["gpt-5.4", "openai:", "mistral:large", "none", ""])
def test_an_unknown_spec_lists_what_is_known(spec: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        load.load_chat_model(spec, environment={})
    assert "openai:MODEL" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("spec", "variable"),
    [
        ("openai:gpt-5.4", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY"),
        ("openai-compatible:m", "ANSWERTRAIL_CHAT_BASE_URL"),
    ],
)
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_setting_is_named(spec: str, variable: str, value: str | None) -> None:
    with pytest.raises(ServiceError) as caught:
        load.load_chat_model(spec, environment={} if value is None else {variable: value})
    assert variable in str(caught.value)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ANSWERTRAIL_CHAT_TIMEOUT", "soon"),
        ("ANSWERTRAIL_CHAT_TIMEOUT", "-1"),
        ("ANSWERTRAIL_CHAT_ATTEMPTS", "inf"),
        ("ANSWERTRAIL_CHAT_PROTOCOL", "xml"),
        ("ANSWERTRAIL_CHAT_PRICE", "1"),
    ],
)
def test_a_bad_setting_is_named(variable: str, value: str) -> None:
    environment = {"ANSWERTRAIL_CHAT_BASE_URL": "http://localhost:1/v1", variable: value}
    with pytest.raises(InputError) as caught:
        load.load_chat_model("openai-compatible:m", environment=environment)
    assert caught.value.where == variable


def test_names_and_families() -> None:
    environment = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "ANSWERTRAIL_CHAT_BASE_URL": "http://x/v1"}
    loaded = [
        load.load_chat_model(spec, environment=environment)
        for spec in ("openai:gpt-5.4", "anthropic:claude-sonnet-5", "openai-compatible:Qwen/Qwen3-8B")
    ]
    assert [(m.name, m.family, m.price_known) for m in loaded] == [
        ("openai:gpt-5.4", "openai", True),
        ("anthropic:claude-sonnet-5", "anthropic", True),
        ("openai-compatible:Qwen/Qwen3-8B", "alibaba", False),
    ]


def test_the_reader_needs_no_key_and_no_address() -> None:
    model = load.load_chat_model("reader", environment={})
    assert (model.name, model.family, model.price_known) == ("reader", "embedded", True)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-oss:20b", "openai"),
        ("qwen2.5-coder-1.5b-instruct", "alibaba"),
        ("meta-llama/Llama-3.1-8B", "meta"),
        ("deepseek-r1-distill-qwen-7b", "alibaba+deepseek"),
        ("SmolLM2-135M-Instruct.Q4_1", "huggingface"),
        ("gemma3:270m", "google"),
        ("my-finetune", "unknown:my-finetune"),
    ],
)
def test_family_of(model: str, family: str) -> None:
    assert family_of(model) == family


@pytest.mark.parametrize(
    ("judge", "judged", "expected"),
    [
        ("openai", "anthropic", True),
        ("openai", "openai", False),
        ("alibaba", "alibaba+deepseek", False),
        ("openai", "unknown:m", None),
        ("unknown:m", "unknown:m", False),
    ],
)
def test_independent(judge: str, judged: str, expected: bool | None) -> None:
    assert independent(judge, judged) is expected


def test_importing_loads_no_provider_package() -> None:
    code = (
        "import sys, answertrail.models.chat, answertrail.models.chat.load, answertrail.models.chat.scripted\n"
        "print(sorted(sys.modules.keys() & {'pydantic_ai', 'openai', 'anthropic', 'httpx2', 'genai_prices'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_missing_packages_are_a_service_error_with_the_remedy() -> None:
    code = (
        "import sys\n"
        "sys.modules['pydantic_ai'] = None\n"
        "from answertrail.errors import ServiceError\n"
        "from answertrail.models.chat.load import load_chat_model\n"
        "try:\n"
        "    load_chat_model('openai:gpt-5.4', environment={'OPENAI_API_KEY': 'k'})\n"
        "except ServiceError as error:\n"
        "    print(error.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install 'answertrail[hosted]'"
