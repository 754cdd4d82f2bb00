"""The snapshot of values is the one the database makes of the same rows."""

from __future__ import annotations

import hashlib

import pytest

from answertrail.records.chunk import text_hash
from answertrail.store import corpora
from answertrail.store.snapshot_hash import snapshot_of
from tests.store.samples import corpus_of, timed

DATES = ("2024-06-14", None, "2024-06-14T12:30:00.25+02:00", "0033-04-03", "1969-12-31T23:59:59.999999Z", "9999-12-31")
# Orders in which text and bytes, or the id of a document and that of its chunk, might differ.
IDS = ("a", "a-b", "a b", "A", "é", "z", "\N{FACE WITH TEARS OF JOY}", "\uffee", "a:b")


def test_by_hand():
    lines = "a:00000\tsha256:1\t2024-06-14T00:00:00.000000Z\nb:00000\tsha256:2\t\n"
    expected = "sha256:" + hashlib.sha256(lines.encode()).hexdigest()
    assert snapshot_of([("b:00000", "sha256:2", None), ("a:00000", "sha256:1", "2024-06-14")]) == expected
    assert snapshot_of([]) == "sha256:" + hashlib.sha256(b"").hexdigest()


@pytest.mark.asyncio
async def test_as_the_database_has_it(database):
    held = [timed(name, "One.", "Two.", published_at=DATES[n % len(DATES)]) for n, name in enumerate(IDS)]
    corpus = await corpus_of(database, *held)
    rows = [(chunk.id, text_hash(chunk.text), document.published_at) for document, chunks in held for chunk in chunks]
    assert snapshot_of(rows) == await corpora.snapshot(database, corpus)
    assert snapshot_of(reversed(rows)) == snapshot_of(rows)
