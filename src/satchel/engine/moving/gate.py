"""What may come in from elsewhere: nothing that was forgotten here, no credentials, nothing too large.

It must not know where a record comes from.
"""

from __future__ import annotations

from typing import NamedTuple

from satchel.engine.core import Core
from satchel.engine.forgetting.tombstones import Blocklist, Marks
from satchel.engine.writing.completing import screen_memory
from satchel.operations.models import ReceiptOutcome
from satchel.protocol.record import MemoryRecord


class Refusal(NamedTuple):
    """Why a record may not come in: dropped, for it was forgotten here, or quarantined."""

    outcome: ReceiptOutcome
    reason: str


class Gate:
    """Stands before one import; what was forgotten is read once for each scope."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._blocklists: dict[str, Blocklist] = {}

    def refusal(self, record: MemoryRecord, held: MemoryRecord | None) -> Refusal | None:
        """Return why a record may not come in, None where it may; `held` is what the store has under its id."""
        if held.is_tombstone if held is not None else self._blocklist(record.scope).blocks(record):
            return Refusal(ReceiptOutcome.DROPPED, "this memory was forgotten here")
        limit = self._core.settings.max_content_bytes
        if len(record.content) * 4 > limit and len(record.content.encode()) > limit:
            return Refusal(ReceiptOutcome.QUARANTINED, f"content is larger than {limit} bytes of UTF-8")
        kinds = screen_memory(self._core, record)
        if kinds:
            return Refusal(ReceiptOutcome.QUARANTINED, f"holds a credential ({', '.join(kinds)})")
        return None

    def forbids(self, scope: str, text: str) -> bool:
        """Tell whether a text is a content that was forgotten in a scope."""
        return self._blocklist(scope).forbids(text)

    def _blocklist(self, scope: str) -> Blocklist:
        found = self._blocklists.get(scope)
        if found is None:
            found = self._blocklists[scope] = Blocklist(self._core, scope, Marks(self._core))
        return found
