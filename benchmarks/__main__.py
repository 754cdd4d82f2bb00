"""Run every benchmark: `make bench`. Each is also a module of its own."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = ("measures", "embedders", "gold_reader", "reader_risk", "yardstick")


def main() -> int:
    """Run them one after the other; return 1 when one failed."""
    failed = [name for name in BENCHMARKS if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"]).returncode]
    for name in failed:
        print(f"benchmark {name} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
