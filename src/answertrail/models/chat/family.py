"""Whose model is it? A judge must not share its maker with the model it judges."""

from __future__ import annotations

# Words in a model's name, and who made the weights. Names are matched in lower case.
_MAKERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("openai", ("gpt", "openai", "o1", "o3", "o4", "chatgpt")),
    ("anthropic", ("claude", "anthropic")),
    ("google", ("gemini", "gemma", "google")),
    ("meta", ("llama", "meta-llama")),
    ("alibaba", ("qwen", "qwq")),
    ("mistral", ("mistral", "mixtral", "ministral", "magistral", "codestral", "devstral")),
    ("deepseek", ("deepseek",)),
    ("microsoft", ("phi",)),
    ("huggingface", ("smollm", "smollm2", "smollm3", "zephyr")),
    ("xai", ("grok",)),
    ("moonshot", ("kimi", "moonshot")),
    ("zhipu", ("glm", "zhipu")),
    ("cohere", ("command", "aya", "cohere")),
    ("nvidia", ("nemotron",)),
)
_SEPARATORS = str.maketrans(dict.fromkeys("-_/.:@", " "))
UNKNOWN = "unknown"


def family_of(model: str) -> str:
    """Return the makers named in a model's name, joined by `+`, or `unknown:NAME`.

    A distilled model names two (`deepseek-r1-distill-qwen-7b` is `alibaba+deepseek`) and is
    related to both.
    """
    words = model.lower().translate(_SEPARATORS).split()
    makers = sorted(
        {
            maker
            for maker, names in _MAKERS
            for name in names
            if any(word == name or _is_version(word.removeprefix(name), word) for word in words)
        }
    )
    return "+".join(makers) if makers else f"{UNKNOWN}:{model}"


def independent(judge: str, judged: str) -> bool | None:
    """Return whether two families share no maker; None when one of them is not known."""
    if judge == judged:
        return False
    if judge.startswith(UNKNOWN) or judged.startswith(UNKNOWN):
        return None
    return not set(judge.split("+")) & set(judged.split("+"))


def _is_version(rest: str, word: str) -> bool:
    """Whether a word is a name with its version glued on: `qwen2`, `llama3`, `gpt4o`."""
    return rest != word and rest[:1].isdigit()
