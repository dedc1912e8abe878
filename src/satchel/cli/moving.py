"""Commands for moving in: sources, migrate, verify, undo, imports.

It must not know any foreign format.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satchel.cli.declaring import command
from satchel.cli.output import local, printable, progress, remark, say, table, write_json
from satchel.cli.session import Session
from satchel.cli.values import fault

if TYPE_CHECKING:
    from satchel.migrate import MigrationReport, VerificationReport

PANEL = "Moving in"

ImportId = Annotated[str, typer.Argument(metavar="IMPORT_ID", help="As `migrate` and `imports` show it.")]
Report = Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Write the report as a Markdown page.")]


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function, name in ((list_sources, "sources"), (migrate, None), (verify, None), (undo, None), (imports, None)):
        command(app, name, panel=PANEL)(function)


def list_sources(
    session: Session,
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help="Only this one, with what becomes of every field.")] = None,
) -> None:
    """List the kinds of memory that can be moved in, and where their tools keep them."""
    from satchel.migrate.catalogue import KINDS, sources

    if kind is not None and kind not in KINDS:
        raise fault("KIND", f"unknown kind {kind!r}; one of {', '.join(KINDS)}")
    found = [source for source in sources() if kind in (None, source.kind)]
    if session.as_json:
        listed = [{"kind": s.kind, "description": s.description, "location": s.location, "fields": dict(s.fields)} for s in found]
        write_json({"sources": listed})
    elif kind is None:
        table(["kind", "usually at", "reads"], ([source.kind, source.location, source.description] for source in found))
    else:
        say(f"{found[0].description} ({found[0].location})")
        table(["its field", "becomes"], found[0].fields.items())


def migrate(
    session: Session,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="One of `satchel sources`.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file or folder that its tool left behind.")],
    tz: Annotated[str | None, typer.Option("--tz", metavar="ZONE", help="Zone of times that have none, e.g. Asia/Shanghai.")] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FROM=TO", help="A column and its member (name=content), or an owner and its scope (al=user:alice)."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    report: Report = None,
) -> None:
    """Move another tool's memories in, with a receipt for every item. Without --scope, owners that the source names get user:NAME.

    Running it again changes nothing. Exit code 1 where nothing could be taken.
    """
    from satchel.migrate import migrate as run_migration
    from satchel.migrate import split_pairs

    mapping, scope_map = split_pairs(map_ or ())
    scope = session.scope if session.scope_given else None
    with session.creating().open() as memory, progress("moving in") as advance:
        done = run_migration(
            memory,
            kind,
            path,
            scope=scope,
            tz=tz,
            mapping=mapping,
            scope_map=scope_map,
            dry_run=dry_run,
            progress=lambda count: advance(count),
        )
        _tell(session, done, report)
    if not session.as_json and done.ok and not dry_run:
        remark(f"to prove it: satchel verify {done.import_id}    to take it back: satchel undo {done.import_id}")
    if not done.ok:
        raise typer.Exit(1)


def verify(session: Session, import_id: ImportId, report: Report = None) -> None:
    """Compare an import with its source, record by record and field by field. Exit code 1 where anything differs."""
    from satchel.migrate import verify as run_verification

    with session.without_embedder().open() as memory:
        found = run_verification(memory, import_id)
        _tell(session, found, report)
    if not found.passed:
        raise typer.Exit(1)


def _tell(session: Session, report: MigrationReport | VerificationReport, page: Path | None) -> None:
    if page is not None:
        page.write_text(report.to_markdown(), "utf-8")
    if session.as_json:
        write_json(report.to_dict())
    else:
        say(printable(report.to_text(), lines=True))


def undo(session: Session, import_id: ImportId) -> None:
    """Take out what an import brought, and bring back what it replaced; memories that were changed since are kept.

    Exit code 1 where nothing was taken back.
    """
    from satchel.migrate import undo as run_undo

    with session.without_embedder().open() as memory:
        done = run_undo(memory, import_id)
    if session.as_json:
        write_json(done.model_dump(mode="json"))
    else:
        restored = f", brought {done.restored} back to what stood before" if done.restored else ""
        say(f"removed {done.removed}" + restored + (f", kept {done.kept} that were changed since" if done.kept else ""))
        if done.removed or done.restored:
            remark("to take this back, move it in again")
    if not (done.removed or done.restored):
        raise typer.Exit(1)


def imports(session: Session) -> None:
    """List the imports that were made, newest first."""
    with session.without_embedder().open() as memory:
        found = memory.imports()
    if session.as_json:
        write_json({"imports": [summary.model_dump(mode="json") for summary in found]})
    else:
        table(["import", "when", "state", "items", "from"], (_summary(summary) for summary in found))
    if not found:
        raise typer.Exit(1)


def _summary(summary: Any) -> list[str]:
    counts = ", ".join(f"{count} {name}" for name, count in summary.counts.items() if count)
    origin = f"{summary.origin.kind} {summary.origin.path}" if summary.origin else "package"
    return [summary.import_id, local(summary.at), summary.state, counts, origin]
