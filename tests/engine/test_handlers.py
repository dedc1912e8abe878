"""Which operations an engine carries out, and what it does not load for those that are simple."""

from __future__ import annotations

import subprocess
import sys

from satchel.engine.handlers import Parts
from satchel.operations import OPERATIONS
from write_stage import opened

SIMPLE = """
import sys
from satchel import open_memory
with open_memory("memory://", embedder="none") as memory:
    memory.records(scope="user:a")
    memory.scopes()
others = ("comparing", "writing.writing", "recall.recalling", "retention.maintaining")
print(*[name for name in others if f"satchel.engine.{name}" in sys.modules])
"""


def test_every_operation_has_a_handler():
    with opened() as memory:
        parts = Parts(memory.core)
        missing = {operation.name for operation in OPERATIONS if parts.handler(operation.name) is None}
    assert missing == set()


def test_a_handler_is_made_once():
    with opened() as memory:
        parts = Parts(memory.core)
        assert parts.handler("remember") is parts.handler("remember")
        assert parts.handler("no-such-verb") is None


def test_a_simple_read_loads_nothing_that_writes_or_ranks():
    done = subprocess.run([sys.executable, "-c", SIMPLE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
