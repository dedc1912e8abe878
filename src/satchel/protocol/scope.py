"""Scopes: who owns a record, written as a path such as `user:alice/project:web`. Grammar: spec/03-scopes.md.

It owns parsing and the canonical spelling; it must not know who may read what.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from satchel.errors import InvalidRequest

SEGMENT_KINDS = ("public", "tenant", "team", "user", "agent", "project", "session")
"""Every segment kind, in the canonical order."""

MAX_SCOPE_LENGTH = 1024
"""Characters in a canonical scope."""

_SEGMENT = rf"(public|({'|'.join(SEGMENT_KINDS[1:])}):[^/*\s]+)"
SCOPE_PATTERN = rf"^{_SEGMENT}(/{_SEGMENT})*$"
"""Regular expression (ECMA 262) of every canonical scope. It does not tell order, repeats or normalisation: `parse_scope` does."""

_ORDER = {kind: place for place, kind in enumerate(SEGMENT_KINDS)}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# All that ECMA 262 or Python takes for white space, besides what a scope gives a meaning to.
_RESERVED = re.compile(r"[/%*\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")


def encode_name(name: str) -> str:
    """Percent-encode a free name (NFC first) so that it can stand in a scope: `a/b` gives `a%2Fb`."""
    normal = unicodedata.normalize("NFC", name)
    return _RESERVED.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), normal)


def decode_name(text: str) -> str:
    """Undo `encode_name`. Raises ValueError where the percent-encoding is not valid UTF-8 or not complete."""
    if "%" not in text:
        return text
    if _ESCAPE.sub("", text).count("%"):
        raise ValueError("percent sign without two hex digits")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
    return raw.decode()


def make_scope(**names: str) -> str:
    """Build a canonical scope from free names: `make_scope(user="alice", project="a/b")`."""
    return parse_scope("/".join(f"{kind}:{encode_name(name)}" for kind, name in names.items()))


def _segment(text: str) -> tuple[str, str]:
    kind, colon, name = text.partition(":")
    if kind == "public":
        if colon:
            raise ValueError("'public' takes no name")
        return kind, ""
    if kind not in _ORDER:
        raise ValueError(
            f"unknown segment {text!r}; a segment is public, or one of {', '.join(SEGMENT_KINDS[1:])} with a name, as in user:alice"
        )
    decoded = decode_name(name)
    if not decoded.strip():
        raise ValueError(f"segment {kind!r} has no name")
    if decoded in {".", ".."}:
        raise ValueError(f"segment {text!r} may not be named '.' or '..'")
    if "\x00" in decoded:
        raise ValueError(f"segment {kind!r} holds a NUL character")
    if "*" in name:
        raise ValueError("a scope is exact and holds no wildcard '*'; write a literal star as %2A")
    return kind, encode_name(decoded)


@lru_cache(maxsize=65536)
def _canonical(text: str) -> str:
    if not text:
        raise ValueError("a scope may not be empty")
    text.encode()  # a lone surrogate is a ValueError
    segments = [_segment(part) for part in unicodedata.normalize("NFC", text).split("/")]
    kinds = [kind for kind, _ in segments]
    if len(set(kinds)) < len(kinds):
        raise ValueError("a segment kind stands twice")
    segments.sort(key=lambda segment: _ORDER[segment[0]])
    scope = "/".join(f"{kind}:{name}" if name else kind for kind, name in segments)
    if len(scope) > MAX_SCOPE_LENGTH:
        raise ValueError(f"a scope may not be longer than {MAX_SCOPE_LENGTH} characters")
    return scope


def parse_scope(text: str) -> str:
    """Return the canonical spelling: NFC, segments in order, minimal percent-encoding, case kept.

    Raises:
        InvalidRequest: empty, a wildcard, `..`, an unknown segment kind, or broken encoding.
    """
    try:
        return _canonical(text)
    except UnicodeEncodeError:
        problem = "a scope may not hold lone surrogates"
    except ValueError as error:
        problem = str(error)
    raise InvalidRequest.of([{"field": "scope", "message": problem}])


def scope_names(scope: str) -> dict[str, str]:
    """Split a canonical scope into decoded names by kind: `{"user": "alice", "project": "web"}`."""
    return {kind: decode_name(name) for kind, name in (_segment(part) for part in scope.split("/"))}


def _validate(value: str) -> str:
    try:
        return _canonical(value)
    except ValueError:
        pass  # said properly below
    try:
        return parse_scope(value)
    except InvalidRequest as error:
        raise PydanticCustomError("scope", "{problem}", {"problem": error.details["faults"][0]["message"]}) from None


def _as_scopes(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable):
        return tuple(value)
    return value


def _some(value: tuple[str, ...]) -> tuple[str, ...]:
    if not value:
        raise PydanticCustomError("scope", "name at least one scope; a read without a scope is an error, never 'all'")
    return tuple(dict.fromkeys(value))


Scope = Annotated[
    str,
    AfterValidator(_validate),
    WithJsonSchema({"type": "string", "pattern": SCOPE_PATTERN, "maxLength": MAX_SCOPE_LENGTH, "examples": ["user:alice/project:web"]}),
]
"""A pydantic field: one scope, canonical after validation."""

Scopes = Annotated[tuple[Scope, ...], BeforeValidator(_as_scopes, json_schema_input_type=str | tuple[str, ...]), AfterValidator(_some)]
"""A pydantic field: one scope or several, canonical and without repeats; never empty."""
