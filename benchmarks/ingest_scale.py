"""How long each stage of an ingest takes and how much memory, at the articles' size and ten times it.

    python -m benchmarks.ingest_scale [--videos 475,4750] [--embedders fast,accurate] [--peers] [--out FOLDER]

Makes caption files of 53 or 54 windows each out of the sentences of practical_ai (a running number in
each keeps texts apart), ingests them into an embedded database of its own, and times reading (parsed,
cut and stored) and embedding apart. Memory is the peak of this process in the stage, without the
database server's own. With `--peers`, what a user might take instead reads, splits and stores the
same files in the same run, without embedding: LlamaIndex, Haystack and txtai, each in a process of its
own under the interpreter named by PEERS_PYTHON (`pip install llama-index-core haystack-ai txtai`).
Writes ingest_scale.json and ingest_scale.md.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from answertrail.corpus.ingest import IngestRequest, ingest
from answertrail.settings import Settings
from answertrail.store import chunks, connect, corpora, server
from benchmarks.ingest_scale_table import write

RESULTS = Path(__file__).parent / "results"
TALKS = Path(__file__).parents[2] / "shared" / "data" / "a_transcripts" / "practical_ai"
WINDOWS = (53, 54, 53, 54)
"""Windows of each video in turn: 475 of them hold 25,401 or a few more, as in the articles."""
_CUE_S, _CUE_WORDS = 5, 13
"""Speech of 156 words a minute."""
PEERS = ("llama_index", "haystack", "txtai")


class Stages:
    """Progress that keeps seconds and peak memory of each stage."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, float]] = {}
        self._name, self._begun = "", 0.0

    def begin(self, stage: str, total: int) -> None:
        self._name, self._begun = stage, time.monotonic()
        self.rows[stage] = {"items": total}
        forget_peak()

    def advance(self, steps: int = 1) -> None:
        """Every step is timed by the stage as a whole."""

    def end(self) -> None:
        self.rows[self._name] |= {"seconds": time.monotonic() - self._begun, "peak_mb": peak_mb()}


def forget_peak() -> None:
    """Let the peak of this process's memory begin anew (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_mb() -> float:
    """Return the peak of this process's resident memory in MB since `forget_peak`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def sentences() -> Iterator[str]:
    """Yield the words of real speech for ever, a cue's at a time, each with a number, so that no two are the same."""
    lines = [
        line.strip()
        for path in sorted(TALKS.glob("episodes/*.md"))
        for line in path.read_text().splitlines()
        if 40 < len(line.strip()) < 400 and not line.startswith(("#", "-", "|", ">"))
    ]
    if not lines:
        raise SystemExit(f"no transcripts under {TALKS}")
    said = (word for line in itertools.cycle(lines) for word in line.split())
    for number in itertools.count():
        yield f"{' '.join(itertools.islice(said, _CUE_WORDS))} ({number})"


def make(folder: Path, videos: int) -> None:
    """Write so many caption files."""
    said = sentences()
    for number in range(videos):
        cues = ["WEBVTT\n"]
        for start in range(0, WINDOWS[number % 4] * 30, _CUE_S):
            cues.append(f"{_clock(start)} --> {_clock(start + _CUE_S)}\n{next(said)}\n")
        day = f"{2020 + number // 336:04}{number // 28 % 12 + 1:02}{number % 28 + 1:02}"
        (folder / f"{day}_video{number:05}.vtt").write_text("\n".join(cues))


def _clock(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000"


async def ours(folder: Path, home: Path, embedder: str) -> dict[str, Any]:
    """Ingest the folder; return the stages."""
    stages = Stages()
    async with connect(Settings(home=home)) as db:
        load = os.getloadavg()[0]
        begun = time.monotonic()
        report = await ingest(db, IngestRequest("scale", [folder], embedder=embedder), stages)
        whole = time.monotonic() - begun
        corpus = await corpora.get(db, "scale")
        forget_peak()
        begun = time.monotonic()
        again = await ingest(db, IngestRequest("scale", [folder]))
        stages.rows["again, nothing changed"] = {
            "items": again.unchanged,
            "seconds": time.monotonic() - begun,
            "peak_mb": peak_mb(),
        }
        count = await chunks.chunk_count(db, corpus)
        return {
            "documents": report.added,
            "chunks": count,
            "embedded": report.embedded,
            "seconds": whole,
            "stages": stages.rows,
            "load": load,
        }


def ours_apart(videos: int, embedder: str) -> dict[str, Any]:
    """Make the files and ingest them in a process of its own, so that its memory is its own."""
    with (
        tempfile.TemporaryDirectory(prefix="answertrail-talks-") as talks,
        tempfile.TemporaryDirectory(prefix="answertrail-home-") as home,
    ):
        Path(home).chmod(0o755)
        make(Path(talks), videos)
        try:
            return _apart([sys.executable, "-m", "benchmarks.ingest_scale", "--one", talks, home, embedder])
        finally:
            server.destroy(Settings(home=Path(home)))


def peers_apart(videos: int) -> dict[str, dict[str, Any]]:
    """Let each peer read, split and store the same files."""
    python = os.environ.get("PEERS_PYTHON", sys.executable)
    script = Path(__file__).with_name("ingest_scale_peers.py")
    out: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="answertrail-talks-") as talks:
        make(Path(talks), videos)
        for name in PEERS:
            with tempfile.TemporaryDirectory(prefix="answertrail-peer-") as store:
                out[name] = _apart([python, str(script), name, talks, store])
    return out


def _apart(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return {"missing": last[0][:200]}
    row: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return row


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", default="475,4750", help="numbers of videos, comma between")
    text = "comma between, for the smallest number of videos; the others get fast"
    parser.add_argument("--embedders", default="fast,accurate", help=text)
    parser.add_argument("--peers", action="store_true", help="time the peers too")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--one", nargs=3, metavar=("TALKS", "HOME", "EMBEDDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        talks, home, embedder = options.one
        print(json.dumps(asyncio.run(ours(Path(talks), Path(home), embedder))))
        return 0
    rows: list[dict[str, Any]] = []
    machine = {"platform": platform.platform(), "cpus": os.cpu_count(), "python": platform.python_version()}
    sizes = [int(part) for part in options.videos.split(",")]
    for videos in sizes:
        peers = peers_apart(videos) if options.peers else {}
        # Ten times the articles' size takes a slow embedder hours.
        for embedder in options.embedders.split(",") if videos == min(sizes) else ["fast"]:
            rows.append({"videos": videos, "embedder": embedder, **ours_apart(videos, embedder), "peers": peers})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
            write(rows, machine, datetime.now(UTC).isoformat(timespec="minutes"), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
