"""What a line of the file says, and what it does to the state when it is read back. It must not know files.

The lines are what happened, in order: replaying them gives records, change log, documents and usage again. A record's line ends with the
record itself, so that its text can be taken as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from satchel.errors import StoreCorrupt
from satchel.ports import Batch, Document, LogEntry, Put, Remove, Use
from satchel.protocol.record import Usage
from satchel.protocol.times import format_instant
from satchel.stores.bodies import decode, encode
from satchel.stores.expectations import write_document
from satchel.stores.jsonl.entries import Known
from satchel.stores.memory.state import Logged, ScopeState, State, bounded

_NO_USAGE = Usage()
_RECORD = b'"record":'


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _without_none(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _log(log: LogEntry) -> dict[str, Any]:
    return _without_none(operation=log.operation, agent=log.agent, at=format_instant(log.at), reason=log.reason, position=log.position)


def _used(usage: Usage) -> dict[str, Any]:
    last = usage.last_access_at
    return _without_none(last_access_at=last and format_instant(last), access_count=usage.access_count)


# ---------------------------------------------------------------- writing


def batch_lines(batch: Batch) -> Iterator[bytes]:
    """Yield a batch's lines, in its order."""
    for change in batch.changes:
        if isinstance(change, Put):
            yield put_line(change.log, encode(change.record), change.record.usage)
        else:
            yield _line({"kind": "remove", "scope": change.scope, "id": change.id, "log": _log(change.log)})
    for document in batch.documents:
        yield document_line(document.collection, document.key, document.scope, write_document(document))


def put_line(log: LogEntry, body: str, usage: Usage = _NO_USAGE) -> bytes:
    """Return the line of a record as it was written."""
    said = f',"usage":{_dump(_used(usage))}' if usage != _NO_USAGE else ""
    return f'{{"kind":"put","log":{_dump(_log(log))}{said},"record":{body}}}\n'.encode()


def erased_line(scope: str, record_id: str, revision: int, log: LogEntry) -> bytes:
    """Return the line that stays of a change when its content was erased."""
    return _line({"kind": "erased", "scope": scope, "id": record_id, "revision": revision, "log": _log(log)})


def document_line(collection: str, key: str, scope: str | None, text: str) -> bytes:
    """Return a document's line; `null` in place of its value takes it away."""
    head = _dump({"kind": "document", "collection": collection, "key": key, **_without_none(scope=scope)})
    return f'{head[:-1]},"value":{text}}}\n'.encode()


def use_lines(uses: Iterable[Use]) -> Iterator[bytes]:
    """Yield a line for each use."""
    for use in uses:
        yield _line({"kind": "use", "scope": use.scope, "id": use.id, "at": format_instant(use.at), "count": use.count})


def usage_line(scope: str, record_id: str, usage: Usage) -> bytes:
    """Return the line that sums a record's uses up."""
    return _line({"kind": "usage", "scope": scope, "id": record_id, "usage": _used(usage)})


def is_fleeting(line: bytes) -> bool:
    """Whether a line may be overtaken by a later one, so that a compaction would leave it out."""
    return line.startswith((b'{"kind":"use"', b'{"kind":"document"'))


def _line(value: dict[str, Any]) -> bytes:
    return f"{_dump(value)}\n".encode()


# ---------------------------------------------------------------- reading


def replay(state: State, line: bytes, known: Known) -> None:
    """Do to the state what a line says; `known` has the index entries.

    Raises:
        StoreCorrupt: the line says nothing that this version understands.
    """
    try:
        if line.startswith(b'{"kind":"put"'):
            _replay_put(state, line, known)
        else:
            value = json.loads(line)
            _REPLAYS[value["kind"]](state, value)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreCorrupt(f"a line does not read as a change: {type(error).__name__}: {error}") from None


def _replay_put(state: State, line: bytes, known: Known) -> None:
    at = line.index(_RECORD)
    head = json.loads(line[:at].rstrip(b",") + b"}")
    body = line[at + len(_RECORD) : -2].decode()
    record = decode(body, _usage(head["usage"]) if "usage" in head else None)
    terms, vector = known.pop((record.scope, record.id, record.content_hash), (None, None))
    state.put(Put(record, _entry(head["log"]), terms=terms or b"", vector=vector), decode(body) if "usage" in head else record, body)


def _replay_remove(state: State, value: dict[str, Any]) -> None:
    state.remove(Remove(value["scope"], value["id"], _entry(value["log"])))


def _replay_erased(state: State, value: dict[str, Any]) -> None:
    scope = state.scopes.setdefault(value["scope"], ScopeState())
    state.append(scope, Logged(value["scope"], value["id"], value["revision"], _entry(value["log"]), None, erased=True))


def _replay_document(state: State, value: dict[str, Any]) -> None:
    collection = state.documents.setdefault(value["collection"], {})
    if value["value"] is None:
        collection.pop(value["key"], None)
        return
    text = write_document(Document(value["collection"], value["key"], value["value"]))
    collection[value["key"]] = (value.get("scope"), text)


def _replay_use(state: State, value: dict[str, Any]) -> None:
    state.touch(Use(value["scope"], value["id"], datetime.fromisoformat(value["at"]), value["count"]))


def _replay_usage(state: State, value: dict[str, Any]) -> None:
    state.use(value["scope"], value["id"], bounded(_usage(value["usage"])))


_REPLAYS = {
    "remove": _replay_remove,
    "erased": _replay_erased,
    "document": _replay_document,
    "use": _replay_use,
    "usage": _replay_usage,
}


def _usage(value: dict[str, Any]) -> Usage:
    return Usage.model_validate(value)


def _entry(value: dict[str, Any]) -> LogEntry:
    at = datetime.fromisoformat(value["at"])
    return LogEntry(value["operation"], value.get("agent"), at, value.get("reason"), value.get("position"))
