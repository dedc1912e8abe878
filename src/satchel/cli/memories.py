"""Commands that change one memory: remember, update, pin, correct, confirm, forget.

It must not know how a memory is found or shown beyond one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from satchel.cli.declaring import command
from satchel.cli.output import ask, printable, remark, say, write_json
from satchel.cli.session import Session
from satchel.cli.showing import tell_record, tell_write
from satchel.cli.values import fault, json_object, moment, no_blanks, seconds, text_or_stdin

if TYPE_CHECKING:
    from satchel.operations.models import Forgotten

PANEL = "One memory"

Id = Annotated[str, typer.Argument(metavar="ID", help="The record's id.")]
Type = Annotated[
    str | None, typer.Option("--type", "-t", help="profile, preference, fact, task, skill, interaction, or a name of your own.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", callback=no_blanks, help="A tag; may be repeated.")]
Score = Annotated[float | None, typer.Option(help="Importance, 0 to 1.")]
HalfLife = Annotated[str | None, typer.Option(metavar="SPAN", help="How fast it fades: seconds, or e.g. 30d.")]
Meta = Annotated[str | None, typer.Option(metavar="JSON", help="A JSON object kept beside the memory.")]
Due = Annotated[str | None, typer.Option(metavar="TIME", help="When a task or promise is due.")]
Expires = Annotated[str | None, typer.Option(metavar="TIME", help="When it stops counting.")]
Sensitivity = Annotated[str | None, typer.Option(help="normal, sensitive or secret.")]
Reason = Annotated[str | None, typer.Option(help="Why, for the history.")]
Revision = Annotated[int | None, typer.Option("--if-revision", help="Only where the record still has this revision.")]


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function in (remember, update, pin, correct, confirm, forget):
        command(app, panel=PANEL)(function)


def remember(
    session: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads standard input.")],
    type_: Type = None,
    tag: Tags = None,
    id_: Annotated[str | None, typer.Option("--id", help="An id of your own; the same id and text again changes nothing.")] = None,
    score: Score = None,
    half_life: HalfLife = None,
    retention: Annotated[str | None, typer.Option(help="Retention class: permanent, core, factual, procedural or ephemeral.")] = None,
    ttl: Annotated[str | None, typer.Option(metavar="SPAN", help="Lifetime: seconds, or e.g. 7d.")] = None,
    expires: Expires = None,
    due: Due = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it holds.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it holds.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure it is, 0 to 1.")] = None,
    sensitivity: Sensitivity = None,
    created: Annotated[str | None, typer.Option(metavar="TIME", help="When it arose; default: now.")] = None,
    origin: Annotated[str | None, typer.Option(help="stated, inferred or imported.")] = None,
    from_session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="The session it was said in.")] = None,
    message: Annotated[str | None, typer.Option(help="The id of the original utterance.")] = None,
    uri: Annotated[str | None, typer.Option(help="Where it was read.")] = None,
    meta: Meta = None,
    pinned: Annotated[bool, typer.Option("--pin", help="Never let it fade.")] = False,
) -> None:
    """Remember something."""
    provenance = {"tool": "cli", "session": from_session, "message": message, "uri": uri, "origin": origin}
    given = {
        "id": id_,
        "type": type_,
        "tags": tag,
        "score": score,
        "half_life": seconds("--half-life", half_life),
        "retention": retention,
        "ttl": seconds("--ttl", ttl),
        "expires_at": moment("--expires", expires),
        "due_at": moment("--due", due),
        "valid_from": moment("--valid-from", valid_from),
        "valid_until": moment("--valid-until", valid_until),
        "confidence": confidence,
        "sensitivity": sensitivity,
        "created_at": moment("--created", created),
        "source": {name: value for name, value in provenance.items() if value is not None},
        "meta": json_object("--meta", meta),
        "pinned": pinned or None,
    }
    content = text_or_stdin("TEXT", text)
    with session.creating().open() as memory:
        tell_write(session, memory.remember(content, scope=session.scope, **given))  # type: ignore[arg-type]


def update(
    session: Session,
    id_: Id,
    type_: Type = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", callback=no_blanks, help="The tags it shall have; may be repeated.")] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags off.")] = False,
    score: Score = None,
    half_life: HalfLife = None,
    meta: Meta = None,
    pinned: Annotated[bool | None, typer.Option("--pin/--unpin", help="Let it fade or not.")] = None,
    due: Due = None,
    expires: Expires = None,
    status: Annotated[str | None, typer.Option(help="active, pending or archived.")] = None,
    sensitivity: Sensitivity = None,
    if_revision: Revision = None,
) -> None:
    """Change what is not the text: tags, type, score, status, pin and the like."""
    if tag and no_tags:
        raise fault("--no-tags", "goes against --tag")
    given = {
        "type": type_,
        "tags": [] if no_tags else tag or None,
        "score": score,
        "half_life": seconds("--half-life", half_life),
        "meta": json_object("--meta", meta),
        "pinned": pinned,
        "due_at": moment("--due", due),
        "expires_at": moment("--expires", expires),
        "status": status,
        "sensitivity": sensitivity,
    }
    if all(value is None for value in given.values()):
        raise fault("ID", "nothing to change was named; see satchel update --help")
    with session.without_embedder().open() as memory:
        tell_record(session, memory.update(id_, scope=session.scope, if_revision=if_revision, **given), "updated")  # type: ignore[arg-type]


def pin(session: Session, id_: Id, off: Annotated[bool, typer.Option("--off", help="Let it fade again.")] = False) -> None:
    """Keep a memory from fading."""
    with session.without_embedder().open() as memory:
        tell_record(session, memory.update(id_, scope=session.scope, pinned=not off), "unpinned" if off else "pinned")


def correct(
    session: Session,
    id_: Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is right; - reads standard input.")],
    new_id: Annotated[str | None, typer.Option(help="The id of the right memory.")] = None,
    reason: Reason = None,
    if_revision: Revision = None,
) -> None:
    """Replace a wrong memory by the right one; the wrong one is archived and linked."""
    content = text_or_stdin("TEXT", text)
    with session.open() as memory:
        tell_write(session, memory.correct(id_, content, scope=session.scope, new_id=new_id, reason=reason, if_revision=if_revision))


def confirm(session: Session, id_: Id) -> None:
    """Say that a memory is right: its score rises, and a pending one becomes active."""
    with session.without_embedder().open() as memory:
        tell_record(session, memory.confirm(id_, scope=session.scope), "confirmed")


def forget(
    session: Session,
    id_: Annotated[str | None, typer.Argument(metavar="ID", help="The record's id.")] = None,
    query: Annotated[str | None, typer.Option("--query", "-q", help="Whatever answers this question.")] = None,
    from_session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="Everything said in a session.")] = None,
    import_id: Annotated[str | None, typer.Option("--import", metavar="IMPORT_ID", help="Everything an import brought.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Everything from this time on.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Everything before this time.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="The whole scope.")] = False,
    plan: Annotated[str | None, typer.Option(metavar="PLAN", help="Carry out a plan that was shown before.")] = None,
    reason: Reason = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget: one id at once; anything else is shown first, and done after a yes."""
    way = {
        "id": id_,
        "query": query,
        "session": from_session,
        "import_id": import_id,
        "since": moment("--since", since),
        "until": moment("--until", until),
        "plan": plan,
    }
    scope = None if plan else session.scope if id_ else session.scopes
    chosen = session if query else session.without_embedder()
    with chosen.open() as memory:
        done = memory.forget(scope=scope, everything=everything, reason=reason, **way)  # type: ignore[arg-type]
        if done.plan and _found(done) and (yes or _agreed(session, done)):
            done = memory.forget(plan=done, reason=reason)
    _tell_forgotten(session, done)


def _agreed(session: Session, plan: Forgotten) -> bool:
    if session.as_json:
        return False
    items, count = plan.items, plan.count
    remark(f"this would forget {_told(plan)}{':' if items else ''}")
    for item in items[:20]:
        remark(f"  {printable(item.id)}  {printable(item.preview or '')}")
    if count > min(len(items), 20):
        remark(f"  … and {count - min(len(items), 20)} more")
    return ask("forget them?")


def _found(done: Forgotten) -> int:
    return done.count + done.sessions + done.snapshots


def _told(done: Forgotten) -> str:
    """Say how much is meant: memories, and the sessions and snapshots beside them."""
    counts = ((done.count, "memory", "memories"), (done.sessions, "session", "sessions"), (done.snapshots, "snapshot", "snapshots"))
    return ", ".join(f"{count} {one if count == 1 else more}" for count, one, more in counts if count)


def _tell_forgotten(session: Session, done: Forgotten) -> None:
    from satchel.operations.models import ForgetState

    if session.as_json:
        write_json(done.model_dump(mode="json"))
    elif not _found(done):
        say("nothing to forget")
    elif done.state is ForgetState.PLANNED:
        say(f"nothing was forgotten yet; to carry it out: satchel forget --plan {done.plan}")
    else:
        state = {
            "scrubbed": "gone from every answer and from the files",
            "scrub_pending": "gone from every answer; the files are scrubbed as soon as they can be",
        }
        say(f"forgot {_told(done) if done.sessions or done.snapshots else done.count}: {state[done.state.value]}")
        if done.note:
            remark(printable(done.note))
    if not _found(done):
        raise typer.Exit(1)
