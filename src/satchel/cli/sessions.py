"""Commands about sessions: sessions, session show, session end. It must not know how working memory is merged or condensed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satchel.cli.declaring import command
from satchel.cli.output import fields, local, printable, remark, say, table, write_json
from satchel.cli.session import Session

if TYPE_CHECKING:
    from satchel.operations.models import SessionInfo
    from satchel.protocol.working import WorkingTask

PANEL = "Sessions"

Name = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")]


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    command(app, panel=PANEL)(sessions)
    one = typer.Typer(help="One session's working memory: show, end.", no_args_is_help=True)
    command(one, panel=PANEL)(show)
    command(one, panel=PANEL)(end)
    app.add_typer(one, name="session", rich_help_panel=PANEL)


def sessions(
    session: Session,
    ended: Annotated[bool | None, typer.Option("--ended/--open", help="Only those that are over, or are not.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 100,
) -> None:
    """List sessions: who was last at them, since when, and what they hold."""
    with session.without_embedder().open() as memory:
        page = memory.sessions(scope=session.scopes, ended=ended, limit=limit)
    if session.as_json:
        write_json(page.model_dump(mode="json"))
    elif page.sessions:
        table(["session", "scope", "agent", "state", "last used", "turns", "facts", "open tasks"], [_row(info) for info in page.sessions])
        if page.cursor is not None:
            remark("there are more; see --limit")
    if not page.sessions:
        if not session.as_json:
            where = f"; looked in {printable(page.looked_in)}" if page.looked_in else ""
            remark(f"no sessions in {', '.join(map(printable, session.scopes))}{where}")
        raise typer.Exit(1)


def show(session: Session, name: Name) -> None:
    """Show what a session has at hand."""
    with session.without_embedder().open() as memory:
        working = memory.working(name, scope=session.scope)
        if not working.resumed:
            working.reload()
    told = working.snapshot.to_json()
    if session.as_json:
        write_json(told)
        return
    ended = f"{local(working.snapshot.ended_at)} ({working.snapshot.ended_by})" if working.ended else ""
    fields(
        [
            ("session", working.session_id),
            ("scope", working.scope),
            ("agent", working.snapshot.agent_id or ""),
            ("version", str(working.version)),
            ("begun", local(working.snapshot.created_at)),
            ("last used", local(working.snapshot.updated_at)),
            ("ended", ended),
            ("became", " ".join(working.snapshot.records)),
            ("summary", working.summary),
            *((f"fact {key}", _text(value)) for key, value in working.slots.items()),
            *((f"task {task.status}", _task(task)) for task in working.snapshot.task_stack),
        ]
    )
    for event in working.snapshot.recent_events:
        say(f"{local(event.at)}  {printable(event.role or 'event')}  {printable(event.text or _text(event.said()))}")


def end(
    session: Session,
    name: Name,
    summary: Annotated[str | None, typer.Option(metavar="TEXT", help="What was done and decided, in place of the session's own.")] = None,
    no_records: Annotated[bool, typer.Option("--no-records", help="Write no memories of it.")] = False,
) -> None:
    """End a session: what is worth keeping of it becomes memories."""
    with session.open() as memory:
        ended = memory.session_end(name, scope=session.scope, summary=summary, condense=not no_records)
    if session.as_json:
        write_json(ended.model_dump(mode="json"))
        return
    say(f"{'was over already' if ended.already else 'ended'}  {printable(name)}")
    if ended.written:
        rows = [[one.record.id, one.record.type, one.outcome.value, one.record.content] for one in ended.written]
        table(["id", "type", "outcome", "memory"], rows)


def _row(info: SessionInfo) -> list[str]:
    state = f"ended ({info.ended_by})" if info.ended_at else "open"
    counts = [str(info.events), str(info.slots), str(info.open_tasks)]
    return [info.session_id, info.scope, info.agent_id or "", state, local(info.updated_at), *counts]


def _task(task: WorkingTask) -> str:
    return task.text + (f" (due {local(task.due_at)})" if task.due_at else "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
