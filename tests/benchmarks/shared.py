"""Where the public sets are, and the skip that says so when they are not here."""

from __future__ import annotations

import pytest
from benchmarks.sets.base import DATA

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no public sets at {DATA}; set ANSWERTRAIL_SHARED to the folder that has data/"
)
