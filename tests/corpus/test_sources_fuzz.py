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


@pytest.mark.parametrize("name", ["a.vtt", "a.srt", "a.sbv", "a.txt", "a.md", "a.jsonl"])
@settings(max_examples=rounds(ci=60, soak=3000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.one_of(st.binary(max_size=300), st.lists(_PIECES, max_size=40).map("".join)))
def test_any_content(name: str, data: bytes | str) -> None:
    survive(name, data if isinstance(data, bytes) else data.encode())


@pytest.mark.parametrize(
    "content",
    [
        "<" * 300_000, "<v" * 150_000, "<font" + " a=b" * 100_000, "{\\a" * 100_000, "&a" * 200_000,
        "[" * 300_000, "**a" + " " * 300_000, "#" + " " * 300_000 + "x", "!" * 300_000, "," * 300_000,
        ".*" * 200_000, "-" * 300_000, "\n \n" * 100_000 + "x", "0:00" * 100_000, "[[" * 200_000,
        "\\[00:01" * 50_000, " " * 300_000 + "> x", '<font a="' * 50_000,
    ],
    ids=lambda content: repr(content[:8]),
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.vtt", "a.md"])
def test_hostile_repetition_does_not_hang(name: str, content: str) -> None:
    head = "WEBVTT\n\n00:00.000 --> 00:05.000\n" if name == "a.vtt" else ""
    survive(name, (head + content).encode())
