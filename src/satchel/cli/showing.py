"""How records look to a person, and what is said when something was written, or nothing was found.

It must not open a memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import typer

from satchel.cli.output import fields, local, printable, remark, say, table, write_json
from satchel.cli.session import Session

if TYPE_CHECKING:
    from satchel.operations.models import Remembered
    from satchel.protocol.record import MemoryRecord


def tell_write(session: Session, done: Remembered) -> None:
    """Say what became of a memory that was written."""
    if session.as_json:
        write_json(done.model_dump(mode="json"))
        return
    record = done.record
    say(f"{done.outcome.value}  {printable(record.id)}  ({printable(record.type)}, {printable(record.scope)})")
    if done.related:
        say(f"related  {' '.join(map(printable, done.related))}")
    if done.outcome == "created" and done.related:
        remark(
            f"this may contradict {' '.join(map(printable, done.related))} ({printable(done.reason or '')}); all are kept and told. "
            f"If only one holds: satchel resolve {printable(record.id)} --keep ID, both or none"
        )
    if done.outcome in {"superseded", "merged"}:
        gone = [record.id] if record.status == "archived" else [name for name in done.related if name != record.id]
        for name in gone:
            remark(f"to undo it: satchel restore {printable(name)} --id --scope {printable(record.scope)}")
    if done.outcome == "pending":
        remark(
            "they contradict each other: until it is said which holds, they are kept out of answers (but for what must be obeyed); "
            f"satchel resolve {printable(record.id)} --keep ID, both or none"
        )


def tell_record(session: Session, record: MemoryRecord, done: str) -> None:
    """Say what was done to a record."""
    if session.as_json:
        write_json(record.model_dump(mode="json"))
    else:
        say(f"{done}  {printable(record.id)}  ({printable(record.type)}, {printable(record.scope)}, revision {record.revision})")


def describe(record: MemoryRecord) -> None:
    """Show everything about one record."""
    if not record.is_tombstone:
        say(printable(record.content, lines=True))
        say()
    source = record.source
    origin = " · ".join(part for part in (source.origin.value, source.agent, source.tool, source.imported_from) if part)
    fields(
        [
            ("id", record.id),
            ("scope", record.scope),
            ("type", record.type),
            ("status", record.status.value + (" (pinned)" if record.pinned else "")),
            ("tags", ", ".join(record.tags)),
            ("source", origin),
            ("session", " ".join(part for part in (source.session, source.message) if part)),
            ("uri", source.uri or ""),
            ("import", source.import_id or ""),
            ("created", local(record.created_at) or f"unknown to its origin (stored {local(record.stored_at)})"),
            ("changed", f"{local(record.updated_at)}, revision {record.revision}"),
            ("valid", " to ".join(filter(None, (local(record.valid_from), local(record.valid_until))))),
            ("due", local(record.due_at)),
            ("expires", local(record.expires_at) or (f"{record.ttl:g} s after it was stored" if record.ttl else "")),
            (
                "strength",
                f"score {record.score:.2f}, half-life {record.half_life / 86_400:g} d"
                + (f", {record.retention}" if record.retention else ""),
            ),
            ("used", f"{record.usage.access_count} times, last {local(record.usage.last_access_at)}" if record.usage.access_count else ""),
            ("supersedes", " ".join(record.relations.supersedes)),
            ("superseded by", " ".join(record.relations.superseded_by)),
            ("conflicts with", " ".join(record.relations.conflicts_with)),
            ("derived from", " ".join(record.relations.derived_from)),
            ("sensitivity", record.access.sensitivity.value if record.access.sensitivity.value != "normal" else ""),
            ("meta", _json(record.meta)),
            ("forgotten", f"{local(record.deletion.at)} {record.deletion.reason or ''}".strip() if record.deletion else ""),
        ]
    )


def _json(value: dict[str, Any]) -> str:
    import json

    return json.dumps(value, ensure_ascii=False) if value else ""


def row(record: MemoryRecord, session: Session) -> list[str]:
    """Return a record's cells: id, type, scope where several were asked for, time, content last."""
    scope = [record.scope] if len(session.scopes) > 1 else []
    return [record.id, record.type, *scope, local(record.created_at)[:10] or "—", record.content]


def columns(session: Session) -> list[str]:
    """Return the names of `row`'s cells."""
    return ["id", "type", *(["scope"] if len(session.scopes) > 1 else []), "created", "memory"]


def nothing(session: Session, what: str) -> NoReturn:
    """Say that the answer is no, with exit code 1."""
    if not session.as_json:
        remark(f"{what} in {', '.join(map(printable, session.scopes))}")
    raise typer.Exit(1)


def tell_records(session: Session, records: list[MemoryRecord]) -> None:
    """Show records; where some are not active, or pinned, say which."""
    states = [record.status.value + (" (pinned)" if record.pinned else "") for record in records]
    if set(states) == {"active"}:
        table(columns(session), (row(record, session) for record in records))
        return
    rows = ([row[0], state, *row[1:]] for row, state in zip((row(record, session) for record in records), states, strict=True))
    table([columns(session)[0], "status", *columns(session)[1:]], rows)
