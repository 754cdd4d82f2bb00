"""The language pair of a question: its own language and that of its gold node."""

from __future__ import annotations

import re

from answertrail.errors import InputError
from answertrail.records import Question

_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})", re.IGNORECASE)


def language_pair(question: Question) -> str | None:
    """Return `QUESTION → NODE`, such as `ko → en`; None where it is not stated.

    The first language is `language`. The second is `meta.node_language`; without one, `group`
    states the pair when it is two codes of two or three letters joined by a hyphen (`ko-en`).
    Codes are compared and shown in lower case.

    Raises InputError when `meta.node_language` is not a text, or such a `group` begins with
    another language than the question's.
    """
    language = question.language.lower() if question.language else None
    node = (question.meta or {}).get("node_language")
    if node is not None:
        if not isinstance(node, str) or not node.strip():
            raise InputError("meta.node_language: expected a language code", where=question.question_id)
        return f"{language} → {node.strip().lower()}" if language else None
    stated = _PAIR.fullmatch(question.group or "")
    if stated is None:
        return None
    asked, answered = stated[1].lower(), stated[2].lower()
    if language not in (None, asked):
        raise InputError(
            f"group {question.group!r} reads as a language pair, but the question's language is {question.language!r}",
            where=question.question_id,
            hint="correct one of the two; if the group is no language pair, say meta.node_language",
        )
    return f"{asked} → {answered}"
