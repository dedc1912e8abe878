"""The published JSON Schema of the protocol, generated from the models (PRO-11): what a writer writes.

It owns the three documents under spec/schema; it must not know where they are written to.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from satchel.protocol.package import Header, Trailer
from satchel.protocol.record import MemoryRecord
from satchel.protocol.version import PROTOCOL_VERSION
from satchel.protocol.working import WorkingSnapshot

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
UTC_PATTERN = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$"
VERSION_PATTERN = rf"^{PROTOCOL_VERSION.split('.')[0]}\.\d{{1,6}}$"

_TOMBSTONE_RULE: Schema = {
    "if": {"properties": {"status": {"const": "deleted"}}, "required": ["status"]},
    "then": {
        "required": ["deletion"],
        "properties": {"content": {"const": ""}, "content_hash": {"const": ""}, "meta": {"maxProperties": 0}},
    },
    "else": {"properties": {"content": {"pattern": r"\S"}}},
}


def definitions() -> dict[str, Schema]:
    """Return every model of the protocol as a JSON Schema definition, by name."""
    models: list[type[BaseModel]] = [Header, MemoryRecord, Trailer, WorkingSnapshot]
    _, document = models_json_schema([(model, "validation") for model in models], ref_template="#/$defs/{model}")
    found: dict[str, Schema] = {name: _polish(schema) for name, schema in document["$defs"].items()}
    found["MemoryRecord"] |= _TOMBSTONE_RULE
    found["MemoryRecord"]["properties"]["v"]["pattern"] = VERSION_PATTERN
    found["Header"]["properties"]["protocol"]["pattern"] = VERSION_PATTERN
    return found


def _polish(node: Any) -> Any:
    """Drop pydantic's titles and Python's words, and say of every time that it is written in UTC with Z."""
    if isinstance(node, list):
        return [_polish(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    polished = {key: _polish(inner) for key, inner in node.items() if key != "title" or not isinstance(inner, str)}
    if polished.get("format") == "date-time":
        polished["pattern"] = UTC_PATTERN
    if isinstance(polished.get("description"), str):
        polished["description"] = polished["description"].replace("None", "null")
    if isinstance(polished.get("default"), dict):
        polished["default"] = {key: value for key, value in polished["default"].items() if value not in (None, [])}
    return polished


def _document(name: str, body: Schema, defs: dict[str, Schema]) -> Schema:
    used = _reachable(body, defs)
    head = {"$schema": DIALECT, "$id": f"urn:satchel:protocol:{PROTOCOL_VERSION}:{name}", "title": name}
    return head | body | ({"$defs": {key: defs[key] for key in sorted(used)}} if used else {})


def _references(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*(_references(inner) for inner in node)) if node else set()
    if not isinstance(node, dict):
        return set()
    own = {node["$ref"].rsplit("/", 1)[1]} if isinstance(node.get("$ref"), str) else set()
    return own.union(*(_references(inner) for inner in node.values())) if node else own


def _reachable(body: Schema, defs: dict[str, Schema]) -> set[str]:
    seen: set[str] = set()
    waiting = _references(body)
    while waiting:
        seen |= waiting
        waiting = set().union(*(_references(defs[name]) for name in waiting)) - seen
    return seen


def _line(kind: str, member: str, model: str) -> Schema:
    properties = {"kind": {"const": kind}, member: {"$ref": f"#/$defs/{model}"}}
    return {"type": "object", "properties": properties, "required": ["kind", member]}


def _flat_line(kind: str, model: str) -> Schema:
    return {"allOf": [{"$ref": f"#/$defs/{model}"}], "properties": {"kind": {"const": kind}}, "required": ["kind"]}


def package_line() -> Schema:
    """Return the schema of one package line; an object of any other kind is allowed and kept whole."""
    known = ["header", "tombstone", "record", "working", "trailer"]
    unknown = {"type": "object", "properties": {"kind": {"type": "string", "not": {"enum": known}}}, "required": ["kind"]}
    lines = [
        _flat_line("header", "Header"),
        _line("tombstone", "record", "MemoryRecord"),
        _line("record", "record", "MemoryRecord"),
        _line("working", "working", "WorkingSnapshot"),
        _flat_line("trailer", "Trailer"),
        unknown,
    ]
    return {"description": "One line of a package.", "oneOf": lines}


def documents() -> dict[str, Schema]:
    """Return the published documents by file name."""
    defs = definitions()
    return {
        "record.json": _document("record", defs["MemoryRecord"], defs),
        "working.json": _document("working", defs["WorkingSnapshot"], defs),
        "package-line.json": _document("package-line", package_line(), defs),
    }
