"""mem0 (open source 0.1 to 2.x, and the platform): what `get_all` returned as JSON, and history.db; in a folder, both together.

It knows mem0's field names. Where both are there, the JSON tells who owns a memory and the history tells who is dead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from satchel.migrate.formats.mem0_history import History, Life, is_history, read_history
from satchel.migrate.items import Draft, Options, Reading, SourceItem, deleted, dropped, quarantined
from satchel.migrate.json_stream import JsonBroken, JsonStream
from satchel.migrate.reading import database_files, encoding_note, encoding_of, is_database, open_text, reading, refuse
from satchel.migrate.times import UNTIMED, Moment, read_time
from satchel.protocol.record import Origin

LISTS = ("results", "memories", "items", "data")
"""Members that hold the memories in one version or another; an empty one does not hide a full one (complaint 67)."""

CONTENT = ("memory", "text", "data", "content")
_MEMBERS = (*LISTS, "relations")
_CHATTER_SCORE = 0.2


class Mem0:
    """mem0's JSON and history."""

    kind = "mem0"
    description = "mem0: the JSON of get_all (every version's shape), history.db, or a folder with both"
    location = "~/.mem0, or a file written from Memory.get_all()"
    fields: Mapping[str, str] = {
        "id, memory_id": "id",
        "memory, text, data, content, new_memory": "content",
        "created_at, updated_at": "created_at, updated_at",
        "expiration_date": "expires_at (the end of that day, UTC)",
        "user_id": "scope, meta.user_id",
        "agent_id": "source.agent, meta.agent_id",
        "run_id": "source.session, meta.run_id",
        "actor_id": "meta.actor_id",
        "role": "source.origin (user: stated, assistant: inferred with a low score), meta.role",
        "metadata": "meta; its category or kind is the type",
        "categories": "tags",
        "hash and every other member": "meta",
        "old_memory": "meta.versions",
        "event, is_deleted": "deleted memories stay out, with a receipt",
        "relations": "lost: a graph that mem0 derived from the memories",
        "messages": "lost: lines of chat are not memories",
        "embeddings": "lost: rebuilt from the content",
    }

    def detect(self, path: Path) -> bool:
        """Tell whether the path is a mem0 history, a get_all JSON, or a folder that holds one."""
        try:
            files = _inputs(path)
        except OSError:
            return False
        return any(is_history(file) if is_database(file) else _looks_like_get_all(file) for file in files)

    def read(self, path: Path, options: Options) -> Reading:
        """Open a JSON file, a history.db, or a folder of both."""
        with reading(path):
            files = [file for file in _inputs(path) if not is_database(file) or path.is_file() or is_history(file)]
            root = path if path.is_dir() else path.parent
        databases = [file for file in files if is_database(file)]
        texts = [file for file in files if file not in databases and (path.is_file() or _looks_like_get_all(file))]
        if not databases and not texts:
            raise refuse(path, "holds neither a mem0 history.db nor the JSON of get_all")
        histories = {file: read_history(file) for file in databases}
        notes = [
            f"{file.name}: {len(history.lives)} memories replayed; the history does not say whose they are"
            for file, history in histories.items()
        ]
        notes += [note for text in texts for note in encoding_note(text.name, encoding_of(text))]
        if path.is_file() and texts and is_database(path.with_name("history.db")):
            notes.append("history.db lies beside it: migrate the folder to leave out what was deleted since")
        covered = tuple(file for base in databases for file in database_files(base)) + tuple(texts)
        return Reading(root, covered, _items(texts, histories, options, notes), notes, names_owners=bool(texts))


def _inputs(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileNotFoundError(path)
    return sorted(file for file in path.iterdir() if file.is_file() and file.suffix in {".json", ".db", ".sqlite", ".sqlite3"})


def _looks_like_get_all(path: Path) -> bool:
    """Read the first rows only: a list, or one below a known member, of objects with an id and a content."""
    try:
        with open_text(path, encoding_of(path)) as stream:
            row = next(JsonStream(stream).elements(LISTS), None)
    except Exception:  # noqa: BLE001 - detection never raises
        return False
    return isinstance(row, dict) and any(isinstance(row.get(key), str) for key in CONTENT) and ("id" in row or "memory" in row)


def _items(texts: list[Path], histories: Mapping[Path, History], options: Options, notes: list[str]) -> Iterator[SourceItem]:
    lives = {identity: life for history in histories.values() for identity, life in history.lives.items()}
    told: set[str] = set()
    for path in texts:
        for item in _from_json(path, options, notes):
            identity = item.draft.id if item.draft else None
            life = lives.get(identity or "")
            if identity is not None and identity in told:
                yield dropped(item.item, "the same memory stands in an earlier file")
            elif item.draft is None or life is None:
                yield item
            elif life.dead:
                yield deleted(item.item, life.id, item.draft.owner)
            else:
                yield _joined(item, item.draft, life)
            told.add(identity or "")
    for path, history in histories.items():
        yield from _from_history(path, history, told)


# ---------------------------------------------------------------- get_all


def _from_json(path: Path, options: Options, notes: list[str]) -> Iterator[SourceItem]:
    number, promised = 0, 0
    try:
        with open_text(path, encoding_of(path)) as stream:
            found = JsonStream(stream)
            for number, row in enumerate(found.elements(_MEMBERS), 1):
                yield _row(f"{path.name}[{number - 1}]", row, options)
            promised = found.numbers.get("count", 0)
    except JsonBroken as error:
        yield quarantined(f"{path.name}[{number}]", f"the JSON ends or breaks here: {error}")
    if promised > number:
        notes.append(f"{path.name}: is one page: it names {promised} memories and holds {number}")


def _row(item: str, row: Any, options: Options) -> SourceItem:
    if not isinstance(row, dict):
        return quarantined(item, "is no object")
    if {"source", "destination"} <= row.keys() or {"source", "target"} <= row.keys():
        return dropped(item, "a graph relation that mem0 derived from the memories")
    key = next((key for key in CONTENT if isinstance(row.get(key), str) and row[key].strip()), None)
    if key is None:
        return quarantined(item, f"has no text under any of {', '.join(CONTENT)}")
    identity = row.get("id") or row.get("memory_id")
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        return quarantined(item, "has no id")
    metadata: dict[str, Any] = row["metadata"] if isinstance(row.get("metadata"), dict) else {}
    rest = {name: value for name, value in row.items() if name not in _MAPPED and name != key and value is not None}
    draft = Draft(
        id=str(identity),
        content=row[key],
        type=_named(metadata, "category", "kind") or "fact",
        created=read_time(row.get("created_at"), zone=options.zone),
        updated=read_time(row.get("updated_at"), zone=options.zone),
        tags=[tag for tag in row.get("categories") or () if isinstance(tag, str)],
        # What a user's own metadata calls as mem0 does is kept beside it.
        meta=rest | {name if name not in rest else f"metadata.{name}": value for name, value in metadata.items()},
    )
    draft.expire(read_time(row.get("expiration_date"), zone=UTC))
    _who(draft, row)
    return SourceItem(item, draft)


_MAPPED = {"id", "memory_id", "metadata", "created_at", "updated_at", "expiration_date", "categories"}


def _named(metadata: Mapping[str, Any], *keys: str) -> str | None:
    return next((metadata[key] for key in keys if isinstance(metadata.get(key), str) and metadata[key].strip()), None)


def _who(draft: Draft, row: Mapping[str, Any]) -> None:
    names = {kind: row[key] for kind, key in _OWNERS.items() if isinstance(row.get(key), str) and row[key].strip()}
    draft.owner = names
    draft.agent, draft.session = names.get("agent"), names.get("session")
    role = row.get("role")
    if role == "user":
        draft.origin = Origin.STATED
    elif role == "assistant":
        draft.origin, draft.score = Origin.INFERRED, _CHATTER_SCORE


_OWNERS = {"user": "user_id", "agent": "agent_id", "session": "run_id"}


# ---------------------------------------------------------------- history


def _joined(item: SourceItem, draft: Draft, life: Life) -> SourceItem:
    """Add the history's versions, and its content where that is newer than the JSON's."""
    at = _history_time(life.updated_at)
    if life.content and life.content != draft.content and at.instant and (not draft.updated.instant or at.instant > draft.updated.instant):
        draft.changes.append("content: the history holds a newer version than the JSON")
        draft.content, draft.updated = life.content, at
    if life.versions:
        draft.meta["versions"] = life.versions
    return item


def _history_time(value: Any) -> Moment:
    return read_time(value, zone=None) if value else UNTIMED


def _from_history(path: Path, history: History, told: set[str]) -> Iterator[SourceItem]:
    for life in history.lives.values():
        item = f"{path.name}:{life.id}"
        if life.id in told:
            continue
        if life.dead:
            yield deleted(item, life.id, {})
        elif history.damage:
            yield quarantined(item, f"the history is damaged ({history.damage}): whether this was deleted cannot be told")
        elif not life.content or not life.id:
            yield quarantined(item, "the history holds no content for it")
        else:
            yield SourceItem(item, _from_life(life))
    if history.messages:
        yield dropped(f"{path.name}:messages", f"{history.messages} lines of chat: raw conversations are not memories")


def _from_life(life: Life) -> Draft:
    draft = Draft(
        id=life.id,
        content=life.content or "",
        created=_history_time(life.created_at),
        updated=_history_time(life.updated_at),
        meta={"versions": life.versions} if life.versions else {},
    )
    _who(draft, {"role": life.role})
    named = {"role": life.role, "actor_id": life.actor}
    draft.meta |= {name: value for name, value in named.items() if value}
    return draft


MEM0 = Mem0()
"""The one reader of mem0."""
