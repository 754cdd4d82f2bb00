"""From the replies of a model to the mended document and the record of its edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from answertrail.corpus.cleaning.batching import Batch
from answertrail.corpus.cleaning.glossary import Glossary
from answertrail.corpus.cleaning.guards import judge
from answertrail.records.document import Document
from answertrail.store.cleaning import Edit, KeptReply


@dataclass(frozen=True, slots=True)
class Mended:
    """A document in its mended words; `raw` maps the places of changed segments to what was captioned."""

    document: Document
    raw: Mapping[int, str]


def edits_of(batch: Batch, reply: KeptReply, glossary: Glossary) -> Iterator[Edit]:
    """Yield the edits of a batch, kept and refused; a line that the model left alone has none."""
    if reply.texts is None:
        for line in batch.lines:
            yield Edit(line.ordinal, line.text, None, False, reply.reason)
        return
    for line, text in zip(batch.lines, reply.texts, strict=True):
        after = " ".join(text.split())
        if after != line.text:
            verdict = judge(line.text, after, glossary)
            yield Edit(line.ordinal, line.text, after, verdict.kept, verdict.reason)


def mend(document: Document, edits: Iterable[Edit]) -> Mended:
    """Put the kept edits into a document as captioned."""
    segments = list(document.segments or ())
    raw: dict[int, str] = {}
    for edit in edits:
        if edit.kept and edit.after is not None:
            raw[edit.ordinal] = segments[edit.ordinal].text
            segments[edit.ordinal] = segments[edit.ordinal].model_copy(update={"text": edit.after})
    return Mended(document.model_copy(update={"segments": segments}), raw)
