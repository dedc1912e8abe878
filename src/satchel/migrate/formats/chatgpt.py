"""ChatGPT's data export: a zip, its folder, or conversations.json itself (also split into numbered files).

It owns what a set of conversations says together: repeats, the newest list, what was forgotten later. The dialogue itself is no memory.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from satchel.migrate.archives import member, member_names
from satchel.migrate.formats.chatgpt_conversation import Finding, comparable, findings_of, forgotten_text, list_entries
from satchel.migrate.items import Draft, Options, Reading, SourceItem, deleted, dropped, made_id, quarantined
from satchel.migrate.json_stream import JsonBroken, JsonStream
from satchel.migrate.reading import reading, refuse
from satchel.migrate.statements import type_about_user
from satchel.migrate.times import UNTIMED, Moment, read_time
from satchel.protocol.record import Origin, Status

_NAME = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json\Z")
_KEYS = ("conversations",)


class ChatGpt:
    """Saved memories and custom instructions of a ChatGPT export."""

    kind = "chatgpt"
    description = "ChatGPT export: saved memories and custom instructions (zip, folder, or conversations.json)"
    location = "the zip of Settings > Data controls > Export data"
    fields: Mapping[str, str] = {
        "message to bio": "content of a fact; id, source.message, source.session",
        "model_set_context": "content of facts, one for each numbered entry of the newest list",
        "about_user_message, user_profile": "content of a profile",
        "about_model_message, user_instructions": "content of a preference",
        "create_time of a message": "created_at",
        "create_time of a conversation": "meta.conversation_started_at, where the message has no time",
        "conversation_id, title, gizmo_id": "source.session, meta",
        "is_do_not_remember": "its memories stay out, with a receipt",
        "abandoned branches": "lost: the user took another way",
        "dialogue": "lost: raw conversations are not memories",
        "user.json, feedback, shared conversations": "lost: account data",
    }

    def detect(self, path: Path) -> bool:
        """Tell whether the first conversation has a mapping of messages."""
        try:
            part = _parts(path)[0]
            with part.open() as stream:
                first = next(JsonStream(stream).elements(_KEYS), None)
        except Exception:  # noqa: BLE001 - detection never raises
            return False
        return isinstance(first, dict) and isinstance(first.get("mapping"), dict)

    def read(self, path: Path, options: Options) -> Reading:
        """Open an export."""
        with reading(path):
            path.stat()
            parts = _parts(path)
        if not parts:
            raise refuse(path, "holds no conversations.json")
        root = path if path.is_dir() else path.parent
        files = tuple(dict.fromkeys(part.file for part in parts))
        notes: list[str] = []
        return Reading(root, files, _items(parts, options, notes), notes)


@dataclass(frozen=True, slots=True)
class _Part:
    """One file of conversations, in a folder or in an archive."""

    file: Path
    name: str
    archived: str | None = None

    @contextmanager
    def open(self) -> Iterator[IO[str]]:
        if self.archived is None:
            with reading(self.file), self.file.open(encoding="utf-8-sig", errors="surrogateescape") as stream:
                yield stream
        else:
            with member(self.file, self.archived) as raw, io.TextIOWrapper(raw, "utf-8-sig", "surrogateescape") as stream:
                yield stream


def _parts(path: Path) -> list[_Part]:
    if path.is_dir():
        names = sorted(file for file in path.iterdir() if _NAME.fullmatch(file.name) and file.is_file())
        return [_Part(file, file.name) for file in names]
    if path.suffix.lower() == ".json":
        return [_Part(path, path.name)]
    return [_Part(path, name.rpartition("/")[2], name) for name in sorted(member_names(path)) if _NAME.fullmatch(name)]


@dataclass(slots=True)
class _Gathered:
    """What all conversations hold. It is small beside them: memories, not dialogue."""

    saved: list[Finding] = field(default_factory=list)
    forgets: list[Finding] = field(default_factory=list)
    lists: list[tuple[float, Finding]] = field(default_factory=list)
    instructions: dict[tuple[str, str], list[tuple[float, Finding]]] = field(default_factory=dict)
    problems: list[SourceItem] = field(default_factory=list)
    conversations: int = 0

    def take(self, found: Finding, age: float) -> None:
        if found.what == "saved":
            self.saved.append(found)
        elif found.what == "forget":
            self.forgets.append(found)
        elif found.what == "list":
            self.lists.append((age, found))
        else:
            self.instructions.setdefault((found.what, found.text), []).append((age, found))


def _gather(parts: list[_Part]) -> _Gathered:
    gathered = _Gathered()
    for part in parts:
        number = -1
        try:
            with part.open() as stream:
                for number, conversation in enumerate(JsonStream(stream).elements(_KEYS)):
                    if not isinstance(conversation, dict):
                        gathered.problems.append(quarantined(f"{part.name}[{number}]", "is no conversation"))
                        continue
                    gathered.conversations += 1
                    age = _seconds(conversation.get("update_time")) or _seconds(conversation.get("create_time"))
                    for found in findings_of(conversation):
                        gathered.take(found, age)
        except JsonBroken as error:
            gathered.problems.append(quarantined(f"{part.name}[{number + 1}]", f"the JSON ends or breaks here: {error}"))
    return gathered


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _items(parts: list[_Part], options: Options, notes: list[str]) -> Iterator[SourceItem]:
    gathered = _gather(parts)
    notes.append(f"{gathered.conversations} conversations read; dialogue is not taken, only memories and custom instructions")
    yield from gathered.problems
    newest = max(gathered.lists, key=lambda pair: pair[0], default=None)
    if not gathered.lists and gathered.saved:
        notes.append("the export holds no memory list: whether a saved memory was deleted later in ChatGPT's settings cannot be told")
    yield from _saved(gathered, newest)
    yield from _listed(gathered, newest, options)
    yield from _instructed(gathered)


# ---------------------------------------------------------------- saved memories


def _saved(gathered: _Gathered, newest: tuple[float, Finding] | None) -> Iterator[SourceItem]:
    forgotten = {forgotten_text(found.text): found for found in gathered.forgets}
    for found in gathered.forgets:
        yield dropped(_item(found), "a request to forget, not a memory")
    for found in gathered.saved:
        later = forgotten.get(comparable(found.text))
        if found.barred:
            yield dropped(_item(found), found.barred)
        elif not found.text:
            yield dropped(_item(found), "a saved memory without text")
        elif later is not None and not _before(later.around, found.around):
            yield deleted(_item(found), found.message, {})
        elif newest and _missing_from(found, *newest):
            yield quarantined(_item(found), "not in the memory list that ChatGPT held later: it may have been deleted or reworded")
        else:
            draft = Draft(found.message or made_id("chatgpt", found.text), found.text, type_about_user(found.text, "fact"), found.created)
            yield _told(found, draft)


def _before(one: Moment, other: Moment) -> bool:
    return one.instant is not None and other.instant is not None and one.instant < other.instant


def _missing_from(found: Finding, age: float, newest: Finding) -> bool:
    """Tell whether a later list lacks a saved memory. A list of unknown age says nothing."""
    if newest.barred or not age or found.around.instant is None or found.around.instant.timestamp() > age:
        return False
    return comparable(found.text) not in comparable(newest.text)


def _told(found: Finding, draft: Draft) -> SourceItem:
    draft.session, draft.message = found.conversation or None, found.message or None
    draft.meta |= found.meta
    if found.altered:
        draft.changes.append(found.altered)
    return SourceItem(_item(found), draft)


def _item(found: Finding) -> str:
    return f"{found.conversation}:{found.message}" + ("" if found.what in {"saved", "forget"} else f"#{found.what}")


# ---------------------------------------------------------------- the memory list


def _listed(gathered: _Gathered, newest: tuple[float, Finding] | None, options: Options) -> Iterator[SourceItem]:
    if newest is None:
        return
    found = newest[1]
    if found.barred:
        yield dropped(_item(found), found.barred)
        return
    known = {comparable(saved.text) for saved in gathered.saved if not saved.barred}
    for number, (date, text) in enumerate(list_entries(found.text), 1):
        item = f"{_item(found)}/{number}"
        if comparable(text) in known:
            yield dropped(item, "the same memory stands in the export with the message that saved it")
            continue
        draft = Draft(
            made_id("chatgpt", text), text, type_about_user(text, "fact"), read_time(date, zone=options.zone) if date else UNTIMED
        )
        draft.session, draft.meta = found.conversation or None, dict(found.meta)
        if found.altered:
            draft.changes.append(found.altered)
        yield SourceItem(item, draft)
    if len(gathered.lists) > 1:
        yield dropped(f"{len(gathered.lists) - 1} earlier memory lists", "older states of the newest list")


# ---------------------------------------------------------------- custom instructions


def _instructed(gathered: _Gathered) -> Iterator[SourceItem]:
    """Yield each wording once: the newest lives, earlier ones are archived, and repeats are counted."""
    latest: dict[str, float] = {}
    for (what, _), seen in gathered.instructions.items():
        allowed = [age for age, found in seen if not found.barred]
        latest[what] = max([latest.get(what, -1.0), *allowed])
    for (what, text), seen in gathered.instructions.items():
        allowed_seen = sorted(((age, found) for age, found in seen if not found.barred), key=lambda pair: pair[0])
        if not allowed_seen:
            yield dropped(_item(seen[0][1]), str(seen[0][1].barred))
            continue
        first = allowed_seen[0][1]
        draft = Draft(made_id("chatgpt", what, text), text, "profile" if what == "about_user" else "instruction", first.created)
        draft.origin, draft.tags = Origin.STATED, ["custom-instructions"]
        draft.meta["conversations"] = len(seen)
        if allowed_seen[-1][0] < latest[what]:
            draft.status = Status.ARCHIVED
            draft.changes.append("archived: a later wording of the custom instructions replaced it")
        yield _told(first, draft)


CHATGPT = ChatGpt()
"""The one reader of ChatGPT exports."""
