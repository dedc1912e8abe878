"""How a store writes a record down: one compact JSON text without usage and without members that are at their default.

It must not know where the text is kept. The specification fixes the defaults for every 1.x, so that leaving them out loses nothing.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from satchel.errors import StoreCorrupt
from satchel.protocol.record import MemoryRecord, Usage
from satchel.protocol.times import format_instant

_APART = {"usage", "content_hash"}
"""Usage is no part of a record, and the hash follows from the content."""

_NO_USAGE = Usage()


def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    return {name: field.get_default(call_default_factory=True) for name, field in model.model_fields.items() if not field.is_required()}


_DEFAULTS: dict[type[BaseModel], dict[str, Any]] = {MemoryRecord: _defaults(MemoryRecord)}


def _members(model: BaseModel) -> dict[str, Any]:
    kind = type(model)
    defaults = _DEFAULTS.get(kind)
    if defaults is None:
        defaults = _DEFAULTS.setdefault(kind, _defaults(kind))
    kept = {name: value for name, value in model.__dict__.items() if not (name in defaults and value == defaults[name])}
    return {**kept, **(model.__pydantic_extra__ or {})}


def _plain(value: Any) -> Any:
    return format_instant(value) if isinstance(value, datetime) else _members(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain, allow_nan=False)


def encode(record: MemoryRecord) -> str:
    """Write a record down."""
    members = _members(record)
    for name in _APART:
        members.pop(name, None)
    return _ENCODER.encode(members)


def decode(body: str, usage: Usage | None = None) -> MemoryRecord:
    """Read a record back, with its usage.

    Raises:
        StoreCorrupt: the text is no record.
    """
    try:
        record = MemoryRecord.model_validate_json(body)
    except ValidationError as error:
        raise StoreCorrupt(f"a stored record is damaged: {error.error_count()} faults, the first in {error.errors()[0]['loc']}") from None
    return record if usage is None or usage == _NO_USAGE else record.model_copy(update={"usage": usage})
