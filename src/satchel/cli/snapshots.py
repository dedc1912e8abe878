"""Commands that look back at a whole scope: snapshot, snapshots, drop-snapshot, diff, restore.

They must not know how a state is found or set back.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import local, printable, remark, say, table, write_json
from satchel.cli.packages import opened_package
from satchel.cli.session import Session
from satchel.cli.values import fault
from satchel.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from satchel.operations.memory import Memory
    from satchel.operations.models import Diff, Snapshot

PANEL = "Looking after"

NOTHING = 1

_SHOWN = 5

_UNTOLD = frozenset({"updated_at", "stored_at", "revision", "content_hash", "usage"})
"""What a difference does not tell: it follows from the rest, or is no difference."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="The snapshot's name.")]


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function in (snapshot, snapshots, drop_snapshot, diff, restore):
        command(app, panel=PANEL)(function)


def snapshot(
    session: Session,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Its name. Default: made from the time.")] = None,
    reason: Annotated[str | None, typer.Option(help="What it is for.")] = None,
) -> None:
    """Name the present state of a scope, to compare with it or go back to it later."""
    with session.without_embedder().open() as memory:
        made = memory.snapshot(scope=session.scope, name=name, reason=reason)
    if session.as_json:
        write_json(made.model_dump(mode="json"))
    else:
        say(f"snapshot  {printable(made.name)}  ({printable(made.scope)}, position {made.position})")


def snapshots(session: Session) -> None:
    """List snapshots, made by hand or before large changes. Exit code 1: there are none."""
    with session.without_embedder().open() as memory:
        found = memory.snapshots(scope=session.scopes)
    if session.as_json:
        write_json([one.model_dump(mode="json") for one in found])
    elif found:
        rows = [[one.name, one.scope, local(one.at), one.by or "—", str(one.position), one.reason or ""] for one in found]
        table(["name", "scope", "when", "who", "position", "why"], rows)
    if not found:
        remark(f"no snapshots in {', '.join(map(printable, session.scopes))}")
        raise typer.Exit(NOTHING)


def drop_snapshot(session: Session, name: Name) -> None:
    """Take a snapshot's name away. The memories and their history stay as they are; this state can no longer be gone back to by name."""
    with session.without_embedder().open() as memory:
        gone = memory.drop_snapshot(name, scope=session.scope)
    if session.as_json:
        write_json(gone.model_dump(mode="json"))
    else:
        say(f"dropped   {printable(gone.name)}  ({printable(gone.scope)}, position {gone.position})")


def way_back(made: Sequence[Snapshot]) -> None:
    """Tell beside an answer how to go back to what was before it."""
    for one in made[:_SHOWN]:
        remark(f"what was before: satchel restore {printable(one.name)} --scope {printable(one.scope)}")
    if len(made) > _SHOWN:
        remark(f"… and {len(made) - _SHOWN} more scopes: see satchel snapshots")


def diff(
    session: Session,
    a: Annotated[str, typer.Argument(metavar="A", help="A snapshot's name, or the file of a package.")],
    b: Annotated[str, typer.Argument(metavar="B", help="A snapshot's name, `now`, or the file of a package.")] = "now",
) -> None:
    """Show what differs between two snapshots, or between two packages. Exit code 1: nothing."""
    files = [Path(name) for name in (a, b) if Path(name).is_file()]
    if len(files) == 1 and files[0].read_bytes()[:4].startswith((b'{"', b"\x28\xb5\x2f\xfd")):
        which = "A" if str(files[0]) == a else "B"
        raise fault(
            which, f"{files[0]} is a package, and is compared with another package; the present state is one: satchel export -o FILE"
        )
    found = _of_packages(*files) if len(files) == 2 else _of_snapshots(session, a, b)
    if session.as_json:
        write_json(found.model_dump(mode="json", exclude={"cursor"}))
    else:
        _show(found)
    if not (found.added or found.removed or found.changed):
        remark("no difference")
        raise typer.Exit(NOTHING)


def _of_snapshots(session: Session, a: str, b: str) -> Diff:
    with session.without_embedder().open() as memory:
        return memory.diff(a, b, scope=session.scope)


def _of_packages(a: Path, b: Path) -> Diff:
    from satchel.engine.history.differing import diff_packages

    with opened_package("A", a) as first, opened_package("B", b) as second:
        return diff_packages(first, second)


def _show(found: Diff) -> None:
    for sign, records in (("+", found.added), ("-", found.removed)):
        for record in records:
            say(f"{sign} {printable(record.id)}  {record.status.value}  {printable(record.content)}")
    for change in found.changed:
        before, after = change.before.model_dump(mode="json"), change.after.model_dump(mode="json")
        names = [name for name in after if name not in _UNTOLD and before[name] != after[name]]
        say(f"~ {printable(change.after.id)}  {', '.join(names)}")
        for name in names:
            say(f"    {name}: {printable(str(before[name]))} → {printable(str(after[name]))}")


def restore(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The snapshot's name; with --id or --apart, the id of a memory.")],
    by_id: Annotated[bool, typer.Option("--id", help="Bring one archived memory back to active instead.")] = False,
    apart: Annotated[bool, typer.Option("--apart", help="NAME is a memory that was put together of others: bring these back.")] = False,
) -> None:
    """Bring a scope back to a snapshot. A snapshot is made first, so that this can be undone the same way."""
    if by_id or apart:
        from satchel.cli.showing import tell_record

        with session.without_embedder().open() as memory:
            found = memory.restore(name, scope=session.scope, apart=apart)
            tell_record(session, found, "taken apart" if apart else "restored")
        return
    with session.open() as memory:
        try:
            done = memory.restore(snapshot=name, scope=session.scope)
        except NotFound as error:
            raise _or_memory(memory, session.scope, name, error) from None
    if session.as_json:
        write_json(done.model_dump(mode="json"))
        return
    say(f"restored {done.restored}, archived {done.archived}")
    for record_id in done.left:
        say(f"left     {printable(record_id)}  (it would bring back what was forgotten)")
    if done.undo is not None:
        say(f"undo     satchel restore {printable(done.undo.name)}")


def _or_memory(memory: Memory, scope: str, name: str, error: NotFound) -> NotFound:
    """Return the error that a snapshot is not there; where a memory has this id, it says how that is restored."""
    try:
        memory.read(name, scope=scope)
    except (NotFound, InvalidRequest):
        return error
    return NotFound(f"{error.message}; a memory has this id: satchel restore {name} --id brings it back", name=name, scope=scope)
