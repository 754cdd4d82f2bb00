"""Dates, hashes and ids by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from answertrail.records import Pair, instant
from answertrail.records.chunk import Chunk, text_hash
from answertrail.records.embedder import EmbedderIdentity


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-01-31", datetime(2025, 1, 31, tzinfo=UTC)),
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2025-01-31T23:45:00Z", datetime(2025, 1, 31, 23, 45, tzinfo=UTC)),
        ("2025-01-31T23:45Z", datetime(2025, 1, 31, 23, 45, tzinfo=UTC)),
        ("2025-01-31T23:45:00.5-08:00", datetime(2025, 2, 1, 7, 45, 0, 500_000, tzinfo=UTC)),
        ("2025-01-01T00:15+09:00", datetime(2025, 1, 1, 0, 15, tzinfo=timezone(timedelta(hours=9)))),
    ],
)
def test_a_date_is_utc_midnight_and_a_time_keeps_its_zone(text, moment):
    assert instant(text) == moment
    assert instant(text).tzinfo is not None


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2025", "2025-1-1", "2025-02-29", "2025-01-31T10:00:00", "2025-01-31 10:00Z", "20250131",
     "2025-01-31T10Z", "2025-01-31T10:00:00z", " 2025-01-31", "2025-01-31\n", "2025-01-31T10:00:00Z\n", "٢٠٢٥-01-31"],
)  # fmt: skip
def test_anything_else_is_no_date(text):
    with pytest.raises(ValueError):
        instant(text)


def test_a_text_hash_is_sha256_of_the_utf8_bytes():
    # printf 'abc' | sha256sum; printf '유약' | sha256sum
    assert text_hash("abc") == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert text_hash("") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    chunk = Chunk(id="d:00000", document_id="d", ordinal=0, text="abc", lines=("abc",))
    assert chunk.text_hash == text_hash("abc")


def test_an_embedder_key_tells_name_revision_and_length_apart():
    keys = {
        EmbedderIdentity(name, revision, dims).key
        for name in ("a", "b") for revision in ("r" * 20, "s" * 20) for dims in (3, 4)
    }  # fmt: skip
    assert len(keys) == 8


def test_a_record_cannot_be_changed_and_its_json_is_a_copy():
    record = Pair(pair_id="p", claim="c", text="t", meta={"a": 1})
    with pytest.raises(ValueError):
        record.claim = "other"
    record.as_json()["meta"]["a"] = 2
    assert record.meta == {"a": 1}
