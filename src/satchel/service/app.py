"""`create_app`: the layers of the service, put together around a memory. It must not know sockets or processes."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Protocol

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.engine.core import Core
from satchel.engine.engine import Engine
from satchel.errors import SatchelError
from satchel.operations.table import DOCTOR
from satchel.operations.wire import AGENT_HEADER, SCOPE_HEADER
from satchel.service.backlog import Backlog
from satchel.service.door import Door
from satchel.service.envelope import Envelope, Refused, error_response, http_error, json_response
from satchel.service.guards import LOOPBACK_HOSTS, HostAndOrigin, RateLimiter
from satchel.service.health import diagnosed_with_tenants, health_of, with_tenants
from satchel.service.metrics import Meter, Metrics
from satchel.service.openapi import document
from satchel.service.recurring import Recurring
from satchel.service.reference import reference_page
from satchel.service.routes import Context, v1_routes
from satchel.service.schedule import ROUND_SECONDS, Rounds, Schedule
from satchel.service.settings import ServiceSettings
from satchel.service.tenant_memory import TenantMemory
from satchel.service.tenant_pool import TenantPool
from satchel.service.tenants import Tenants
from satchel.service.tokens import TokenBook
from satchel.service.troubles import Troubles
from satchel.service.workers import Workers


class Mounted(Protocol):
    """Another door in the same service, such as MCP. It is called once the caller has been let in.

    It finds the caller in `scope["satchel.caller"]`: an object with `agent`, `memory`, `scopes` and `tenant`.
    """

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        """Run while the service runs."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ...


def create_app(
    memory: Engine,
    *,
    tokens: TokenBook | None = None,
    settings: ServiceSettings | None = None,
    exposed: bool = False,
    mounts: Mapping[str, Mounted] | None = None,
    tenants: Tenants | None = None,
) -> Starlette:
    """Build the service around an engine.

    Without `tokens` the engine's store keeps them: callers need none until the first is issued. `exposed` says that other machines
    can reach the service: a token is needed always then. `mounts` are further doors by their path, such as `/mcp`. `tenants` have
    memories of their own, which their tokens open; they are closed when the service stops.
    """
    chosen = settings or ServiceSettings()
    book = tokens or TokenBook(memory.core.store, clock=memory.core.clock)
    limiter = RateLimiter(chosen.rate, chosen.burst) if chosen.rate else None
    pool = None if tenants is None else TenantPool(tenants, memory, share=max(1, chosen.threads // 2))
    door = Door(memory, book, always=exposed, limiter=limiter, tenants=None if pool is None else _memories(pool, memory))
    addenda = {} if pool is None else {DOCTOR.name: lambda diagnosis: diagnosed_with_tenants(diagnosis, pool.troubles())}
    context = Context(door, Workers(chosen.threads, chosen.streams), chosen, addenda)
    metrics = Metrics()
    doors = dict(mounts or {})
    routes: list[BaseRoute] = [
        *v1_routes(context),
        *_plain_routes(memory.core, context, metrics, pool),
        *(Route(path, _Admitting(door, context, path.strip("/")), methods=["GET", "POST", "DELETE"]) for path, door in doors.items()),
    ]
    layers = [
        Middleware(Envelope),
        Middleware(Meter, metrics=metrics),
        Middleware(HostAndOrigin, hosts=_hosts(chosen.hosts, exposed), origins=chosen.origins),
        *_sharing(chosen.origins),
    ]
    works = _recurring(memory, chosen)
    if pool is not None and works:
        works.append(_rounds(book, pool, chosen))
    lifespan = _lifespan(doors, works, pool)
    app = Starlette(routes=routes, middleware=layers, exception_handlers=_handlers(Troubles()), lifespan=lifespan)
    app.router.redirect_slashes = False
    return app


def _sharing(origins: Collection[str]) -> list[Middleware]:
    """Let the pages of named origins read what they are answered; the service's own pages need nothing."""
    if not origins:
        return []
    headers = ["Authorization", "Content-Type", "If-Match", "If-None-Match", AGENT_HEADER, SCOPE_HEADER, "Mcp-Protocol-Version"]
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return [Middleware(CORSMiddleware, allow_origins=origins, allow_methods=methods, allow_headers=headers, expose_headers=["ETag"])]


def _hosts(named: Collection[str], exposed: bool) -> Collection[str] | None:
    # Where a token is always needed, a page that rebinds its name to the service gets nothing by it.
    return named or (None if exposed else LOOPBACK_HOSTS)


def _memories(pool: TenantPool, front: Engine) -> Callable[[str], TenantMemory | None]:
    return lambda name: TenantMemory(pool, name, front.core.clock) if pool.serves(name) else None


def _plain_routes(core: Core, context: Context, metrics: Metrics, pool: TenantPool | None) -> list[Route]:
    async def healthz(request: Request) -> Response:
        health = await context.workers.call(health_of, core)
        if pool is not None:
            named = await context.workers.call(context.door.is_keeper, request.headers)
            await context.workers.call(pool.look_again)
            health = with_tenants(health, pool.states(), named=named)
        return json_response(health, status=503 if health["status"] == "failing" else 200, headers={"Cache-Control": "no-store"})

    async def counted(request: Request) -> Response:
        await context.enter(request, "metrics")
        return Response(metrics.text(), media_type=metrics.media_type)

    async def openapi(request: Request) -> Response:
        return json_response(document())

    async def docs(request: Request) -> Response:
        return HTMLResponse(reference_page(document()))

    return [
        Route("/healthz", healthz, methods=["GET"]),
        Route("/metrics", counted, methods=["GET"]),
        Route("/openapi.json", openapi, methods=["GET"]),
        Route("/docs", docs, methods=["GET"]),
    ]


class _Admitting:
    """Lets a caller in before another door takes the request."""

    def __init__(self, inner: ASGIApp, context: Context, name: str) -> None:
        self._inner = inner
        self._context = context
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._context.enter(Request(scope, receive), self._name)
        await self._inner({**scope, "satchel.caller": caller}, receive, send)


def _recurring(memory: Engine, settings: ServiceSettings, stopping: threading.Event | None = None) -> list[Recurring]:
    """Return what the service does for one memory beside its calls."""
    works: list[Recurring] = []
    if settings.maintain_every is not None:
        works.append(Schedule(memory, settings.maintain_every, stopping=stopping))
    if settings.embed_in_background and memory.core.embedder is not None:
        works.append(Backlog(memory, stopping=stopping))
    return works


def _rounds(book: TokenBook, pool: TenantPool, settings: ServiceSettings) -> Rounds:
    """Return what does the same for the memories of tenants: they have the service's own embedder and settings."""
    return Rounds(
        pool,
        lambda: filter(pool.serves, {*pool.names(), *book.tenants()}),
        lambda memory, stopping: _recurring(memory, settings, stopping),
        look=min(ROUND_SECONDS, settings.maintain_every or ROUND_SECONDS),
    )


def _lifespan(
    doors: Mapping[str, Mounted], works: Sequence[Recurring], pool: TenantPool | None
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if pool is not None:
                stack.push_async_callback(anyio.to_thread.run_sync, pool.close)
            for door in doors.values():
                await stack.enter_async_context(door.lifespan())
            for work in works:
                await stack.enter_async_context(work.running())
            yield

    return lifespan


def _handlers(troubles: Troubles) -> dict[Any, Callable[[Request, Exception], Any]]:
    async def on_satchel_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, SatchelError | Refused)
        if isinstance(error, SatchelError):
            troubles.tell(error)
        return error_response(error)

    async def on_http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return http_error(error)

    return {SatchelError: on_satchel_error, Refused: on_satchel_error, HTTPException: on_http_error}
