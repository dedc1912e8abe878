"""Commands about what must be asked: conflicts, resolve. They must not know how memories come to contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import local, printable, remark, say, write_json
from satchel.cli.session import Session

if TYPE_CHECKING:
    from satchel.operations.models import Conflict

PANEL = "Looking after"

NOTHING = 1


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function in (conflicts, resolve):
        command(app, panel=PANEL)(function)


def conflicts(
    session: Session,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = None,
) -> None:
    """List the memories of which it must be asked which holds. Exit code 1: there are none."""
    with session.without_embedder().open() as memory:
        found = memory.conflicts(scope=session.scopes, limit=limit)
    if session.as_json:
        write_json([conflict.model_dump(mode="json") for conflict in found])
    for conflict in () if session.as_json else found:
        _show(conflict)
    if not found:
        remark("nothing to ask")
        raise typer.Exit(NOTHING)


def _show(conflict: Conflict) -> None:
    say(f"{printable(conflict.id)}  ({conflict.kind.value})")
    say(f"  {printable(conflict.question)}")
    say(f"  why: {printable(conflict.reason)}")
    for record in conflict.records:
        say(f"  {printable(record.id)}  {record.status.value}  {local(record.created_at)}  {printable(record.content)}")
    say()


def resolve(
    session: Session,
    conflict: Annotated[str, typer.Argument(metavar="CONFLICT", help="The conflict's id, or the id of one of its memories.")],
    keep: Annotated[str, typer.Option(help="The id of the memory that holds; or both, where all hold; or none.")],
) -> None:
    """Settle a conflict: what is kept becomes active, the rest is archived and can be restored."""
    from satchel.operations.models import conflict_id

    whole = conflict if "//" in conflict else conflict_id(session.scope, conflict)
    with session.without_embedder().open() as memory:
        done = memory.resolve(whole, keep=keep)
    if session.as_json:
        write_json(done.model_dump(mode="json"))
        return
    for word, records in (("kept", done.kept), ("archived", done.archived)):
        for record in records:
            say(f"{word}  {printable(record.id)}  {printable(record.content)}")
