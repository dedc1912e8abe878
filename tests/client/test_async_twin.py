"""The async twin is generated, complete and up to date (SRV-5)."""

from __future__ import annotations

import inspect

from scripts import make_async

from satchel.client import AsyncMemory
from satchel.operations import Memory


def test_the_twin_is_what_the_script_writes():
    assert make_async.is_current(), "run python scripts/make_async.py"


def test_the_twin_has_every_verb_with_the_same_arguments():
    def verbs(kind: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_")
        }

    assert verbs(AsyncMemory) == verbs(Memory)


def test_every_verb_of_the_twin_is_to_be_awaited_or_iterated():
    for name, method in inspect.getmembers(AsyncMemory, inspect.isfunction):
        if name.startswith("_") or name == "export_chunks":
            continue
        assert inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method), name
