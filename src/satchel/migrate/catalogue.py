"""The kinds of source, by name. It must not know how any of them is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from satchel.errors import InvalidRequest
from satchel.migrate.items import Source

_PLACES = {
    "claude-code": ("markdown", "CLAUDE_CODE"),
    "codebuddy": ("markdown", "CODEBUDDY"),
    "openclaw": ("markdown", "OPENCLAW"),
    "hermes": ("markdown", "HERMES"),
    "markdown": ("markdown", "MARKDOWN"),
    "chatgpt": ("chatgpt", "CHATGPT"),
    "mem0": ("mem0", "MEM0"),
    "mcp-memory": ("mcp_memory", "MCP_MEMORY"),
    "sqlite": ("sqlite", "SQLITE"),
    "jsonl": ("jsonl", "JSONL"),
    "csv": ("csv", "CSV"),
}

KINDS = tuple(_PLACES)
"""Every kind, as `migrate` takes it."""


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What a person should know of a kind before moving in from it. `fields` accounts for every foreign field."""

    kind: str
    description: str
    location: str
    fields: Mapping[str, str]


def source_for(kind: str) -> Source:
    """Return the reader of a kind. Raises InvalidRequest for an unknown one."""
    if kind not in _PLACES:
        raise InvalidRequest.of([{"field": "kind", "message": f"unknown kind {kind!r}; one of {', '.join(KINDS)}"}], subject="migration")
    module, name = _PLACES[kind]
    found: Source = getattr(import_module(f"satchel.migrate.formats.{module}"), name)
    return found


def sources() -> list[SourceInfo]:
    """List every kind with what it reads and where each foreign field goes."""
    found = (source_for(kind) for kind in KINDS)
    return [SourceInfo(source.kind, source.description, source.location, source.fields) for source in found]


def detect(path: Path) -> list[str]:
    """Return the kinds that recognise a path, the most specific first."""
    return [kind for kind in KINDS if source_for(kind).detect(path)]
