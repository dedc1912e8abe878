"""What a long run showed, kept for the page that tells of it: a line at the terminal, and a file for `scripts/soak_table.py`.

It must not know what was run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

Told = Callable[..., None]


@pytest.fixture
def soaked(request: pytest.FixtureRequest) -> Iterator[Told]:
    """Return what takes the figures of a run: `soaked("what", figure=…)`. They are kept where the test passes, with how long it took."""
    from benchmarks.report import machine
    from scripts.soak_table import FOLDER, keep

    runs: list[tuple[str, dict[str, Any]]] = []
    started = time.monotonic()
    yield lambda what, **figures: runs.append((what, figures))
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")
    for what, figures in runs:
        kept = keep(FOLDER, what, figures, seconds=time.monotonic() - started, machine=machine())
        if terminal is not None:
            terminal.write_line(f"\n{kept.line}")
