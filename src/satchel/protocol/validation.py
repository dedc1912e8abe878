"""Turn pydantic's faults into ours. It knows models only by their interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from satchel.errors import Fault, InvalidRequest

Model = TypeVar("Model", bound=BaseModel)


def faults_of(error: ValidationError) -> list[Fault]:
    """List every fault with its dotted field path; input values are never echoed, for they may be private."""
    found = []
    for item in error.errors(include_url=False, include_input=False):
        # A check across fields names its field in the context, for pydantic only knows the model there.
        named = item.get("ctx", {}).get("field")
        path = [str(part) for part in item["loc"]] + ([named] if isinstance(named, str) else [])
        found.append(Fault(field=".".join(path) or "body", message=item["msg"].removeprefix("Value error, ")))
    return found


def validated(model: type[Model], data: Mapping[str, Any], *, subject: str = "request") -> Model:
    """Build a model from Python values, or raise InvalidRequest with all faults at once."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InvalidRequest.of(faults_of(error), subject=subject) from None


def validated_json(model: type[Model], data: str | bytes, *, subject: str = "request") -> Model:
    """Build a model from JSON text, or raise InvalidRequest with all faults at once."""
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise InvalidRequest.of(faults_of(error), subject=subject) from None
