"""Which source a document belongs to: the one that gave it last, also when that one has failed since."""

from __future__ import annotations

import asyncio
import json

import pytest

from answertrail.corpus import ingest as ingesting
from answertrail.corpus import reading
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.store import chunks, claims, corpora, documents, sources

pytestmark = pytest.mark.asyncio

KILN, TRACTOR = "The kiln was moved to the barn.", "Only tractors here, and no pottery."


async def take(db, *paths, **options):
    return await ingest(db, IngestRequest("c", paths, embedder="fast", **options))


async def corpus_of(db):
    return await corpora.get(db, "c")


async def words(db, document_id):
    return " ".join(found.chunk.text for found in await chunks.chunks_of(db, await corpus_of(db), document_id))


async def rows(db):
    return {name: item.document_id for name, item in (await sources.source_items(db, await corpus_of(db))).items()}


async def owners(db):
    return await documents.document_sources(db, await corpus_of(db))


def write(path, *given):
    """Write a file of lines, each an id and a text."""
    rows = [{"schema": "document/1", "id": name, "title": "T", "text": text} for name, text in given]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.fixture
def talks(tmp_path):
    """Two folders, each with a talk of one name."""
    for name, text in (("a", KILN), ("b", TRACTOR)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "talk.txt").write_text(text)
    return tmp_path / "a", tmp_path / "b"


@pytest.fixture
def lines(tmp_path):
    return tmp_path / "f.jsonl", tmp_path / "g.jsonl"


# --- a source that failed keeps its document ----------------------------------------------------------


async def test_a_source_that_failed_loses_its_document_to_no_other(database, talks):
    a, b = talks
    await take(database, a)
    (a / "talk.txt").write_text("")
    assert len((await take(database, a)).failed) == 1
    for _ in range(2):
        report = await take(database, b)
        assert (report.added, report.changed) == (0, 0)
        (refused,) = report.failed
        assert refused.source == str(b / "talk.txt")
        assert f"the id talk already belongs to {a / 'talk.txt'}, which could not be read" in refused.reason
        assert await words(database, "talk") == KILN
    (a / "talk.txt").write_text(f"{KILN} It cracked.")
    assert (await take(database, a)).changed == 1
    (a / "talk.txt").unlink()
    assert (await take(database, b)).changed == 1
    assert await words(database, "talk") == TRACTOR


BROKEN = {
    "the line": b'{"schema": "document/1", "id": "d"\n',
    "the file": b"\xff\xfe\x00\xd8",
}


@pytest.mark.parametrize("what", BROKEN)
async def test_one_that_fails_in_the_same_ingest_keeps_its_document_too(database, lines, what):
    f, g = lines
    write(f, ("d", KILN))
    await take(database, f)
    f.write_bytes(BROKEN[what])
    write(g, ("d", TRACTOR))
    report = await take(database, f, g)
    assert (report.added, report.changed) == (0, 0)
    assert f"the id d already belongs to {f}:1, which could not be read" in report.failed[-1].reason
    assert await words(database, "d") == KILN
    f.unlink()
    assert (await take(database, g)).changed == 1


async def test_one_that_fails_in_the_hands_of_another_worker_keeps_it_too(database, lines, monkeypatch):
    f, g = lines
    write(f, ("d", KILN))
    await take(database, f)
    f.write_bytes(BROKEN["the line"])
    write(g, ("d", TRACTOR))
    real, failed, refused = reading._group, asyncio.Event(), asyncio.Event()

    async def held(run, group, *rest):
        done = await real(run, group, *rest)
        if group.path == f:
            failed.set()
            await refused.wait()  # the file stays claimed
        else:
            refused.set()
        return done

    monkeypatch.setattr(reading, "_group", held)
    async with asyncio.timeout(60):
        first = asyncio.create_task(take(database, f))
        await failed.wait()
        report = await take(database, f, g)
        await first
    assert (report.added, report.changed) == (0, 0)
    assert {item.source for item in report.failed} == {str(f), f"{g}:1"}
    assert await words(database, "d") == KILN


# --- a document that moved belongs to where it is now ---------------------------------------------------


@pytest.mark.parametrize("after", [(), ("z",)], ids=["the last line", "a line before others"])
async def test_a_document_that_moved_to_another_file_is_updated_from_there(database, lines, after):
    f, g = lines
    rest = [(name, "The wheel broke.") for name in after]
    write(f, ("x", KILN), ("d", KILN), *rest)
    write(g, ("y", KILN))
    await take(database, f, g)
    write(f, ("x", KILN), *rest)
    write(g, ("y", KILN), ("d", KILN))
    report = await take(database, f, g)
    assert (report.failed, report.gone, report.changed) == ([], [], 0)
    assert (await owners(database))["d"] == f"{g}:2"
    assert [name for name, document in (await rows(database)).items() if document == "d"] == [f"{g}:2"]
    write(g, ("y", KILN), ("d", TRACTOR))
    report = await take(database, g)
    assert (report.failed, report.changed) == ([], 1)
    assert await words(database, "d") == TRACTOR


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize("elsewhere", [False, True], ids=["alone", "its file in other hands"])
async def test_a_document_that_moved_away_from_a_line_that_was_mended_is_kept(
    database, lines, monkeypatch, prune, elsewhere
):
    f, g = lines
    write(f, ("x", KILN))
    write(g, ("d", TRACTOR))
    await take(database, f, g)
    g.write_bytes(b'{"schema": "document/1", "id": "d"\n')
    assert len((await take(database, f, g)).failed) == 1
    write(f, ("x", KILN), ("d", TRACTOR))
    write(g, ("e", "Bread was baked on Sunday."))
    if elsewhere:
        assert await claims.claim(database, await corpus_of(database), reading.STAGE, [str(g)], "another")
        end = claims.give_back

        async def after_the_first(db, corpus, stage, items, worker):
            await end(db, corpus, stage, items, worker)
            await end(db, corpus, stage, [str(g)], "another")

        monkeypatch.setattr(claims, "give_back", after_the_first)
    report = await take(database, f, g, prune=prune)
    assert (report.gone, report.removed) == ([], 0)
    assert [item.source for item in report.failed] == ([f"{f}:2"] if elsewhere else [])
    assert await words(database, "d") == TRACTOR
    assert (await take(database, f, g, prune=prune)).failed == []
    assert await owners(database) == {"x": f"{f}:1", "d": f"{f}:2", "e": f"{g}:1"}


@pytest.mark.parametrize("named", [("f.jsonl", "g.jsonl"), ("g.jsonl", "f.jsonl")])
async def test_a_line_that_is_still_broken_keeps_its_document(database, tmp_path, named):
    its, other = (tmp_path / name for name in named)
    write(its, ("x", KILN), ("d", TRACTOR))
    write(other, ("y", KILN))
    await take(database, tmp_path)
    write(its, ("x", KILN))
    its.write_text(its.read_text() + '{"schema": "document/1", "id": "d"\n')
    assert len((await take(database, tmp_path)).failed) == 1
    write(other, ("y", KILN), ("d", KILN))
    for _ in range(2):
        report = await take(database, tmp_path, prune=True)
        reasons = {item.source: item.reason for item in report.failed}
        assert sorted(reasons) == sorted([str(its), f"{other}:2"])
        assert f"already belongs to {its}:2, which could not be read" in reasons[f"{other}:2"]
        assert (report.gone, await words(database, "d")) == ([], TRACTOR)


async def test_a_row_that_was_left_behind_is_no_owner(database, lines):
    f, g = lines
    write(f, ("d", KILN))
    await take(database, f)
    f.rename(g)
    assert (await take(database, g)).failed == []
    write(f, ("x", KILN))
    await take(database, f.with_name("g.jsonl"))
    write(g, ("d", TRACTOR))
    report = await take(database, g)
    assert (report.failed, report.changed) == ([], 1)


async def test_a_file_that_another_worker_read_gave_what_is_in_it_now(database, lines, monkeypatch):
    f, g = lines
    write(f, ("x", KILN), ("d", KILN))
    write(g, ("y", KILN))
    await take(database, f, g)
    write(f, ("x", KILN))
    write(g, ("y", KILN), ("d", KILN))
    real = ingesting.read_groups

    async def raced(*given):
        monkeypatch.setattr(ingesting, "read_groups", real)
        assert [item.document_id for item in (await take(database, f)).gone] == ["d"]
        await real(*given)

    monkeypatch.setattr(ingesting, "read_groups", raced)
    report = await take(database, f, g)
    assert (report.elsewhere, report.failed, report.gone) == (1, [], [])
    assert (await owners(database))["d"] == f"{g}:2"


async def test_only_rows_of_lines_are_dropped_with_the_lines(database, lines):
    f, _ = lines
    write(f, ("x", KILN), ("d", KILN))
    (f.parent / "f.jsonl:notes.txt").write_text(TRACTOR)
    await take(database, f.parent)
    write(f, ("x", KILN))
    report = await take(database, f)
    assert [item.document_id for item in report.gone] == ["d"]
    assert list(await rows(database)) == [str(f), f"{f}:1", f"{f}:notes.txt"]
    assert await words(database, "d") == KILN


async def test_a_name_that_another_folder_has_for_the_same_file_gives_way(database, talks):
    a, b = talks
    (b / "talk.txt").unlink()
    (b / "talk.txt").symlink_to(a / "talk.txt")
    await take(database, b)
    report = await take(database, a, b)
    assert (report.failed, len(report.skipped)) == ([], 1)
    assert await owners(database) == {"talk": str(a / "talk.txt")}


async def test_an_id_refused_once_stays_refused_though_its_file_failed(database, lines):
    first, second = lines
    write(first, ("x", KILN))
    write(second, ("y", TRACTOR), ("x", TRACTOR))
    for _ in range(3):
        report = await take(database, first, second)
        assert len(report.failed) == 1
        assert await words(database, "x") == KILN
        assert await words(database, "y") == TRACTOR
