"""The routes under /v1, made from the operation table. It must not know what an operation does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from satchel.protocol.working import WorkingSnapshot
from satchel.service.bodies import SMALL, declared_size, parse, read_body
from satchel.service.door import Caller, Door
from satchel.service.envelope import Refused
from satchel.service.metrics import OPERATION_KEY
from satchel.service.packages import PackageResponse, import_package
from satchel.service.settings import ServiceSettings
from satchel.service.workers import Workers

PREFIX = "/v1"
_ETAG = re.compile(r'(?:W/)?"(\d{1,18})"\Z')

_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE"})

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Context:
    """What every endpoint needs."""

    door: Door
    workers: Workers
    settings: ServiceSettings
    addenda: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """By operation: what the service adds to its answer for who runs the service."""

    def name(self, request: Request, operation: str) -> None:
        """Name the operation for the metrics."""
        named = request.scope.get(OPERATION_KEY)
        if named is not None:
            named.append(operation)

    async def enter(self, request: Request, operation: str) -> Caller:
        """Name the operation and let the caller in."""
        self.name(request, operation)
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
        context.name(request, operations[0].name)
        size = declared_size(request)
        large = size is None or size > SMALL
        caller = await context.workers.call(context.door.enter, request.headers) if large else None
        body = await read_body(request, context.settings.max_body, context.settings.stall) if size != 0 else b""
        # One change of threads for the whole rest: on a busy machine a change costs more than a small call.
        return await context.workers.call(_carry_out, context, caller, request, operations, body)

    return endpoint


def _carry_out(
    context: Context, entered: Caller | None, request: Request, operations: Sequence[Operation[Any, Any]], body: bytes
) -> Response:
    caller = entered or context.door.enter(request.headers)
    parsed = parse(body) if request.method not in _WITHOUT_BODY else None
    operation = _chosen(operations, parsed)
    wanted = wire.decode(operation, request.path_params, wire.split_query(request.scope["query_string"]), parsed)
    guarded = _with_if_match(wanted, request.headers.get("if-match"))
    try:
        result = caller.memory.call(operation, guarded)
    except Conflict as error:
        if guarded is wanted:
            raise
        raise Refused(error, 412) from None
    addendum = context.addenda.get(operation.name) if caller.is_keeper else None
    return _answer(request, result if addendum is None else addendum(result))


def _chosen(operations: Sequence[Operation[Any, Any]], body: Any) -> Operation[Any, Any]:
    """POST /memories takes one memory, or a list of them."""
    if t.REMEMBER_MANY in operations and (isinstance(body, list) or (isinstance(body, dict) and "memories" in body)):
        return t.REMEMBER_MANY
    return operations[0]


def _with_if_match(wanted: m.Request, header: str | None) -> m.Request:
    """Turn If-Match into the revision that the record, or the version that the snapshot, must have."""
    guard = next((name for name in ("if_revision", "if_version") if name in type(wanted).model_fields), None)
    if header is None or header.strip() == "*" or guard is None:
        return wanted
    found = _ETAG.match(header.strip())
    if found is None:
        raise InvalidRequest.of([{"field": "If-Match", "message": 'is not an entity tag of a record or snapshot, such as "3"'}])
    return wanted.model_copy(update={guard: max(1, int(found[1]))})


def _answer(request: Request, result: BaseModel) -> Response:
    headers = {"Cache-Control": "no-store"}
    tag = _tag(result)
    if tag is not None:
        headers["ETag"] = f'"{tag}"'
        if request.method == "GET" and headers["ETag"] in {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}:
            return Response(status_code=304, headers=headers)
    return Response(result.model_dump_json(), headers=headers, media_type="application/json")


def _tag(result: BaseModel) -> int | None:
    """Return what of a result changes with it: a record's revision, a snapshot's version."""
    found = result.snapshot if isinstance(result, m.WorkingSaved | m.SessionStarted | m.SessionEnded) else result
    if isinstance(found, MemoryRecord):
        return found.revision
    return found.version if isinstance(found, WorkingSnapshot) else None


def _export(context: Context) -> Endpoint:
    async def export(request: Request) -> Response:
        caller = await context.enter(request, "export")
        members = wire.decode_query(m.ExportRequest, wire.split_query(request.scope["query_string"]))
        return PackageResponse(caller.memory, validated(m.ExportRequest, members), context.workers, context.settings)

    return export


def _import(context: Context) -> Endpoint:
    async def import_(request: Request) -> Response:
        caller = await context.enter(request, "import")
        members = wire.decode_query(m.ImportRequest, wire.split_query(request.scope["query_string"]))
        return await import_package(request, caller.memory, validated(m.ImportRequest, members), context.workers, context.settings)

    return import_
