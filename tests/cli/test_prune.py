"""What an ingest makes of files that are gone, that change under it, and of another ingest beside it."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from answertrail.corpus import ingest as ingesting
from answertrail.corpus import making, reading
from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.errors import InputError, MismatchError
from answertrail.store import chunks, corpora, documents, sources

pytestmark = pytest.mark.asyncio


async def take(db, *paths, corpus="kiln", embedder="fast", **options):
    return await ingest(db, IngestRequest(corpus, paths, embedder=embedder, **options))


async def stored(db, corpus="kiln"):
    """Return the documents of a corpus and the source of each."""
    return await documents.document_sources(db, await corpora.get(db, corpus))


async def failing(db, corpus="kiln"):
    return [item.source for item in await sources.failures(db, await corpora.get(db, corpus))]


def gone(report):
    return [(item.source, item.document_id) for item in report.gone]


def line(document_id, text="The kiln is in the barn."):
    return json.dumps({"schema": "document/1", "id": document_id, "title": document_id, "text": text}) + "\n"


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text(line("a") + line("b") + line("c"))
    return path


# --- documents whose source is gone -----------------------------------------------------------------


async def test_a_deleted_file_is_reported_and_its_document_stays(database, kiln):
    await take(database, kiln)
    path = kiln / "20250620_ep2.srt"
    path.unlink()
    for _ in range(2):
        report = await take(database, kiln)
        assert gone(report) == [(str(path), "20250620_ep2")]
        assert report.removed == 0
        assert report.as_json()["gone"] == [{"source": str(path), "document_id": "20250620_ep2"}]
        assert report.as_json()["removed"] == 0
        assert set(await stored(database)) == {"20250110_ep1", "20250620_ep2"}


async def test_pruning_deletes_it_and_the_file_may_come_back(database, kiln):
    first = await take(database, kiln)
    path = kiln / "20250620_ep2.srt"
    text = path.read_text()
    path.unlink()
    report = await take(database, kiln, prune=True)
    assert (gone(report), report.removed) == ([(str(path), "20250620_ep2")], 1)
    corpus = await corpora.get(database, "kiln")
    assert await chunks.chunks_of(database, corpus, "20250620_ep2") == ()
    assert list(await sources.source_items(database, corpus)) == [str(kiln / "20250110_ep1.vtt")]
    assert report.snapshot == await corpora.snapshot(database, corpus) != first.snapshot
    again = await take(database, kiln, prune=True)
    assert (gone(again), again.removed) == ([], 0)
    path.write_text(text)
    back = await take(database, kiln, prune=True)
    assert (back.added, back.embedded, back.snapshot) == (1, 0, first.snapshot)


async def test_only_what_lies_under_the_given_roots_is_gone(database, kiln, tmp_path):
    other = tmp_path / "kiln2"
    other.mkdir()
    (other / "away.txt").write_text("The barn was painted red.")
    (other / "here.txt").write_text("The barn was painted green.")
    await take(database, kiln, other)
    (other / "away.txt").unlink()
    report = await take(database, kiln, prune=True)
    assert (gone(report), report.removed) == ([], 0)
    assert "away" in await stored(database)
    unnormalised = kiln / ".." / "kiln2" / "."
    assert (await take(database, unnormalised, prune=True)).removed == 1


async def test_a_file_that_is_left_out_is_not_gone(database, kiln):
    await take(database, kiln)
    report = await take(database, kiln, include=["*.srt"], prune=True)
    assert gone(report) == []
    report = await take(database, kiln, exclude=["*.srt"], prune=True)
    assert gone(report) == []
    assert len(await stored(database)) == 2


async def test_a_file_that_moved_is_not_gone(database, kiln):
    await take(database, kiln)
    (kiln / "old").mkdir()
    (kiln / "20250620_ep2.srt").rename(kiln / "old" / "20250620_ep2.srt")
    report = await take(database, kiln, prune=True)
    assert (gone(report), report.removed) == ([], 0)
    assert (await stored(database))["20250620_ep2"] == str(kiln / "old" / "20250620_ep2.srt")


async def test_a_file_that_gives_another_id_no_longer_gives_the_old_one(database, kiln):
    (kiln / "en").mkdir()
    (kiln / "en" / "talk.txt").write_text("The barn was painted red.")
    await take(database, kiln)
    (kiln / "ko").mkdir()
    (kiln / "ko" / "talk.txt").write_text("Quite another talk about glazes.")
    report = await take(database, kiln)
    assert gone(report) == [(str(kiln / "en" / "talk.txt"), "talk")]
    # Also when the file has not changed since.
    report = await take(database, kiln, prune=True)
    assert (gone(report), report.removed) == ([(str(kiln / "en" / "talk.txt"), "talk")], 1)
    assert {"en/talk", "ko/talk"} < set(await stored(database))


async def test_a_line_that_is_gone_from_a_file_is_a_document_that_is_gone(database, notes):
    await take(database, notes)
    notes.write_text(line("a") + line("c"))
    report = await take(database, notes)
    assert gone(report) == [(f"{notes}:2", "b")]
    report = await take(database, notes, prune=True)
    assert report.removed == 1
    assert await stored(database) == {"a": f"{notes}:1", "c": f"{notes}:2"}


async def test_nothing_of_a_file_with_a_bad_line_is_gone(database, notes):
    await take(database, notes)
    notes.write_text(line("a") + "not json\n" + line("c"))
    report = await take(database, notes, prune=True)
    assert (len(report.failed), gone(report)) == (1, [])
    assert set(await stored(database)) == {"a", "b", "c"}
    notes.write_text("")
    report = await take(database, notes, prune=True)
    assert (len(report.failed), gone(report)) == (1, [])


async def test_all_lines_of_a_file_that_is_gone_are_gone(database, kiln, notes):
    notes = notes.rename(kiln / "notes.jsonl")
    await take(database, kiln)
    notes.unlink()
    report = await take(database, kiln, prune=True)
    assert [document for _, document in gone(report)] == ["a", "b", "c"]
    assert report.removed == 3


async def test_nothing_is_pruned_while_something_cannot_be_looked_at(database, kiln):
    await take(database, kiln)
    (kiln / "20250620_ep2.srt").unlink()
    link = kiln / "elsewhere.vtt"
    link.symlink_to("/mnt/no-such-disk/x.vtt")
    report = await take(database, kiln, prune=True)
    assert len(report.gone) == 1
    assert report.removed == 0
    assert [item.source for item in report.failed] == [str(link)]
    link.unlink()
    (kiln / "empty.vtt").write_text("")  # it is there, so nothing is out of sight
    assert (await take(database, kiln, prune=True)).removed == 1


async def test_nothing_is_pruned_when_the_root_is_missing_empty_or_goes_away(database, kiln, monkeypatch):
    await take(database, kiln)
    hidden = kiln.with_name("hidden")
    kiln.rename(hidden)
    with pytest.raises(InputError, match="no such file"):
        await take(database, kiln, prune=True)
    kiln.mkdir()
    with pytest.raises(InputError, match="nothing to read"):
        await take(database, kiln, prune=True)
    kiln.rmdir()
    hidden.rename(kiln)
    real = ingesting.forget_mended

    async def unmounted(run, roots):
        kiln.rename(hidden)
        await real(run, roots)

    (kiln / "20250620_ep2.srt").unlink()
    monkeypatch.setattr(ingesting, "forget_mended", unmounted)
    assert (await take(database, kiln, prune=True)).removed == 0
    assert len(await stored(database)) == 2


async def test_a_link_to_nowhere_is_a_file_that_is_there(database, kiln):
    target = kiln.with_name("target.vtt")
    (kiln / "20250110_ep1.vtt").rename(target)
    (kiln / "20250110_ep1.vtt").symlink_to(target)
    await take(database, kiln)
    target.unlink()
    assert gone(await take(database, kiln, prune=True)) == []


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
async def test_a_file_whose_name_is_no_unicode_is_there(database, kiln):
    latin, escaped = kiln / os.fsdecode(b"caf\xe9.md"), kiln / "caf\\xe8.md"
    latin.write_text("# Red\n\nThe barn was painted red.")
    escaped.write_text("# Green\n\nThe barn was painted green.")
    assert (await take(database, kiln)).added == 4
    assert gone(await take(database, kiln, include=["*.vtt"], prune=True)) == []
    latin.unlink()
    escaped.unlink()
    assert (await take(database, kiln, prune=True)).removed == 2


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
async def test_a_name_that_is_no_unicode_and_no_title_fails_at_most_its_own_file(database, kiln):
    (kiln / os.fsdecode(b"caf\xe9.txt")).write_text("The barn was painted red.")
    report = await take(database, kiln)
    assert report.added + len(report.failed) == 3
    assert report.added >= 2


async def test_a_file_that_comes_back_after_another_gave_its_document_is_read_again(database, tmp_path):
    path, other = tmp_path / "x.txt", tmp_path / "x.md"
    path.write_text("The kiln is in the barn.")
    await take(database, tmp_path)
    text = path.read_text()
    path.unlink()
    other.write_text("The kiln is in the shed.")
    await take(database, tmp_path)
    other.unlink()
    path.write_text(text)
    report = await take(database, tmp_path)
    assert (report.changed, report.unchanged) == (1, 0)
    (chunk,) = await chunks.chunks_of(database, await corpora.get(database, "kiln"), "x")
    assert chunk.chunk.text == text


async def test_an_id_that_belongs_to_a_line_of_another_file_is_not_silently_replaced(database, notes, tmp_path):
    await take(database, notes)
    other = tmp_path / "other.jsonl"
    other.write_text(line("b", "Quite another text."))
    report = await take(database, other)
    assert "already belongs to" in report.failed[0].reason
    notes.unlink()
    assert (await take(database, other)).changed == 1


# --- failures are forgotten only when they are mended -----------------------------------------------


async def test_failures_of_files_that_were_not_looked_at_stay(database, kiln, notes):
    notes = notes.rename(kiln / "notes.jsonl")
    notes.write_text(line("a") + "not json\n")
    (kiln / "broken.srt").write_bytes(b"\x00")
    back = kiln / "back.txt"
    back.write_text("".join(f"[0{minute}:00] **Ann**: So many words.\n" for minute in (1, 2, 3, 4, 1, 2, 3, 4)))
    report = await take(database, kiln)
    lined = {f"{item.source}:{item.line}" if item.line else item.source for item in report.failed}
    assert len(lined) == 3
    assert any(source.startswith(f"{back}:") for source in lined)  # a bad line of a file that is no JSON Lines
    assert set(await failing(database)) == lined
    await take(database, kiln, include=["*.vtt"])
    assert set(await failing(database)) == lined
    back.write_text("[01:00] **Ann**: Mended now.\n" * 3)
    await take(database, kiln, include=["back.*"])
    left = {source for source in lined if not source.startswith(f"{back}:")}
    assert set(await failing(database)) == left
    notes.write_text(line("a") + line("b"))
    await take(database, kiln, include=["notes.*"])
    assert await failing(database) == [str(kiln / "broken.srt")]
    (kiln / "broken.srt").unlink()
    await take(database, kiln, include=["*.vtt"])
    assert await failing(database) == []


async def test_a_skip_stays_as_long_as_its_file_was_not_read(database, kiln):
    (kiln / "20250110_ep1.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nWelcome back.\n")
    report = await take(database, kiln)
    assert [item.source for item in report.skipped] == [str(kiln / "20250110_ep1.srt")]
    await take(database, kiln, include=["*ep2*"])
    corpus = await corpora.get(database, "kiln")
    assert (await sources.states(database, corpus))["skipped"] == 1
    (kiln / "20250110_ep1.srt").unlink()
    await take(database, kiln, include=["*ep2*"])
    assert (await sources.states(database, corpus))["skipped"] == 0


async def test_a_mended_sidecar_and_manifest_are_forgotten(database, kiln):
    sidecar, manifest = kiln / "20250110_ep1.info.json", kiln / "episodes.jsonl"
    sidecar.write_text("{")
    manifest.write_text("not json\n")
    await take(database, kiln)
    assert await failing(database) == [str(sidecar), f"{manifest}:1"]
    sidecar.write_text('{"title": "One"}')
    manifest.write_text('{"file": "20250620_ep2.srt", "title": "Two"}\n')
    assert (await take(database, kiln)).failed == []
    assert await failing(database) == []


# --- files that change under the ingest ---------------------------------------------------------------


@pytest.mark.parametrize("change", ["delete", "rewrite", "sidecar"])
async def test_a_file_that_changes_while_it_is_read_fails_alone(database, kiln, monkeypatch, change):
    path, sidecar = kiln / "20250620_ep2.srt", kiln / "20250620_ep2.info.json"
    sidecar.write_text('{"title": "Two"}')
    real = reading._read

    def meddled(group):
        if group.path == path and change == "delete":
            path.unlink()
        out = iter(list(real(group)))
        if group.path == path and change == "rewrite":
            path.write_text(path.read_text().replace("June", "July, late"))
        if group.path == path and change == "sidecar":
            sidecar.write_text('{"title": "Another"}')
        return out

    monkeypatch.setattr(reading, "_read", meddled)
    report = await take(database, kiln)
    assert report.added == 1
    assert [item.source for item in report.failed] == [str(path)]
    assert "changed or deleted" in report.failed[0].reason
    assert list(await stored(database)) == ["20250110_ep1"]
    monkeypatch.undo()
    again = await take(database, kiln)
    assert again.failed == []
    assert again.added == (change != "delete")
    assert await failing(database) == []


async def test_what_a_file_gave_before_is_not_pruned_by_an_ingest_it_vanished_in(database, kiln, monkeypatch):
    await take(database, kiln)
    path = kiln / "20250620_ep2.srt"
    path.write_text(path.read_text().replace("June", "July"))
    real = reading._read

    def meddled(group):
        path.unlink(missing_ok=True)
        return real(group)

    monkeypatch.setattr(reading, "_read", meddled)
    report = await take(database, kiln, prune=True)
    assert (len(report.failed), gone(report)) == (1, [])
    monkeypatch.undo()
    assert (await take(database, kiln, prune=True)).removed == 1


async def test_what_another_worker_found_elsewhere_meanwhile_is_not_pruned(database, kiln, monkeypatch):
    await take(database, kiln)
    (kiln / "20250620_ep2.srt").unlink()
    real = ingesting.prune

    async def raced(run):
        async with database.transaction() as conn:
            await conn.execute("UPDATE documents SET source = 'elsewhere.srt' WHERE document_id = '20250620_ep2'")
        await real(run)

    monkeypatch.setattr(ingesting, "prune", raced)
    report = await take(database, kiln, prune=True)
    assert [document for _, document in gone(report)] == ["20250620_ep2"]
    assert report.removed == 0
    assert "20250620_ep2" in await stored(database)


# --- two ingests at once ------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    """Let two ingests both find that there is no such corpus before either makes it."""
    barrier = asyncio.Barrier(2)
    real = corpora.create

    async def create(*given, **named):
        await barrier.wait()
        return await real(*given, **named)

    monkeypatch.setattr(making.corpora, "create", create)


@pytest.mark.parametrize("embedder", ["fast", "auto", None])
async def test_two_ingests_that_make_one_corpus_at_once_both_end_well(database, kiln, at_once, embedder):
    reports = await asyncio.gather(*(take(database, kiln, embedder=embedder) for _ in range(2)))
    assert [report.failed for report in reports] == [[], []]
    assert sorted((report.added, report.unchanged) for report in reports)[0][0] <= 2
    assert sum(report.added for report in reports) == 2
    assert reports[0].snapshot == reports[1].snapshot
    assert len(await stored(database)) == 2
    assert (await sources.states(database, await corpora.get(database, "kiln")))["embedded"] == 2


async def test_two_ingests_with_different_embedders_at_once_do_not_mix(database, kiln, at_once):
    results = await asyncio.gather(
        take(database, kiln, embedder="fast"), take(database, kiln, embedder="minilm"), return_exceptions=True
    )
    (refused,) = [result for result in results if isinstance(result, Exception)]
    assert isinstance(refused, MismatchError)
    assert len(await stored(database)) == 2


async def test_a_name_that_no_corpus_can_have_is_still_refused(database, kiln):
    with pytest.raises(InputError, match="name"):
        await take(database, kiln, corpus=" kiln")
