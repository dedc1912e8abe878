"""MCP over stdin and stdout, for one client. It must not know tools.

The SDK drops a line that is not valid JSON without an answer, and a client would wait for ever: here every request is answered. It would
also replace bytes that are not UTF-8, and store what nobody said: here they come through as lone surrogates, and are refused like those.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from satchel.mcp.binding import Binding
from satchel.mcp.server import SURROGATES_KEY, RequestContext, client_name, make_server
from satchel.operations.memory import Memory

_LONE = re.compile("[\ud800-\udfff]")

Incoming = SessionMessage | Exception


def serve(memory: Memory, *, scope: str | Sequence[str], agent: str | None = None) -> None:
    """Serve until the client closes its end."""
    binding = Binding.of(memory, scope)
    bind = getattr(memory, "bind", None)
    bound = bind(agent=agent, read=binding.read, write=[binding.write]) if bind is not None else memory
    anyio.run(_serve, Binding(bound, binding.write, binding.read))


async def _serve(binding: Binding) -> None:
    def bind(ctx: RequestContext) -> Binding:
        return Binding(binding.memory, binding.write, binding.read, client_name(ctx))

    server = make_server(bind)
    # Not closed: when serving ends, a thread may still wait for a line from it.
    lines = open(sys.stdin.fileno(), encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    async with stdio_server(anyio.wrap_file(lines)) as (incoming, outgoing), _answered(incoming, outgoing) as repaired:
        await server.run(repaired, outgoing, server.create_initialization_options())


@asynccontextmanager
async def _answered(incoming: Any, outgoing: Any) -> AsyncIterator[MemoryObjectReceiveStream[Incoming]]:
    """Pass messages on; mend or answer the lines that the SDK could not read."""
    passed_on: MemoryObjectSendStream[Incoming]
    passed_on, repaired = anyio.create_memory_object_stream[Incoming](0)

    async def relay() -> None:
        async with passed_on, incoming:
            async for item in incoming:
                message = mended(item) if isinstance(item, Exception) else item
                if isinstance(message, types.JSONRPCError):
                    await outgoing.send(SessionMessage(message))
                else:
                    await passed_on.send(message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(relay)
        yield repaired
        tasks.cancel_scope.cancel()


def mended(failure: Exception) -> Incoming | types.JSONRPCError:
    """Return what an unreadable line asked, with its lone surrogates replaced and marked; else the error that answers it."""
    line = _line_of(failure)
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "the line is not JSON")
    if not isinstance(value, dict):
        return _error(None, types.INVALID_REQUEST, "the line is not a JSON-RPC message")
    found: list[str] = []
    value = _replaced(value, "", found)
    params = value.get("params")
    if found and isinstance(params, dict):
        meta = params.get("_meta")
        params["_meta"] = (meta if isinstance(meta, dict) else {}) | {SURROGATES_KEY: found}
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(value, by_name=False))
    except ValidationError:
        wanted = value.get("id")
        return _error(wanted if isinstance(wanted, str | int) else None, types.INVALID_REQUEST, "the line is not a JSON-RPC message")


def _line_of(failure: Exception) -> str:
    if isinstance(failure, ValidationError):
        given = failure.errors(include_url=False, include_context=False)[0]["input"]
        return given if isinstance(given, str) else json.dumps(given)
    return failure.object if isinstance(failure, UnicodeEncodeError) else ""


def _replaced(value: Any, path: str, found: list[str]) -> Any:
    if isinstance(value, str):
        if _LONE.search(value):
            found.append(path.removeprefix("params.arguments.") or "message")
            return _LONE.sub("\ufffd", value)
        return value
    if isinstance(value, dict):
        return {_LONE.sub("\ufffd", key): _replaced(inner, f"{path}.{key}".strip("."), found) for key, inner in value.items()}
    if isinstance(value, list):
        return [_replaced(inner, f"{path}.{place}", found) for place, inner in enumerate(value)]
    return value


def _error(request_id: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
