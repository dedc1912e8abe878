"""Commands that serve: serve (HTTP, and MCP beside it), mcp (stdio), tokens.

It must not know routes, tools or how a token is kept.
"""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satchel.cli.declaring import command
from satchel.cli.output import fields, local, printable, remark, say, table, write_json
from satchel.cli.session import Session
from satchel.cli.values import fault, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from satchel.service import Token

PANEL = "Serving"


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    command(app, panel=PANEL)(serve)
    command(app, panel=PANEL)(mcp)
    tokens = typer.Typer(help="Tokens that open a service's door: create, list, revoke.", no_args_is_help=True)
    for function, name in ((create, None), (list_, "list"), (revoke, None)):
        command(tokens, name, panel=PANEL)(function)
    app.add_typer(tokens, name="tokens", rich_help_panel=PANEL)


@contextmanager
def _stopping() -> Iterator[None]:
    """Let SIGINT and SIGTERM end the block as one wants a service to end: everything closed, exit code 0."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def serve(
    session: Session,
    host: Annotated[str, typer.Option(help="Address to listen on; other than loopback needs tokens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 7377,
    rate: Annotated[float | None, typer.Option(help="Requests a second for each token.")] = None,
    max_body: Annotated[int | None, typer.Option(metavar="BYTES", help="Largest JSON body.")] = None,
    allow_host: Annotated[list[str] | None, typer.Option(help="A name that the Host header may hold; may be repeated.")] = None,
    allow_origin: Annotated[list[str] | None, typer.Option(help="An origin whose pages may call; may be repeated.")] = None,
    maintain_every: Annotated[
        str, typer.Option(metavar="SPAN", help="How often memory is looked after by itself (see `satchel maintain`), e.g. 12h; or never.")
    ] = "1d",
    tenants: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file that says which tenants have a store of their own (docs/tenants.md).")
    ] = None,
    no_mcp: Annotated[bool, typer.Option("--no-mcp", help="HTTP only, without /mcp.")] = False,
) -> None:
    """Serve the store to agents over HTTP, and over MCP at /mcp. Ctrl-C stops it; nothing is lost."""
    from satchel.protocol.validation import validated
    from satchel.service import ServiceSettings, read_tenants
    from satchel.service import serve as run_service

    given = {"rate": rate, "max_body": max_body, "hosts": allow_host or None, "origins": allow_origin or None}
    chosen = {name: value for name, value in given.items() if value is not None}
    every = None if maintain_every.strip().lower() == "never" else seconds("--maintain-every", maintain_every)
    settings = validated(ServiceSettings, chosen | {"maintain_every": every}, subject="command line")
    served = None if tenants is None else read_tenants(tenants)
    if served is not None and session.index is not None and not served.keeps_indexes:
        remark("--index is for the service's own memory: tenants have their vectors in memory, but for an `index` in the file of tenants")
    with _stopping(), session.creating().open_engine("serve") as engine:
        mounts = {} if no_mcp else _mcp_door(engine)

        def ready(url: str) -> None:
            _ready(session, engine, url, bool(mounts))

        run_service(engine, host, port, settings=settings, mounts=mounts, tenants=served, on_ready=ready)


def _mcp_door(engine: Any) -> dict[str, Any]:
    from satchel.errors import Unsupported

    try:
        from satchel.mcp import http_door

        return {"/mcp": http_door()}
    except Unsupported as error:
        remark(f"without MCP: {error}")
        return {}


def _ready(session: Session, engine: Any, url: str, with_mcp: bool) -> None:
    from satchel.service.health import trouble_of_sessions

    trouble = None if engine.core.apart is None else trouble_of_sessions(engine.core)
    if trouble is not None:
        remark(f"memory is served, but no sessions until this is mended: {printable(trouble)}")
    location = engine.core.store.location
    if session.as_json:
        write_json({"url": url, "store": location})
        sys.stdout.flush()
        return
    doors = f"{url}/docs shows the interface" + (f", {url}/mcp is for MCP clients" if with_mcp else "")
    remark(f"serving {printable(location)} at {url} ({doors}); Ctrl-C stops")


def mcp(session: Session) -> None:
    """Serve memory to an MCP client over standard input and output; the client starts this command.

    Of several scopes all are read, and the first is written to.
    """
    from satchel.mcp import serve_stdio

    with _stopping(), session.creating().open() as memory:
        serve_stdio(memory, scope=session.scopes, agent=session.agent)


# ---------------------------------------------------------------- tokens


def create(
    session: Session,
    read: Annotated[list[str] | None, typer.Option("--read", metavar="SCOPE", help="A scope it may read; may be repeated.")] = None,
    write: Annotated[list[str] | None, typer.Option("--write", metavar="SCOPE", help="A scope it may write; may be repeated.")] = None,
    read_all: Annotated[bool, typer.Option("--read-all", help="It may read every scope.")] = False,
    write_all: Annotated[bool, typer.Option("--write-all", help="It may write every scope.")] = False,
    expires: Annotated[str | None, typer.Option(metavar="SPAN", help="How long it holds, e.g. 30d; default: until revoked.")] = None,
    tenant: Annotated[str | None, typer.Option(metavar="NAME", help="Whose memory it opens; default: that of --store itself.")] = None,
) -> None:
    """Issue a token for an agent (--agent), bound to scopes. It is shown once. From the first token on, every caller needs one."""
    from satchel.service import TokenBook

    if not session.agent_given:
        raise fault("--agent", "name the agent that the token is for")
    span = seconds("--expires", expires)
    with session.creating().without_embedder().open_engine("tokens") as engine:
        issued = TokenBook(engine.core.store, clock=engine.core.clock).create(
            session.agent,
            read=None if read_all else read or (),
            write=None if write_all else write or (),
            expires_in=None if span is None else timedelta(seconds=span),
            tenant=tenant,
        )
    if session.as_json:
        write_json(_public(issued.token) | {"token": issued.secret})
        return
    say(issued.secret)
    remark("keep it now, it is not shown again; give it to the agent as SATCHEL_TOKEN")


def list_(session: Session) -> None:
    """List tokens, without their secrets."""
    from satchel.service import TokenBook

    with session.without_embedder().open_engine("tokens") as engine:
        book, now = TokenBook(engine.core.store, clock=engine.core.clock), engine.core.now()
        tokens = book.all()
    if session.as_json:
        write_json({"tokens": [_public(token) for token in tokens]})
    elif tokens:
        rows = [[t.id, t.agent, t.tenant or "", _scopes(t.read), _scopes(t.write), local(t.created_at), _state(t, now)] for t in tokens]
        table(["id", "agent", "tenant", "reads", "writes", "created", "state"], rows)
    if not tokens:
        raise typer.Exit(1)


def revoke(session: Session, id_: Annotated[str, typer.Argument(metavar="ID", help="The token's id, as `tokens list` shows it.")]) -> None:
    """Close the door to a token, from the next request on."""
    from satchel.service import TokenBook

    with session.without_embedder().open_engine("tokens") as engine:
        token = TokenBook(engine.core.store, clock=engine.core.clock).revoke(id_)
    if session.as_json:
        write_json(_public(token))
    else:
        fields([("revoked", token.id), ("agent", token.agent)])


def _public(token: Token) -> dict[str, Any]:
    return token.model_dump(mode="json", exclude={"secret_sha256"})


def _scopes(scopes: frozenset[str] | None) -> str:
    return "every scope" if scopes is None else " ".join(sorted(scopes)) or "—"


def _state(token: Token, now: Any) -> str:
    if token.revoked_at is not None:
        return f"revoked {local(token.revoked_at)}"
    return "alive" if token.alive(now) else f"expired {local(token.expires_at)}"
