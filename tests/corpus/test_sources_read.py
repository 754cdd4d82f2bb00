"""From files to documents: encodings, sidecars, dates, limits, and failures that stop nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, loading, read
from answertrail.corpus.sources.dates import contract_date
from answertrail.corpus.sources.names import from_name, readable
from tests.corpus.conftest import Files, Folder

Make = Callable[[Files], Folder]
VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nhello there\n\n00:00:03.000 --> 00:00:04.000\nbye\n"
SRT = "1\n00:00:01,000 --> 00:00:02,000\nВсем привет, как дела сегодня?\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-be", "utf-32-le"])
def test_byte_order_marks(make: Make, encoding: str) -> None:
    marked = "\ufeff" + SRT if encoding.endswith("e") else SRT
    result = make({"a.srt": marked.encode(encoding)}).one()
    assert result.document.segments is not None
    assert result.document.segments[0].text == "Всем привет, как дела сегодня?"
    assert result.notes == ()


def test_a_legacy_encoding_is_a_guess_and_says_so(make: Make) -> None:
    text = SRT + "".join(
        f"\n{n}\n00:00:0{n},000 --> 00:00:0{n},900\nСегодня мы говорим о старой мельнице.\n" for n in range(2, 9)
    )
    result = make({"a.srt": text.encode("cp1251")}).one()
    assert result.document.segments is not None
    assert "мельнице" in result.document.segments[-1].text
    assert "guess" in result.notes[0]


def test_a_damaged_utf8_file_stays_utf8(make: Make) -> None:
    text = (SRT * 3).replace("1\n", "", 1).encode()
    result = make({"a.srt": text + b"\n\xff\n"}).one()
    assert "replaced" in result.notes[0]


def test_crlf_and_old_mac_line_ends(make: Make) -> None:
    for end in ("\r\n", "\r"):
        result = make({"a.vtt": VTT.replace("\n", end)}).one()
        assert result.document.segments is not None
        assert [s.text for s in result.document.segments] == ["hello there", "bye"]


WIDE = "the file is binary (it holds NUL bytes); UTF-16 without a byte-order mark? save it as UTF-8"


@pytest.mark.parametrize(
    ("name", "content", "reason", "line"),
    [
        ("a.vtt", b"", "the file is empty", None),
        ("a.txt", b" \n\t\n", "the file is empty", None),
        ("a.txt", b"\xef\xbb\xbf\n", "the file is empty", None),
        ("a.txt", b"abc\0def", "the file is binary (it holds NUL bytes)", None),
        ("a.txt", bytes(600), "the file is binary (it holds NUL bytes)", None),
        ("a.txt", "a “word” of one language".encode("utf-16-le"), WIDE, None),
        ("a.txt", "a “word” of one language".encode("utf-16-be"), WIDE, None),
        ("a.md", b"---\ntitle: x\n---\n\n", "the file holds no text below its front matter", None),
        ("a.srt", b"some text", "no cue with a time was found", None),
        ("a.txt", b"[00:01] \n[00:02] \n", None, None),
    ],
)
def test_failures_have_reasons(make: Make, name: str, content: bytes, reason: str | None, line: int | None) -> None:
    results = make({name: content, "good.vtt": VTT}).results()
    failures = [r for r in results if isinstance(r, Failure)]
    assert any(isinstance(r, Read) and r.document.id == "good" for r in results)
    if reason is not None:
        assert [(Path(f.source).name, f.line, f.reason) for f in failures] == [(name, line, reason)]


def test_a_line_over_4_mb_is_refused_without_reading_on(make: Make) -> None:
    failure = make({"a.txt": b"short\n" + b"x" * (loading.MAX_LINE_BYTES + 1)}).failure()
    assert (failure.line, failure.reason) == (2, "the line is longer than 4 MB")


def test_a_huge_file_is_refused_unread(folder: Folder) -> None:
    path = folder.root / "a.txt"
    with path.open("wb") as stream:
        stream.truncate(loading.MAX_FILE_BYTES + 1)
    assert folder.failure().reason == "the file is larger than 256 MB (256 MB)"


def test_a_pipe_is_not_opened(folder: Folder) -> None:
    os.mkfifo(folder.root / "a.vtt")
    assert folder.failure().reason == "not a regular file"


def test_unreadable_files_fail_alone(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make({"a.vtt": VTT, "b.vtt": VTT.replace("hello", "hi")})
    original = Path.open

    def refuse(self: Path, *args: object, **kwargs: object) -> object:
        if self.name == "a.vtt":
            raise PermissionError(13, "Permission denied")
        return original(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    results = folder.results()
    assert [r.reason for r in results if isinstance(r, Failure)] == ["cannot be read: Permission denied"]
    assert [r.document.id for r in results if isinstance(r, Read)] == ["b"]


def test_info_json_gives_title_date_url_and_kind_of_captions(make: Make) -> None:
    info = {
        "id": "abcdefghijk",
        "title": "A talk",
        "timestamp": 1718409600,
        "upload_date": "20240614",
        "duration": 10,
        "description": "About.",
        "tags": ["x"],
        "language": "en",
        "webpage_url": "https://www.youtube.com/watch?v=abcdefghijk",
        "subtitles": {"ko": []},
        "automatic_captions": {"en": [], "fr": []},
    }
    folder = make(
        {
            "talk.en.vtt": VTT,
            "talk.en-orig.vtt": VTT,
            "talk.fr.vtt": VTT,
            "talk.ko.vtt": VTT,
            "talk.info.json": json.dumps(info),
        }
    )
    found = folder.discover()
    documents = {r.document.id: r.document for r in folder.results() if isinstance(r, Read)}
    assert sorted(documents) == ["talk.en", "talk.ko"]
    english, korean = documents["talk.en"], documents["talk.ko"]
    assert english.title == "A talk"
    assert (english.published_at, english.published_at_source) == (
        "2024-06-15T00:00:00Z",
        "timestamp",
    )
    assert english.url == "https://www.youtube.com/watch?v=abcdefghijk"
    assert (english.captions, korean.captions) == ("auto", "human")
    assert (english.duration_s, english.description, english.tags) == (10.0, "About.", ["x"])
    assert [Path(s.source).name for s in found.skipped] == ["talk.fr.vtt"]
    assert [other.path.name for group in found.groups for other in group.fallbacks] == ["talk.en.vtt"]


def test_a_broken_sidecar_is_a_failure_and_the_document_loads(make: Make) -> None:
    results = make({"a.vtt": VTT, "a.info.json": "{"}).results()
    assert [type(r).__name__ for r in results] == ["Failure", "Read"]
    assert "sidecar: not valid JSON" in results[0].reason  # type: ignore[union-attr]


def test_manifest_by_path_and_by_prefix_with_its_bad_line(make: Make) -> None:
    rows = [
        json.dumps({"file": "talks/one.vtt", "title": "One", "date_added": "2020-01-02"}),
        "not json",
        json.dumps({"prefix": "two", "video_id": "abcdefghijk", "title": "Two", "duration_s": 3}),
    ]
    results = make({"episodes.jsonl": "\n".join(rows), "talks/one.vtt": VTT, "talks/two_transcript.vtt": VTT}).results()
    failures = [r for r in results if isinstance(r, Failure)]
    one, two = (r for r in results if isinstance(r, Read))
    assert [(f.line, f.reason.split(":")[0]) for f in failures] == [(2, "manifest")]
    assert (one.document.title, one.document.published_at_source) == ("One", "date_added")
    assert two.document.id == "two"
    assert two.document.url == "https://www.youtube.com/watch?v=abcdefghijk"
    # The last cue runs to 4 s: the stated 3 s are rounding, and the times are believed.
    assert two.document.duration_s == 4.0
    assert "past the stated length" in two.notes[0]


def test_times_far_past_the_stated_length_fail_with_the_line(make: Make) -> None:
    late = VTT + "\n00:09:00.000 --> 00:09:01.000\nlate\n"
    manifest = json.dumps({"file": "a.vtt", "duration_s": 201})
    failure = make({"a.vtt": late, "episodes.jsonl": manifest}).failure()
    assert failure.line == 9
    assert failure.reason == "starts at 09:00, after the end of the recording (03:21)"


def test_front_matter_headings_links_and_line_numbers(make: Make) -> None:
    text = (
        "---\ntitle: Kiln\ndate: 2024-05-06\ntags: [a, b]\naliases: [가마]\n---\n"
        "# Not the title\n\nSee [[glaze log|log]] and [[clay#wet]].\n"
    )
    document = make({"kiln.md": text}).one().document
    assert (document.title, document.published_at) == ("Kiln", "2024-05-06")
    assert document.published_at_source == "front matter date"
    assert (document.tags, document.aliases) == (["a", "b"], ["가마"])
    assert document.links == ["glaze log", "clay"]
    assert document.text == "# Not the title\n\nSee [[glaze log|log]] and [[clay#wet]]."
    bad = "---\ntitle: x\n---\n[10:00] **A**: a\n[10:01] **A**: b\n[00:01] **A**: c\n"
    failure = make({"kiln.md": bad}).failure()
    assert failure.line == 6


@pytest.mark.parametrize(
    "head",
    ["title: [", "a: &x [1]\nb: *x", "- list", "date: 2024-99-99", "? [a]: b", "!!python/object:os.x {}"],
)
def test_odd_front_matter_never_stops_the_document(make: Make, head: str) -> None:
    assert make({"a.md": f"---\n{head}\n---\n\nWords.\n"}).one().document.text


def test_heading_and_stem_as_titles(make: Make) -> None:
    folder = make({"2021-05-03_on-code-review.txt": "Words.", "b.md": "Hi.\n\n# The *title* #\n\nx"})
    one, two = folder.results()
    assert isinstance(one, Read)
    assert isinstance(two, Read)
    assert one.document.title == "On code review"
    assert (one.document.published_at, one.document.published_at_source) == (
        "2021-05-03",
        "file name",
    )
    assert two.document.title == "The *title*"


def test_captions_in_a_text_file(make: Make) -> None:
    folder = make({"a.txt": SRT, "b.txt": VTT, "c.txt": "00:01.000 --> 00:02.000\nhello\n"})
    starts = [r.document.segments[0].start_s for r in folder.results()]  # type: ignore[union-attr, index]
    assert starts == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("20240614", "2024-06-14"),
        ("2024-06-14", "2024-06-14"),
        ("2013-06-07 18:46", "2013-06-07T18:46:00Z"),
        ("01-Oct-2000", "2000-10-01"),
        ("2024-09-07T17:00:00+01:00", "2024-09-07T17:00:00+01:00"),
        (1718409600, "2024-06-15T00:00:00Z"),
        (20240614, "2024-06-14"),
        (1718409600.9, "2024-06-15T00:00:00Z"),
        ("2024-02-30", None),
        ("soon", None),
        (True, None),
        (None, None),
        (float("nan"), None),
        (2024, None),
        (2024.0, None),
        (202406, None),
        ("2024", None),
        ("2024-06", None),
        ("2024-W24", None),
        ("31/12/2024", None),
        ("20240231", None),
        ("202406141000", None),
        (202406141000, None),
        ("1718409600", "2024-06-15T00:00:00Z"),
        (1718409600000, "2024-06-15T00:00:00Z"),
        ("1718409600000", "2024-06-15T00:00:00Z"),
        ("2024-06-14 10:00 CET", "2024-06-14"),
        ("2024-06-14 10:00:00 IST", "2024-06-14"),
        ("2024-02-31 10:00 CET", None),
        ("2024-06-14 10:00:00 GMT", "2024-06-14T10:00:00Z"),
    ],
)
def test_dates(value: object, expected: str | None) -> None:
    assert contract_date(value) == expected


@pytest.mark.parametrize(
    ("stem", "title", "date"),
    [
        ("20240614_jiJEy4M-O7g", "jiJEy4M-O7g", "2024-06-14"),
        ("practical-ai-1", "Practical ai 1", None),
        ("20241399_x", "20241399 x", None),
        ("2021-05-03", "2021-05-03", "2021-05-03"),
        ("가마 일지", "가마 일지", None),
    ],
)
def test_names(stem: str, title: str, date: str | None) -> None:
    assert readable(stem) == title
    assert from_name(stem).published_at == date


def test_document_lines_fail_alone(make: Make) -> None:
    def line(**values: object) -> str:
        return json.dumps({"schema": "document/1", "title": "t", **values})

    rows = [
        line(id="a", text="Words."),
        "{",
        line(id="b", text="x", segments=[]),
        line(id="a", text="again"),
        "",
        line(id="c", segments=[{"start_s": 5, "text": "x"}, {"start_s": 3, "text": "y"}]),
        line(id="d", segments=[{"start_s": 5, "end_s": 4, "text": "x"}]),
        line(id="e", text="nul \0 here"),
        line(id="f", text="half \ud800"),
        line(id="g:1", text="emoji \U0001f600"),
        line(id="h", segments=[{"start_s": 0, "text": "x"}] * 5),
        line(id="i", duration_s=10, segments=[{"start_s": 11, "text": "x"}]),
        line(id="j", text="x", colour="red"),
        '{"schema": "document/1", "id": "k", "title": "t", "text": "x", "duration_s": NaN}',
    ]
    results = make({"docs.jsonl": "\n".join(rows)}).results()
    good = {r.document.id: r for r in results if isinstance(r, Read)}
    bad = {r.line: r.reason for r in results if isinstance(r, Failure)}
    assert sorted(good) == ["a", "c", "g:1"]
    assert sorted(bad) == [2, 3, 4, 7, 8, 9, 11, 12, 13, 14]
    assert "already given on line 1" in bad[4]
    assert "colour" in bad[13]
    assert [s.start_s for s in good["c"].document.segments or ()] == [5, 5]
    assert "segments.1" in good["c"].notes[0]


def test_an_overlong_document_line_fails_alone(make: Make) -> None:
    good = json.dumps({"schema": "document/1", "id": "a", "title": "t", "text": "x"})
    long = good.replace('"x"', '"' + "x" * loading.MAX_LINE_BYTES + '"')
    other = good.replace('"a"', '"b"')
    results = make({"docs.jsonl": f"{good}\n{long}\n{other}\n"}).results()
    failures = [(r.line, r.reason) for r in results if isinstance(r, Failure)]
    assert failures == [(2, "the line is longer than 4 MB")]
    assert [r.document.id for r in results if isinstance(r, Read)] == ["a", "b"]


def test_reading_a_vanished_file_is_a_failure(make: Make) -> None:
    folder = make({"a.vtt": VTT})
    (group,) = discover([folder.root]).groups
    (folder.root / "a.vtt").unlink()
    (result,) = read(group)
    assert isinstance(result, Failure)
    assert "cannot be read" in result.reason


def test_marks_minutes_apart_make_interpolated_chunks_without_any_sidecar(make: Make) -> None:
    turns = "".join(f"**{who}:** {'Some words were said. ' * 40}\n\n" for who in ("Ann", "Bob") * 3)
    text = turns.replace("**Ann:**", "**Ann:** \\[04:05\\]", 2).replace("[04:05", "[00:05", 1)
    document = make({"a.md": text}).one().document
    assert document.meta == {"time_precision": "interpolated"}
    assert {chunk.time_precision for chunk in chunks_of(document)} == {"interpolated"}


@pytest.mark.parametrize(
    "value", ["2024", "'2024'", "31/12/2024", "12.06.2024", "2024-06", "2024-W24", "2024-02-31", "soon"]
)
def test_a_date_of_front_matter_that_cannot_be_read_is_unknown_and_noted(make: Make, value: str) -> None:
    result = make({"a.md": f"---\ntitle: A\ndate: {value}\n---\n\nWords."}).one()
    assert result.document.published_at is None
    notes = [note for note in result.notes if "front matter field date" in note and value.strip("'") in note]
    assert len(notes) == 1, result.notes


@pytest.mark.parametrize(
    ("sidecar", "content", "field"),
    [
        ("a_meta.json", {"date": 2024}, "date: '2024'"),
        ("a_meta.json", {"date": "2024"}, "date: '2024'"),
        ("a.info.json", {"upload_date": "20240231"}, "upload_date: '20240231'"),
        ("episodes.jsonl", {"file": "a.vtt", "date": "12.06.2024"}, "date: '12.06.2024'"),
    ],
)
def test_a_date_of_a_sidecar_that_cannot_be_read_is_unknown_and_noted(
    make: Make, sidecar: str, content: dict[str, object], field: str
) -> None:
    result = make({"a.vtt": VTT, sidecar: json.dumps(content)}).one()
    assert result.document.published_at is None
    assert [field in note for note in result.notes] == [True]


def test_a_date_that_cannot_be_read_gives_way_to_the_next_and_is_noted(make: Make) -> None:
    info = {"timestamp": "soon", "upload_date": "20240614", "release_date": "never looked at"}
    result = make({"a.vtt": VTT, "a.info.json": json.dumps(info)}).one()
    assert result.document.published_at == "2024-06-14"
    assert [note.startswith("the .info.json field timestamp: 'soon'") for note in result.notes] == [True]


@pytest.mark.parametrize("value", ["", "''", "None", "null", "unknown"])
def test_a_missing_date_is_no_fault(make: Make, value: str) -> None:
    assert make({"a.md": f"---\ntitle: A\ndate: {value}\n---\n\nWords."}).one().notes == ()


EMPTY_VTT, EMPTY_JSON3, PAGE = "WEBVTT\n", '{"events": []}', "<!DOCTYPE html><html><body>Not found</body></html>"


@pytest.mark.parametrize(
    ("broken", "content"),
    [("a.vtt", EMPTY_VTT), ("a.json3", EMPTY_JSON3), ("a.json3", '{"events": ['), ("a.vtt", PAGE)],
)
def test_the_next_best_file_is_read_when_the_first_holds_no_captions(make: Make, broken: str, content: str) -> None:
    failure, result = make({broken: content, "a.srt": SRT}).results()
    assert isinstance(failure, Failure)
    assert isinstance(result, Read)
    assert (Path(failure.source).name, Path(result.source).name) == (broken, "a.srt")
    assert result.document.id == "a"
    assert "привет" in result.document.words()


def test_the_third_file_is_read_when_two_hold_no_captions(make: Make) -> None:
    *failures, result = make({"a.json3": EMPTY_JSON3, "a.vtt": EMPTY_VTT, "a.md": "Words."}).results()
    assert [Path(failure.source).name for failure in failures] == ["a.json3", "a.vtt"]
    assert Path(result.source).name == "a.md"


def test_a_file_with_impossible_times_is_not_replaced(make: Make) -> None:
    again = "WEBVTT\n\n" + "".join(f"00:{m:02}:00.000 --> 00:{m:02}:05.000\nwords {m}\n\n" for m in [*range(9)] * 2)
    failure = make({"a.vtt": again, "a.srt": SRT}).failure()
    assert Path(failure.source).name == "a.vtt"
    assert failure.line is not None


def test_a_name_with_a_line_break_says_so(make: Make) -> None:
    assert make({"new\nline.md": "Words."}).failure().reason == "the name of the file holds a line break; rename it"


def test_a_name_that_is_not_utf8_says_so(folder: Folder) -> None:
    (folder.root / os.fsdecode(b"\xff\xfebad.md")).write_text("Words.")
    reason = folder.failure().reason
    assert reason == "the name of the file is not UTF-8, and nothing else gives a title; rename it"


def test_a_name_too_long_for_an_id_says_so(make: Make) -> None:
    deep = "/".join([*(letter * 150 for letter in "ab"), "x.md"])
    found = make({f"s/{deep}": "One.", f"t/{deep}": "Two."}).results()
    assert ["at most 300" in r.reason for r in found if isinstance(r, Failure)] == [True, True]
