"""Every transcript file of the shared data: what becomes of it, and whether a word is lost.

    python -m benchmarks.ingest_table

Discovery, reading and chunking are the ones of `ingest`; nothing is embedded and no database is needed. The
words of the files are counted by `benchmarks.ingest_words`, which shares no code with the readers. Writes
benchmarks/results/ingest_table.json and ingest_table.md. Returns 1 for a failure or a difference in words
that is not explained below.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, read
from benchmarks.ingest_words import spoken, words

RESULTS = Path(__file__).parent / "results"
SHARED = Path(os.environ.get("ANSWERTRAIL_SHARED") or Path(__file__).resolve().parents[2] / "shared")
DATA = SHARED / "data" / "a_transcripts"

FAILURES = {
    "webvtt-py/empty.vtt": "a file of no bytes",
    "webvtt-py/invalid_format.sbv": "the one word `no format`",
    "webvtt-py/invalid_format1.srt": "one line break",
    "webvtt-py/invalid_format3.srt": "the two words `no captions`",
    "webvtt-py/no_captions.vtt": "a header and nothing below it",
}
KINDS = {
    "*.whisper.json": "words of recognition, of talks whose SRT is read",
    "*.innertube.json.static": "YouTube player pages, no captions",
    "transcript.xml.static": "YouTube timed text as XML, read by the YouTube source",
    "*_qa.json": "made by a model from the transcript beside it",
    "*_decisions.json": "made by a model from the transcript beside it",
    "ODDITIES.jsonl": "a list of the files beside it",
    "episodes.jsonl": "the manifest: it gives titles and dates",
}
"""Why files are no sources; README, LICENSE, PROVENANCE and SHA256SUMS say it by their names."""
DIFFERENCES = {
    "ergo_calls/srt/20250703_NjzGIOEMyPI.srt": "`Thank you for watching.` of recognition, in the middle of a tutorial",
}
_REPEATS = re.compile(r"(?:rolling|growing) captions: (\d+) of")


@dataclass(slots=True)
class Row:
    """A corpus folder. `words_in`: of the files that were read; `repeats`: words rolling captions show again."""

    corpus: str
    files: int = 0
    documents: int = 0
    chunks: int = 0
    duplicates: int = 0
    failed: int = 0
    ignored: int = 0
    words_in: int = 0
    repeats: int = 0
    words_kept: int = 0
    duplicate_words_in: int = 0
    duplicate_words_kept: int = 0
    with_notes: int = 0
    ignored_kinds: dict[str, int] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)
    differences: list[dict[str, str | int]] = field(default_factory=list)
    notes: dict[str, list[str]] = field(default_factory=dict)


def corpus_row(folder: Path) -> Row:
    """Read a folder as `ingest` does."""
    row = Row(folder.name)
    found = discover([folder])
    row.files = sum(path.is_file() for path in folder.rglob("*"))
    beside = [other.source for group in found.groups for other in group.fallbacks]
    aside = [*beside, *(item.source for item in found.skipped)]
    row.duplicates = len(aside)
    used = {path for group in found.groups for path in group.files}
    for failure in found.failed:
        _failed(row, folder, failure)
    for group in found.groups:
        for result in read(group):
            if isinstance(result, Failure):
                _failed(row, folder, result)
            else:
                _read(row, folder, group.path, result)
    passed_over = {Path(source) for source in aside}
    for path in sorted(passed_over):
        _alone(row, folder, path)
    candidates = used | passed_over | {Path(item.source) for item in found.failed}
    left = [path for path in folder.rglob("*") if path.is_file() and path not in candidates]
    row.ignored = len(left)
    row.ignored_kinds = dict(Counter(_kind(path) for path in sorted(left)).most_common())
    return row


def _read(row: Row, folder: Path, path: Path, result: Read) -> None:
    chunks = chunks_of(result.document)
    kept = sum(words(chunk.text) for chunk in chunks)
    shown = spoken(path)
    # What rolls is told by the note of the reader; how many words that is, by the count.
    rolls = any(_REPEATS.match(note) for note in result.notes)
    repeats = shown - kept if rolls else 0
    row.documents += 1
    row.chunks += len(chunks)
    row.words_in += shown
    row.repeats += repeats
    row.words_kept += kept
    name = path.relative_to(folder).as_posix()
    if result.notes:
        row.with_notes += 1
        row.notes[name] = list(result.notes)
    if shown - repeats != kept:
        _different(row, folder, path, shown, kept)


def _alone(row: Row, folder: Path, path: Path) -> None:
    """Read a file that lost to another one of its document, as if it were the only one."""
    (group,) = discover([path]).groups
    for result in read(group):
        if isinstance(result, Failure):
            _failed(row, folder, result)
            continue
        shown, kept = spoken(path), sum(words(chunk.text) for chunk in chunks_of(result.document))
        row.duplicate_words_in += shown
        row.duplicate_words_kept += kept
        if shown != kept:
            _different(row, folder, path, shown, kept)


def _different(row: Row, folder: Path, path: Path, shown: int, kept: int) -> None:
    name = path.relative_to(folder).as_posix()
    why = DIFFERENCES.get(f"{row.corpus}/{name}", "")
    row.differences.append({"file": name, "words_in": shown, "words_kept": kept, "why": why})


def _failed(row: Row, folder: Path, failure: Failure) -> None:
    name = Path(failure.source).relative_to(folder).as_posix()
    row.failed += 1
    row.failures.append({"file": name, "reason": failure.reason, "why": FAILURES.get(name, "")})


def _kind(path: Path) -> str:
    """What an ignored file is: `*_qa.json`, `*.whisper.json`, README.md, ..."""
    name = path.name
    match = re.search(r"(_(?:qa|decisions|meta)\.json|\.(?:whisper|innertube)\.json(?:\.static)?)$", name)
    return f"*{match[1]}" if match else name


def table(rows: list[Row]) -> str:
    """The table as Markdown, one row a folder and one of totals, then what it explains."""
    columns = (
        "files", "documents", "chunks", "duplicates", "failed", "ignored", "words_in", "repeats", "words_kept",
        "duplicate_words_in", "duplicate_words_kept", "with_notes",
    )  # fmt: skip
    head = [
        "corpus", "files", "documents", "chunks", "duplicate files", "failed", "not sources", "words in the files",
        "rolling repeats", "words kept", "lost or added", "words in duplicates", "kept of those, read alone",
        "documents with notes",
    ]  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    total = Row("all")
    for row in rows:
        for name in columns:
            setattr(total, name, getattr(total, name) + getattr(row, name))
    for row in [*rows, total]:
        figures = [f"{getattr(row, name):,}" for name in columns]
        figures.insert(9, f"{row.words_kept - (row.words_in - row.repeats):+,}".replace("+0", "0"))
        lines.append(f"| {row.corpus} | " + " | ".join(figures) + " |")
    lines += ["", "Failures:", ""]
    for row in rows:
        lines += [f"- `{row.corpus}/{f['file']}`: {f['reason']} ({f['why'] or 'NOT EXPLAINED'})" for f in row.failures]
    lines += ["", "Differences in words:", ""]
    different = [(row, one) for row in rows for one in row.differences]
    lines += [
        f"- `{row.corpus}/{one['file']}`: {one['words_in']} in, {one['words_kept']} kept: "
        f"{one['why'] or 'NOT EXPLAINED'}"
        for row, one in different
    ] or ["None."]
    lines += ["", "Not sources, and so not counted in words:", ""]
    for row in rows:
        kinds = ", ".join(
            f"{count} `{kind}`" + (f" ({KINDS[kind]})" if kind in KINDS else "")
            for kind, count in row.ignored_kinds.items()
        )
        lines.append(f"- {row.corpus}: {kinds}")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the table; 1 when something in it is not explained."""
    if not DATA.is_dir():
        print(f"no shared data at {DATA}; set ANSWERTRAIL_SHARED to the folder that has it", file=sys.stderr)
        return 2
    rows = [corpus_row(folder) for folder in sorted(DATA.iterdir()) if folder.is_dir()]
    shown = table(rows)
    print(shown)
    RESULTS.mkdir(exist_ok=True)
    intro = "Every file under `shared/data/a_transcripts` (`python -m benchmarks.ingest_table`, docs/captions.md).\n\n"
    (RESULTS / "ingest_table.md").write_text(intro + shown, encoding="utf-8")
    (RESULTS / "ingest_table.json").write_text(
        json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    explained = [bool(one["why"]) for row in rows for one in row.failures]
    explained += [bool(one["why"]) for row in rows for one in row.differences]
    return int(not all(explained))


if __name__ == "__main__":
    sys.exit(main())
