from __future__ import annotations

from collections.abc import Iterator

import pytest

from answertrail.models.chat.probe import forget

from .fake_server import FakeServer, running


@pytest.fixture
def server() -> Iterator[FakeServer]:
    forget()
    with running() as fake:
        yield fake


@pytest.fixture
def sleeps() -> list[float]:
    """The waits asked of the injected sleeper."""
    return []
