"""The page at /docs: the OpenAPI document for people, in one file that needs no network. It must not know operations."""

from __future__ import annotations

from html import escape
from typing import Any

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff }
code, pre { font: 14px/1.45 ui-monospace, monospace } pre { background: #f4f5f7; padding: .75rem; overflow-x: auto; border-radius: 6px }
details { border-top: 1px solid #dde0e4; padding: .5rem 0 } summary { cursor: pointer }
.verb { display: inline-block; min-width: 4.2rem; font-weight: 600; color: #0550ae } .what { color: #57606a; margin-left: .5rem }
@media (prefers-color-scheme: dark) { body { background: #15181c; color: #e3e6ea } pre { background: #20252b }
details { border-color: #343a41 } .verb, a { color: #79b8ff } .what { color: #9aa4af } }
"""


def reference_page(document: dict[str, Any]) -> str:
    """Render the reference as HTML."""
    info = document["info"]
    routes = "\n".join(
        _route(path, verb, described, document["components"]["schemas"])
        for path, verbs in document["paths"].items()
        for verb, described in verbs.items()
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{escape(info['title'])}"
        f"</title><style>{_STYLE}</style><h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>"
        f"<p>{escape(info['description'])}</p>"
        "<p>The same, for programs: <a href='openapi.json'>openapi.json</a>. "
        'Errors are <code>{"error": {"code", "message", "details"}}</code>.</p>'
        f"{routes}</html>"
    )


def _route(path: str, verb: str, described: dict[str, Any], schemas: dict[str, Any]) -> str:
    parts = [f"<p>{escape(described.get('description') or described['summary'])}</p>"]
    parameters = [parameter for parameter in described.get("parameters", []) if "name" in parameter]
    if parameters:
        listed = "".join(
            f"<li><code>{escape(parameter['name'])}</code> in {parameter['in']}{', needed' if parameter['required'] else ''}</li>"
            for parameter in parameters
        )
        parts.append(f"<ul>{listed}</ul>")
    for title, body in (("Body", described.get("requestBody")), ("Answer", described["responses"].get("200"))):
        parts += [_body(title, media_type, content["schema"], schemas) for media_type, content in (body or {}).get("content", {}).items()]
    return (
        f"<details id='{escape(described['operationId'])}'><summary><span class=verb>{verb.upper()}</span> <code>{escape(path)}</code>"
        f"<span class=what>{escape(described['summary'])}</span></summary>{''.join(parts)}</details>"
    )


def _body(title: str, media_type: str, schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    lines = [line for choice in schema.get("anyOf", [schema]) for line in _members(choice, schemas)]
    return f"<p>{title} ({escape(media_type)})</p>" + (f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else "")


def _members(schema: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    if schema.get("type") == "array":
        return [f"[ {_type(schema['items'])}, … ]"]
    found = schemas.get(_type(schema), schema)
    required = set(found.get("required", []))
    lines = [f"{name}{'' if name in required else '?'}: {_type(member)}" for name, member in found.get("properties", {}).items()]
    return [found.get("title", "object"), *(f"  {line}" for line in lines)] if lines else []


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(choice) for choice in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}]"
    return str(schema.get("type", "any"))
