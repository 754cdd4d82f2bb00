"""The words of a dump's chunks are those of its documents: both members are read side by side.

Only that is compared which holds however a document was cut, so that a dump of a version with
another cutter is restored too: the words of its chunks, one chunk after the other, are its words.
A document whose captions were cleaned is in the dump with the words that are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from answertrail.corpus import dump_format
from answertrail.corpus.dump_reader import DumpFile
from answertrail.errors import InputError

_HINT = "the file was changed after it was written; take another copy of it"


def with_words_checked(file: DumpFile) -> Iterator[tuple[str, Any]]:
    """Yield the rows of the chunks with where they stand; each is checked when the next is asked for.

    Whoever takes a row must refuse one that is not of the table. Raises InputError, naming chunk
    and document, for words that are not those of the document, or not all of them, and for a chunk
    that is of no document. The documents must have been checked before.
    """
    documents, at = _documents(file), _Place("", "")
    for place, row in file.values(dump_format.CHUNKS):
        yield place, row
        while at.document != row["document_id"]:
            at.need_end(place)
            following = next(documents, None)
            if following is None:
                raise InputError(f"chunk {row['chunk_id'][:100]!r}: is of no document, or not in order", where=place)
            at = following
        at.take(row["chunk_id"], row["text"], row["lines"], place)
    at.need_end(file.where(dump_format.CHUNKS))
    for rest in documents:
        rest.need_end(file.where(dump_format.CHUNKS))


class _Place:
    """The words of one document without white space, and how far its chunks have come in them.

    Where segments are not in order of time, their windows have another order than they: there each
    line of a chunk is looked for anywhere, and only the number of signs must be the same in the end.
    """

    def __init__(self, document: str, text: str, *, in_order: bool = True) -> None:
        self.document = document
        self._words = _squeezed(text)
        self._in_order = in_order
        self._done = 0

    def take(self, chunk: str, text: str, lines: Sequence[str], where: str) -> None:
        """Go past the words of the next chunk."""
        words = _squeezed(text)
        if _squeezed("".join(lines)) != words:
            raise InputError(f"chunk {chunk[:100]!r}: its lines are not its text", where=where, hint=_HINT)
        if self._in_order:
            right = self._words.startswith(words, self._done)
        else:
            right = all(_squeezed(line) in self._words for line in lines)
        if not right:
            raise InputError(
                f"chunk {chunk[:100]!r}: its words are not those of the document {self.document[:100]!r} there",
                where=where,
                hint=_HINT,
            )
        self._done += len(words)

    def need_end(self, where: str) -> None:
        """Raise InputError where the chunks have not all words."""
        if self._done != len(self._words):
            raise InputError(
                f"document {self.document[:100]!r}: its chunks end before its words do, or are not in order",
                where=where,
                hint=_HINT,
            )


def _documents(file: DumpFile) -> Iterator[_Place]:
    for _, document in file.values(dump_format.DOCUMENTS):
        segments = document.get("segments") or ()
        text = document.get("text") or " ".join(segment["text"] for segment in segments)
        in_order = all(first["start_s"] <= second["start_s"] for first, second in pairwise(segments))
        yield _Place(document["id"], text, in_order=in_order)


def _squeezed(text: str) -> str:
    """Chunks fold white space, and may cut where there is none."""
    return "".join(text.split())
