"""What every request and result shares.

It must not know how an operation is carried out.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from satchel.protocol.record import Content

MAX_LIMIT = 1000
"""Most items of one answer."""


class Request(BaseModel):
    """Base of every request: an unknown argument is a fault, not a silence."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Result(BaseModel):
    """Base of every result; a newer service may add fields."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


def _said(value: str) -> str:
    if all(character.isspace() or unicodedata.category(character) == "Cf" for character in value):
        raise PydanticCustomError("content_empty", "may not be empty")
    return value


SaidContent = Annotated[Content, AfterValidator(_said)]
"""A pydantic field: content that says something."""


class Empty(Result):
    """Nothing to tell."""
