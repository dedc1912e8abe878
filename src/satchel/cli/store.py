"""Commands that look after a store: scopes, stats, doctor, reindex, move-scope.

It must not know which store it is.
"""

from __future__ import annotations

from typing import Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import fields, printable, progress, remark, say, table, write_json
from satchel.cli.session import Session
from satchel.cli.snapshots import way_back

PANEL = "Looking after"

_STEP = 256
"""Records that are embedded between two movements of the bar."""


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function, name in ((scopes, None), (stats, None), (doctor, None), (reindex, None), (move_scope, "move-scope")):
        command(app, name, panel=PANEL)(function)


def scopes(session: Session) -> None:
    """List the scopes that you may read, with their counts."""
    with session.without_embedder().open() as memory:
        found = memory.scopes()
    if session.as_json:
        write_json({"scopes": [scope.model_dump(mode="json") for scope in found]})
    else:
        kinds = ("active", "pending", "archived", "deleted")
        table(["scope", *kinds], ([scope.scope, *(str(scope.counts.get(kind, 0)) for kind in kinds)] for scope in found))
    if not found:
        raise typer.Exit(1)


def stats(session: Session) -> None:
    """Count memories by status and type, and say how the index is; of every scope unless --scope is given."""
    with session.open() as memory:
        found = memory.stats(scope=session.scopes if session.scope_given else None)
    if session.as_json:
        write_json(found.model_dump(mode="json"))
        return
    fields(
        [
            ("store", found.store),
            ("scopes", str(found.scopes)),
            ("memories", str(found.records)),
            ("by status", ", ".join(f"{count} {name}" for name, count in found.by_status.items())),
            ("by type", ", ".join(f"{count} {name}" for name, count in found.by_type.items())),
            ("embedder", found.embedder or "none (lexical only)"),
            ("index made by", found.index_embedder or "nothing yet"),
            ("without vector", str(found.unindexed) if found.unindexed else ""),
            ("scrubbing", "not finished" if found.scrub_pending else ""),
            ("log position", str(found.position)),
        ]
    )


def doctor(session: Session) -> None:
    """Look the store and its index over. Exit code 1 where something is wrong."""
    with session.open() as memory:
        diagnosis = memory.doctor()
    if session.as_json:
        write_json(diagnosis.model_dump(mode="json"))
    else:
        table(["", "about", "finding"], ([finding.level, finding.subject, finding.message] for finding in diagnosis.findings))
        say("healthy" if diagnosis.healthy else "not healthy")
    if not diagnosis.healthy:
        raise typer.Exit(1)


def reindex(
    session: Session, everything: Annotated[bool, typer.Option("--everything", help="Embed all anew, not only what has no vector.")] = False
) -> None:
    """Embed what has no vector yet, from its text, and bring an external index up to date."""
    with session.open() as memory, progress("embedding") as advance:
        done = memory.reindex(everything=everything, limit=_STEP)
        total = done.embedded
        while done.remaining and done.embedded:
            advance(total, total + done.remaining)
            done = memory.reindex(limit=_STEP)
            total += done.embedded
        copying, before = done.uncopied, done.uncopied + 1
        while 0 < done.uncopied < before:
            advance(copying - done.uncopied, copying)
            before = done.uncopied
            done = memory.reindex(resume=True)
    if session.as_json:
        write_json(done.model_copy(update={"embedded": total}).model_dump(mode="json"))
    else:
        say(f"embedded {total}, {done.remaining} to do, by {printable(done.embedder or 'nothing: no embedder')}")
        if done.uncopied:
            say(f"{done.uncopied} are in scopes that another process is copying to the index")
    if done.remaining or done.uncopied:
        raise typer.Exit(1)


def move_scope(
    session: Session,
    from_: Annotated[str, typer.Argument(metavar="FROM", help="The scope to empty.")],
    to: Annotated[str, typer.Argument(metavar="TO", help="The scope to fill.")],
) -> None:
    """Move every memory of one scope into another, history included."""
    with session.without_embedder().open() as memory:
        done = memory.move_scope(from_, to=to)
    if session.as_json:
        write_json(done.model_dump(mode="json"))
        return
    say(f"moved {done.moved}")
    if done.before is None and done.moved and not done.left:
        remark(f"to take it back: satchel move-scope {printable(to)} {printable(from_)}")
    elif done.before is not None:
        way_back([done.before])
    for left in done.left:
        say(f"left behind, for the target holds other content under this id: {printable(left)}")
