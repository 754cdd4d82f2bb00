"""`kill -9` of `eval run` loses at most the runs in hand, and the next one asks nothing twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from answertrail.experiments.inputs import read_runs
from tests.soak import rounds

SAMPLE = Path(__file__).parents[2] / "src" / "answertrail" / "sample"
QUESTIONS = SAMPLE / "questions.jsonl"


def ended(path: Path) -> list[str]:
    """The whole lines of ended runs."""
    if not path.exists():
        return []
    return [
        line for line in path.read_text().splitlines(keepends=True) if line.endswith("}\n") and '"run/1"' in line[:30]
    ]


def test_a_run_killed_at_any_moment_is_finished_by_the_next(cli, settings, tmp_path):
    assert cli("ingest", SAMPLE / "channel", "--corpus", "sample", "--embedder", "fast", "--json").code == 0
    chance = random.Random(11)
    environment = {
        **os.environ, "ANSWERTRAIL_HOME": str(settings.home), "ANSWERTRAIL_DATABASE_URL": settings.database_url,
    }  # fmt: skip
    killed_in_work = 0
    for number in range(rounds(ci=1, soak=40)):
        path = tmp_path / f"runs-{number}.jsonl"
        draft = tmp_path / f"runs-{number}.jsonl.part"
        words = [
            "eval",
            "run",
            "--questions",
            QUESTIONS,
            "--recipe",
            "no-loop",
            "--repeats",
            "2",
            "--out",
            path,
            "--json",
        ]
        process = subprocess.Popen(
            [sys.executable, "-c", "from answertrail.cli.main import main; main()", *map(str, words)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30  # a killed run that had not begun would prove nothing
        while not ended(draft) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = ended(draft) or ended(path)
        killed_in_work += draft.exists()
        again = cli(*words)
        assert again.code == 0, again.err
        assert again.json["kept"] == len(kept)
        assert again.json["made"] == 48 - len(kept)
        runs = read_runs(path)
        assert len({(run.question_id, run.repeat) for run in runs}) == len(runs) == 48
        assert not draft.exists()
        written = {run.run_id for run in runs}
        assert all(any(f'"{name}"' in line[:120] for name in written) for line in kept)
    assert killed_in_work
