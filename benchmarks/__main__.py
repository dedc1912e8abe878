"""Run every benchmark of speed, one after another, each in a process of its own: `python -m benchmarks`."""

from __future__ import annotations

import subprocess
import sys

MODULES = ("startup", "writes", "recall_speed", "postgres", "indexes", "embedding", "moving", "maintenance", "peers", "load")


def main() -> int:
    """Run them all; return how many failed to run."""
    failed = [name for name in MODULES if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode]
    if failed:
        print("did not run:", ", ".join(failed))
    return len(failed)


if __name__ == "__main__":
    raise SystemExit(main())
