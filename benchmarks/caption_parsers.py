"""Our caption parser and the two a user would pick, on every file of caption_oddities and on small made-up files.

    pip install --target results/peers webvtt-py==0.6.0 pysrt==1.1.2
    PYTHONPATH=results/peers python -m benchmarks.caption_parsers

What must come out of a file are the words `benchmarks.ingest_words` counts in it (plain regular expressions),
or those written below for the made-up ones. webvtt-py reads `.vtt`, `.srt` and `.sbv`, pysrt `.srt`; each is given
the bytes as they are. Writes benchmarks/results/caption_parsers.md.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, read
from benchmarks.ingest_table import DATA, RESULTS
from benchmarks.ingest_words import WORD, spoken_text

SAID = {"webvtt-py/youtube_dl.vtt": "yeah what this will happen is I'm telling"}
"""Files that show words more often than they were said, and what was said."""

EMPTY = ("webvtt-py/empty.vtt", "webvtt-py/invalid_format.sbv", "webvtt-py/invalid_format1.srt",
         "webvtt-py/invalid_format3.srt", "webvtt-py/no_captions.vtt")  # fmt: skip
"""Files that hold no captions: to refuse them is right."""

_KO = "안녕하세요 여러분 오늘은 검색에 대해"
_V, _S = "WEBVTT\n\n00:01.000 --> 00:02.000\n", "1\n00:00:01,000 --> 00:00:02,000\n"
MADE_UP: dict[str, tuple[str, bytes, str]] = {
    "`<` and `>` in speech": (".vtt", f"{_V}if x < 3 and y > 4 then".encode(), "if x < 3 and y > 4 then"),
    "named and numeric entities": (".vtt", f"{_V}R&amp;D &#169; &lt;i&gt;".encode(), "R&D © <i>"),
    "an entity that was escaped itself": (".vtt", f"{_V}&amp;lt;".encode(), "&lt;"),
    "an arrow in a NOTE": (".vtt", f"WEBVTT\n\nNOTE a --> b\nunsaid\n\n{_V[8:]}said".encode(), "said"),
    "`WEBVTT` after a byte-order mark, CRLF": (".vtt", f"\ufeff{_V}said".replace("\n", "\r\n").encode(), "said"),
    "old Mac line ends": (".vtt", f"{_V}said".replace("\n", "\r").encode(), "said"),
    "commas in WebVTT times": (".vtt", b"WEBVTT\n\n00:01,000 --> 00:02,000\nsaid", "said"),
    "no `WEBVTT` header": (".vtt", b"00:01.000 --> 00:02.000\nsaid", "said"),
    "no empty line below the header": (".vtt", b"WEBVTT\n00:01.000 --> 00:02.000\nsaid", "said"),
    "an empty line inside a cue": (".srt", f"{_S}one\n\ntwo".encode(), "one two"),
    "no empty line between cues": (".srt", f"{_S}one\n2\n00:00:03,000 --> 00:00:04,000\ntwo".encode(), "one two"),
    "no indexes": (".srt", b"00:00:01,000 --> 00:00:02,000\nsaid", "said"),
    "milliseconds behind a colon": (".srt", b"1\n00:00:01,000 --> 00:00:02:750\nsaid", "said"),
    "UTF-16 with its mark": (".srt", f"{_S}said".encode("utf-16"), "said"),
    "a legacy encoding (cp1252)": (".srt", f"{_S}déjà là-bas à la façade".encode("cp1252"), "déjà là-bas à la façade"),
    "Korean in EUC-KR": (".srt", f"{_S}{_KO}".encode("euc_kr"), _KO),
    "`<font>`, `{\\an8}`": (".srt", f'{_S}{{\\an8}}<font color="red">said</font>'.encode(), "said"),
    "rolling rows, a 10 ms cue between": (
        ".vtt",
        b"WEBVTT\n\n00:01.000 --> 00:02.990\n \none<00:01.500><c> two</c>\n\n00:02.990 --> 00:03.000\none two\n \n\n"
        b"00:03.000 --> 00:05.000\none two\nthree<00:03.500><c> four</c>",
        "one two three four",
    ),
}  # fmt: skip

Parser = Callable[[Path], str]


def ours(path: Path) -> str:
    """The words of the chunks. Raises ValueError with the reason of a failure."""
    (group,) = discover([path]).groups
    (result,) = read(group)
    if isinstance(result, Failure):
        raise ValueError(result.reason)
    return " ".join(chunk.text for chunk in chunks_of(result.document))


def _peers() -> dict[str, tuple[Parser, tuple[str, ...]]]:
    """The peers by name, each with the kinds of files it reads. Raises ModuleNotFoundError."""
    webvtt: Any = importlib.import_module("webvtt")
    pysrt: Any = importlib.import_module("pysrt")

    def by_webvtt(path: Path) -> str:
        reader = {".vtt": webvtt.read, ".srt": webvtt.from_srt, ".sbv": webvtt.from_sbv}[path.suffix]
        return " ".join(caption.text for caption in reader(str(path)))

    def by_pysrt(path: Path) -> str:
        return " ".join(item.text_without_tags for item in pysrt.open(str(path)))

    return {"webvtt-py": (by_webvtt, (".vtt", ".srt", ".sbv")), "pysrt": (by_pysrt, (".srt",))}


def outcome(parser: Parser, path: Path, said: str, *, words_only: bool) -> str:
    """`right`, or in a few words what is wrong. `words_only`: runs without a letter or digit do not count."""
    try:
        found = parser(path)
    except Exception as error:  # noqa: BLE001 - a peer may raise anything
        return f"refused: {_short(str(error) or type(error).__name__)}"
    pattern = WORD.findall if words_only else str.split
    got, wanted = Counter(pattern(found)), Counter(pattern(said))
    lost, added = wanted - got, got - wanted
    parts = [
        f"{sum(some.values())} {what} ({_short(' '.join(some))})"
        for what, some in (("lost", lost), ("added", added))
        if some
    ]
    return ", ".join(parts) or "right"


def _short(text: str) -> str:
    folded = " ".join(text.split())
    folded = folded if len(folded) <= 44 else folded[:40] + " ..."
    return "`" + folded.replace("|", "\\|").replace("`", "'") + "`"


def _rows(parsers: dict[str, tuple[Parser, tuple[str, ...]]]) -> Iterator[tuple[str, str, list[str]]]:
    root = DATA / "caption_oddities"
    for path in sorted(path for path in root.rglob("*") if path.suffix in (".vtt", ".srt", ".sbv")):
        name = path.relative_to(root).as_posix()
        said = "" if name in EMPTY else SAID.get(name) or spoken_text(path)
        cells = []
        for parser, kinds in parsers.values():
            cell = outcome(parser, path, said, words_only=True) if path.suffix in kinds else "-"
            if name in EMPTY and cell.startswith("refused"):
                cell = "right (refused)"
            cells.append(cell)
        yield name, str(len(WORD.findall(said))), cells
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (suffix, content, said)) in enumerate(MADE_UP.items()):
            path = Path(folder) / f"{number}{suffix}"
            path.write_bytes(content)
            cells = [
                outcome(p, path, said, words_only=False) if suffix in kinds else "-" for p, kinds in parsers.values()
            ]
            yield f"made up: {name} (`{suffix}`)", str(len(said.split())), cells


def main() -> int:
    """Write the table; 1 when ours is wrong somewhere, 2 when a peer or the data is missing."""
    try:
        parsers = {"ours": (ours, (".vtt", ".srt", ".sbv")), **_peers()}
    except ModuleNotFoundError as error:
        print(
            f"{error}; see `python -m pydoc benchmarks.caption_parsers` for how to install the peers", file=sys.stderr
        )
        return 2
    if not DATA.is_dir():
        print(f"no shared data at {DATA}; set ANSWERTRAIL_SHARED to the folder that has it", file=sys.stderr)
        return 2
    rows = list(_rows(parsers))
    lines = ["| file | words | " + " | ".join(parsers) + " |", "|---|---:|" + "---|" * len(parsers)]
    lines += [f"| {name} | {count} | " + " | ".join(cells) + " |" for name, count, cells in rows]
    columns = [[cells[place] for *_, cells in rows if cells[place] != "-"] for place in range(len(parsers))]
    right = [f"{sum(cell.startswith('right') for cell in column)} of {len(column)}" for column in columns]
    lines.append("| **right** | | " + " | ".join(right) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    intro = "`python -m benchmarks.caption_parsers` (webvtt-py 0.6.0, pysrt 1.1.2); see docs/captions.md.\n\n"
    (RESULTS / "caption_parsers.md").write_text(intro + text, encoding="utf-8")
    return int(any(not cells[0].startswith("right") for *_, cells in rows))


if __name__ == "__main__":
    sys.exit(main())
