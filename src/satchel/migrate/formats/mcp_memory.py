"""The MCP memory server's knowledge graph: JSON lines of entities with observations, and of relations.

It knows that format only. The file has no ids, no times and no trace of what was deleted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from satchel.migrate.items import Draft, Options, Reading, SourceItem, made_id, quarantined
from satchel.migrate.reading import encoding_note, encoding_of, lines_of, reading, refuse
from satchel.migrate.statements import OUTSIDE_ITSELF, is_unresolved

_SAMPLE = 200
_NAMES = ("memory.jsonl", "memory.json")


class McpMemory:
    """One record an observation, and one a relation."""

    kind = "mcp-memory"
    description = "@modelcontextprotocol/server-memory: its memory.jsonl (older: memory.json)"
    location = "the server's MEMORY_FILE_PATH"
    fields: Mapping[str, str] = {
        "observations": "content, one record each, after the entity's name: an observation has no subject of its own",
        "name": "content, meta.entity",
        "entityType": "tags, meta.entity_type",
        "from, relationType, to": "content, meta.from, meta.relation_type, meta.to",
        "other members": "meta",
    }

    def detect(self, path: Path) -> bool:
        """Tell whether the first line is an entity or a relation."""
        try:
            file = _file(path)
            line = next(lines_of(file, encoding_of(file)), (1, "", True))[1]
            row = json.loads(line.lstrip("\ufeff"))
        except Exception:  # noqa: BLE001 - detection never raises
            return False
        return isinstance(row, dict) and row.get("type") in {"entity", "relation"}

    def read(self, path: Path, options: Options) -> Reading:
        """Open a memory file, or a folder with one."""
        file = _file(path)
        encoding = encoding_of(file)
        notes = encoding_note(file.name, encoding)
        rows = [row for _, row, _ in islice(_rows(file, encoding), _SAMPLE)]
        if rows and not any(_is_entity(row) or row.get("type") == "relation" for row in rows):
            raise refuse(file, "is no file of the MCP memory server: none of its first lines is an entity or a relation")
        if not self.detect(path):
            notes.append(f"{file.name}: does not begin as the server's file does")
        return Reading(file.parent, (file,), _items(file, encoding), notes)


def _file(path: Path) -> Path:
    with reading(path):
        if not path.is_dir():
            path.stat()
            return path
    found = next((path / name for name in _NAMES if (path / name).is_file()), None)
    if found is None:
        raise refuse(path, f"holds none of {', '.join(_NAMES)}")
    return found


def _items(file: Path, encoding: str) -> Iterator[SourceItem]:
    # The names are needed before the first relation can be judged, and a graph is small beside its texts.
    known = {row["name"] for _, row, _ in _rows(file, encoding) if _is_entity(row)}
    told: Counter[str] = Counter()
    for number, row, problem in _rows(file, encoding):
        item = f"{file.name}:{number}"
        if problem:
            yield quarantined(item, problem)
        elif _is_entity(row):
            yield from _observations(item, row, told)
        elif row.get("type") == "relation":
            yield _relation(item, row, known, told)
        else:
            yield quarantined(item, "is neither an entity with a name nor a relation")


def _rows(file: Path, encoding: str) -> Iterator[tuple[int, dict[str, Any], str | None]]:
    for number, line, complete in lines_of(file, encoding):
        text = line.strip("\ufeff \t")
        if not text:
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield number, {}, f"is no JSON ({error})" if complete else "is cut off"
        else:
            yield number, row if isinstance(row, dict) else {}, None


def _is_entity(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "entity" and isinstance(row.get("name"), str) and bool(row["name"].strip())


def _identity(told: Counter[str], *parts: str) -> str:
    """Make an id from what is said; the same thing said again in one file is the same memory's repetition, under an id of its own."""
    identity = made_id("mcp-memory", *parts)
    told[identity] += 1
    return identity if told[identity] == 1 else made_id("mcp-memory", *parts, str(told[identity]))


def _observations(item: str, row: dict[str, Any], told: Counter[str]) -> Iterator[SourceItem]:
    name, kind = row["name"], row.get("entityType")
    rest = {key: value for key, value in row.items() if key not in {"type", "name", "entityType", "observations"}}
    meta = {"entity": name, **({"entity_type": kind} if kind else {}), **rest}
    tags = [kind] if isinstance(kind, str) else []
    observations = row.get("observations")
    if not isinstance(observations, list):
        yield quarantined(item, "the entity's observations are no list")
        return
    for place, text in enumerate(observations):
        where = f"{item}#{place}"
        if not isinstance(text, str):
            yield quarantined(where, "the observation is no text")
            continue
        content = f"{name}: {text}" if text.strip() else ""
        draft = Draft(_identity(told, name, text), content, tags=tags, meta=dict(meta))
        draft.mapped.append("content: the entity's name put before the observation")
        draft.unresolved = OUTSIDE_ITSELF if is_unresolved(text) else None
        yield SourceItem(where, draft)
    if not observations and isinstance(kind, str) and kind.strip():
        draft = Draft(_identity(told, name, ""), f"{name}: {kind}", tags=tags, meta=meta)
        draft.mapped.append("content: made of the name and the type, for the entity has no observation")
        yield SourceItem(item, draft)


def _relation(item: str, row: dict[str, Any], known: set[str], told: Counter[str]) -> SourceItem:
    ends = row.get("from"), row.get("relationType"), row.get("to")
    if not all(isinstance(end, str) and end.strip() for end in ends):
        return quarantined(item, "the relation lacks from, to or relationType")
    start, kind, end = (str(part) for part in ends)
    rest = {key: value for key, value in row.items() if key not in {"type", "from", "to", "relationType"}}
    draft = Draft(
        _identity(told, start, kind, end),
        f"{start} {kind} {end}",
        tags=["relation"],
        meta={"from": start, "relation_type": kind, "to": end, **rest},
    )
    draft.mapped.append("content: the relation written as a sentence")
    missing = [name for name in (start, end) if name not in known]
    if missing:
        draft.unresolved = f"no entity of the file is called {', '.join(missing)}"
    return SourceItem(item, draft)


MCP_MEMORY = McpMemory()
"""The one reader of the MCP memory server's file."""
