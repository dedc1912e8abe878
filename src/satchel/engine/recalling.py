"""Recall and search: from a question to the records that answer it (RCL-1 to RCL-4, RCL-7).

It owns the order of the steps, not their formulas; it must not know how a store keeps records or who a principal is.
"""

from __future__ import annotations

from satchel.engine.core import Core, Principal
from satchel.operations.models import Context, ContextRequest, Hits, RecallRequest, SearchRequest


class Recaller:
    """The reading half of an engine, with its caches. One per engine; safe under threads.

    `recall`, `search` and `context` are operation handlers without their first argument: `(principal, request) -> result`.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def recall(self, principal: Principal, request: RecallRequest) -> Hits:
        """Find the records that answer a question, best first; none is an answer."""
        raise NotImplementedError

    def search(self, principal: Principal, request: SearchRequest) -> Hits:
        """Rank records by relevance alone: no thresholds, no usage."""
        raise NotImplementedError

    def context(self, principal: Principal, request: ContextRequest) -> Context:
        """Render what is remembered as a prompt block (RCL-6)."""
        raise NotImplementedError

    def flush(self) -> None:
        """Write the usage gathered so far into the store: before an export, for exact counts."""
        raise NotImplementedError

    def close(self) -> None:
        """Write the usage gathered so far and stop. The caller closes the store afterwards."""
        raise NotImplementedError
