"""No content costs more memory than a small multiple of its size, nor the square of its size in time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak import rounds

_HEAD = "WEBVTT\n\n00:00.000 --> 00:05.000\n"
_JSON3 = 31_000_000  # a little below what is refused unread
_HUGE: dict[str, Callable[[int], str]] = {
    "brackets.vtt": lambda size: _HEAD + ("<" * 99 + "\n") * (size // 100),
    "tags.vtt": lambda size: _HEAD + ("<i><b><c.x>" * 99 + "x\n") * (size // 1092),
    "attributes.vtt": lambda size: _HEAD + "<font" + " a=b" * (min(size, 4_000_000) // 4 - 20),
    "cues.vtt": lambda size: "WEBVTT\n\n" + "".join(
        f"{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000 --> 99:00:00.000\nw{n}\n\n" for n in range(size // 40)
    ),
    "backwards.srt": lambda size: "".join(
        f"{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d},000 --> 99:00:00,000\nw\n\n" for n in range(size // 36, 0, -1)
    ),
    "rows.vtt": lambda size: _HEAD + "a\n" * (size // 2),
    "growing.vtt": lambda size: "WEBVTT\n\n" + "".join(
        f"00:00:{n % 60:02d}.000 --> 00:01:00.000\n{'a ' * 2000}\n\n" for n in range(size // 4040)
    ),
    "loose.srt": lambda size: "1\n00:00:01,000 --> 00:00:02,000\na\n\n" + "word\n\n" * (size // 6),
    "marked.md": lambda size: "**A:** [00:01] x\n\n**B:** y\n\n**C:** z\n\n[09:00]\n" + "some words\n" * (size // 11),
    "lines.txt": lambda size: "".join(f"[{n // 60:03d}:{n % 60:02d}] w{n}\n" for n in range(min(size // 16, 59_000))),
    "going-on.txt": lambda size: "[00:01] a\n[00:02] b\n" + "word " * (min(size, 4_000_000) // 5),
    "deep.json3": lambda size: '{"events":' + "[\n" * (min(size, _JSON3) // 2),
    "lists.json3": lambda size: '{"events":[' + "[],\n" * (min(size, _JSON3) // 4) + "[]]}",
    "values.json3": lambda size: '{"events":[' + "0,\n" * (min(size, _JSON3) // 3) + "0]}",
    "keys.json3": lambda size: '{"events":[{'
    + ",\n".join(f'"k{n}":{n}' for n in range(min(size, _JSON3) // 18)) + "}]}",
    "pieces.json3": lambda size: '{"events":[{"tStartMs":1,"segs":['
    + ",\n".join(['{"utf8":" w"}'] * (min(size, _JSON3) // 16)) + "]}]}",
}  # fmt: skip
_CHILD = """
import resource, sys
from pathlib import Path
from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, read
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
before = peak()
found = discover([Path(sys.argv[1])])
results = [*found.failed, *(r for group in found.groups for r in read(group))]
assert results and all(isinstance(r, Read | Failure) for r in results), results
sum(len(chunks_of(r.document)) for r in results if isinstance(r, Read))
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from getrusage")
@pytest.mark.parametrize("name", _HUGE)
def test_memory_on_hostile_input_is_a_small_multiple_of_the_file(name: str, tmp_path: Path) -> None:
    """Time is bounded too: what costs the square of 50 MB does not come back."""
    path = tmp_path / name
    path.write_text(_HUGE[name](rounds(ci=150_000, soak=50_000_000)))
    done = subprocess.run([sys.executable, "-c", _CHILD, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    # Cues of a few bytes become segments and chunks: up to about a kilobyte for forty bytes.
    assert int(done.stdout) < 60 * path.stat().st_size + 32_000_000
