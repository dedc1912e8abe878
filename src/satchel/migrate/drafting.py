"""From a draft to a record: clean what no store could keep, map the type, place the time, complete the defaults.

It owns what a change is called in a receipt; it must not know any foreign format or the store.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from satchel.engine.retention.retention import default_class, default_half_life
from satchel.engine.settings import Settings
from satchel.errors import InvalidRequest
from satchel.migrate.items import Draft, made_id
from satchel.migrate.statements import OUTSIDE_ITSELF, is_unresolved
from satchel.migrate.times import Moment
from satchel.protocol.record import MAX_CONTENT_BYTES, MAX_ID_LENGTH, TYPE_ALIASES, MemoryRecord
from satchel.protocol.times import TimeBasis
from satchel.protocol.validation import validated

UNRESOLVED_SCORE = 0.3
"""Score of what refers to something outside itself: kept, and seldom recalled."""

_MAX_LABEL = 2048
_MAX_TAG = 256
_MAX_TYPE = 64
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SPACE = re.compile(r"\s")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What is the same for every record of an import."""

    kind: str
    import_id: str
    now: datetime


@dataclass(frozen=True, slots=True)
class Drafted:
    """A record with what was done on the way, or (record None) the problem that keeps it out. `altered`: more than the format's mapping."""

    record: MemoryRecord | None
    changes: tuple[str, ...] = ()
    altered: bool = False
    problem: str | None = None


def finish(item: str, draft: Draft, scope: str, stamp: Stamp) -> Drafted:
    """Turn an item's draft into a record of a scope. It is the same for the same draft, `stored_at` and an unknown `updated_at` apart."""
    changes = list(draft.changes)
    content = _cleaned(draft.content, "content", changes)
    if not content.strip():
        return Drafted(None, problem="has no content")
    if len(content.encode()) > MAX_CONTENT_BYTES:
        return Drafted(None, problem=f"content is larger than {MAX_CONTENT_BYTES} bytes of UTF-8")
    meta = _clean_json(draft.meta, "meta", changes)
    _keep_times(draft, meta, changes)
    unresolved = draft.unresolved or (OUTSIDE_ITSELF if is_unresolved(draft.content) else None)
    if unresolved:
        meta["unresolved_reference"] = True
        changes.append(f"flagged: {unresolved}; score lowered")
    fields = {
        "id": _identity(draft.id, stamp.kind, meta, changes),
        "type": _type(draft.type, meta, changes),
        "content": content,
        "scope": scope,
        "tags": _tags(draft.tags, meta, changes),
        "created_at": draft.created.instant,
        "stored_at": stamp.now,
        "updated_at": draft.updated.instant or draft.created.instant or stamp.now,
        "expires_at": draft.expires.instant,
        "due_at": draft.due.instant,
        "ttl": draft.ttl,
        "status": draft.status,
        "pinned": draft.pinned,
        "meta": meta,
        "source": _source(item, draft, stamp, changes),
    }
    try:
        record = validated(MemoryRecord, fields | _strength(draft, str(fields["type"]), content, meta), subject="record")
    except InvalidRequest as error:
        return Drafted(None, problem=error.message)
    return Drafted(record, tuple(dict.fromkeys([*draft.mapped, *changes])), altered=bool(changes))


def _strength(draft: Draft, kind: str, content: str, meta: dict[str, Any]) -> dict[str, Any]:
    found = default_class(kind, content)
    score = found.score(draft.origin) if draft.score is None else draft.score
    return {
        "score": min(score, UNRESOLVED_SCORE) if "unresolved_reference" in meta else score,
        "half_life": default_half_life(Settings(), kind, content, found, draft.origin),
        "retention": found.name,
        "confidence": 1.0 if draft.confidence is None else draft.confidence,
    }


# ---------------------------------------------------------------- cleaning


def _cleaned(text: str, where: str, changes: list[str]) -> str:
    """Drop NUL and replace lone surrogates (also left by undecodable bytes), which no store or transport could keep."""
    if not _UNSTORABLE.search(text):
        return text
    # Two halves that stand side by side are one character, written by a tool that escapes UTF-16.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if max(text) >= "\ud800" else text
    nul, alone = joined.count("\x00"), sum("\ud800" <= char <= "\udfff" for char in joined)
    if nul:
        changes.append(f"{where}: {nul} NUL character{'s' * (nul > 1)} removed")
    if alone:
        changes.append(f"{where}: {alone} lone surrogate{'s' * (alone > 1)} or undecodable byte{'s' * (alone > 1)} replaced by U+FFFD")
    return re.sub("[\ud800-\udfff]", "\ufffd", joined.replace("\x00", ""))


def _clean_json(value: Any, where: str, changes: list[str]) -> Any:
    if isinstance(value, str):
        return _cleaned(value, where, changes)
    if isinstance(value, dict):
        return {_cleaned(str(key), where, changes): _clean_json(inner, f"{where}.{key}", changes) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_json(inner, where, changes) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        changes.append(f"{where}: {value} written as text, for JSON has no such number")
        return str(value)
    if isinstance(value, bytes):
        changes.append(f"{where}: {len(value)} bytes of a blob left out")
        return None
    return value


def _identity(native: str, kind: str, meta: dict[str, Any], changes: list[str]) -> str:
    if native and len(native) <= MAX_ID_LENGTH and not _CONTROL.search(native):
        return native
    meta["native_id"] = re.sub("[\x00\ud800-\udfff]", "\ufffd", native)[:_MAX_LABEL]
    changes.append("id: not usable as a record id; one was derived from it, the original is in meta.native_id")
    return made_id(kind, "id", native)


def _type(name: str, meta: dict[str, Any], changes: list[str]) -> str:
    name = _CONTROL.sub(" ", name).strip()
    if len(name) > _MAX_TYPE:
        meta["original_type"] = name
        changes.append("type: too long for a type; the original is in meta.original_type")
        return "fact"
    mapped = TYPE_ALIASES.get(name.lower(), name) or "fact"
    if mapped != name and name:
        meta["original_type"] = name
    return mapped


def _tags(tags: Any, meta: dict[str, Any], changes: list[str]) -> tuple[str, ...]:
    cleaned = [_CONTROL.sub(" ", str(tag)).strip() for tag in tags]
    long = [tag for tag in cleaned if len(tag) > _MAX_TAG]
    if long:
        meta["long_tags"] = long
        changes.append(f"tags: {len(long)} longer than {_MAX_TAG} characters kept in meta.long_tags")
    return tuple(tag for tag in cleaned if tag and len(tag) <= _MAX_TAG)


def _label(text: str | None, where: str, changes: list[str]) -> str | None:
    if not text:
        return None
    text = _cleaned(text, where, changes)
    if len(text) > _MAX_LABEL:
        changes.append(f"{where}: cut to {_MAX_LABEL} characters")
    return text[:_MAX_LABEL]


def _source(item: str, draft: Draft, stamp: Stamp, changes: list[str]) -> dict[str, Any]:
    return {
        "agent": _label(draft.agent, "source.agent", changes),
        "tool": stamp.kind,
        "session": _label(draft.session, "source.session", changes),
        "message": _label(draft.message, "source.message", changes),
        "uri": _label(f"{stamp.kind}:{re.sub(_SPACE, '%20', item)}", "source.uri", changes),
        "origin": draft.origin,
        "time_basis": draft.created.basis,
        "imported_from": _label(draft.imported_from or stamp.kind, "source.imported_from", changes),
        "import_id": stamp.import_id,
    }


# ---------------------------------------------------------------- times


def _keep_times(draft: Draft, meta: dict[str, Any], changes: list[str]) -> None:
    """Keep what the origin wrote wherever the instant does not say it all, and list what could not be read."""
    moments = {"created_at": draft.created, "updated_at": draft.updated, "expires_at": draft.expires, "due_at": draft.due}
    for name, moment in moments.items():
        if moment.raw is not None and not _says_it_all(moment):
            meta["time_raw" if name == "created_at" else f"{name}_raw"] = _clean_json(moment.raw, "meta", changes)
        if moment.problem is not None:
            changes.append(f"{name}: {moment.problem}")
    if draft.created.whole_day:
        meta["time_precision"] = "day"


def _says_it_all(moment: Moment) -> bool:
    if moment.basis is TimeBasis.MTIME:
        return True
    return moment.basis is TimeBasis.EXPLICIT and isinstance(moment.raw, str) and moment.raw.endswith(("Z", "+00:00"))
