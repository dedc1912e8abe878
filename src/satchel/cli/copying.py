"""The command that moves a whole store into another: copy.

It must not know which stores they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import fields, printable, progress, remark, say, write_json
from satchel.cli.session import Session

if TYPE_CHECKING:
    from satchel.engine.copying import CopyReport


def register(app: typer.Typer) -> None:
    """Add this noun's command."""
    command(app, panel="Looking after")(copy)


def copy(
    session: Session,
    from_: Annotated[str, typer.Argument(metavar="FROM", help="The store to copy, e.g. sqlite:///agent.db")],
    to: Annotated[str, typer.Argument(metavar="TO", help="An empty store, e.g. postgresql://host/database")],
) -> None:
    """Copy a whole store into an empty one: memories, tombstones, history, usage, vectors, receipts, tokens, sessions.

    A copy that was interrupted goes on where it was, by the same command; so does one that the source has outgrown, as long as nobody
    wrote to the target. At the end everything is compared; exit code 1 where something differs.
    """
    from satchel.engine.copying import copy_store, require_copyable
    from satchel.wiring import open_store

    source = open_store(from_, must_exist=True, field="FROM")
    try:
        require_copyable(source)  # before a target is begun for what is refused
        target = open_store(to, field="TO")
        try:
            with progress("copying") as advance:
                done = copy_store(source, target, progress=lambda stage, at, total: advance(at, total, label=stage))
        finally:
            target.close()
    finally:
        source.close()
    if session.as_json:
        write_json(done.model_dump(mode="json") | {"verified": done.verified})
    else:
        _show(done)
    if not done.scrubbed:
        remark("what was forgotten meanwhile may still be in the target's files; the same command tries again")
    if not done.verified:
        raise typer.Exit(1)


def _show(done: CopyReport) -> None:
    fields(
        [
            ("from", done.source),
            ("to", done.target),
            ("memories", f"{done.records}, {done.tombstones} tombstones, in {len(done.scopes)} scopes"),
            ("vectors", str(done.vectors)),
            ("log entries", f"{done.entries}, {done.erased} of them erased; {done.copied} copied now"),
            ("documents", f"{done.documents}, {done.sessions} of them sessions"),
            ("fingerprint", done.fingerprint),
        ]
    )
    if done.sessions_at is not None:
        place = printable(done.sessions_at)
        say(f"sessions stay in {place}: open the new store with this as --working, and the old one no more")
    for difference in done.differences:
        say(f"differs: {printable(difference)}")
    say("the same, record by record" if done.verified else f"{done.differing} differences")
