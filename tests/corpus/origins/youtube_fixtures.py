"""Fixtures of the tests of YouTube: the stand-in, an origin on it, and real answers from the shared data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from answertrail.corpus.origins.stage import Pace
from answertrail.corpus.origins.youtube import YouTubeOptions, YouTubeOrigin, youtube_origin
from answertrail.models.chat.retry import RetryPolicy
from answertrail.settings import Settings
from tests.corpus.origins.youtube_server import KEY, YouTube, serving

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that is put forward by hand; sleeping moves it."""

    def __init__(self) -> None:
        self.now = NOW
        self.slept: list[float] = []

    def __call__(self) -> datetime:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


Opened = Callable[..., YouTubeOrigin]


@pytest.fixture
def youtube(monkeypatch: pytest.MonkeyPatch) -> Iterator[YouTube]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as server:
        yield server


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(seconds=0, sleep=clock.sleep, clock=clock)


@pytest.fixture
def opened(youtube: YouTube, clock: Clock) -> Iterator[Opened]:
    """Make origins on the stand-in, as `opened("@talks", languages=["en"])`."""
    made: list[YouTubeOrigin] = []

    def opened(typed: str, key: str | None = KEY, **options: Any) -> YouTubeOrigin:
        api = f"{youtube.url}/youtube/v3"
        settings = Settings(Path("unused"), youtube_key=key, youtube_api=api, youtube_site=youtube.url)
        policy = RetryPolicy(attempts=3, sleep=clock.sleep)
        origin = youtube_origin(typed, settings, YouTubeOptions(policy=policy, clock=clock, **options))
        assert origin is not None
        made.append(origin)
        return origin

    yield opened
    for origin in made:
        origin.close()


@pytest.fixture(scope="session")
def answers() -> Path:
    """Real answers of YouTube, shared beside the repository, or a skip that says where they should be."""
    default = Path(__file__).resolve().parents[4] / "shared"
    root = Path(os.environ.get("ANSWERTRAIL_SHARED") or default)
    folder = root / "data" / "a_transcripts" / "caption_oddities" / "youtube-transcript-api"
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set ANSWERTRAIL_SHARED to the folder that has it")
    return folder
