"""Draw docs/images/demo.svg: real commands on the sample corpus, their real output.

python docs/make_picture.py        (after `answertrail demo`)
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

QUESTIONS = (
    "How many kilos of wholemeal does the mill grind in an hour?",
    "Which type of beehive is recommended for overwintering honeybees?",
)
WIDTH = 118
PICTURE = Path(__file__).parent / "images" / "demo.svg"
_INK, _RED, _GREEN, _AMBER = (40, 42, 46), (179, 38, 30), (30, 113, 55), (146, 94, 0)
_BLUE, _PURPLE, _TEAL, _GREY = (0, 83, 156), (125, 47, 132), (0, 104, 112), (90, 90, 90)
THEME = TerminalTheme(
    (250, 250, 247),
    _INK,
    [_INK, _RED, _GREEN, _AMBER, _BLUE, _PURPLE, _TEAL, _GREY],
    [_GREY, _RED, _GREEN, _AMBER, _BLUE, _PURPLE, _TEAL, _INK],
)


def output_of(question: str) -> str:
    """Run `answertrail ask` as in a terminal of WIDTH columns."""
    command = [str(Path(sys.executable).parent / "answertrail"), "ask", question, "--corpus", "sample"]
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    return done.stdout


def main() -> None:
    """Write the picture."""
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    for question in QUESTIONS:
        console.print(Text.assemble(("$ ", "bold green"), ("answertrail ask ", "bold"), f'"{question}"'))
        console.print(Text.from_ansi(output_of(question)))
    svg = console.export_svg(title="answertrail", theme=THEME)
    # The font would be fetched from elsewhere; the reader's own monospace does.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code, monospace", "monospace")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(svg.replace("Fira Code", "monospace"), encoding="utf-8")


if __name__ == "__main__":
    main()
