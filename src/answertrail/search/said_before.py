"""The further words a chunk is found by: title, speakers, and for a short chunk what was said before it.

A turn of a conversation seldom repeats what it answers ("Yes, last week, with the children"). So a
chunk of fewer than 60 words is also found by the chunks before it in its document, as many as make
it 60. Windows of speech and passages of text are mostly longer, and then nothing is added. What is
shown and cited stays the chunk alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from answertrail.search.hits import ChunkRow
from answertrail.search.tokens import character_pairs, words

ENOUGH = 60
"""Words. On conversations cut by turns 40 to 80 do as well (docs/search.md)."""


class FurtherWords:
    """Gives the further words of one chunk after the other; they come in id order, as they were said."""

    def __init__(self) -> None:
        self._document = ""
        self._before: deque[tuple[str, int]] = deque()

    def of(self, document_id: str, title: str, speakers: Sequence[str], text: str) -> str:
        """Return the further words of the next chunk."""
        if document_id != self._document:
            self._document = document_id
            self._before.clear()
        before, count = self._before, _count(text)
        said: list[str] = []
        total = count
        for earlier, size in reversed(before):
            if total >= ENOUGH:
                break
            said.append(earlier)
            total += size
        before.append((" ".join((*speakers, text)), count))
        # What lies further back is never reached.
        while len(before) > 1 and sum(size for _, size in before) - before[0][1] >= ENOUGH:
            before.popleft()
        return " ".join((title, *speakers, *reversed(said)))


def contexts(rows: Iterable[ChunkRow]) -> list[str]:
    """Return the further words of each chunk; rows are in id order."""
    further = FurtherWords()
    return [further.of(row.document_id, row.title, row.speakers, row.text) for row in rows]


def _count(text: str) -> int:
    """Count words; of scripts without spaces two characters are one."""
    return sum(max(1, len(word) // 2) if character_pairs(word) else 1 for word in words(text))
