"""Turn a tree of HTML into plain text: paragraphs, `# ` headings, lists, tables, code; no word lost."""

from __future__ import annotations

import re

from lxml import etree

DROPPED = frozenset(
    {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "canvas", "audio",
     "video", "map", "head", "select", "datalist", "button", "input", "textarea", "dialog"}
)  # fmt: skip
"""Elements that are machinery of a page, not text of it."""

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
     "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "li", "main",
     "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul", *_HEADINGS}
)  # fmt: skip
_CELLS = frozenset(("td", "th"))
_NOT_IN_DATA = frozenset(("table", "ul", "ol", "pre", *_HEADINGS))
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_BREAK = "\x01"


def text_of(tree: etree._Element) -> str:
    """Return the text below an element. Elements of `DROPPED` and hidden ones say nothing.

    White space is folded but for line breaks (`<br>`) and code (`<pre>`). The cells of a row of
    data are one line with ` | ` between; a table that lays out a page is not such a table.
    """
    out = _Text()
    dropped: etree._Element | None = None
    for event, node in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        if event in ("comment", "pi"):
            if dropped is None:
                out.say_tail(node, tree)
            continue
        tag = _local(node)
        if dropped is not None:
            if event == "end" and node is dropped:
                dropped = None
                out.say_tail(node, tree)
        elif event == "start" and (tag in DROPPED or node.get("hidden") is not None):
            dropped = node
        elif event == "start":
            out.begin(tag, node)
            out.say(node.text)
        else:
            out.end(tag)
            out.say_tail(node, tree)
    return out.text()


def _local(node: etree._Element) -> str:
    # Not QName: it refuses the tags that a broken page can have.
    return str(node.tag).rpartition("}")[2].lower()


class _Text:
    """Text growing block by block. `tables` says of each open table whether it holds data."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._words: list[str] = []
        self._lead = ""
        self._tight = False
        self._verbatim = 0
        self._lists: list[int | None] = []
        self._tables: list[bool] = []
        self._cell = 0

    def say(self, text: str | None) -> None:
        if text:
            self._words.append(text if self._verbatim else _SPACE.sub(" ", text))

    def say_tail(self, node: etree._Element, tree: etree._Element) -> None:
        if node is not tree:
            self.say(node.tail)

    def begin(self, tag: str, node: etree._Element) -> None:
        if tag == "br":
            self._words.append(" " if self._cell else _BREAK)
        elif tag in _CELLS and self._in_data():
            self._cell += 1
            self._words.append(" | " if node.getprevious() is not None else "")
        elif self._cell:
            self._words.append(" " if tag in _BLOCKS else "")
        elif tag == "pre" and self._is_inline():
            # An extractor writes code within a sentence like this.
            pass
        elif tag in _BLOCKS or tag in _CELLS:
            self._close()
            self._open(tag, node)

    def end(self, tag: str) -> None:
        if tag in _CELLS and self._cell and self._in_data():
            self._cell -= 1
        elif self._cell:
            self._words.append(" " if tag in _BLOCKS else "")
        elif tag == "pre" and not self._verbatim:
            pass
        elif tag in _BLOCKS or tag in _CELLS:
            self._close()
            if tag in _HEADINGS or tag == "li":
                self._lead = ""
            elif tag == "pre":
                self._verbatim -= 1
            elif tag in ("ul", "ol") and self._lists:
                self._lists.pop()
            elif tag == "table" and self._tables:
                self._tables.pop()

    def text(self) -> str:
        self._close()
        return "".join(self._blocks)

    def _open(self, tag: str, node: etree._Element) -> None:
        if tag in _HEADINGS:
            self._lead = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._lead = self._bullet()
            self._tight = node.getprevious() is not None or len(self._lists) > 1
        elif tag == "table":
            self._tables.append(_holds_data(node))
        elif tag == "tr" and self._in_data():
            self._tight = node.getprevious() is not None
        elif tag == "dd":
            self._tight = True
        elif tag == "pre":
            self._verbatim += 1

    def _close(self) -> None:
        """End the block at hand; a blank one leaves no trace."""
        # A soft hyphen says where a word may be cut; it is no part of it.
        text = "".join(self._words).replace("\u00ad", "")
        self._words.clear()
        if self._verbatim:
            text = text.replace(_BREAK, "\n").strip("\n").rstrip()
        else:
            # A line end of the source is a space; only `<br>` ends a line.
            lines = [" ".join(line.split()) for line in text.split(_BREAK)]
            text = "\n".join(line for line in lines if line)
        if text.strip(" |\n"):
            between = "\n" if self._tight else "\n\n"
            self._blocks.append((between if self._blocks else "") + self._lead + text)
            self._lead, self._tight = "", False

    def _bullet(self) -> str:
        number = self._lists[-1] if self._lists else None
        if number is None:
            return "- "
        self._lists[-1] = number + 1
        return f"{number + 1}. "

    def _in_data(self) -> bool:
        return bool(self._tables) and self._tables[-1]

    def _is_inline(self) -> bool:
        return bool(self._words) and bool("".join(self._words[-2:]).strip())


def _holds_data(table: etree._Element) -> bool:
    cells = 0
    for node in table.iterdescendants(etree.Element):
        tag = _local(node)
        if tag in _NOT_IN_DATA:
            return False
        cells += tag in _CELLS
    return cells > 1
