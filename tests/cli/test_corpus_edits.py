"""`corpus show` of cleaned captions: the raw words beside the mended ones, and `--diff`."""

from __future__ import annotations

import asyncio
import json

import pytest

from answertrail.corpus.cleaning import clean_pending
from answertrail.store import connect, corpora
from tests.corpus.cleaning.worlds import mending

LINES = ("so the hole thing works", "we left", "in twenty years")


@pytest.fixture
def cleaned(cli, settings, tmp_path):
    record = {
        "schema": "document/1",
        "id": "talk",
        "title": "A talk",
        "published_at": "2024-06-14",
        "captions": "auto",
        "url": None,
        "language": "en",
        "segments": [{"start_s": 3605.0 * n, "text": text} for n, text in enumerate(LINES)],
    }
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(record) + "\n" + json.dumps({**record, "id": "other", "captions": "human"}) + "\n")
    assert cli("ingest", path, "--corpus", "c", "--embedder", "fast").code == 0

    async def clean() -> None:
        async with connect(settings) as db:
            await clean_pending(db, await corpora.get(db, "c"), mending(("hole", "whole"), ("twenty", "20")))

    asyncio.run(clean())
    return path


def test_a_chunk_shows_what_was_captioned_where_it_differs(cli, cleaned):
    shown = cli("corpus", "show", "talk:00000", "--json").json
    assert (shown["text"], shown["raw_text"]) == ("so the whole thing works", "so the hole thing works")
    assert "as captioned: so the hole thing works" in cli("corpus", "show", "talk:00000").out
    for same in ("talk:03600", "talk:07200", "other:00000"):
        assert "raw_text" not in cli("corpus", "show", same, "--json").json
        assert "as captioned" not in cli("corpus", "show", same).out


def test_the_diff_of_a_document_tells_each_edit_its_time_and_its_reason(cli, cleaned):
    shown = cli("corpus", "show", "talk", "--diff", "--json").json
    assert shown["kind"] == "document"
    facts = shown["cleaning"]
    assert (facts["model"], facts["prompt_version"], facts["glossary_hash"]) == ("scripted:mender", "1", None)
    assert (facts["lines"], facts["changed"], facts["refused"], facts["unanswered"]) == (3, 1, 1, 0)
    assert shown["edits"] == [
        {
            "start_s": 0.0,
            "before": "so the hole thing works",
            "after": "so the whole thing works",
            "kept": True,
            "reason": "1 of 5 words",
        },
        {
            "start_s": 7210.0,
            "before": "in twenty years",
            "after": "in 20 years",
            "kept": False,
            "reason": "number or date changed: twenty -> 20",
        },
    ]
    lines = cli("corpus", "show", "talk", "--diff").out.splitlines()
    assert lines[0].startswith("A talk   1 of 3 lines changed, 1 edit refused   by scripted:mender, prompt 1, ")
    assert lines[1:] == [
        "00:00:00 so the [-hole-] {+whole+} thing works   1 of 5 words",
        "02:00:10 in [-twenty-] {+20+} years   refused: number or date changed: twenty -> 20",
    ]


def test_a_document_that_was_not_cleaned_says_so_and_a_chunk_has_no_diff(cli, cleaned):
    assert cli("corpus", "show", "other", "--diff").out == "other was not cleaned: its words are as captioned\n"
    assert cli("corpus", "show", "other", "--diff", "--json").json["cleaning"] is None
    refused = cli("corpus", "show", "talk:00000", "--diff", "--json")
    assert (refused.code, refused.json["error"]["hint"]) == (2, "try talk")


def test_ingesting_the_file_again_keeps_the_mended_words(cli, cleaned):
    again = cli("ingest", cleaned, "--corpus", "c", "--json").json
    assert (again["changed"], again["failed"]) == (0, [])
    assert cli("corpus", "show", "talk:00000", "--json").json["text"] == "so the whole thing works"
    # Another line of the same file is another fingerprint, but not another talk.
    with cleaned.open("a") as stream:
        stream.write(json.dumps({"schema": "document/1", "id": "new", "title": "New", "text": "Some words."}) + "\n")
    again = cli("ingest", cleaned, "--corpus", "c", "--json").json
    assert (again["added"], again["changed"], again["unchanged"]) == (1, 0, 2)
    assert cli("corpus", "show", "talk:00000", "--json").json["text"] == "so the whole thing works"
    cleaned.write_text(cleaned.read_text().replace("we left", "we stayed"))
    again = cli("ingest", cleaned, "--corpus", "c", "--json").json
    assert again["changed"] == 2
    assert cli("corpus", "show", "talk:00000", "--json").json["text"] == "so the hole thing works"


def test_mended_words_are_found_by_search(cli, cleaned):
    # Ingesting again embeds what cleaning left without a vector.
    assert cli("ingest", cleaned, "--corpus", "c", "--json").json["embedded"] == 1
    hits = cli("search", "whole thing", "--corpus", "c", "--json").json["hits"]
    assert "so the whole thing works" in [hit["text"] for hit in hits]
