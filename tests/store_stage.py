"""What the stores' tests share: looking into files without disturbing their locks, and processes that write until they are killed."""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from satchel.conformance.samples import log, make
from satchel.ports import Batch, Put
from satchel.stores.sqlite import SQLiteStore

_SEARCH = """
import pathlib, re, sys
files = [path.read_bytes() for path in pathlib.Path(sys.argv[1]).parent.iterdir() if path.is_file()]
pattern = sys.stdin.buffer.read()
found = {match for data in files for match in re.findall(pattern, data)}
sys.stdout.write("\\n".join(match.hex() for match in found))
"""


def found_in_files(path: Path, pattern: bytes) -> set[bytes]:
    """Return what a pattern matches in any file of the store's folder.

    A process of its own reads the files: here, closing them would drop the locks of the open store.
    """
    command = [sys.executable, "-S", "-c", _SEARCH, str(path)]
    found = subprocess.run(command, input=pattern, capture_output=True, check=True).stdout
    return {bytes.fromhex(line) for line in found.decode().split()}


def left_in_files(path: Path, *texts: str) -> set[bytes]:
    """Return which texts stand in any file of the store's folder, as UTF-8, as UTF-16, or as JSON escapes them."""
    forms = [form for text in texts for form in (text.encode(), text.encode("ascii", "backslashreplace"), text.encode("utf-16-le"))]
    return found_in_files(path, b"|".join(re.escape(form) for form in forms))


def processes() -> multiprocessing.context.BaseContext:
    """Return a way to start processes that share nothing with this one, quickly where the system can."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["store_stage"])
    return context


def new(record_id: str, scope: str, content: str) -> Put:
    """Make a change that creates a record."""
    return Put(make(record_id, scope, content), log(), 0, b"terms" * 20, b"\0\x3c" * 64)


def write_until_killed(path: str, run: int, acknowledged: Connection) -> None:
    """Write single records and batches for ever, and tell what was acknowledged."""
    store = SQLiteStore(path)
    turn = 0
    while True:
        turn += 1
        size = 1 if turn % 3 else 17
        names = [f"{run}-{turn}-{place}" for place in range(size)]
        store.apply(Batch([new(name, f"user:u{place % 3}", f"第 {name} 条 written") for place, name in enumerate(names)]))
        acknowledged.send(names)


def write_many(path: str, writer: int, count: int, finished: Connection) -> None:
    """Write records one by one into a store that others write too, and tell what went wrong and the longest wait in seconds."""
    try:
        store, longest = SQLiteStore(path), 0.0
        for place in range(count):
            started = time.monotonic()
            store.apply(Batch([new(f"{writer}-{place}", f"user:u{place % 5}", f"进程 {writer} 的第 {place} 条")]))
            longest = max(longest, time.monotonic() - started)
            if place % 25 == 0:
                store.get("user:u0", [f"{writer}-0"])
        store.close()
    except BaseException as error:
        finished.send((repr(error), 0.0))
        raise
    finished.send(("", longest))
