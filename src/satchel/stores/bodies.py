"""How a store writes a record down: one compact JSON text without usage and without members that are at their default.

It must not know where the text is kept. The specification fixes the defaults for every 1.x, so that leaving them out loses nothing.
"""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from satchel.errors import StoreCorrupt
from satchel.protocol.record import MemoryRecord, Usage

_APART = ("usage", "content_hash")
"""Usage is no part of a record, and the hash follows from the content."""

_NO_USAGE = Usage()
_REQUIRED = object()

_Plan = tuple[tuple[str, Any, bool], ...]
"""A model's members: name, default, and whether the value can be a model. (Asking a value is slow: models are abstract classes.)"""

_PLANS: dict[type[BaseModel], _Plan] = {}


def _plan(model: type[BaseModel], apart: tuple[str, ...] = ()) -> _Plan:
    members = []
    for name, field in model.model_fields.items():
        # The object itself, not a copy, so that most members are told to be at their default without looking into them.
        default = _REQUIRED if field.is_required() else field.default_factory() if field.default_factory else field.default  # type: ignore[call-arg]
        kinds = get_args(field.annotation) or (field.annotation,)
        nested = any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds)
        if name not in apart:
            members.append((name, default, nested))
    return _PLANS.setdefault(model, tuple(members))


_plan(MemoryRecord, _APART)


def _members(model: BaseModel) -> dict[str, Any]:
    """Return the members that are not at their default, and those this version does not know."""
    values = model.__dict__
    kept = {}
    for name, default, nested in _PLANS.get(type(model)) or _plan(type(model)):
        value = values[name]
        if value is default:
            continue
        if nested:
            value = value and _members(value)
            if value:
                kept[name] = value
        elif value != default:
            kept[name] = value
    extra = model.__pydantic_extra__
    return kept | extra if extra else kept


def encode(record: MemoryRecord) -> str:
    """Write a record down."""
    return to_json(_members(record)).decode()


def damaged(error: StoreCorrupt, scope: str, record_id: str) -> StoreCorrupt:
    """Return the error with the name of the record that it is about, which `forget` can still remove."""
    where = f"record {record_id!r} of {scope}; forget it by its id to go on without it"
    return StoreCorrupt(f"{error.message} ({where})", id=record_id, scope=scope)


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
