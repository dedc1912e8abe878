"""TypeScript types of the protocol, made from its JSON Schema (PRO-13).

It owns the translation of one schema into one declaration; it must not know pydantic.
"""

from __future__ import annotations

import json
from typing import Any

from satchel.protocol.schema import definitions
from satchel.protocol.version import PROTOCOL_VERSION

_SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

_LINES = """\
/** One line of a package; a line of a kind that is not listed is kept whole. */
export type PackageLine =
  | ({ kind: "header" } & Header)
  | { kind: "tombstone" | "record"; record: MemoryRecord }
  | { kind: "working"; working: WorkingSnapshot }
  | ({ kind: "trailer" } & Trailer);
"""


def declarations() -> str:
    """Return the text of spec/types/satchel.d.ts."""
    head = f"// Satchel memory protocol {PROTOCOL_VERSION}. Generated from the models by `make docs`; do not edit.\n"
    parts = [_declaration(name, schema) for name, schema in sorted(definitions().items())]
    return "\n".join([head, *parts, _LINES])


def _declaration(name: str, schema: dict[str, Any]) -> str:
    comment = _comment(schema.get("description"), "")
    if "enum" in schema:
        return f"{comment}export type {name} = {' | '.join(json.dumps(value) for value in schema['enum'])};\n"
    required = set(schema.get("required", ()))
    members = [_member(key, inner, key in required) for key, inner in schema["properties"].items()]
    return "\n".join(
        [
            f"{comment}export interface {name} {{",
            *members,
            "  /** Members of a later 1.x are kept. */",
            "  [member: string]: unknown;",
            "}\n",
        ]
    )


def _member(key: str, schema: dict[str, Any], required: bool) -> str:
    return f"{_comment(_limits(schema), '  ')}  {key}{'' if required else '?'}: {type_of(schema)};"


def _comment(text: str | None, indent: str) -> str:
    if not text:
        return ""
    lines = text.replace("*/", "* /").split("\n")
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def _limits(schema: dict[str, Any]) -> str | None:
    """Say what the type cannot: format, bounds, default."""
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
    inner = options[0]
    said = []
    if inner.get("format") == "date-time":
        said.append("UTC, ISO 8601, Z")
    bounds = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<="}
    said += [f"{sign} {inner[key]:g}" for key, sign in bounds.items() if key in inner]
    if "maxLength" in inner:
        said.append(f"at most {inner['maxLength']} characters")
    default = schema.get("default")
    if default not in (None, [], {}) and not isinstance(default, dict):
        said.append(f"default {json.dumps(default)}")
    return "; ".join(said) or None


def type_of(schema: dict[str, Any]) -> str:
    """Return the TypeScript type of a schema node."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(option) for option in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        inner = type_of(schema.get("items", {}))
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if isinstance(values, dict) else 'unknown'}>"
    return _SIMPLE.get(str(kind), "unknown")
