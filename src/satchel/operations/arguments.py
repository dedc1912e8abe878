"""What the methods of `Memory` are called with, and how a request is made of it. It must not know any verb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from satchel.operations.models.base import Request
from satchel.protocol.validation import validated

Q = TypeVar("Q", bound=Request)

ScopeArgument = str | Sequence[str]
"""One scope or several."""

Given = Mapping[str, Any]


def _request(model: type[Q], arguments: Given) -> Q:
    """Build a request from a method's arguments; None means not given."""
    return validated(model, {name: value for name, value in arguments.items() if value is not None and name != "self"})
