"""No bytes crash or hang a reader: each file gives documents or typed failures."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, read
from tests.soak import rounds

_PIECES = st.sampled_from(
    [
        "WEBVTT\n\n", "00:01.000 --> 00:02.000\n", "00:00:01,000 --> 00:00:02,000\n", "1\n", "\n",
        "0:00:01.000,0:00:02.000\n", "hello there\n", "<c>", "<00:00:01.5>", "<v Bob>", "&amp;",
        "[00:01] **A**: x\n", "[Speaker 1] [00:03] y\n", "[0.00 --> 1.5] z\n", "Ann: 00:01:02\n",
        "**Ann:** \\[04:05\\] w\n", "---\n", "title: x\n", "NOTE --> \n", "-->", "[99:99] q\n",
        "\ufeff", "\u2028", "\x85", "。", "# h\n", "99999:00:00.000 --> 1\n", "{", '{"schema":"document/1"',
        ',"id":"a","title":"t","text":"x"}\n', "[[a|b]]", "\x0b", "```\n",
        '{"events":[', '{"tStartMs":1500,"dDurationMs":9,"segs":[{"utf8":"x"},{"utf8":"\\ud800","tOffsetMs":9}]},',
        '{"tStartMs":2}]}', ">> ANN: ", "- yes\n", "&rlm;", "\u200f", "<html>", "Thank you for watching.\n", "\udfff",
    ]
)  # fmt: skip


def survive(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / name
        path.write_bytes(content)
        found = discover([path])
        results = [*found.failed, *(r for group in found.groups for r in read(group))]
        assert all(isinstance(result, Read | Failure) for result in results)
        for result in results:
            if not isinstance(result, Read):
                assert result.reason
                continue
            starts = [s.start_s for s in result.document.segments or ()]
            assert starts == sorted(starts)
            chunks = chunks_of(result.document)
            assert len({chunk.id for chunk in chunks}) == len(chunks)
            assert "\0" not in "".join(chunk.text for chunk in chunks)
            "".join(chunk.text for chunk in chunks).encode()


@pytest.mark.parametrize("name", ["a.vtt", "a.srt", "a.sbv", "a.json3", "a.txt", "a.md", "a.jsonl"])
@settings(max_examples=rounds(ci=60, soak=3000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.one_of(st.binary(max_size=300), st.lists(_PIECES, max_size=40).map("".join)))
def test_any_content(name: str, data: bytes | str) -> None:
    survive(name, data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "content",
    [
        "<" * 300_000, "<v" * 150_000, "<font" + " a=b" * 100_000, "{\\a" * 100_000, "&a" * 200_000,
        "[" * 300_000, "**a" + " " * 300_000, "#" + " " * 300_000 + "x", "!" * 300_000, "," * 300_000,
        ".*" * 200_000, "-" * 300_000, "\n \n" * 100_000 + "x", "0:00" * 100_000, "[[" * 200_000,
        "\\[00:01" * 50_000, " " * 300_000 + "> x", '<font a="' * 50_000, ">> " * 100_000, "- a\n" * 20_000,
        "{\\an" * 100_000, "<!--" * 100_000, "A" * 300_000 + ":", ">> A" + " A" * 100_000, "a " * 150_000,
        "thank you for watching. " * 20_000, "\u200f" * 100_000, "1" * 300_000 + " --> 1", "\x1c" * 300_000,
    ],
    ids=lambda content: repr(content[:8]),
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.vtt", "a.md"])
def test_hostile_repetition_does_not_hang(name: str, content: str) -> None:
    head = "WEBVTT\n\n00:00.000 --> 00:05.000\n" if name == "a.vtt" else ""
    survive(name, (head + content).encode())


_ROW = st.lists(
    st.sampled_from(
        ["a", "x < 3", "y > 4", "vector<int>", "[Music]", "R&D", "--", "5", "don't", "안녕", "שלום", "é", "&"]
    ),
    min_size=1, max_size=6,
).map(" ".join)  # fmt: skip


@settings(max_examples=rounds(ci=60, soak=3000), deadline=None)
@given(
    rows=st.lists(st.lists(_ROW, min_size=1, max_size=2), min_size=1, max_size=20),
    layout=st.sampled_from([("a.vtt", "WEBVTT\n\n", "."), ("a.srt", "", ",")]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_every_word_of_a_sound_file_is_kept_once(
    rows: list[list[str]], layout: tuple[str, str, str], end: str, mark: str
) -> None:
    name, head, point = layout
    cues = []
    for number, cue in enumerate(rows):
        # A word of its own in each cue: else chance makes captions that grow.
        numbered = [f"w{number}a {row} w{number}b" for row in cue]
        time = f"00:{number:02d}:00{point}000 --> 00:{number:02d}:09{point}000"
        cues.append((time, numbered))
    said = " ".join(" ".join(row) for _, row in cues)
    escaped = [(time, [row.replace("&", "&amp;").replace("<", "&lt;") for row in row_s]) for time, row_s in cues]
    text = mark + head + "\n\n".join("\n".join([time, *row]) for time, row in escaped) + "\n"
    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / name
        path.write_bytes(text.replace("\n", end).encode())
        (group,) = discover([path]).groups
        (result,) = read(group)
        assert isinstance(result, Read)
        assert " ".join(chunk.text for chunk in chunks_of(result.document)) == said
