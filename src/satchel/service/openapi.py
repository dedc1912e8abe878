"""The OpenAPI document, made from the operation table and its models. It must not know how a request is answered."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from satchel import errors as e
from satchel.operations import OPERATIONS, Operation
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.protocol.version import PROTOCOL_VERSION
from satchel.service.envelope import status_of

Schema = dict[str, Any]
_TEMPLATE = "#/components/schemas/{model}"
_ERROR_REF = {"$ref": "#/components/schemas/Error"}
_JSON = "application/json"

_CODES = sorted({kind.code for kind in vars(e).values() if isinstance(kind, type) and issubclass(kind, e.SatchelError)})

_ERROR_SCHEMA: Schema = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "details"],
            "properties": {
                "code": {"type": "string", "description": f"Stable; one of {', '.join(_CODES)}."},
                "message": {"type": "string"},
                "details": {"type": "object"},
            },
        }
    },
}


@lru_cache(maxsize=1)
def document() -> Schema:
    """Return the whole document."""
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [(operation.request, "validation") for operation in OPERATIONS]
    models += [(operation.result, "serialization") for operation in OPERATIONS]
    models += [(m.ExportRequest, "validation"), (m.ImportRequest, "validation"), (m.ImportReport, "serialization")]
    refs, schemas = models_json_schema(list(dict.fromkeys(models)), ref_template=_TEMPLATE)
    definitions: Schema = schemas.get("$defs", {})
    paths: dict[str, Schema] = {}
    for operation in OPERATIONS:
        request, result = refs[operation.request, "validation"], refs[operation.result, "serialization"]
        described = paths.setdefault("/v1" + operation.path, {})
        verb = operation.verb.lower()
        if verb in described:
            _join(described[verb], request, result, operation)
        else:
            described[verb] = _described(operation, request, result, definitions)
    paths |= _package_paths(
        definitions, refs[m.ExportRequest, "validation"], refs[m.ImportRequest, "validation"], refs[m.ImportReport, "serialization"]
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Satchel",
            "version": PROTOCOL_VERSION,
            "description": "Agent memory that follows the agent. Ids stand in a path as they are where they hold only "
            "`[A-Za-z0-9._-]`, else as `~` and their base64url form. A list repeats its query parameter.",
        },
        "paths": dict(sorted(paths.items())) | _plain_paths(),
        "components": {
            "schemas": dict(sorted((definitions | {"Error": _ERROR_SCHEMA}).items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _described(operation: Operation[Any, Any], request: Schema, result: Schema, definitions: Schema) -> Schema:
    members = _resolved(request, definitions)
    path_members = [part.partition("}")[0] for part in operation.path.split("{")[1:]]
    in_query = operation.verb in {"GET", "DELETE"}
    found: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": operation.description,
        "tags": [operation.path.strip("/").split("/")[0]],
        "parameters": [_path_parameter(name) for name in path_members] + (_query_parameters(members, path_members) if in_query else []),
        "responses": _responses(_JSON, result, operation),
    }
    if not in_query:
        found["requestBody"] = {"required": True, "content": {_JSON: {"schema": request}}}
    if operation in (t.READ, t.READ_RECORD, t.UPDATE):
        found["responses"]["200"]["headers"] = {"ETag": {"description": "The record's revision, quoted.", "schema": {"type": "string"}}}
    if "if_revision" in operation.request.model_fields:
        found["parameters"].append(_header_parameter("If-Match", "The record's ETag; another revision is answered with 412."))
    return found


def _join(described: Schema, request: Schema, result: Schema, operation: Operation[Any, Any]) -> None:
    """Two operations on one route, told apart by the body."""
    body = described["requestBody"]["content"][_JSON]
    items = {"type": "array", "items": {"$ref": "#/components/schemas/NewMemory"}}
    body["schema"] = {"anyOf": [body["schema"], request, items]}
    answer = described["responses"]["200"]["content"][_JSON]
    answer["schema"] = {"anyOf": [answer["schema"], result]}
    described["description"] += f"\n\n{operation.request.__doc__} A plain list is taken too, with `?scope=` for all of it."
    described["parameters"].append({"name": "scope", "in": "query", "required": False, "schema": {"type": "string"}})


def _package_paths(definitions: Schema, export: Schema, import_: Schema, report: Schema) -> dict[str, Schema]:
    package = {"type": "string", "contentMediaType": t.PACKAGE_MEDIA_TYPE}
    return {
        "/v1" + t.EXPORT_PATH: {
            "get": {
                "operationId": "export",
                "summary": (m.ExportRequest.__doc__ or "").split("\n")[0],
                "tags": ["packages"],
                "parameters": _query_parameters(_resolved(export, definitions), []),
                "responses": _responses(t.PACKAGE_MEDIA_TYPE, package, None),
            }
        },
        "/v1" + t.IMPORT_PATH: {
            "post": {
                "operationId": "import",
                "summary": (m.ImportRequest.__doc__ or "").split("\n")[0],
                "tags": ["packages"],
                "parameters": _query_parameters(_resolved(import_, definitions), []),
                "requestBody": {"required": True, "content": {t.PACKAGE_MEDIA_TYPE: {"schema": package}}},
                "responses": _responses(_JSON, report, None),
            }
        },
    }


def _plain_paths() -> dict[str, Schema]:
    def plain(name: str, summary: str, media_type: str) -> Schema:
        answer = {"description": "Done.", "content": {media_type: {"schema": {"type": "string" if "text" in media_type else "object"}}}}
        return {"get": {"operationId": name, "summary": summary, "tags": ["service"], "responses": {"200": answer}}}

    return {
        "/healthz": plain("healthz", "Whether store, index and queue work; 503 where the store does not.", _JSON),
        "/metrics": plain("metrics", "Requests and latencies by operation, for Prometheus.", "text/plain"),
    }


def _responses(media_type: str, schema: Schema, operation: Operation[Any, Any] | None) -> Schema:
    kinds: list[type[e.SatchelError]] = [e.InvalidRequest, e.Denied, e.NotFound, e.Conflict, e.RateLimited, e.StoreUnavailable]
    if operation is not None and "{" not in operation.path:
        kinds.remove(e.NotFound)
    failures = {str(status_of(kind)): _failure(kind) for kind in kinds}
    return {"200": {"description": "Done.", "content": {media_type: {"schema": schema}}}, "401": _failure(e.Denied)} | failures


def _failure(kind: type[e.SatchelError]) -> Schema:
    return {"description": (kind.__doc__ or "").split("\n")[0], "content": {_JSON: {"schema": _ERROR_REF}}}


def _resolved(reference: Schema, definitions: Schema) -> Schema:
    name = str(reference.get("$ref", "")).rpartition("/")[2]
    found: Schema = definitions.get(name, reference)
    return found


def _query_parameters(members: Schema, leave_out: Iterable[str]) -> list[Schema]:
    required = set(members.get("required", []))
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema, **_style(schema)}
        for name, schema in members.get("properties", {}).items()
        if name not in set(leave_out)
    ]


def _style(schema: Schema) -> Schema:
    return {"description": "A JSON object."} if schema.get("type") == "object" else {}


def _path_parameter(name: str) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _header_parameter(name: str, description: str) -> Schema:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": {"type": "string"}}
