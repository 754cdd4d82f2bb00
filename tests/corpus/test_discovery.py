"""Which files are documents, which belong together, and what they are called."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from answertrail.corpus.discovery import Discovery, discover
from answertrail.corpus.sources import Read, read
from answertrail.errors import InputError
from tests.corpus.conftest import Files, Folder

Make = Callable[[Files], Folder]
VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nhello there my old friend\n"
SRT = "1\n00:00:01,000 --> 00:00:02,000\nhello there my old friend\n"
AUTO = "WEBVTT\n\n00:01.000 --> 00:02.000\nhello<00:01.200><c> there</c>\n"
TURNS = "[00:01] **Ann**: Hello there.\n[00:09] **Bob**: Bye.\n"


def ids(found: Discovery) -> list[str | None]:
    return [group.id for group in found.groups]


def chosen(found: Discovery) -> dict[str | None, str]:
    return {group.id: group.path.name for group in found.groups}


def test_transcript_and_srt_are_one_document_wherever_they_lie(make: Make) -> None:
    stem = "20240614_jiJEy4M-O7g"
    for calls, srt in (("", ""), ("calls/", "srt/")):
        folder = make({f"{calls}{stem}_transcript.txt": TURNS, f"{srt}{stem}.srt": SRT})
        found = folder.discover()
        assert chosen(found) == {stem: f"{stem}_transcript.txt"}
        assert [Path(other.source).suffix for other in found.groups[0].fallbacks] == [".srt"]
        for path in folder.root.rglob("*.*"):
            path.unlink()


def test_human_before_automatic_before_nothing_timed(make: Make) -> None:
    found = make({"a.vtt": AUTO, "a.srt": SRT, "a.md": "Notes about it."}).discover()
    assert chosen(found) == {"a": "a.srt"}
    assert [other.path.name for other in found.groups[0].fallbacks] == ["a.vtt", "a.md"]


def test_a_manifest_joins_files_in_different_folders(make: Make) -> None:
    row = {"prefix": "x", "transcript": "one/x_transcript.txt", "srt": "far/away/x.srt"}
    found = make(
        {
            "episodes.jsonl": json.dumps(row),
            "one/x_transcript.txt": TURNS,
            "far/away/x.srt": SRT,
        }
    ).discover()
    assert ids(found) == ["x"]


def test_colliding_stems_take_their_folders(make: Make) -> None:
    files = {"en/a.md": "One.", "ko/a.md": "하나.", "ko/b.md": "둘.", "x/en/a.md": "Three."}
    folder = make(files)
    assert ids(folder.discover()) == ["b", "show/en/a", "show/ko/a", "x/en/a"]
    # Only what is read can collide.
    two = [folder.root / "en", folder.root / "ko"]
    assert ids(discover(two)) == ["b", "en/a", "ko/a"]


def test_caption_files_that_share_a_name_by_chance_stay_apart(make: Make) -> None:
    other = SRT.replace("hello there my old friend", "the mill wheel does not turn")
    assert ids(make({"p/sample.vtt": VTT, "q/sample.srt": other}).discover()) == [
        "p/sample",
        "q/sample",
    ]
    assert ids(make({"q/sample.srt": SRT}).discover()) == ["sample"]


def test_what_is_ignored_is_counted(make: Make) -> None:
    found = make(
        {
            "a.vtt": VTT,
            ".hidden.vtt": VTT,
            ".git/config.txt": "x",
            "README.md": "x",
            "LICENSE-MIT.txt": "x",
            "PROVENANCE.jsonl": "{}",
            "SHA256SUMS": "x",
            "a.vtt.sha256": "x",
            "a_qa.json": "[]",
            "a_decisions.json": "[]",
            "a.live_chat.json": "{}",
            "a.mp4": b"\0",
            "other.jsonl": '{"id": 1}',
            "a.info.json": "{}",
            "episodes.jsonl": "{}",
        }
    ).discover()
    assert ids(found) == ["a"]
    assert found.ignored == 11
    assert found.failed == ()


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (["*.vtt"], [], ["a", "b"]),
        (["calls/*"], [], ["b", "c"]),
        (["calls"], ["*.txt"], ["b"]),
        ([], ["calls/**"], ["a"]),
        (["**/*.vtt"], [], ["a", "b"]),
        (["a.*"], [], ["a"]),
        ([], ["b.vtt", "a.vtt"], ["c"]),
    ],
)
def test_globs(make: Make, include: list[str], exclude: list[str], expected: list[str]) -> None:
    folder = make({"a.vtt": VTT, "calls/b.vtt": VTT, "calls/c.txt": "Words."})
    assert ids(discover([folder.root], include, exclude)) == expected


def test_nothing_to_read_is_an_error_that_names_the_source(make: Make, tmp_path: Path) -> None:
    folder = make({"a.vtt": VTT, "x.mp4": b"1"})
    empty = tmp_path / "empty"
    empty.mkdir()
    for source, kwargs in (
        (tmp_path / "missing", {}),
        (empty, {}),
        (folder.root, {"include": ["*.srt"]}),
        (folder.root / "x.mp4", {}),
    ):
        with pytest.raises(InputError) as caught:
            discover([folder.root / "a.vtt", source], **kwargs)  # type: ignore[arg-type]
        if not kwargs:
            assert caught.value.where == str(source)
        assert caught.value.exit_code == 2


def test_the_order_of_the_sources_does_not_matter(make: Make) -> None:
    folder = make({"a/x.md": "One.", "b/x.md": "Two.", "c/y_transcript.txt": TURNS, "d/y.srt": SRT})
    sources = [folder.root / name for name in "abcd"]
    results = {str(discover(order)) for order in permutations([*sources, folder.root])}
    assert len(results) == 1


def test_links_loops_and_twice_the_same_file(make: Make) -> None:
    folder = make({"real/a.vtt": VTT, "b.vtt/c.srt": SRT.replace("hello", "other")})
    root = folder.root
    (root / "real" / "loop").symlink_to(root)
    (root / "0first").symlink_to(root / "real")
    (root / "twice.vtt").symlink_to(root / "real" / "a.vtt")
    (root / "gone.vtt").symlink_to(root / "nowhere.vtt")
    (root / "self.vtt").symlink_to(root / "self.vtt")
    found = folder.discover()
    assert ids(found) == ["a", "c"]
    assert [Path(s.source).name for s in found.skipped] == ["twice.vtt"]
    assert sorted(Path(f.source).name for f in found.failed) == ["gone.vtt", "self.vtt"]


def test_a_file_named_alone_is_read_even_if_called_readme(make: Make) -> None:
    folder = make({"README.md": "Words."})
    assert ids(discover([folder.root / "README.md"])) == ["README"]


def test_fingerprints_follow_bytes_sidecars_and_the_manifest_line(make: Make) -> None:
    rows = [{"file": "a.vtt", "title": "A"}, {"file": "b.vtt", "title": "B"}]

    def prints(files: Files) -> dict[str | None, str]:
        base = {"a.vtt": VTT, "b.vtt": VTT + "\n", "episodes.jsonl": "\n".join(map(json.dumps, rows))}
        return {g.id: g.fingerprint for g in make({**base, **files}).discover().groups}

    first = prints({})
    assert prints({}) == first
    assert prints({"a.vtt": VTT + "x"})["a"] != first["a"]
    rows[1]["title"] = "C"
    after = prints({})
    assert (after["a"], after["b"] == first["b"]) == (first["a"], False)
    assert prints({"a.info.json": "{}"})["a"] != first["a"]


def test_notes_to_a_recording_take_its_title_and_date(make: Make) -> None:
    row = {
        "file": "ep/2021-05-03_x.txt",
        "shownotes": "notes/2021-05-03.md",
        "title": "T",
        "date": "2021-05-03",
        "duration_s": 5,
    }
    folder = make(
        {
            "episodes.jsonl": json.dumps(row),
            "ep/2021-05-03_x.txt": TURNS.replace("00:09", "00:04"),
            "notes/2021-05-03.md": "# Notes\n\nWords.",
        }
    )
    documents = [r.document for g in folder.discover().groups for r in read(g) if isinstance(r, Read)]
    assert [(d.id, d.title, d.published_at, d.duration_s) for d in documents] == [
        ("2021-05-03", "T", "2021-05-03", None),
        ("2021-05-03_x", "T", "2021-05-03", 5.0),
    ]


def test_decomposed_names_give_composed_ids(make: Make) -> None:
    name = unicodedata.normalize("NFD", "가마.vtt")
    assert ids(make({name: VTT}).discover()) == ["가마"]


def test_a_file_that_cannot_be_opened_is_a_failure_and_the_others_are_candidates(make: Make) -> None:
    found = make({"a.vtt": VTT, "a.srt": "", "a.md": "Notes."}).discover()
    assert [Path(failure.source).name for failure in found.failed] == ["a.srt"]
    assert [other.path.name for other in found.groups[0].fallbacks] == ["a.md"]


def test_names_that_look_alike_with_different_words_lose_nothing_in_silence(make: Make) -> None:
    composed, decomposed = (unicodedata.normalize(form, "\u00e9te.md") for form in ("NFC", "NFD"))
    found = make({composed: "One.", decomposed: "Two."}).discover()
    assert [group.path.name for group in found.groups] == [composed]
    assert found.groups[0].fallbacks == ()
    (failure,) = found.failed
    assert Path(failure.source).name == decomposed
    assert "look alike" in failure.reason


def test_names_that_look_alike_with_the_same_words_are_one_document(make: Make) -> None:
    composed, decomposed = (unicodedata.normalize(form, "\u00e9te.md") for form in ("NFC", "NFD"))
    found = make({composed: "One.", decomposed: "One."}).discover()
    assert (len(found.groups), len(found.groups[0].fallbacks), found.failed) == (1, 1, ())
