"""Instants on the wire: UTC, ISO 8601, `Z`. It must not guess: a time without a zone is refused here.

Reading other tools' times, which needs guesses that are shown to the user, is the migration kit's business.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, PlainSerializer, ValidatorFunctionWrapHandler, WithJsonSchema, WrapValidator
from pydantic_core import PydanticCustomError

_NUMBER = re.compile(r"\s*[+-]?\d+(\.\d*)?\s*\Z")


class TimeBasis(StrEnum):
    """How a foreign time was known (`source.time_basis`)."""

    EXPLICIT = "explicit"
    NAIVE_UTC = "naive_utc"
    NAIVE_LOCAL = "naive_local"
    MTIME = "mtime"
    NONE = "none"


def to_utc(moment: datetime) -> datetime:
    """Return the same instant in UTC. `moment` must be aware."""
    if moment.tzinfo is UTC:
        return moment
    if not moment.utcoffset():
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError):
        raise PydanticCustomError("instant_range", "time is outside the years 1 to 9999 in UTC") from None


def format_instant(moment: datetime) -> str:
    """Write an aware time as `2026-11-30T07:17:40.483674Z`; the fraction is left out when it is zero."""
    return to_utc(moment).isoformat().replace("+00:00", "Z")


def _instant(value: Any, check: ValidatorFunctionWrapHandler) -> datetime:
    if isinstance(value, str):
        value = _parsed(value)
        if isinstance(value, datetime):
            return value
    elif not isinstance(value, datetime):
        raise PydanticCustomError("instant_type", "expected an ISO 8601 time in UTC such as 2026-11-30T07:17:40Z")
    elif value.tzinfo is None:
        raise PydanticCustomError("instant_naive", "time has no zone; give UTC with Z, or an offset")
    moment: datetime = check(value)
    return to_utc(moment)


def _parsed(text: str) -> str | datetime:
    if text[10:11] == "T" and text.endswith("Z"):
        try:
            # As this protocol writes it: Python's own parser gives UTC at once.
            return datetime.fromisoformat(text)
        except ValueError:
            return text  # pydantic says what is wrong with it
    if _NUMBER.match(text):
        raise PydanticCustomError("instant_type", "expected an ISO 8601 time in UTC such as 2026-11-30T07:17:40Z, not a number")
    return text


Instant = Annotated[
    AwareDatetime,
    WrapValidator(_instant),
    PlainSerializer(format_instant, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A pydantic field: an aware time in any zone in, UTC with `Z` out."""
