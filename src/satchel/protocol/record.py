"""`MemoryRecord`, the only thing that is stored, exchanged or exported. Specification: spec/02-record.md.

It owns the fields, their limits and the hashes; it must not know stores, engines or default values that are policy.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from satchel.protocol.scope import Scope
from satchel.protocol.times import Instant, TimeBasis
from satchel.protocol.version import PROTOCOL_VERSION, check_version

MAX_CONTENT_BYTES = 1_048_576
"""UTF-8 bytes of one record's content."""
MAX_ID_LENGTH = 512
MAX_META_BYTES = 1_048_576
MAX_META_DEPTH = 64

CORE_TYPES = ("profile", "preference", "fact", "task", "skill", "interaction")
"""The types with a meaning of their own; any other name is kept and behaves like `fact`."""

TYPE_ALIASES = {
    "user_profile": "profile", "identity": "profile", "persona": "profile", "about_user": "profile",
    "user_preference": "preference", "preferences": "preference", "feedback": "preference", "instruction": "preference",
    "todo": "task", "reminder": "task", "project_state": "task", "goal": "task", "commitment": "task",
    "domain_knowledge": "fact", "knowledge": "fact", "semantic": "fact", "reference": "fact", "observation": "fact",
    "lesson": "skill", "procedure": "skill", "procedural": "skill",
    "episode": "interaction", "episodic": "interaction", "event": "interaction", "conversation": "interaction",
}  # fmt: skip
"""Names found in other tools, with the core type each maps to on a migration (PRO-2)."""


def core_type(name: str) -> str:
    """Return the core type whose defaults and priority a type has: itself, or `fact`."""
    return name if name in CORE_TYPES else "fact"


class Status(StrEnum):
    """Where a record stands in its life (PRO-7)."""

    ACTIVE = "active"
    PENDING = "pending"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Origin(StrEnum):
    """How the memory came to be (`source.origin`)."""

    STATED = "stated"
    INFERRED = "inferred"
    IMPORTED = "imported"


class Sensitivity(StrEnum):
    """How carefully content is handled (`access.sensitivity`)."""

    NORMAL = "normal"
    SENSITIVE = "sensitive"
    SECRET = "secret"


def content_hash(content: str) -> str:
    """Return the sha-256 (hex) of the UTF-8 bytes of the NFC-normalised content."""
    return hashlib.sha256((content if content.isascii() else unicodedata.normalize("NFC", content)).encode()).hexdigest()


def new_id() -> str:
    """Make a record id: a random UUID."""
    # As uuid4 makes it, without its object.
    bits = int.from_bytes(os.urandom(16), "big") & ~(0xF << 76) & ~(0x3 << 62) | (0x4 << 76) | (0x2 << 62)
    digits = f"{bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def _plain(value: str) -> str:
    """Refuse what some store or transport could not keep."""
    found = _UNSTORABLE.search(value)
    if found:
        what = "a NUL character" if found[0] == "\x00" else "a lone surrogate"
        raise PydanticCustomError("character", "may not hold {what} (at position {at})", {"what": what, "at": found.start()})
    return value


def _identifier(value: str) -> str:
    if _CONTROL.search(value):
        raise PydanticCustomError("character", "may not hold control characters or lone surrogates")
    return value


def _content(value: str) -> str:
    _plain(value)
    if len(value) * 4 > MAX_CONTENT_BYTES and len(value.encode()) > MAX_CONTENT_BYTES:
        raise PydanticCustomError("content_size", "content is larger than {limit} bytes of UTF-8", {"limit": MAX_CONTENT_BYTES})
    return value


def _tags(value: tuple[str, ...]) -> tuple[str, ...]:
    if not value:
        return value
    cleaned = [(tag if tag.isascii() else unicodedata.normalize("NFC", tag)).strip() for tag in value]
    return tuple(dict.fromkeys(filter(None, cleaned)))


def _as_tuple(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, dict) else value


def _check_json(value: Any, depth: int) -> None:
    if depth > MAX_META_DEPTH:
        raise PydanticCustomError("json_depth", "is nested deeper than {limit} levels", {"limit": MAX_META_DEPTH})
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("json_number", "holds a number that JSON cannot write (NaN or infinity)")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise PydanticCustomError("json_key", "holds a key that is not a string")
        for key, inner in value.items():
            _plain(key)
            _check_json(inner, depth + 1)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_json(inner, depth + 1)
    elif isinstance(value, str):
        _plain(value)
    elif not (value is None or isinstance(value, bool | int | float)):
        raise PydanticCustomError("json_type", "holds a {kind}, which JSON cannot write", {"kind": type(value).__name__})


def check_json_object(value: dict[str, Any]) -> dict[str, Any]:
    """Validate free JSON: finite numbers, string keys, no lone surrogates, bounded depth and size."""
    if not value:
        return value
    _check_json(value, 0)
    if len(json.dumps(value, ensure_ascii=False).encode()) > MAX_META_BYTES:
        raise PydanticCustomError("json_size", "is larger than {limit} bytes", {"limit": MAX_META_BYTES})
    return value


RecordId = Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH), AfterValidator(_identifier)]
Label = Annotated[str, Field(max_length=2048), AfterValidator(_plain)]
TypeName = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_identifier)]
Tags = Annotated[
    tuple[Annotated[str, Field(max_length=256), AfterValidator(_identifier)], ...], BeforeValidator(_as_tuple), AfterValidator(_tags)
]
Content = Annotated[str, AfterValidator(_content)]
Json = Annotated[dict[str, Any], AfterValidator(check_json_object)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0.0, le=1e11, allow_inf_nan=False)]


class ProtocolModel(BaseModel):
    """Frozen, and keeps fields it does not know, so that a later 1.x passes through unharmed (PRO-10)."""

    model_config = ConfigDict(extra="allow", frozen=True, validate_default=False, ser_json_inf_nan="constants")

    @model_validator(mode="after")
    def _unknown_fields_are_json(self) -> ProtocolModel:
        extra = self.__pydantic_extra__
        if extra:
            # A null member is the same as none, and is not written: it may not tell two equal records apart.
            for name in [name for name, value in extra.items() if value is None]:
                del extra[name]
            check_json_object(extra)
        return self


class Source(ProtocolModel):
    """Provenance (PRO-6): enough to find the sentence a memory came from."""

    agent: Label | None = None
    tool: Label | None = None
    session: Label | None = None
    message: Label | None = None
    uri: Label | None = None
    origin: Origin = Origin.STATED
    time_basis: TimeBasis | None = None
    imported_from: Label | None = None
    import_id: Label | None = None


class Access(ProtocolModel):
    """How the content may be passed on (PRO-8). Who may read is decided by scope alone."""

    sensitivity: Sensitivity = Sensitivity.NORMAL
    exportable: bool = True
    shareable: bool = True


class Relations(ProtocolModel):
    """Links to other records of the same scope, by id (PRO-8)."""

    supersedes: tuple[RecordId, ...] = ()
    superseded_by: tuple[RecordId, ...] = ()
    conflicts_with: tuple[RecordId, ...] = ()
    derived_from: tuple[RecordId, ...] = ()

    @property
    def originals(self) -> tuple[RecordId, ...]:
        """Ids of the records that were put together in this one: it was made of them and stands in their place."""
        return tuple(name for name in self.derived_from if name in self.supersedes)


class Usage(ProtocolModel):
    """How the record was used. It travels with the record but is no part of its state: see `state_hash`."""

    last_access_at: Instant | None = None
    access_count: Annotated[int, Field(ge=0)] = 0

    def merged(self, other: Usage) -> Usage:
        """Return the maximum of both, field by field: the rule for importing usage."""
        seen = [moment for moment in (self.last_access_at, other.last_access_at) if moment is not None]
        return self.model_copy(
            update={"last_access_at": max(seen, default=None), "access_count": max(self.access_count, other.access_count)}
        )


class Deletion(ProtocolModel):
    """What remains of a forgotten record beside its id, scope and times."""

    at: Instant
    by: Label | None = None
    reason: Label | None = None
    foreign_ids: tuple[RecordId, ...] = ()


class MemoryRecord(ProtocolModel):
    """One memory, or (status `deleted`) its tombstone.

    `created_at` is when the memory arose and is None where the origin had no time; `stored_at` is when this store took it.
    `half_life` and `ttl` are seconds. `revision` counts from 1 and guards concurrent changes.
    """

    v: Annotated[str, BeforeValidator(check_version)] = PROTOCOL_VERSION
    id: RecordId
    type: TypeName = "fact"
    content: Content
    scope: Scope
    source: Source = Source()
    created_at: Instant | None = None
    stored_at: Instant
    updated_at: Instant
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    ttl: Seconds | None = None
    expires_at: Instant | None = None
    due_at: Instant | None = None
    score: Fraction = 0.5
    half_life: Seconds = 5_184_000.0
    retention: Label | None = None
    confidence: Fraction = 1.0
    status: Status = Status.ACTIVE
    pinned: bool = False
    tags: Tags = ()
    access: Access = Access()
    relations: Relations = Relations()
    revision: Annotated[int, Field(ge=1)] = 1
    content_hash: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    meta: Json = Field(default_factory=dict)
    usage: Usage = Usage()
    deletion: Deletion | None = None

    @model_validator(mode="after")
    def _coherent(self) -> MemoryRecord:
        if self.status is Status.DELETED:
            if self.content or self.meta or self.content_hash:
                raise PydanticCustomError("tombstone", "a deleted record holds no content, content_hash or meta", {"field": "content"})
            if self.deletion is None:
                raise PydanticCustomError("tombstone", "is needed where status is deleted", {"field": "deletion"})
            return self
        if not self.content.strip():
            raise PydanticCustomError("content_empty", "may not be empty", {"field": "content"})
        if self.valid_from and self.valid_until and self.valid_until < self.valid_from:
            raise PydanticCustomError("validity", "is before valid_from", {"field": "valid_until"})
        expected = content_hash(self.content)
        if self.content_hash and self.content_hash != expected:
            raise PydanticCustomError("content_hash", "does not match the content", {"field": "content_hash"})
        object.__setattr__(self, "content_hash", expected)
        return self

    def state(self) -> dict[str, Any]:
        """Return the record as JSON values, without usage and what each store has of its own: what equality and hashes are about."""
        return self.model_dump(mode="json", exclude={"usage", "stored_at", "revision"}, exclude_defaults=False)

    def state_hash(self) -> str:
        """Return the sha-256 (hex) of the canonical JSON of `state`: sorted keys, no spaces, UTF-8."""
        return hashlib.sha256(canonical_json(self.state())).hexdigest()

    def proof_hash(self) -> str:
        """Return the sha-256 (hex) of what a record's origin said: its state without `updated_at` and `source.import_id`.

        Equal before and after a move that lost nothing.
        """
        state = {name: value for name, value in self.state().items() if name != "updated_at"}
        state["source"] = {name: value for name, value in state["source"].items() if name != "import_id"}
        return hashlib.sha256(canonical_json(state)).hexdigest()

    def to_json(self) -> str:
        """Write the record as one line of JSON, without members that are null or objects at their defaults."""
        values = self.__dict__
        # Mostly they are the default itself, and comparing models is slow.
        left_out = {name for name, empty in _EMPTY.items() if (value := values[name]) is empty or value == empty}
        return self.model_dump_json(exclude_none=True, exclude=left_out)

    @property
    def is_tombstone(self) -> bool:
        """Whether only a tombstone is left."""
        return self.status is Status.DELETED


_EMPTY = {name: MemoryRecord.model_fields[name].default for name in ("source", "access", "relations", "usage", "tags")} | {"meta": {}}


def canonical_json(value: Any) -> bytes:
    """Write JSON in one way only: sorted keys, no spaces, UTF-8, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
