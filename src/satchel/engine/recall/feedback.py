"""`used` and `recall_log`: what came of what was recalled (OBS-4, OBS-5). It must not know how use is kept or what it does to strength."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from satchel.engine.core import Core, Principal
from satchel.engine.recall import recall_log as kept
from satchel.operations.models import RecalledItem, RecallEntry, RecallLog, RecallLogRequest, Used, UsedRequest
from satchel.protocol.record import MemoryRecord

Touch = Callable[[Principal, Sequence[MemoryRecord]], None]


class Feedback:
    """Handles both. One per engine; safe under threads."""

    def __init__(self, core: Core, book: kept.RecallBook, touch: Touch, flush: Callable[[], None]) -> None:
        """`touch` counts uses, `flush` writes what was gathered so far."""
        self._core = core
        self._book = book
        self._touch = touch
        self._flush = flush

    def used(self, principal: Principal, request: UsedRequest) -> Used:
        """Count memories as used by a session, each once. What counted already when it was recalled gets no second use."""
        self._flush()
        ids = dict.fromkeys(request.ids)
        found = self._core.store.get(request.scope, ids)
        living = {record_id: found[record_id] for record_id in ids if record_id in found and not found[record_id].is_tombstone}
        before = {name for _, name in kept.used_in(self._core, request.scope, request.session)}
        new = [record for record_id, record in living.items() if record_id not in before]
        if new:
            counted = self._counted(request)
            self._touch(principal, [record for record in new if record.id not in counted])
            self._book.add_used(request.scope, [record.id for record in new], session=request.session, at=self._core.now())
            self._flush()
        return Used(counted=len(new), unknown=tuple(record_id for record_id in ids if record_id not in living))

    def _counted(self, request: UsedRequest) -> set[str]:
        """Return the ids whose recall in this session was counted as a use."""
        logged = (entry for _, entry in kept.entries(self._core, request.scope) if entry["session"] == request.session)
        return {item[0] for entry in logged if entry.get("counted") for item in entry["items"]}

    def recall_log(self, principal: Principal, request: RecallLogRequest) -> RecallLog:
        """Return a page of what entered the scope's sessions, or one of them, the oldest first."""
        self._flush()
        used = kept.used_in(self._core, request.scope, request.session)
        found: list[RecallEntry] = []
        last: str | None = None
        for place, entry in kept.entries(self._core, request.scope):
            if place <= (request.cursor or "") or "items" not in entry or request.session not in (None, entry["session"]):
                continue
            if len(found) == request.limit:
                return RecallLog(entries=tuple(found), cursor=last)
            items = [RecalledItem(id=name, revision=revision, used=(entry["session"], name) in used) for name, revision in entry["items"]]
            found.append(
                RecallEntry(
                    scope=request.scope,
                    session=entry["session"],
                    turn=entry.get("turn"),
                    at=datetime.fromisoformat(entry["at"]),
                    agent=entry.get("agent"),
                    items=tuple(items),
                )
            )
            last = place
        return RecallLog(entries=tuple(found))
