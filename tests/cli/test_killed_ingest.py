"""`kill -9` of an ingest loses at most the document in hand: the next one ends where it would have."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.soak import rounds

CHANNEL = Path(__file__).parents[2] / "src" / "answertrail" / "sample" / "channel"


def test_an_ingest_killed_at_any_moment_is_finished_by_the_next(cli, settings):
    whole = cli("ingest", CHANNEL, "--corpus", "whole", "--embedder", "fast", "--json").json
    command = [sys.executable, "-c", "from answertrail.cli.main import main; main()", "ingest", str(CHANNEL)]
    environment = {
        **os.environ,
        "ANSWERTRAIL_HOME": str(settings.home),
        "ANSWERTRAIL_DATABASE_URL": settings.database_url,
    }
    chance = random.Random(7)
    for number in range(rounds(ci=3, soak=60)):
        corpus = f"cut-{number}"
        process = subprocess.Popen(
            [*command, "--corpus", corpus, "--embedder", "fast"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.4, 3.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        again = cli("ingest", CHANNEL, "--corpus", corpus, "--embedder", "fast", "--json")
        assert again.code == 0, again.err
        assert again.json["snapshot"] == whole["snapshot"], number
        assert again.json["added"] + again.json["unchanged"] == whole["added"], number
        status = cli("status", "--corpus", corpus, "--json").json
        assert status["documents"]["embedded"] == whole["added"], number
        assert status["documents"]["chunked"] == 0, number
