"""Long work shows how far it is, on the error stream of a terminal and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import open_memory


def _on_terminal(words: list[str], environment: dict[str, str]) -> tuple[str, str]:
    """Return what a command wrote to its output, and what to the terminal that its error stream is."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "satchel", *words]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end was closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    out = process.communicate()[0]
    assert process.returncode == 0, shown
    return out, shown.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("command", "stages"),
    [
        ("copy {store} {folder}/copy.db", ("copying", "1500/1500")),
        ("export --everything -o {folder}/all.satchel", ("exporting",)),
        ("import {folder}/given.satchel --store {folder}/new.db", ("reading",)),
        ("reindex --embedder use", ("embedding",)),
    ],
)
def test_a_terminal_is_shown_how_far_it_is_and_a_pipe_is_not(tmp_path: Path, command, stages):
    store = f"sqlite:///{tmp_path}/memory.db"
    with open_memory(store, embedder="none") as memory:
        memory.remember_many([f"第 {number} 条记忆" for number in range(300 if "reindex" in command else 1500)], scope="user:alice")
        with (tmp_path / "given.satchel").open("wb") as package:
            memory.export(to=package, scope="user:alice")
    words = command.format(store=store, folder=tmp_path).split()
    environment = {**os.environ, "SATCHEL_STORE": store, "SATCHEL_EMBEDDER": "none", "TERM": "xterm", "COLUMNS": "120"}
    out, shown = _on_terminal(words, environment)
    assert all(stage in shown for stage in stages), shown
    assert "\x1b" not in out
    piped = subprocess.run([sys.executable, "-m", "satchel", *words], env=environment, capture_output=True, text=True, check=False)
    assert "\x1b" not in piped.stderr and "/1500" not in piped.stderr
