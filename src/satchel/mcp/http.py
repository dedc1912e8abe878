"""MCP over streamable HTTP, mounted in the service, which has let the caller in. It must not know tokens.

Every request stands alone: no session outlives it, so that a revoked token ends with the next request.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import unquote

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from satchel.errors import InvalidRequest
from satchel.mcp.binding import Binding
from satchel.mcp.server import RequestContext, client_name, make_server
from satchel.operations.wire import SCOPE_HEADER, split_query

MAX_BODY = 8 * 1_048_576


class HttpDoor:
    """The MCP endpoint as an ASGI application.

    The connection's scopes come from `?scope=` in its address (repeated), else from the header X-Satchel-Scope (comma-separated),
    else from the one scope that the caller's token may write. The first is written to; all are read, as far as the token allows.
    """

    def __init__(self) -> None:
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run while the service runs."""
        manager = StreamableHTTPSessionManager(make_server(_bind), json_response=True, stateless=True, max_request_body_size=MAX_BODY)
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        assert self._manager is not None, "the service's lifespan runs the MCP door"
        await self._manager.handle_request(scope, receive, send)


def _bind(ctx: RequestContext) -> Binding:
    request = ctx.request
    assert isinstance(request, Request)
    caller = request.scope["satchel.caller"]
    return Binding.of(caller.memory, _scopes(request, caller.scopes), client=client_name(ctx), tenant=caller.tenant)


def _scopes(request: Request, writable: Sequence[str]) -> list[str]:
    asked = [value for name, value in split_query(request.scope["query_string"]) if name == "scope"]
    named = asked or [_unquoted(part.strip()) for part in request.headers.get(SCOPE_HEADER, "").split(",")]
    found = [scope for scope in named if scope] or list(writable[:1] if len(writable) == 1 else [])
    if not found:
        problem = f"the connection names none: add ?scope=user:NAME to its address, or send {SCOPE_HEADER}"
        raise InvalidRequest.of([{"field": "scope", "message": problem}], subject="connection")
    return found


def _unquoted(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise InvalidRequest.of([{"field": SCOPE_HEADER, "message": "is not percent-encoded UTF-8"}], subject="header") from None
