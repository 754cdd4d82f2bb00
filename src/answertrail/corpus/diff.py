"""`corpus diff`: what one state of a corpus has that another has not (states.py says what a state is)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from answertrail.corpus.states import State
from answertrail.errors import InputError
from answertrail.records.chunk import text_hash
from answertrail.records.document import Document
from answertrail.store.snapshot_hash import snapshot_of

_OWN_PART = ("id", "schema", "title", "published_at", "text", "segments")


@dataclass(slots=True)
class DocumentFacts:
    """What is compared of a document.

    The digests are of its words, its times, the rest of its record, its chunks, and of the words as
    captioned where cleaning changed them.
    """

    title: str
    published_at: str | None
    words: bytes
    times: bytes
    rest: bytes
    chunks: int = 0
    chunks_digest: bytes = b""
    captioned: bytes = b""


@dataclass(frozen=True, slots=True)
class Described:
    """A state as it is named in the outcome."""

    name: str
    snapshot: str
    documents: int
    chunks: int

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"name": self.name, "snapshot": self.snapshot, "documents": self.documents, "chunks": self.chunks}


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document that both have. `changed` are among title, date, text, captioned, times, metadata, chunks."""

    document_id: str
    changed: tuple[str, ...]
    title: tuple[str, str]
    published_at: tuple[str | None, str | None]
    chunks_added: tuple[str, ...] = ()
    chunks_removed: tuple[str, ...] = ()
    chunks_changed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain values; titles and dates only where they differ."""
        pairs = {"title": self.title, "published_at": self.published_at}
        return {
            "document_id": self.document_id,
            "changed": list(self.changed),
            **{name: {"a": pair[0], "b": pair[1]} for name, pair in pairs.items() if pair[0] != pair[1]},
            "chunks": {
                "added": list(self.chunks_added),
                "removed": list(self.chunks_removed),
                "changed": list(self.chunks_changed),
            },
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """What B has and A has not (`added`), the other way round (`removed`), and what differs in both."""

    a: Described
    b: Described
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[ChangedDocument, ...]
    unchanged: int
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "snapshot": {"a": self.a.snapshot, "b": self.b.snapshot},
            "same": self.a.snapshot == self.b.snapshot,
            "a": self.a.as_json(),
            "b": self.b.as_json(),
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": [one.as_json() for one in self.changed],
            "unchanged": self.unchanged,
            "settings": {name: {"a": pair[0], "b": pair[1]} for name, pair in self.settings.items()},
        }


async def diff(a: State, b: State) -> Difference:
    """Compare two states; documents are the same when nothing of them differs, chunk for chunk, mended and captioned.

    Raises InputError for a record or chunk that is not what it says, and MismatchError for a dump that
    does not hold what its snapshot is of; both name the file.
    """
    left, right = await _facts(a), await _facts(b)
    both = sorted(left.keys() & right.keys())
    found = {name: _changed(left[name], right[name]) for name in both}
    rechunked = {name for name in both if "chunks" in found[name]}
    old, new = await _chunks_of(a, rechunked), await _chunks_of(b, rechunked)
    return Difference(
        a=_described(a, left),
        b=_described(b, right),
        added=tuple(sorted(right.keys() - left.keys())),
        removed=tuple(sorted(left.keys() - right.keys())),
        changed=tuple(
            ChangedDocument(
                name,
                changed,
                (left[name].title, right[name].title),
                (left[name].published_at, right[name].published_at),
                *_chunk_changes(old.get(name, {}), new.get(name, {})),
            )
            for name, changed in found.items()
            if changed
        ),
        unchanged=sum(not changed for changed in found.values()),
        settings={name: (value, b.settings[name]) for name, value in a.settings.items() if value != b.settings[name]},
    )


async def _facts(state: State) -> dict[str, DocumentFacts]:
    out: dict[str, DocumentFacts] = {}
    async for document in state.documents():
        out[document.id] = _facts_of(document)
    async for document_id, ordinal, text in state.raw_texts():
        facts = out.get(document_id)
        if facts is None:
            raise InputError("words as captioned of no document", where=f"{state.name}: {document_id}")
        facts.captioned = _digest([facts.captioned.hex(), ordinal, text])
    hashed: list[tuple[str, str, str | None]] = []
    async for chunk in state.chunks():
        place = f"{state.name}: {chunk['chunk_id']}"
        facts = out.get(str(chunk["document_id"]))
        if facts is None:
            raise InputError("the chunk is of no document", where=place)
        if chunk["text_hash"] != text_hash(chunk["text"]):
            # What was altered by hand would else be called unchanged.
            raise InputError("text_hash: is not the hash of the text", where=place)
        facts.chunks += 1
        facts.chunks_digest = _digest([facts.chunks_digest.hex(), chunk["chunk_id"], chunk["text_hash"]])
        hashed.append((chunk["chunk_id"], chunk["text_hash"], facts.published_at))
    state.check(snapshot_of(hashed))
    return out


def _facts_of(document: Document) -> DocumentFacts:
    record = document.as_json()
    segments = document.segments or []
    return DocumentFacts(
        title=document.title,
        published_at=document.published_at,
        words=_digest([document.text, [[part.text, part.speaker] for part in segments]]),
        times=_digest([[part.start_s, part.end_s] for part in segments]),
        rest=_digest({name: value for name, value in record.items() if name not in _OWN_PART}),
    )


def _digest(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _changed(a: DocumentFacts, b: DocumentFacts) -> tuple[str, ...]:
    differs = {
        "title": a.title != b.title,
        "date": a.published_at != b.published_at,
        "text": a.words != b.words,
        "captioned": a.captioned != b.captioned and a.words == b.words,
        "times": a.times != b.times and a.words == b.words,
        "metadata": a.rest != b.rest,
        "chunks": (a.chunks, a.chunks_digest) != (b.chunks, b.chunks_digest),
    }
    return tuple(name for name, yes in differs.items() if yes)


async def _chunks_of(state: State, ids: Collection[str]) -> dict[str, dict[str, str]]:
    """Map each of these documents to its chunks and the hashes of their texts."""
    out: dict[str, dict[str, str]] = {}
    if ids:
        async for chunk in state.chunks():
            if chunk["document_id"] in ids:
                out.setdefault(chunk["document_id"], {})[chunk["chunk_id"]] = chunk["text_hash"]
    return out


def _chunk_changes(
    old: Mapping[str, str], new: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    added, removed = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    changed = sorted(chunk for chunk in old.keys() & new.keys() if old[chunk] != new[chunk])
    return tuple(added), tuple(removed), tuple(changed)


def _described(state: State, facts: Mapping[str, DocumentFacts]) -> Described:
    return Described(state.name, state.snapshot, len(facts), sum(one.chunks for one in facts.values()))
