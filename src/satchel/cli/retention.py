"""Commands about what memory keeps: maintain, simulate. They must not know by what rules."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import local, printable, remark, say, table, write_json
from satchel.cli.session import Session
from satchel.cli.snapshots import way_back
from satchel.cli.values import conditions

PANEL = "Looking after"

_LINES = 50


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    command(app, panel=PANEL)(maintain)
    command(app, panel=PANEL)(simulate)


def maintain(session: Session, dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False) -> None:
    """Carry out a maintenance pass: merge twins, archive what has faded, mend links, consolidate topics, keep the ceiling.

    Of every scope unless --scope is given. What it archives can be restored.
    """
    with session.open() as memory:
        done = memory.maintain(session.scopes if session.scope_given else None, dry_run=dry_run)
    if session.as_json:
        write_json(done.model_dump(mode="json"))
        return
    shown = done.actions[:_LINES]
    if shown:
        table(["step", "memory", "scope", "why"], ([action.step, action.id, action.scope, action.reason] for action in shown))
    if sum(done.counts.values()) > len(shown):
        say(f"… and {sum(done.counts.values()) - len(shown)} more; --json lists up to a thousand")
    told = ", ".join(f"{count} {name}" for name, count in done.counts.items()) or "nothing to do"
    say(f"{'would do' if dry_run else 'done'} in {done.scopes} {'scope' if done.scopes == 1 else 'scopes'}: {told}")
    way_back(done.before)
    if done.skipped:
        remark(f"{done.skipped} memories were being changed by others and were left for the next pass")
    for failure in done.failures:
        remark(printable(failure))


def simulate(
    session: Session,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How far to look ahead.")] = 90,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting to try, e.g. min_strength=0.1, ceiling=500; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, max=1000, help="Memories listed, the first to be archived first.")] = 20,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the picture as SVG; - for standard output.")] = None,
) -> None:
    """Show how memory fades if nothing is used: strengths over the coming days, and when each memory would be archived.

    Of every scope unless --scope is given. Nothing is changed.
    """
    from satchel.cli.picture import sparkline
    from satchel.cli.picture import svg as draw

    with session.without_embedder().open() as memory:
        found = memory.simulate(
            session.scopes if session.scope_given else None, days=days, settings=conditions("--set", setting) or None, limit=limit
        )
    if svg is not None and str(svg) == "-":
        sys.stdout.write(draw(found))
        return
    if svg is not None:
        svg.write_text(draw(found), "utf-8")
        remark(f"wrote {printable(str(svg))}")
    if session.as_json:
        write_json(found.model_dump(mode="json"))
        return
    if found.records:
        rows = ([local(r.archived_at)[:10] or "stays", f"{r.curve[0]:.2f}", r.type, r.id, r.reason or "", r.preview] for r in found.records)
        table(["archived", "strength", "type", "memory", "why", "begins"], rows)
    say(f"strength  {sparkline(found.mean, top=max(1.0, *found.high))}  {found.mean[0]:.2f} to {found.mean[-1]:.2f}")
    say(f"active    {sparkline(found.active)}  {found.active[0]} to {found.active[-1]}")
    say(f"{found.archived} of {found.count} memories would be archived within {days} days if nothing is used")
