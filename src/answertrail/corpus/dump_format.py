"""The format of a dump: a zip of JSON Lines, vectors as `.npy`, and a manifest that has the sum of each.

Nothing in it depends on when or where it was made, so two dumps of one state are the same bytes.
docs/snapshots.md describes it for readers without this program.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field

from answertrail.errors import InputError, MismatchError
from answertrail.records.base import Count, NonEmpty, Part, Record
from answertrail.records.embedder import EmbedderIdentity
from answertrail.records.jsonl import loads, parse
from answertrail.store import dump_tables

SCHEMA: Literal["corpus_dump/1"] = "corpus_dump/1"
MANIFEST = "manifest.json"
DOCUMENTS = "documents.jsonl"
DOCUMENT_ROWS = "document_rows.jsonl"
RAW_TEXTS = "raw_texts.jsonl"
CHUNKS = f"{dump_tables.CHUNKS.name}.jsonl"
UNEMBEDDABLE = "unembeddable.jsonl"
HASHES = "vector_hashes.txt"
VECTORS = "vectors.npy"
WITH_VECTORS = frozenset({HASHES, VECTORS})
ALWAYS = frozenset(
    {DOCUMENTS, DOCUMENT_ROWS, RAW_TEXTS, UNEMBEDDABLE, *(f"{table.name}.jsonl" for table in dump_tables.TABLES)}
)
LONGEST_LINE = 128 * 2**20
"""In bytes. What is read line by line must fit in memory, whoever made it."""
MOST_DIMS = 16_000
_OF_A_VERSION = re.compile(r"corpus_dump/([0-9]{1,9})")


class Embedder(Part):
    """What made the vectors."""

    name: NonEmpty
    revision: NonEmpty
    dims: int = Field(ge=1, le=MOST_DIMS)

    @property
    def identity(self) -> EmbedderIdentity:
        """As the store has it."""
        return EmbedderIdentity(name=self.name, revision=self.revision, dims=self.dims)


class Settings(Part):
    """The settings of the corpus; `engine` is only named, its index is not in the dump."""

    nullable: ClassVar[frozenset[str]] = frozenset({"language"})

    name: NonEmpty
    embedder_spec: NonEmpty
    embedder: Embedder
    context: list[NonEmpty]
    asked_in: list[NonEmpty]
    language: str | None
    engine: str = Field(pattern=r"^[a-z0-9_-]{1,40}$")
    created_at: NonEmpty


class Member(Part):
    """One file of the zip: its SHA-256, its bytes, and its lines, or vectors."""

    name: NonEmpty
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: Count
    rows: Count


class Manifest(Record):
    """What a dump holds. `snapshot` is that of the corpus (docs/store.md)."""

    schema_: Literal["corpus_dump/1"] = Field(default=SCHEMA, alias="schema")
    program: NonEmpty
    corpus: Settings
    snapshot: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")
    members: list[Member]

    def member(self, name: str) -> Member:
        """Return the entry of a member that is there."""
        return next(member for member in self.members if member.name == name)

    @property
    def has_vectors(self) -> bool:
        """Whether the vectors are in it."""
        return any(member.name == VECTORS for member in self.members)


def read_manifest(text: str, *, where: str) -> Manifest:
    """Check a manifest; MismatchError for one of a newer format, InputError for any other fault."""
    try:
        value = loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", where=where) from None
    version = _OF_A_VERSION.fullmatch(str(value.get("schema"))) if isinstance(value, dict) else None
    if version is None:
        raise InputError(f"not the manifest of a dump: expected schema {SCHEMA}", where=where)
    if int(version[1]) > 1:
        raise MismatchError(
            f"the dump has the format {version[0]}, this program reads up to {SCHEMA}",
            where=where,
            hint="update answertrail",
        )
    manifest = parse(Manifest, value, where=where)
    names = [member.name for member in manifest.members]
    if sorted(names) not in (sorted(ALWAYS), sorted(ALWAYS | WITH_VECTORS)):
        strange = sorted(set(names) ^ ALWAYS - WITH_VECTORS) or ["a member twice"]
        raise InputError(f"members: not those of the format: {', '.join(strange)[:200]}", where=where)
    return manifest
