"""Commands that prove: conformance of a server, and the demonstration.

It must not know any test or any step.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import printable, remark, say, write_json
from satchel.cli.session import Session
from satchel.errors import SatchelError, TransportError

if TYPE_CHECKING:
    from satchel.operations.memory import Memory

PANEL = "Proving"


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    command(app, panel=PANEL)(conformance)
    command(app, panel=PANEL)(demo)


def conformance(
    session: Session,
    url: Annotated[str, typer.Argument(metavar="URL", help="The server, http://host:port, or a store's URL.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="TEST", help="Only this test; may be repeated. The rest counts as not run.")
    ] = None,
    limit: Annotated[float, typer.Option(metavar="SECONDS", help="How long one test may take before it counts as one that hangs.")] = 60.0,
) -> None:
    """Certify a server, in whatever language it is written. Exit code 1 where it is not conformant.

    Other memories may be there: each test keeps to scopes of its own. What the tests forget leaves tombstones in those scopes, which by
    design nothing removes.
    """
    from satchel.conformance import run_against

    with session.at(url).open() as memory:
        _require_reachable(memory)
        if not session.as_json:
            remark("the tests write in scopes of their own, about a hundred, and forget it all; tombstones stay, by design for good")
        report = run_against(memory, subject=url, only=only or None, limit=limit)
    if session.as_json:
        write_json(report.to_dict())
    else:
        say(printable(report.to_text(), lines=True))
    if not report.conformant:
        raise typer.Exit(1)


def _require_reachable(memory: Memory) -> None:
    try:
        memory.scopes()
    except TransportError as error:
        if "cause" in error.details:  # nobody answers; what an answer is worth is for the tests to say
            raise
    except SatchelError:
        return


def demo(
    session: Session,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="An empty or new folder to leave the stores and packages in.")
    ] = None,
) -> None:
    """Show the whole path on real files: three tools' memory moves in, two agents use it, a package carries it away.

    Takes less than a minute, needs no network and touches nothing of yours.
    """
    from satchel.demo import DemoFailed, run

    try:
        run(keep=keep, embedder=session.embedder)
    except DemoFailed as error:
        remark(f"\n✗ {error}")
        raise typer.Exit(1) from None
