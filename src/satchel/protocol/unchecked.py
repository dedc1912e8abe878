"""Models made from values that were checked already, member by member, without checking them again.

It must not meet a value that came from elsewhere: there, `model_validate` is the only door.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)


@lru_cache(maxsize=64)
def _defaults(model: type[BaseModel]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a model's defaults, and which of them may be changed in place, so that each model needs its own."""
    fields = model.model_fields.items()
    found = {name: field.get_default(call_default_factory=True) for name, field in fields if not field.is_required()}
    return found, tuple(name for name, value in found.items() if isinstance(value, dict | list | set))


def unchecked(model: type[Model], values: Mapping[str, Any]) -> Model:
    """Make a model from values in the form that checking gives them; what is left out is at its default.

    What a check across members would fill in (`content_hash` of a record) must be given.
    """
    defaults, mutable = _defaults(model)
    members = {**defaults, **values}
    for name in mutable:
        if name not in values:
            members[name] = type(defaults[name])()
    made = model.__new__(model)
    # As `model_construct` does it, without its walk through every field.
    object.__setattr__(made, "__dict__", members)
    object.__setattr__(made, "__pydantic_fields_set__", set(values))
    object.__setattr__(made, "__pydantic_extra__", {} if model.model_config.get("extra") == "allow" else None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made
