"""Commands that read: recall, context, show, list, history, changes.

It must not change a memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from satchel.cli.declaring import command
from satchel.cli.output import local, printable, remark, say, table, write_json
from satchel.cli.session import Session
from satchel.cli.showing import columns, describe, nothing, row, tell_records
from satchel.cli.values import conditions, fault, moment, no_blanks

if TYPE_CHECKING:
    from satchel.protocol.record import MemoryRecord

PANEL = "Finding"

Limit = Annotated[int | None, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")]
Types = Annotated[list[str] | None, typer.Option("--type", "-t", help="Of this type; may be repeated.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", callback=no_blanks, help="With this tag; may be repeated, then with all.")]
Origins = Annotated[list[str] | None, typer.Option("--origin", help="stated, inferred or imported; may be repeated.")]
Statuses = Annotated[list[str] | None, typer.Option("--status", help="active, pending or archived; may be repeated.")]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="From this time on: 2026-11-30, an ISO time, 7d (ago), or now.")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Before this time.")]
Where = Annotated[list[str] | None, typer.Option(metavar="PATH=VALUE", help="With this in its meta; may be repeated.")]
Pinned = Annotated[bool | None, typer.Option("--pinned/--not-pinned", help="Only those that are pinned, or are not.")]


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function, name in ((recall, None), (context, None), (show, None), (list_, "list"), (as_of, None), (history, None), (changes, None)):
        command(app, name, panel=PANEL)(function)


def recall(
    session: Session,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question, in any language.")],
    limit: Limit = None,
    type_: Types = None,
    tag: Tags = None,
    origin: Origins = None,
    since: Since = None,
    until: Until = None,
    status: Statuses = None,
    where: Where = None,
    pinned: Pinned = None,
    policy: Annotated[str | None, typer.Option(help="Ranking policy.")] = None,
    min_relevance: Annotated[float | None, typer.Option(help="Leave out what is less relevant, 0 to 1.")] = None,
    min_strength: Annotated[float | None, typer.Option(help="Leave out what has faded below, 0 to 1.")] = None,
    no_touch: Annotated[bool, typer.Option("--no-touch", help="Do not count this as a use.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each was found.")] = False,
) -> None:
    """Find the memories that answer a question, best first. Exit code 1 where nothing does."""
    from satchel.operations import models as m
    from satchel.operations import table as t
    from satchel.protocol.validation import validated

    given = {
        "query": query,
        "scope": session.scopes,
        "limit": limit,
        "types": type_ or None,
        "tags": tag or None,
        "origins": origin or None,
        "since": moment("--since", since),
        "until": moment("--until", until),
        "statuses": status or None,
        "where": conditions("--where", where),
        "pinned": pinned,
        "policy": policy,
        "min_relevance": min_relevance,
        "min_strength": min_strength,
        "touch": False if no_touch else None,
    }
    request = validated(m.RecallRequest, {name: value for name, value in given.items() if value is not None})
    with session.open() as memory:
        found = memory.call(t.RECALL, request)
        waiting = 0 if status or session.as_json else _waiting(memory, request)
    if session.as_json:
        write_json(found.model_dump(mode="json"))
    else:
        _tell_hits(session, found, explain)
    if waiting:
        remark(f"{waiting} more {'waits' if waiting == 1 else 'wait'} for an answer to a question: see satchel conflicts")
    if not found.hits:
        nothing(session, "nothing found")


def _waiting(memory: Any, request: Any) -> int:
    """Return how many memories would answer, but wait until it is said which of them holds."""
    from satchel.operations import table as t
    from satchel.protocol.record import Status

    pending = request.model_copy(update={"statuses": (Status.PENDING,), "touch": False})
    return sum(bool(hit.record.relations.conflicts_with) for hit in memory.call(t.RECALL, pending).hits)


def _tell_hits(session: Session, found: Any, explain: bool) -> None:
    if found.hits:
        extra = ["why"] if explain else []
        rows = [
            [
                f"{hit.score:.2f}",
                *row(hit.record, session)[:-1],
                *([" ".join(f"{k} {v:.2f}" for k, v in hit.reasons.items())] if explain else []),
                hit.record.content,
            ]
            for hit in found.hits
        ]
        table(["score", *columns(session)[:-1], *extra, "memory"], rows)
    for note in found.notes:
        if note not in session.told:
            remark(f"note: {printable(note)}")


def context(
    session: Session,
    query: Annotated[str | None, typer.Argument(metavar="QUERY", help="The question; left out, the digest.")] = None,
    from_session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="The session it is for.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=50, max=100_000, help="Budget, estimated.")] = None,
    limit: Limit = None,
    type_: Types = None,
    tag: Tags = None,
    heading: Annotated[str | None, typer.Option(help="A heading of your own.")] = None,
) -> None:
    """Print a prompt block of what is remembered, ready to paste into a system prompt."""
    from satchel.operations import models as m
    from satchel.operations import table as t
    from satchel.protocol.validation import validated

    given = {
        "query": query,
        "scope": session.scopes,
        "session": from_session,
        "max_tokens": max_tokens,
        "limit": limit,
        "types": type_ or None,
        "tags": tag or None,
        "heading": heading,
    }
    request = validated(m.ContextRequest, {name: value for name, value in given.items() if value is not None})
    with session.open() as memory:
        block = memory.call(t.CONTEXT, request)
    if session.as_json:
        write_json(block.model_dump(mode="json"))
    elif block.text:
        say(printable(block.text, lines=True).rstrip("\n"))
    if not block.text:
        nothing(session, "nothing to say")


def show(
    session: Session,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The record's id.")],
    tombstone: Annotated[bool, typer.Option("--tombstone", help="Also what is left of a forgotten one.")] = False,
) -> None:
    """Show everything about one memory."""
    with session.without_embedder().open() as memory:
        record = memory.read_record(id_, scope=session.scope) if tombstone else memory.read(id_, scope=session.scope)
    if session.as_json:
        write_json(record.model_dump(mode="json"))
    else:
        describe(record)


def list_(
    session: Session,
    status: Statuses = None,
    type_: Types = None,
    tag: Tags = None,
    where: Where = None,
    pinned: Pinned = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most this many.")] = 50,
    all_: Annotated[bool, typer.Option("--all", help="All of them, however many.")] = False,
    cursor: Annotated[str | None, typer.Option(help="Go on where the last page ended.")] = None,
) -> None:
    """List memories, the last changed first. Exit code 1 where there are none."""
    given = {
        "scope": session.scopes,
        "status": status or None,
        "type": type_ or None,
        "tags": tag or None,
        "where": conditions("--where", where),
        "pinned": pinned,
        "since": moment("--since", since),
        "until": moment("--until", until),
    }
    if all_ and cursor:
        raise fault("--cursor", "goes against --all")
    with session.without_embedder().open() as memory:
        records, cursor = _pages(memory, given, None if all_ else limit, cursor)
    if session.as_json:
        write_json({"records": [record.model_dump(mode="json") for record in records], "cursor": cursor})
    elif records:
        tell_records(session, records)
        if cursor:
            remark(f"there are more: --all, or --cursor {cursor}")
    if not records:
        nothing(session, "no memories")


def _pages(memory: Any, given: dict[str, Any], limit: int | None, cursor: str | None) -> tuple[list[MemoryRecord], str | None]:
    records: list[MemoryRecord] = []
    while limit is None or len(records) < limit:
        page = memory.records(**given, limit=1000 if limit is None else min(1000, limit - len(records)), cursor=cursor)
        records += page.records
        cursor = page.cursor
        if cursor is None:
            break
    return records, cursor


def as_of(
    session: Session,
    when: Annotated[str, typer.Argument(metavar="MOMENT", help="2026-11-30, an ISO time, or 7d (ago).")],
    status: Statuses = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most this many.")] = 100,
    cursor: Annotated[str | None, typer.Option(help="Go on where the last page ended.")] = None,
) -> None:
    """List memories as they were known at a moment. What was forgotten since is not among them. Exit code 1 where there were none."""
    from satchel.operations import models as m
    from satchel.operations import table as t
    from satchel.protocol.validation import validated

    given = {"when": moment("MOMENT", when), "scope": session.scopes, "statuses": status or None, "limit": limit, "cursor": cursor}
    request = validated(m.AsOfRequest, {name: value for name, value in given.items() if value is not None})
    with session.without_embedder().open() as memory:
        found = memory.call(t.AS_OF, request)
    if session.as_json:
        write_json(found.model_dump(mode="json"))
    elif found.records:
        tell_records(session, list(found.records))
        if found.cursor:
            remark(f"there are more: --cursor {found.cursor}")
    if not found.records:
        nothing(session, "no memories at that moment")


def history(session: Session, id_: Annotated[str, typer.Argument(metavar="ID", help="The record's id.")]) -> None:
    """Show who changed a memory, when and why."""
    with session.without_embedder().open() as memory:
        entries = memory.history(id_, scope=session.scope)
    if session.as_json:
        write_json({"entries": [entry.model_dump(mode="json") for entry in entries]})
    else:
        rows = [
            [
                local(entry.at),
                entry.operation,
                str(entry.revision),
                entry.agent or "—",
                entry.reason or "",
                "(erased)" if entry.erased else entry.after.content if entry.after else "",
            ]
            for entry in entries
        ]
        table(["when", "what", "revision", "who", "why", "memory after"], rows)
    if not entries:
        nothing(session, "no history")


def changes(
    session: Session,
    after: Annotated[int, typer.Option(min=0, help="After this position of the log.")] = 0,
    limit: Limit = None,
) -> None:
    """Follow the change log, oldest first; it says what changed, not the content."""
    with session.without_embedder().open() as memory:
        found = memory.changes(scope=session.scopes, after=after, limit=limit)
    if session.as_json:
        write_json(found.model_dump(mode="json"))
    else:
        rows = [[str(c.position), local(c.at), c.operation, c.agent or "—", c.scope, c.id] for c in found.changes]
        table(["position", "when", "what", "who", "scope", "id"], rows)
    if not found.changes:
        nothing(session, "no changes")
