"""The routes under /v1, made from the operation table. It must not know what an operation does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from satchel.errors import Conflict, InvalidRequest
from satchel.operations import OPERATIONS, Operation, wire
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.protocol.record import MemoryRecord
from satchel.protocol.validation import validated
from satchel.service.bodies import read_json
from satchel.service.door import Caller, Door
from satchel.service.envelope import Refused
from satchel.service.metrics import OPERATION_KEY
from satchel.service.packages import PackageResponse, import_package
from satchel.service.settings import ServiceSettings
from satchel.service.workers import Workers

PREFIX = "/v1"
_ETAG = re.compile(r'(?:W/)?"(\d{1,18})"\Z')

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Context:
    """What every endpoint needs."""

    door: Door
    workers: Workers
    settings: ServiceSettings

    async def enter(self, request: Request, operation: str) -> Caller:
        """Name the operation for the metrics and let the caller in."""
        named = request.scope.get(OPERATION_KEY)
        if named is not None:
            named.append(operation)
        return await self.workers.call(self.door.enter, request.headers)


def v1_routes(context: Context) -> list[Route]:
    """Return a route for each operation, and the two package streams."""
    shared: dict[tuple[str, str], list[Operation[Any, Any]]] = {}
    for operation in OPERATIONS:
        shared.setdefault((operation.verb, operation.path), []).append(operation)
    routes = [
        Route(PREFIX + path, _endpoint(context, operations), methods=[verb], name=operations[0].name)
        for (verb, path), operations in shared.items()
    ]
    return [
        Route(PREFIX + t.EXPORT_PATH, _export(context), methods=["GET"], name="export"),
        Route(PREFIX + t.IMPORT_PATH, _import(context), methods=["POST"], name="import"),
        *routes,
    ]


def _endpoint(context: Context, operations: Sequence[Operation[Any, Any]]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        caller = await context.enter(request, operations[0].name)
        has_body = request.method not in {"GET", "HEAD", "DELETE"}
        body = await read_json(request, context.settings.max_body) if has_body else None
        operation = _chosen(operations, body)
        wanted = wire.decode(operation, request.path_params, request.query_params.multi_items(), body)
        guarded = _with_if_match(wanted, request.headers.get("if-match"))
        try:
            result = await context.workers.call(caller.memory.call, operation, guarded)
        except Conflict as error:
            if guarded is wanted:
                raise
            raise Refused(error, 412) from None
        return _answer(request, result)

    return endpoint


def _chosen(operations: Sequence[Operation[Any, Any]], body: Any) -> Operation[Any, Any]:
    """POST /memories takes one memory, or a list of them."""
    if t.REMEMBER_MANY in operations and (isinstance(body, list) or (isinstance(body, dict) and "memories" in body)):
        return t.REMEMBER_MANY
    return operations[0]


def _with_if_match(wanted: m.Request, header: str | None) -> m.Request:
    """Turn If-Match into the revision that the record must have."""
    if header is None or header.strip() == "*" or "if_revision" not in type(wanted).model_fields:
        return wanted
    found = _ETAG.match(header.strip())
    if found is None:
        raise InvalidRequest.of([{"field": "If-Match", "message": 'is not an entity tag of a record, such as "3"'}])
    return wanted.model_copy(update={"if_revision": max(1, int(found[1]))})


def _answer(request: Request, result: BaseModel) -> Response:
    headers = {"Cache-Control": "no-store"}
    if isinstance(result, MemoryRecord):
        headers["ETag"] = f'"{result.revision}"'
        if request.method == "GET" and headers["ETag"] in {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}:
            return Response(status_code=304, headers=headers)
    return Response(result.model_dump_json(), headers=headers, media_type="application/json")


def _export(context: Context) -> Endpoint:
    async def export(request: Request) -> Response:
        caller = await context.enter(request, "export")
        members = wire.decode_query(m.ExportRequest, request.query_params.multi_items())
        return PackageResponse(caller.memory, validated(m.ExportRequest, members), context.workers, context.settings)

    return export


def _import(context: Context) -> Endpoint:
    async def import_(request: Request) -> Response:
        caller = await context.enter(request, "import")
        members = wire.decode_query(m.ImportRequest, request.query_params.multi_items())
        return await import_package(request, caller.memory, validated(m.ImportRequest, members), context.workers, context.settings)

    return import_
