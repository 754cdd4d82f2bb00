"""What the model replied, checked: one text for each line that was asked for, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any

from answertrail.models.chat.base import ChatReply
from answertrail.records.jsonl import loads

_FINISH = {
    "length": "it was cut off before its end",
    "content_filter": "it was stopped by a content filter",
    "refusal": "it is a refusal",
}
_SHOWN = 5
_MOST = 10**9


class BadReplyError(ValueError):
    """A reply that cannot be used; its text says why, in words that may be told to the model."""


def parse(reply: ChatReply, count: int) -> tuple[str, ...]:
    """Return the texts of lines 1 to `count`, in order.

    Raises BadReplyError when the reply was cut off or refused, is no JSON of the asked shape, or
    its numbers are not exactly those asked for.
    """
    if reply.finish in _FINISH:
        raise BadReplyError(_FINISH[reply.finish])
    text = reply.text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        raise BadReplyError("it is no JSON object" if text else "it is empty") from None
    lines = value.get("lines") if isinstance(value, dict) else None
    if not isinstance(lines, list) or not all(_is_line(line) for line in lines):
        raise BadReplyError('it does not have the shape {"lines": [{"i": 1, "text": "..."}]}')
    found = Counter(int(line["i"]) for line in lines)
    _check_numbers(found, count)
    texts = {line["i"]: line["text"] for line in lines}
    if any("\x00" in text for text in texts.values()):
        raise BadReplyError("a text holds a NUL character")
    return tuple(texts[number] for number in range(1, count + 1))


def _is_line(line: Any) -> bool:
    if not isinstance(line, dict) or set(line) != {"i", "text"}:
        return False
    number, text = line["i"], line["text"]
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(text, str):
        return False
    return abs(number) < _MOST  # what is said of a fault stays short


def _check_numbers(found: Counter[int], count: int) -> None:
    faults = {
        "missing": [number for number in range(1, count + 1) if number not in found],
        "not asked for": sorted(number for number in found if not 1 <= number <= count),
        "given more than once": sorted(number for number, times in found.items() if times > 1),
    }
    said = [f"{_numbers(numbers)} {fault}" for fault, numbers in faults.items() if numbers]
    if said:
        raise BadReplyError("; ".join(said))


def _numbers(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN])) + (", ..." if len(numbers) > _SHOWN else "")
    return f"line {shown} is" if len(numbers) == 1 else f"lines {shown} are"
