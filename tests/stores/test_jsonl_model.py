"""JSON lines against the in-memory reference, step by step."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.stateful import rule

from satchel.ports import Store
from satchel.stores.jsonl import open_store

from .test_model import EVERY, SCOPES, Comparison


class JsonLinesComparison(Comparison):
    """The same steps over one file, and over it read anew."""

    def opened(self) -> Store:
        return open_store(f"jsonl:///{self.path}")

    @rule()
    def reopen(self) -> None:
        """Look at the file with other eyes. How often an index was written apart is a process's own count, so go on with the old ones."""
        other = self.opened()
        for scope in SCOPES:
            assert other.scan([scope], EVERY) == self.store.scan([scope], EVERY)
            ours, theirs = self.store.index_slice(scope), other.index_slice(scope)
            assert sorted(theirs.rows) == sorted(ours.rows)
            assert theirs.position.change == ours.position.change
        assert other.changes(None) == self.store.changes(None)
        assert other.scopes() == self.store.scopes()
        other.close()


JsonLinesComparison.TestCase.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
TestJsonLinesIsTheReference = JsonLinesComparison.TestCase
