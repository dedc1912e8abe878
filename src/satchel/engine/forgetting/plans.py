"""Forgetting in two steps: a plan shows what would go, and a second call with its id carries it out (RET-5).

A plan keeps ids and keyed hashes only, so that it holds nothing to forget. It must not know how a record is erased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from satchel.engine.access import require_read, require_write
from satchel.engine.core import Core, Principal
from satchel.engine.forgetting import traces
from satchel.engine.forgetting.erasing import NOTE, erase, forget_one
from satchel.engine.forgetting.lineage import descendants, originals
from satchel.engine.forgetting.scrubbing import finish, pending_document
from satchel.engine.forgetting.tombstones import Marks
from satchel.engine.history.snapshots import of_scope
from satchel.engine.recall.recalling import Recaller
from satchel.engine.working.saving import every_snapshot
from satchel.engine.working.traces import drop_every_session, drop_session
from satchel.engine.writing.completing import refuse_secrets
from satchel.errors import Denied, NotFound, StoreUnavailable
from satchel.operations.models import ForgetItem, ForgetRequest, ForgetState, Forgotten, SearchRequest
from satchel.ports import Batch, Document
from satchel.protocol.filters import RecordFilter
from satchel.protocol.record import MemoryRecord, Status, new_id

PLANS = "plans"
PARTS = "plan-parts"

MAX_SHOWN = 1000
"""Items listed in an answer; the count is of all."""

_QUERY_LIMIT = 100
_LEAST_RELEVANCE = 0.5
"""Relevance that a question's match needs to be planned: what is recalled wrongly is read past, what is deleted wrongly is lost."""

_PREVIEW = 80
_PART = 500
_LIVING = (Status.ACTIVE, Status.PENDING, Status.ARCHIVED)


class _Item(NamedTuple):
    """One record of a plan, and the keyed hash of the content that was shown."""

    scope: str
    id: str
    mark: str


class Planner:
    """Handles `forget`. One per engine."""

    def __init__(self, core: Core, recaller: Recaller) -> None:
        self._core = core
        self._recaller = recaller

    def forget(self, principal: Principal, request: ForgetRequest) -> Forgotten:
        """Forget an id at once; carry a plan out; or make a plan of everything else.

        Raises:
            NotFound: no such record, or no such plan, or its time is over. SecretRefused: the reason, which stays, holds a credential.
        """
        refuse_secrets(self._core, {"reason": request.reason})
        if request.id is not None:
            return forget_one(self._core, principal, request)
        if request.plan is not None:
            return self._carry_out(principal, request.plan, request.reason)
        return self._make(principal, request)

    # ------------------------------------------------------------ making

    def _make(self, principal: Principal, request: ForgetRequest) -> Forgotten:
        self._drop_expired()
        marks, now = Marks(self._core), self._core.now()
        marks.ensure()
        plan, shown, count = new_id(), list[ForgetItem](), 0
        for number, records in enumerate(_chunks(self._with_kin(*self._matches(principal, request)), _PART)):
            items = [_Item(record.scope, record.id, marks.of(record.content_hash)[0]) for record in records]
            self._core.store.apply(Batch(documents=[Document(PARTS, f"{plan}/{number:06d}", {"items": items})]))
            shown += [_item(record) for record in records[: MAX_SHOWN - len(shown)]]
            count += len(records)
        beside = self._beside(request)
        self._core.store.apply(Batch(documents=[Document(PLANS, plan, self._head(request, now, count) | beside)]))
        until = (now + timedelta(seconds=self._core.settings.plan_seconds)).strftime("%H:%M UTC")
        note = f"nothing is gone yet: forget this plan's id before {until} to carry it out; {NOTE}"
        return Forgotten(state=ForgetState.PLANNED, count=count, items=tuple(shown), plan=plan, note=note, **beside)

    def _beside(self, request: ForgetRequest) -> dict[str, int]:
        """Count what goes beside memories: sessions, and snapshots, whose names may tell what is to be forgotten."""
        scopes = request.scope or ()
        if request.everything:
            sessions = sum(1 for scope in scopes for _ in every_snapshot(self._core, scope))
            return {"sessions": sessions, "snapshots": sum(1 for scope in scopes for _ in of_scope(self._core, scope))}
        if request.session is not None:
            return {"sessions": sum(self._core.working.load(scope, request.session) is not None for scope in scopes), "snapshots": 0}
        return {"sessions": 0, "snapshots": 0}

    def _head(self, request: ForgetRequest, now: datetime, count: int) -> dict[str, Any]:
        # The question is left out: it tells what is to be forgotten.
        return {
            "expires": now.timestamp() + self._core.settings.plan_seconds,
            "scopes": list(request.scope or ()),
            "reason": request.reason,
            "session": request.session,
            "import_id": request.import_id,
            "everything": request.everything,
            "count": count,
            "done": None,
        }

    def _matches(self, principal: Principal, request: ForgetRequest) -> tuple[Iterable[MemoryRecord], Callable[[MemoryRecord], bool]]:
        """Return what the request means, and whether it means a record."""
        scopes = request.scope or ()
        if request.query is not None:
            found = self._recaller.search(principal, SearchRequest(query=request.query, scope=scopes, limit=_QUERY_LIMIT, statuses=_LIVING))
            least = max(self._core.settings.min_relevance, _LEAST_RELEVANCE)
            records = [hit.record for hit in found.hits if hit.reasons.get("relevance", 0.0) >= least]
            names = {(record.scope, record.id) for record in records}
            return records, lambda record: (record.scope, record.id) in names
        where = RecordFilter(
            statuses=_LIVING,
            sessions=() if request.session is None else (request.session,),
            import_ids=() if request.import_id is None else (request.import_id,),
            since=request.since,
            until=request.until,
        )
        return self._scanned(scopes, where), where.matches

    def _scanned(self, scopes: Sequence[str], where: RecordFilter) -> Iterator[MemoryRecord]:
        cursor: str | None = None
        while True:
            page = self._core.store.scan(scopes, where, cursor=cursor, limit=_PART)
            yield from page.records
            cursor = page.cursor
            if cursor is None:
                return

    def _with_kin(self, records: Iterable[MemoryRecord], is_meant: Callable[[MemoryRecord], bool]) -> Iterator[MemoryRecord]:
        """Yield records with what was derived from them, and with what was put together in them.

        Where some of those that were put together are meant themselves, the others are not: they come back as the whole goes.
        """
        seen: set[tuple[str, str]] = set()
        for record in records:
            parts = originals(self._core, record.scope, record)
            if any(map(is_meant, parts.values())):
                parts = {}
            derived = descendants(self._core, record.scope, (record.id, *parts)) - parts.keys() - {record.id}
            more = self._core.store.get(record.scope, derived).values() if derived else ()
            for found in (record, *parts.values(), *more):
                if (found.scope, found.id) not in seen and not found.is_tombstone:
                    seen.add((found.scope, found.id))
                    yield found

    def _drop_expired(self) -> None:
        now = self._core.now().timestamp()
        for document in self._core.store.documents(PLANS):
            if document.value and document.value["expires"] < now:
                self._drop_parts(document.key)
                self._core.store.apply(Batch(documents=[Document(PLANS, document.key, None)]))

    def _drop_parts(self, plan: str) -> None:
        while page := self._core.store.documents(PARTS, prefix=f"{plan}/", limit=50):
            self._core.store.apply(Batch(documents=[Document(PARTS, document.key, None) for document in page]))

    # ------------------------------------------------------------ carrying out

    def _carry_out(self, principal: Principal, plan: str, reason: str | None) -> Forgotten:
        head = self._core.store.document(PLANS, plan)
        if head is None or head["expires"] < self._core.now().timestamp():
            raise NotFound("no such plan, or its time is over: ask again for one", plan=plan)
        try:
            require_read(principal, head["scopes"])
            require_write(principal, head["scopes"])
        except (NotFound, Denied):
            raise NotFound("no such plan, or its time is over: ask again for one", plan=plan) from None
        try:
            done = head["done"] or self._erase(principal, plan, head, reason or head["reason"])
        except StoreUnavailable as error:
            raise error.adding("part of the plan may be done, and forgetting the same plan again goes on with it") from error
        items = tuple(ForgetItem(id=record_id, scope=scope) for scope, record_id in done["items"])
        kept = f"{done['kept']} changed since the plan was made and were kept; " if done["kept"] else ""
        state, note = finish(self._core, kept + NOTE)
        beside = {name: head.get(name, 0) for name in ("sessions", "snapshots")}
        return Forgotten(state=state, count=done["count"], items=items, note=note, **beside)

    def _erase(self, principal: Principal, plan: str, head: dict[str, Any], reason: str | None) -> dict[str, Any]:
        self._erase_receipts(plan)
        gone: list[tuple[str, str]] = []
        kept = 0
        for items in self._parts(plan):
            going, changed = self._unchanged(items)
            kept += changed
            for scope in dict.fromkeys(item.scope for item in going):
                ids = {item.id for item in going if item.scope == scope}
                erase(self._core, principal, scope, ids, reason=reason, with_receipts=False)
            gone += [(item.scope, item.id) for item in going]
        self._erase_beside(head)
        done = {"count": len(gone), "kept": kept, "items": gone[:MAX_SHOWN]}
        self._core.store.apply(Batch(documents=[Document(PLANS, plan, {**head, "done": done})]))
        self._drop_parts(plan)
        return done

    def _erase_receipts(self, plan: str) -> None:
        # Before the records and all at once: a tombstone no longer names its import, and each import is read through only once.
        about: dict[str, set[traces.Address]] = {}
        for items in self._parts(plan):
            for scope in dict.fromkeys(item.scope for item in items):
                records = self._core.store.get(scope, [item.id for item in items if item.scope == scope])
                for import_id, addresses in traces.imports_of(self._core, records.values()).items():
                    about.setdefault(import_id, set()).update(addresses)
        for documents in traces.receipt_traces(self._core, about):
            self._write(documents)

    def _erase_beside(self, head: dict[str, Any]) -> None:
        for scope in head["scopes"]:
            if head["everything"]:
                drop_every_session(self._core, scope, self._core.now())
                groups: Iterable[list[Document]] = traces.all_of_scope(self._core, scope)
            elif head["session"] is not None:
                drop_session(self._core, scope, head["session"], self._core.now())
                groups = ()
            elif head["import_id"] is not None:
                groups = traces.all_of_import(self._core, scope, head["import_id"])
            else:
                groups = ()
            for documents in groups:
                self._write(documents)

    def _write(self, documents: Sequence[Document]) -> None:
        for some in _chunks(iter(documents), 100):
            # What these said is still in the files, as what records said is.
            self._core.store.apply(Batch(documents=[pending_document(self._core), *some]))

    def _parts(self, plan: str) -> Iterator[list[_Item]]:
        after: str | None = None
        while page := self._core.store.documents(PARTS, prefix=f"{plan}/", after=after, limit=10):
            for document in page:
                yield [_Item(*entry) for entry in (document.value or {})["items"]]
            after = page[-1].key

    def _unchanged(self, items: Sequence[_Item]) -> tuple[list[_Item], int]:
        """Return the items whose record still says what the plan showed, or is gone, and how many do not."""
        marks = Marks(self._core)
        held = {
            (scope, record.id): record
            for scope in dict.fromkeys(item.scope for item in items)
            for record in self._core.store.get(scope, [item.id for item in items if item.scope == scope]).values()
        }

        def is_same(item: _Item) -> bool:
            record = held.get((item.scope, item.id))
            return record is not None and (record.is_tombstone or item.mark in marks.of(record.content_hash))

        same = [item for item in items if is_same(item)]
        return same, sum(1 for item in items if (item.scope, item.id) in held) - len(same)


def _item(record: MemoryRecord) -> ForgetItem:
    start = " ".join(record.content[: _PREVIEW + 1].split())
    return ForgetItem(id=record.id, scope=record.scope, preview=start if len(record.content) <= _PREVIEW else start[:_PREVIEW] + "…")


def _chunks(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(islice(items, size)):
        yield some
