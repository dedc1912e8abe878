"""Run the service: on which address, until when (ACC-5). It must not know routes."""

from __future__ import annotations

import ctypes
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

import uvicorn
from starlette.applications import Starlette

from satchel.engine.engine import Engine
from satchel.errors import Denied, InvalidRequest, StoreUnavailable
from satchel.service.app import Mounted, create_app
from satchel.service.guards import is_loopback
from satchel.service.settings import ServiceSettings
from satchel.service.tenants import Tenants
from satchel.service.tokens import TokenBook

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7377


def serve(
    memory: Engine,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    settings: ServiceSettings | None = None,
    mounts: Mapping[str, Mounted] | None = None,
    tenants: Tenants | None = None,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve a memory until SIGINT or SIGTERM, then let the requests under way finish. The caller closes the memory.

    `on_ready` is called with the service's address once it answers. `mounts` are further doors by path. `tenants` have memories of
    their own.

    Raises:
        Denied: another host than loopback, and no token has been issued; StoreUnavailable: the address cannot be listened on.
    """
    _share_pools()
    chosen = settings or ServiceSettings()
    server, listener, _ = _prepare(memory, host, port, chosen, mounts, tenants, on_ready)
    with listener, _outliving_signals():
        server.run(sockets=[listener])


_M_ARENA_MAX = -8  # of glibc's malloc.h
_POOLS = 2


def _share_pools() -> None:
    """Let the threads share two of the C library's pools of memory: each would get one of its own, and keep what others could use.

    Under 64 clients the service grows by half as much for it. Elsewhere than on glibc nothing is done.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _POOLS)


@contextmanager
def _outliving_signals() -> Iterator[None]:
    """Let the process live on after a stop, so that the caller can close the store: the server raises the signal again at its end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def serving(
    memory: Engine,
    host: str = DEFAULT_HOST,
    port: int = 0,
    *,
    settings: ServiceSettings | None = None,
    mounts: Mapping[str, Mounted] | None = None,
    tenants: Tenants | None = None,
) -> Iterator[str]:
    """Serve a memory from a thread while the block runs, on a free port unless one is named; give its address."""
    ready = threading.Event()
    server, listener, url = _prepare(memory, host, port, settings or ServiceSettings(), mounts, tenants, lambda _: ready.set())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="satchel-service", daemon=True)
    with listener:
        thread.start()
        try:
            while not ready.wait(0.05):
                if not thread.is_alive():
                    raise StoreUnavailable("the service did not start")
            yield url
        finally:
            server.should_exit = True
            thread.join()


def check_exposure(host: str, tokens: TokenBook) -> bool:
    """Tell whether other machines can reach the host. Raises Denied where they could, and no token guards it."""
    if is_loopback(host):
        return False
    if not tokens.any_alive():
        raise Denied(
            f"refusing to listen on {host} without tokens, for anyone could read every memory; "
            "issue one first: satchel tokens create --agent NAME --read SCOPE --write SCOPE"
        )
    return True


class _Server(uvicorn.Server):
    """A server that tells when it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def _prepare(
    memory: Engine,
    host: str,
    port: int,
    settings: ServiceSettings,
    mounts: Mapping[str, Mounted] | None,
    tenants: Tenants | None,
    on_ready: Callable[[str], None] | None,
) -> tuple[_Server, socket.socket, str]:
    book = TokenBook(memory.core.store, clock=memory.core.clock)
    exposed = check_exposure(host, book)
    app = create_app(memory, tokens=book, settings=settings, exposed=exposed, mounts=mounts, tenants=tenants)
    listener = _listen(host, port)
    url = _url(host, listener.getsockname()[1])
    return _Server(_config(app, settings), lambda: on_ready(url) if on_ready else None), listener, url


def _config(app: Starlette, settings: ServiceSettings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        # The access log would hold query strings, which hold scopes and ids; /metrics has the counts.
        access_log=False,
        proxy_headers=False,
        ws="none",
        # A listing of many scopes has a long address.
        h11_max_incomplete_event_size=256 * 1024,
        http="h11",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=settings.stop_within,
        lifespan="on",
    )


def _listen(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    # The protocol is named, for asyncio turns Nagle's delay off only then, which costs 40 ms a call.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
    except socket.gaierror as error:
        listener.close()
        raise InvalidRequest.of([{"field": "host", "message": f"{host!r} is no address of this machine ({error.strerror})"}]) from None
    except OSError as error:
        listener.close()
        raise StoreUnavailable(f"cannot listen on {_url(host, port)}: {error.strerror}") from None
    except OverflowError:
        listener.close()
        raise InvalidRequest.of([{"field": "port", "message": "lies outside 0 to 65535"}]) from None
    return listener


def _url(host: str, port: int) -> str:
    name = host.strip("[]")
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
