"""Commands that prove: conformance of a server, and the demonstration.

It must not know any test or any step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satchel.cli.output import remark
from satchel.cli.session import Session, command

PANEL = "Proving"


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    command(app, panel=PANEL)(demo)


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
