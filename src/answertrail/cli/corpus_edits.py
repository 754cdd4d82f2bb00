"""What cleaning changed in a document, for `corpus show DOCUMENT --diff`, and what a chunk was as captioned."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from rich.text import Text

from answertrail.cli.common import out
from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from answertrail.store.connection import Database
    from answertrail.store.rows import Corpus

_OLD, _NEW = "red strike", "green"


async def edits_of(db: Database, corpus: Corpus, document_id: str) -> dict[str, Any]:
    """Return how a document was cleaned and each edit; `cleaning` is None when it was not."""
    from answertrail.store import cleaning

    found = await cleaning.get(db, corpus, document_id)
    if found is None:
        return {"cleaning": None, "edits": []}
    stamp = found.stamp
    return {
        "cleaning": {
            "model": stamp.model,
            "prompt_version": stamp.prompt_version,
            "glossary_hash": stamp.glossary_hash or None,
            "lines": found.lines,
            "changed": found.changed,
            "refused": found.refused,
            "unanswered": found.unanswered,
            "cleaned_at": found.cleaned_at.isoformat(),
        },
        "edits": [
            {"start_s": e.start_s, "before": e.before, "after": e.after, "kept": e.kept, "reason": e.reason}
            for e in await cleaning.edits(db, corpus, document_id)
        ],
    }


async def captioned(db: Database, corpus: Corpus, chunk: Any) -> dict[str, str]:
    """Return `raw_text` of a chunk where it was captioned in other words, {} where it was not."""
    from answertrail.corpus.cleaning.captioned import captioned_words

    raw = (await captioned_words(db, corpus, {chunk.id: chunk.text})).get(chunk.id)
    return {} if raw is None else {"raw_text": raw}


def print_edits(facts: dict[str, Any]) -> None:
    """Print the cleaning on one line, then each edit: its time, the words before and after, the reason."""
    console = out()
    cleaning = facts["cleaning"]
    if cleaning is None:
        console.print(f"{one_line(facts['id'])} was not cleaned: its words are as captioned", soft_wrap=True)
        return
    edits = "1 edit" if cleaning["refused"] == 1 else f"{cleaning['refused']} edits"
    counts = f"{cleaning['changed']} of {cleaning['lines']} lines changed, {edits} refused"
    made = f"by {one_line(cleaning['model'])}, prompt {cleaning['prompt_version']}, {cleaning['cleaned_at'][:10]}"
    unanswered = f", {cleaning['unanswered']} lines without a usable reply" if cleaning["unanswered"] else ""
    head = Text.assemble(
        (one_line(facts["title"] or facts["id"]), "bold"), f"   {counts}{unanswered}", (f"   {made}", "dim")
    )
    console.print(head, soft_wrap=True)
    for edit in facts["edits"]:
        reason = one_line(edit["reason"])
        note = (f"   {reason}", "dim") if edit["kept"] else (f"   refused: {reason}", "yellow")
        console.print(Text.assemble((_time(edit["start_s"]), "cyan"), " ", _marked(edit), note), soft_wrap=True)


def _marked(edit: dict[str, Any]) -> Text:
    """Return both texts in one: words taken out are struck and in brackets, words put in are in braces.

    The signs are for terminals and files without colours.
    """
    before = one_line(edit["before"]).split()
    after = before if edit["after"] is None else one_line(edit["after"]).split()
    parts: list[Text] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(Text(" ".join(before[a:b])))
            continue
        if a < b:
            parts.append(Text(f"[-{' '.join(before[a:b])}-]", style=_OLD))
        if c < d:
            parts.append(Text(f"{{+{' '.join(after[c:d])}+}}", style=_NEW))
    return Text(" ").join(parts)


def _time(start_s: float | None) -> str:
    if start_s is None:
        return "--:--:--"
    minutes, seconds = divmod(int(start_s), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
