"""Count the words of a transcript file by plain regular expressions, sharing no code with the readers.

A word is a run without spaces that holds a letter or a digit: `--`, `>>` and `♪` are none. What is cut
away is what nobody said: times, indexes, headers, tags, speaker labels, front matter.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from pathlib import Path

WORD = re.compile(r"\S*\w\S*")
_TIMES = re.compile(r"-->|^\d+:\d\d:\d\S*,\d+:\d\d:\d\S*\s*$")
_TAG = re.compile(
    r"</?(?:[bcisuv]|em|strong|font|lang|ruby|rt)(?:[. ][^<>]*)?>|<\d[\d:.]*>|\{\\[^{}]*\}|\[br\]", re.IGNORECASE
)
_STAMP = re.compile(r"^\s*(?:\[[\d.]+ --> [\d.]+\]|(?:\[[^\[\]\n]*\] )?\[[\d:]+\])[ ]*", re.MULTILINE)
_BOLD = re.compile(r"^[ ]*\*\*[^*\n]+?(?::[ ]*\*\*|\*\*[ ]*:)", re.MULTILINE)
_LABEL = re.compile(r"([^\s:*]+(?: [^\s:*]+)?):(?: |$)")
_HEADER = re.compile(
    r"^(?=.{1,120}$)(?:Speaker \d+:|[^\n\d\[(]{0,60}?)\s*(?:0: )?[\[(]?\d{1,3}[:.]\d\d(?:[:.]\d\d)?[\])]?\s*:?\s*$",
    re.MULTILINE,
)
_MARK = re.compile(r"\\?\[\d+:\d\d(?::\d\d)?(?:\.\d+)?(?::\d\d)?\\?\]")
_BREAK = re.compile(r"^\*\*Break\s*:?\*\*:?.*$", re.MULTILINE)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def words(text: str) -> int:
    """How many words a text holds."""
    return len(WORD.findall(text))


def spoken(path: Path) -> int:
    """How many words were said or written in a file, repeats of rolling captions included."""
    return words(spoken_text(path))


def spoken_text(path: Path) -> str:
    """What was said or written in a file, repeats of rolling captions included."""
    text = _text(path)
    if path.suffix in (".vtt", ".srt", ".sbv"):
        return _cue_words(text)
    text = _FRONT.sub("", text)
    if len(_STAMP.findall(text)) >= 2:
        return _without_labels(_STAMP.sub("", text))
    if len(_MARK.findall(text)) >= 1 and len(_BOLD.findall(text)) >= 10:
        return _BOLD.sub("", _MARK.sub(" ", _BREAK.sub("", text)))
    if len(_HEADER.findall(text)) >= 3:
        return _HEADER.sub("", text)
    return text


def _without_labels(text: str) -> str:
    """Take speakers off the lines: in bold, in capitals, or in the same plain form twice."""
    plain = [line for line in text.split("\n") if not _BOLD.match(line)]
    counts = Counter(match[1] for line in plain if (match := _LABEL.match(line)))
    labels = {name for name, count in counts.items() if count >= 2 or name.isupper()}
    kept = []
    for line in text.split("\n"):
        label = None if _BOLD.match(line) else _LABEL.match(line)
        kept.append(line[label.end() :] if label and label[1] in labels else _BOLD.sub("", line))
    return "\n".join(kept)


def _text(path: Path) -> str:
    raw = path.read_bytes()
    for encoding in ("utf-32" if raw[:4] == b"\xff\xfe\0\0" else "utf-8-sig", "utf-16", "gb18030"):
        try:
            text = raw.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")


def _cue_words(text: str) -> str:
    kept = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        if re.match(r"(?:WEBVTT|NOTE|STYLE|REGION)\b", lines[0].strip()):
            lines = lines[next((n for n, line in enumerate(lines) if "-->" in line), len(lines)) :]
        for place, line in enumerate(lines):
            following = lines[place + 1] if place + 1 < len(lines) else ""
            # Above the times stands an index or an id; a number alone begins a cue that lost its times.
            above = _TIMES.search(following) or (place == 0 and line.strip().isdigit())
            if not _TIMES.search(line) and not above:
                kept.append(html.unescape(_TAG.sub("", line)))
    return "\n".join(kept)
