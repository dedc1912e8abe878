"""From the start of a simple command to its exit, beside an interpreter that does nothing.

python -m benchmarks.startup [--runs 10]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.report import Report, interleaved

COMMANDS = {
    "satchel --version": ["--version"],
    "satchel --help": ["--help"],
    "satchel list": ["list", "--scope", "user:bench", "--json"],
    "satchel remember (no embedder)": [
        "--embedder",
        "none",
        "remember",
        "用户喜欢龙井茶 and short answers",
        "--scope",
        "user:bench",
        "--json",
    ],
}


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    report = Report("startup")
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "SATCHEL_STORE": f"sqlite:///{place}/bench.db"}

        def run(command: list[str]) -> None:
            subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        run([sys.executable, "-m", "satchel", *COMMANDS["satchel remember (no embedder)"]])
        for name, words in COMMANDS.items():
            bare, ours = interleaved(
                arguments.runs,
                lambda: run([sys.executable, "-c", "pass"]),
                lambda words=words: run([sys.executable, "-m", "satchel", *words]),  # type: ignore[misc]
            )
            seconds = statistics.median(ours)
            report.row(command=name, **{"median s": seconds, "bare interpreter s": statistics.median(bare)})
            report.target(f"{name}: seconds from start to exit", seconds, at_most=0.5)
    report.show()


if __name__ == "__main__":
    main()
