"""How long the long runs are: a short share in CI, the whole in `make soak`."""

from __future__ import annotations

import os

SOAKING = bool(os.environ.get("ANSWERTRAIL_SOAK"))


def rounds(ci: int, soak: int) -> int:
    """Return how many rounds a fault or fuzz test runs."""
    return soak if SOAKING else ci
