"""`satchel demo` shows what it says, and leaves nothing behind (issue: the whole path)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import demo

CHAPTERS = ("Move in", "Serve it", "Another agent goes on", "Carry it away", "How to go on")


def _run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SATCHEL_")}
    environment = kept | {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "SATCHEL_STORE": "sqlite:////nowhere/x.db"}
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return subprocess.run([sys.executable, "-m", "satchel", "demo", *words], env=environment, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("embedder", ["e5", "use", "none"])
def test_every_claim_of_the_demonstration_holds(tmp_path: Path, embedder: str) -> None:
    done = _run(tmp_path, "--embedder", embedder)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert all(chapter in done.stdout for chapter in CHAPTERS)
    assert done.stdout.count("✓") >= 13
    assert done.stderr == ""
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
def test_keep_leaves_the_stores_and_packages(tmp_path: Path) -> None:
    done = _run(tmp_path, "--embedder", "none", "--keep", str(tmp_path / "kept"))
    assert done.returncode == 0, done.stderr
    assert {"memory.db", "elsewhere.db", "alice.satchel", "before.satchel"} <= {path.name for path in (tmp_path / "kept").iterdir()}


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    done = _run(tmp_path, "--keep", str(tmp_path))
    assert done.returncode == 3
    assert "not empty" in done.stderr


def test_a_claim_that_does_not_hold_fails_the_demonstration(capsys: pytest.CaptureFixture[str]) -> None:
    story = demo.Story()
    story.check(True, "water is wet")
    with pytest.raises(demo.DemoFailed, match="the moon is cheese"):
        story.check(False, "the moon is cheese")
    assert "✓ water is wet" in capsys.readouterr().out
    assert story.checks == 1
