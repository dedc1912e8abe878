"""How a command is declared: its own parameters, and the options that every command shares, before or after its name.

It must not know any command, nor what the options lead to.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from satchel.cli.session import Session, Shared

_PANEL = "Everywhere"


class SharedOptions:
    """The options of every command."""

    store = Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="sqlite:///agent.db, http://127.0.0.1:7377, … Env: SATCHEL_STORE. Default: SQLite in your data directory.",
            rich_help_panel=_PANEL,
        ),
    ]
    scope = Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            "-s",
            metavar="SCOPE",
            help="Whose memory, e.g. user:alice; reading takes several. Env: SATCHEL_SCOPE. Default: user:<login name>.",
            rich_help_panel=_PANEL,
        ),
    ]
    agent = Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Who writes. Env: SATCHEL_AGENT. Default: cli.", rich_help_panel=_PANEL)
    ]
    embedder = Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="e5, e5-onnx, use, openai:URL or none (lexical only). Env: SATCHEL_EMBEDDER. Default: the best installed.",
            rich_help_panel=_PANEL,
        ),
    ]
    index = Annotated[
        str | None,
        typer.Option(
            "--index",
            metavar="URL",
            help="External vector index: qdrant:///folder, chroma://host, … Env: SATCHEL_INDEX. Default: none, vectors are in memory.",
            rich_help_panel=_PANEL,
        ),
    ]
    working = Annotated[
        str | None,
        typer.Option(
            "--working",
            metavar="URL",
            help="Where sessions are kept: redis://… or store (beside the memories). Env: SATCHEL_WORKING. Default: store.",
            rich_help_panel=_PANEL,
        ),
    ]
    token = Annotated[
        str | None, typer.Option("--token", metavar="TOKEN", help="Token for a service. Env: SATCHEL_TOKEN.", rich_help_panel=_PANEL)
    ]
    as_json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=_PANEL)]


def set_defaults(context: typer.Context, shared: Shared) -> None:
    """Keep the values that stood before the command's name."""
    context.obj = shared


def command(app: typer.Typer, name: str | None = None, *, panel: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declare a command whose first parameter is the session; the shared options are added to its own."""

    def declare(function: Callable[..., None]) -> Callable[..., None]:
        own, hints = inspect.signature(function), get_type_hints(function, include_extras=True)
        parameters = [p.replace(annotation=hints[p.name]) for p in own.parameters.values()][1:]
        added = [
            inspect.Parameter(
                f"_{key}",
                inspect.Parameter.KEYWORD_ONLY,
                default=False if key == "as_json" else None,
                annotation=getattr(SharedOptions, key),
            )
            for key in ("store", "scope", "agent", "embedder", "working", "token", "as_json", "index")
        ]
        context = inspect.Parameter("_context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]

        @wraps(function)
        def carry_out(**given: Any) -> None:
            outer = given.pop("_context").obj
            here = Shared(
                given.pop("_store"),
                tuple(given.pop("_scope") or ()),
                given.pop("_agent"),
                given.pop("_embedder"),
                given.pop("_working"),
                given.pop("_token"),
                given.pop("_as_json"),
                given.pop("_index"),
            )
            function(Session.of(here.over(outer if isinstance(outer, Shared) else Shared())), **given)

        signature = inspect.Signature([context, *keyword, *added])
        carry_out.__signature__ = signature  # type: ignore[attr-defined]
        carry_out.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()} | {"return": None}
        del carry_out.__wrapped__
        app.command(name, rich_help_panel=panel)(carry_out)
        return function

    return declare
