"""The real command line in this process, over a real database and a home of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from answertrail.cli.main import run

EPISODE_1 = """WEBVTT

00:01.000 --> 00:06.000
Welcome back to the pottery channel.

00:31.000 --> 00:37.000
So in January we moved the kiln to the barn with 4 people.

01:02.000 --> 01:09.000
The glaze kept crawling until we fired at 1240 degrees.
"""
EPISODE_2 = """1
00:00:02,000 --> 00:00:08,000
The barn roof leaked, so in June we moved the kiln back to the shed.

2
00:00:40,000 --> 00:00:44,000
Nobody has told us what a new kiln would cost.
"""


@dataclass
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def cli(settings, monkeypatch, capsys):
    """Call the command line; returns exit code, stdout and stderr."""
    monkeypatch.setenv("ANSWERTRAIL_HOME", str(settings.home))
    monkeypatch.setenv("ANSWERTRAIL_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANSWERTRAIL_CHAT_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def call(*words: object) -> Result:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def kiln(tmp_path):
    """A folder with two episodes, one as WebVTT and one as SRT."""
    folder = tmp_path / "kiln"
    folder.mkdir()
    (folder / "20250110_ep1.vtt").write_text(EPISODE_1)
    (folder / "20250620_ep2.srt").write_text(EPISODE_2)
    return folder


@pytest.fixture
def ingested(cli, kiln):
    """The kiln folder as corpus `kiln`, with the fast embedder."""
    result = cli("ingest", kiln, "--corpus", "kiln", "--embedder", "fast", "--json")
    assert result.code == 0, result.err
    return result.json
