"""Runs the code blocks of a Markdown page as a reader would: in order, in one empty folder, with an empty home."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

RUN = {"bash", "python"}
SHOWN = {"text", "json", "abnf", "toml", "yaml", "console", "typescript"}
"""Languages of blocks that are only shown."""

_FENCE = re.compile(r"(?P<before>[^\n]*\n)?^```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
_LISTENER = re.compile(r"^(satchel serve\b.*?)\s*&\s*$", re.MULTILINE)

DOCUMENTED_PORT = "7377"


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int
    excuse: str | None
    """Why the block is not run, said on the line before it."""


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    found = []
    for match in _FENCE.finditer(text):
        excuse = _NOT_RUN.search(match["before"] or "")
        line = text.count("\n", 0, match.start("code"))
        found.append(Block(match["language"], match["code"], line, excuse[1] if excuse else None))
    return found


def runnable(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language in RUN and block.excuse is None]


def script(page: Path, port: int) -> str:
    """Return the page as one bash script. A service that a block starts is waited for, and stopped at the end."""
    parts = ["set -euo pipefail", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"]
    for block in runnable(page):
        code = block.code.replace(DOCUMENTED_PORT, str(port))
        parts.append(f"echo '--- {page.name}:{block.line}' >&2")
        if block.language == "python":
            parts.append(f"python - <<'END_OF_PYTHON'\n{code}END_OF_PYTHON")
        else:
            parts.append(_LISTENER.sub(rf"\1 &\nwait_for {port}", code))
    return f"{_WAIT}\n" + "\n".join(parts) + "\n"


_WAIT = """\
wait_for() {
  for _ in $(seq 200); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return 0; fi
    read -r -t 0.05 <> <(:) || true
  done
  echo "nothing listens on port $1" >&2
  return 1
}"""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def environment(home: Path) -> dict[str, str]:
    """Return an environment that knows nothing of the person who runs the tests, and runs the code beside the page."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "OPENBLAS_CORETYPE", "PYTHONDONTWRITEBYTECODE") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath, "/usr/bin", "/bin"])
    return kept | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "PATH": path,
        "PYTHONUTF8": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "USER": "me",
        "LOGNAME": "me",
    }


def run_page(page: Path, folder: Path, *, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    work = folder / "work"
    home.mkdir()
    work.mkdir()
    examples = ROOT / "examples"
    if examples.exists():
        shutil.copytree(examples, work / "examples")
    process = subprocess.Popen(
        ["bash", "-c", script(page, free_port())],
        cwd=work,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += "\n(timed out)"
    return subprocess.CompletedProcess(page.name, process.returncode, out, err)


_MISTAKE = re.compile(r"^\| [^|]+ \| ([^|]+) \| `(\w+)` \|$", re.MULTILINE)


def mistakes(page: str) -> list[tuple[str, str]]:
    """Return the rows of a guide's table of mistakes: the test that catches one, as its name, and the class that makes it."""
    found = _MISTAKE.findall((ROOT / "docs" / page).read_text("utf-8"))
    return [(f"test_{sentence.replace(' ', '_')}", name) for sentence, name in found]
