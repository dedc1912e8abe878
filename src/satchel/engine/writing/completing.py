"""Completes a new memory into a record: id, times, agent, score and half-life (ENG-2), and lists every fault at once.

It must not know what the store already holds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from satchel.engine.access import restricted
from satchel.engine.core import Core, Principal
from satchel.engine.retention.retention import CLASSES, default_class, default_half_life
from satchel.engine.settings import Settings
from satchel.engine.text.screening import screen, texts_of
from satchel.errors import Fault, InvalidRequest, SecretRefused
from satchel.operations.models import NewMemory
from satchel.protocol.record import Access, MemoryRecord, Source, content_hash, new_id
from satchel.protocol.unchecked import unchecked

_SHORTEST_SECRET = 8
"""Characters; a credential with its name, or one that is known by its form, is longer than that."""

DEFAULT_TYPE = "fact"
"""Type of a memory that names none. Nothing is guessed from the words: a wrong guess would rank and fade it wrongly."""


def complete(
    core: Core, principal: Principal, memories: Sequence[NewMemory], *, scope: str | None = None, many: bool = False
) -> list[MemoryRecord]:
    """Return one record for each memory.

    Raises:
        InvalidRequest: with the faults of all memories.
        SecretRefused: where one of the faults is a credential; `detectors` names the kinds found.
    """
    now = core.now()
    faults: list[Fault] = []
    detectors: set[str] = set()
    records = []
    for place, memory in enumerate(memories):
        prefix = f"memories.{place}." if many else ""
        secrets = _secrets_in(core, memory)
        detectors.update(*secrets.values())
        found = _faults(core.settings, memory, secrets)
        if found:
            faults += [Fault(field=prefix + fault["field"], message=fault["message"]) for fault in found]
        else:
            records.append(_record(core.settings, principal, memory, memory.scope or scope or "", now))
    _refuse(faults, detectors)
    return records


def _refuse(faults: Sequence[Fault], detectors: Collection[str]) -> None:
    if detectors:
        listed = ", ".join(sorted(detectors))
        raise SecretRefused(
            f"this holds a credential ({listed}), and credentials are not remembered: take it out, or name the place it is kept in",
            faults=list(faults),
            detectors=sorted(detectors),
        )
    if faults:
        raise InvalidRequest.of(faults, subject="memory")


def check_content(core: Core, content: str) -> None:
    """Refuse content that is too large or holds a credential, as `complete` does."""
    kinds = screen(content) if core.settings.screen_secrets else ()
    _refuse([*_secret_faults({"content": kinds}), *_size_faults(core.settings, content)], kinds)


def check_record(core: Core, record: MemoryRecord) -> None:
    """Refuse a finished record that is too large or holds a credential, as `complete` does."""
    secrets = _secrets_in(core, record)
    faults = [*_secret_faults(secrets), *_size_faults(core.settings, record.content)]
    named = [Fault(field=f"record.{fault['field']}", message=fault["message"]) for fault in faults]
    _refuse(named, {kind for kinds in secrets.values() for kind in kinds})


def refuse_secrets(core: Core, texts: Mapping[str, Any]) -> None:
    """Raise SecretRefused, naming the fields, where one of the values (by field: text, texts or JSON) holds a credential."""
    if not core.settings.screen_secrets:
        return
    found = {field: kinds for field, value in texts.items() if (kinds := screen(*texts_of(value)))}
    _refuse(_secret_faults(found), {kind for kinds in found.values() for kind in kinds})


def screen_memory(core: Core, memory: NewMemory | MemoryRecord) -> tuple[str, ...]:
    """Return the kinds of credentials in a memory, wherever they stand; nothing where screening is off."""
    return tuple(sorted({kind for kinds in _secrets_in(core, memory).values() for kind in kinds}))


def _secrets_in(core: Core, memory: NewMemory | MemoryRecord) -> dict[str, tuple[str, ...]]:
    """Return the kinds of credentials by the field they stand in."""
    if not core.settings.screen_secrets:
        return {}
    found = {"content": screen(memory.content)}
    for field in ("id", "type"):
        text = getattr(memory, field)
        if text is not None and len(text) >= _SHORTEST_SECRET:
            found[field] = screen(text)
    if memory.tags:
        found["tags"] = screen(*memory.tags)
    if memory.meta:
        found["meta"] = screen(*texts_of(memory.meta))
    if memory.source is not _UNSAID:
        for field in _SOURCE_TEXTS:
            text = getattr(memory.source, field)
            if text is not None and len(text) >= _SHORTEST_SECRET:
                found[f"source.{field}"] = screen(text)
    return {field: kinds for field, kinds in found.items() if kinds}


_SOURCE_TEXTS = ("agent", "tool", "session", "message", "uri", "imported_from")


def _faults(settings: Settings, memory: NewMemory, secrets: Mapping[str, Sequence[str]]) -> list[Fault]:
    found = [*_secret_faults(secrets), *_size_faults(settings, memory.content)]
    if memory.retention is not None and memory.retention not in CLASSES:
        found.append(Fault(field="retention", message=f"is none of {', '.join(CLASSES)}"))
    return found


def _secret_faults(secrets: Mapping[str, Sequence[str]]) -> list[Fault]:
    return [Fault(field=field, message=f"holds a credential ({kind})") for field, kinds in secrets.items() for kind in kinds]


def _size_faults(settings: Settings, content: str) -> list[Fault]:
    if len(content) * 4 <= settings.max_content_bytes:
        return []
    size = len(content.encode())
    if size <= settings.max_content_bytes:
        return []
    return [Fault(field="content", message=f"is {size} bytes of UTF-8; the limit is {settings.max_content_bytes}")]


def _record(settings: Settings, principal: Principal, memory: NewMemory, scope: str, now: datetime) -> MemoryRecord:
    kind = memory.type or DEFAULT_TYPE
    origin = memory.source.origin
    found = CLASSES[memory.retention] if memory.retention else default_class(kind, memory.content)
    by_type = found.half_life(origin) if memory.retention else default_half_life(settings, kind, memory.content, found, origin)
    created = memory.created_at or now
    # Each value was checked when the request was made, and the rest is made here.
    return unchecked(
        MemoryRecord,
        {name: getattr(memory, name) for name in _COPIED}
        | {
            "id": memory.id or new_id(),
            "type": kind,
            "scope": scope,
            "source": _source(principal, memory.source),
            "created_at": created,
            "stored_at": now,
            "updated_at": now,
            "expires_at": memory.expires_at or expiry(created, memory.ttl),
            "score": found.score(origin) if memory.score is None else memory.score,
            "half_life": memory.half_life or by_type,
            "retention": found.name,
            "confidence": 1.0 if memory.confidence is None else memory.confidence,
            "access": Access() if memory.sensitivity is None else Access(sensitivity=memory.sensitivity),
            "content_hash": content_hash(memory.content),
        },
    )


_COPIED = ("content", "tags", "ttl", "due_at", "valid_from", "valid_until", "pinned", "relations", "meta")


def expiry(start: datetime, ttl: float | None) -> datetime | None:
    """Return when a memory of that ttl (seconds) expires, at the latest possible instant where that lies beyond the calendar."""
    if ttl is None:
        return None
    try:
        return start + timedelta(seconds=ttl)
    except OverflowError:
        return datetime.max.replace(tzinfo=start.tzinfo)


def _source(principal: Principal, source: Source) -> Source:
    # A caller that is bound to scopes may not write under another's name.
    if principal.agent is None or (source.agent is not None and not restricted(principal)):
        return source
    return _agents_own(principal.agent) if source == _UNSAID else source.model_copy(update={"agent": principal.agent})


_UNSAID = Source()


@lru_cache(maxsize=64)
def _agents_own(agent: str) -> Source:
    return Source(agent=agent)
