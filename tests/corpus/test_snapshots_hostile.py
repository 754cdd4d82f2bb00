"""Files that are no whole dump, or not what was written, are refused by name; nothing is half restored."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile

import numpy as np
import pytest
import pytest_asyncio

from answertrail.corpus import restore as restoring
from answertrail.corpus.dump import dump
from answertrail.corpus.restore import restore
from answertrail.errors import AnswerTrailError, InputError, MismatchError
from answertrail.store import corpora
from tests.corpus.snapshot_samples import members, rich_corpus, vectors_of, zipped
from tests.search.worlds import TinyEmbedder

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def dumped(database, tmp_path, monkeypatch):
    """The path of a good dump, whose corpus is gone from the database; its vectors are not."""
    tiny = TinyEmbedder(8)
    monkeypatch.setattr(restoring, "load_embedder", lambda _: tiny)
    corpus = await rich_corpus(database, tiny)
    await dump(database, "talks", tmp_path / "good.zip")
    await corpora.delete(database, corpus)
    return tmp_path / "good.zip"


@pytest.fixture
def refused(database, tmp_path):
    """Restore bytes and return the error; the database must be what it was."""

    async def attempt(data: bytes, kind: type[AnswerTrailError] = InputError) -> AnswerTrailError:
        path = tmp_path / "bad.zip"
        path.write_bytes(data)
        with pytest.raises(kind) as caught:
            await restore(database, path, "restored")
        assert str(path) in (caught.value.where or "")
        assert await corpora.list_all(database) == ()
        async with database.transaction() as conn:
            for table in ("documents", "segments", "chunks", "source_items", "origin_items", "cleanings"):
                cursor = await conn.execute(f"SELECT count(*) FROM {table}")
                assert await cursor.fetchone() == (0,)
        return caught.value

    return attempt


def resealed(held: dict[str, bytes], **manifest: object) -> bytes:
    """Return a dump whose manifest agrees with its members, as one who changed them would make it."""
    told = json.loads(held["manifest.json"]) | manifest
    for member in told["members"]:
        data = held[member["name"]]
        member |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        if member["name"] != "vectors.npy":
            member["rows"] = data.count(b"\n")
    return zipped({**held, "manifest.json": json.dumps(told).encode()})


def edited(held: dict[str, bytes], name: str, place: int, **fields: object) -> dict[str, bytes]:
    """Return the members with fields of one row put in, or taken out where the value is `...`."""
    rows = [json.loads(line) for line in held[name].decode().splitlines()]
    rows[place] = {key: value for key, value in (rows[place] | fields).items() if value is not ...}
    return {**held, name: "".join(json.dumps(row) + "\n" for row in rows).encode()}


async def test_a_file_cut_short_is_refused_wherever_it_ends(dumped, refused):
    data = dumped.read_bytes()
    for end in (0, 1, 22, len(data) // 3, len(data) // 2, len(data) - 30, len(data) - 1):
        assert "not a whole dump" in (await refused(data[:end])).message


async def test_a_flipped_byte_is_found_and_the_member_named(dumped, refused):
    data, rng = bytearray(dumped.read_bytes()), random.Random(3)
    with zipfile.ZipFile(dumped) as archive:
        places = {info.filename: info.header_offset + 30 + len(info.filename) for info in archive.infolist()}
        sizes = {info.filename: info.compress_size for info in archive.infolist()}
    for name in ("documents.jsonl", "chunks.jsonl", "vectors.npy", "vector_hashes.txt", "manifest.json"):
        # Past the local header's extra field of 20 bytes.
        at = places[name] + 20 + rng.randrange(sizes[name] // 2, sizes[name])
        data[at] ^= 0x20
        assert name in ((await refused(bytes(data))).where or "")
        data[at] ^= 0x20


async def test_a_member_changed_by_hand_is_found_by_its_sum(dumped, refused):
    held = members(dumped)
    for name in held:
        if name != "manifest.json" and held[name]:
            error = await refused(zipped({**held, name: held[name].replace(held[name][-2:-1], b"~")}))
            assert name in (error.where or "")
    error = await refused(zipped({**held, "chunks.jsonl": held["chunks.jsonl"] + b"{}\n"}))
    assert "chunks.jsonl" in (error.where or "")


async def test_a_newer_format_says_what_to_do(dumped, refused):
    held = members(dumped)
    newer = json.dumps(json.loads(held["manifest.json"]) | {"schema": "corpus_dump/2", "more": 1}).encode()
    error = await refused(zipped({**held, "manifest.json": newer}), MismatchError)
    assert "corpus_dump/2" in error.message
    assert "update" in (error.hint or "")


@pytest.mark.parametrize(
    "manifest",
    [b"", b"[]", b"{}", b"{" * 5000, b"\xff\xfe", b'{"schema": "document/1"}', b'{"schema": "corpus_dump/1"}'],
)
async def test_what_is_no_manifest_is_refused(dumped, refused, manifest):
    assert "manifest.json" in ((await refused(zipped({**members(dumped), "manifest.json": manifest}))).where or "")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("context", ["gossip"]), ("asked_in", ["no language"]), ("engine", "../x"), ("embedder", {"name": "a"})],
)
async def test_a_setting_that_nobody_knows_is_refused(dumped, refused, setting, value):
    held = members(dumped)
    made = json.loads(held["manifest.json"])["corpus"] | {setting: value}
    assert "manifest.json" in ((await refused(resealed(held, corpus=made))).where or "")


async def test_other_zips_and_other_files_are_no_dumps(refused):
    assert "manifest.json" in (await refused(zipped({"hello.txt": b"hello"}))).message
    await refused(b"%PDF-1.7 and so on")


async def test_members_that_are_missing_twice_or_strange_are_refused(dumped, refused):
    held = members(dumped)
    for name in ("chunks.jsonl", "vectors.npy"):
        assert name in ((await refused(zipped({key: held[key] for key in held if key != name}))).where or "")
    for strange in ("../../etc/passwd", "/tmp/x", "C:\\x", "notes.txt"):
        error = await refused(zipped(held, more=((strange, b"x"),)))
        assert "does not name" in error.message
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped(held, more=(("chunks.jsonl", b"{}\n"),))
    assert "two members" in (await refused(twice)).message
    told = json.loads(held["manifest.json"])
    told["members"].append({"name": "../x.jsonl", "sha256": "0" * 64, "bytes": 0, "rows": 0})
    error = await refused(zipped({**held, "manifest.json": json.dumps(told).encode()}, more=(("../x.jsonl", b""),)))
    assert "../x.jsonl" in error.message


async def test_a_file_that_would_unpack_to_far_more_than_it_is_never_unpacked(dumped, refused):
    held = members(dumped)
    told = json.loads(held["manifest.json"])
    for member in told["members"]:
        if member["name"] == "chunks.jsonl":
            member["bytes"] = 10**13
    error = await refused(zipped({**held, "manifest.json": json.dumps(told).encode()}))
    assert "10,000,0" in error.message
    # A bomb that says it is small is read no further than it said.
    bomb = await refused(zipped({**held, "chunks.jsonl": b" " * 30_000_000}))
    assert "more and not" in bomb.message


async def test_a_packed_way_or_a_password_that_is_not_ours_is_refused(dumped, refused):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_BZIP2) as archive:
        for name, data in members(dumped).items():
            archive.writestr(name, data)
    assert "unknown way" in (await refused(out.getvalue())).message


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("chunks.jsonl", {"text": "other words"}, "text_hash"),
        ("chunks.jsonl", {"embedded_hash": "sha256:0"}, "embedded_hash"),
        ("chunks.jsonl", {"document_id": "nobody"}, "document 'a': its chunks end before its words do"),
        ("chunks.jsonl", {"lines": ["Two."]}, "chunk 'a:00000': its lines are not its text"),
        ("chunks.jsonl", {"ordinal": "0"}, "ordinal: expected a whole number"),
        ("chunks.jsonl", {"ordinal": True}, "ordinal: expected a whole number"),
        ("chunks.jsonl", {"ordinal": 10**12}, "cannot be stored"),
        ("chunks.jsonl", {"lines": [1]}, "lines: expected a list of texts"),
        ("chunks.jsonl", {"lines": ...}, "lines: expected a list of texts"),
        ("chunks.jsonl", {"corpus_id": 1}, "corpus_id: unknown field"),
        ("documents.jsonl", {"title": "a NUL \0"}, "NUL"),
        ("documents.jsonl", {"id": "elsewhere"}, "expected 'elsewhere'"),
        ("documents.jsonl", {"strange": 1}, "unknown field"),
        ("document_rows.jsonl", {"ingested_at": "yesterday"}, "ingested_at: expected an instant"),
        ("document_rows.jsonl", {"source": None}, "expected an object"),
        ("raw_texts.jsonl", {"ordinal": 99}, "place of a segment"),
        ("raw_texts.jsonl", {"document_id": "zz"}, "of no document"),
        ("source_items.jsonl", {"state": "lost"}, "cannot be stored"),
        ("source_items.jsonl", {"source": "a\0b"}, "cannot be stored"),
        ("origin_items.jsonl", {"listing": "text"}, "listing: expected an object"),
        ("cleaning_edits.jsonl", {"kept": 1}, "kept: expected true or false"),
        ("unembeddable.jsonl", {"reason": 7}, "a text_hash and a reason"),
    ],
)
async def test_a_row_that_cannot_be_is_named_though_all_sums_agree(dumped, refused, name, fields, said):
    error = await refused(resealed(edited(members(dumped), name, 0, **fields)))
    assert said in error.message
    assert name in (error.where or "") or "document_rows.jsonl" in (error.where or "")


async def test_chunks_with_other_words_than_their_documents_are_named_though_all_sums_agree(dumped, refused):
    held = members(dumped)
    places = {json.loads(line)["chunk_id"]: n for n, line in enumerate(held["chunks.jsonl"].splitlines(), 1)}
    spoken = json.loads(held["documents.jsonl"].splitlines()[1])["segments"]
    spoken[1]["text"] = "The glaze never crawled."
    error = await refused(resealed(edited(held, "documents.jsonl", 1, segments=spoken)))
    assert error.message == "chunk 'b:00030': its words are not those of the document 'b' there"
    assert (error.where or "").endswith(f"bad.zip: chunks.jsonl:{places['b:00030']}")
    note = json.loads(held["documents.jsonl"].splitlines()[2])["text"]
    error = await refused(resealed(edited(held, "documents.jsonl", 2, text=note + " And more.")))
    assert error.message == "document 'note:1': its chunks end before its words do, or are not in order"
    lines = held["chunks.jsonl"].splitlines(keepends=True)
    for some in (lines[:-1], lines[1:], [*lines, lines[-1]], lines[::-1], []):
        error = await refused(resealed({**held, "chunks.jsonl": b"".join(some)}))
        assert "chunks.jsonl" in (error.where or "")


async def test_another_snapshot_than_the_manifest_says_keeps_nothing(dumped, refused):
    held = members(dumped)
    error = await refused(resealed(edited(held, "documents.jsonl", 0, published_at="2001-01-01")), MismatchError)
    assert "nothing was kept" in error.message
    await refused(resealed(held, snapshot="sha256:" + "0" * 64), MismatchError)


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


async def test_vectors_of_another_kind_are_refused_and_nothing_is_unpickled(dumped, refused):
    held = members(dumped)
    good = np.load(io.BytesIO(held["vectors.npy"]))
    for bad in (
        npy(good.astype(np.float64)),
        npy(good[:-1]),
        npy(np.array([{"a": 1}] * len(good), dtype=object)),
        held["vectors.npy"][:-4],
        held["vectors.npy"] + b"\0",
        b"no array at all",
        b"",
        npy(np.zeros_like(good)),
        npy(np.where(np.arange(good.size).reshape(good.shape) == 3, np.nan, good).astype("<f4")),
    ):
        assert "vectors.npy" in ((await refused(resealed({**held, "vectors.npy": bad}))).where or "")


async def test_no_vector_can_be_planted_for_a_text_of_another_corpus(dumped, refused, database):
    held = members(dumped)
    hashes = held["vector_hashes.txt"].decode().split()
    strange = sorted([*hashes[:-1], "sha256:" + hashlib.sha256(b"a text of another corpus").hexdigest()])
    error = await refused(resealed({**held, "vector_hashes.txt": ("\n".join(strange) + "\n").encode()}))
    assert "1 vectors are of no text of the corpus" in error.message
    for wrong in ([hashes[0]] * len(hashes), [*hashes[:-1], "sha256:xyz"], hashes[::-1]):
        await refused(resealed({**held, "vector_hashes.txt": ("\n".join(wrong) + "\n").encode()}))
    async with database.transaction() as conn:
        cursor = await conn.execute("SELECT count(*) FROM embedding_1")
        assert await cursor.fetchone() == (len(hashes),)


async def test_no_text_of_another_corpus_can_be_made_one_that_is_never_embedded(dumped, refused, database):
    held = members(dumped)
    async with database.transaction() as conn:
        before = await (await conn.execute("SELECT * FROM unembeddable")).fetchall()
    victim = "sha256:" + hashlib.sha256(b"a text of another corpus").hexdigest()
    planted = held["unembeddable.jsonl"] + json.dumps({"text_hash": victim, "reason": "x"}).encode() + b"\n"
    error = await refused(resealed({**held, "unembeddable.jsonl": planted}))
    assert "1 of the hashes are of no text of the corpus" in error.message
    await refused(resealed({**held, "unembeddable.jsonl": held["unembeddable.jsonl"] * 2}))
    async with database.transaction() as conn:
        assert await (await conn.execute("SELECT * FROM unembeddable")).fetchall() == before


async def test_a_taken_or_impossible_name_is_refused_before_anything_is_read(dumped, database):
    await restore(database, dumped)
    with pytest.raises(InputError, match="exists") as taken:
        await restore(database, dumped)
    assert "--as" in (taken.value.hint or "")
    for name in ("", "-x", "a@b", "x" * 101, "a\nb"):
        with pytest.raises(InputError, match="cannot name a corpus"):
            await restore(database, dumped, name)
    assert len(await vectors_of(database, await corpora.get(database, "talks"))) == 5


async def test_whatever_bytes_change_the_dump_is_refused_or_restored_whole(dumped, database, tmp_path):
    data, rng, path = dumped.read_bytes(), random.Random(12), tmp_path / "changed.zip"
    snapshot = json.loads(members(dumped)["manifest.json"])["snapshot"]
    refusals = 0
    for _ in range(120):
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 3, 20))):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        if rng.random() < 0.3:
            at = rng.randrange(len(changed))
            del changed[at : at + rng.choice((1, 7, 400))]
        path.write_bytes(changed)
        try:
            report = await restore(database, path, "changed")
        except AnswerTrailError:
            refusals += 1
            assert await corpora.list_all(database) == ()
        else:
            # It hit what nobody reads, such as the date of a member.
            assert report.snapshot == snapshot
            assert (report.documents, report.chunks, report.vectors) == (3, 6, 5)
            await corpora.delete(database, await corpora.get(database, "changed"))
    assert refusals > 60
