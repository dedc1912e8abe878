"""From a row of any plain table to an item, by a resolved mapping. The readers of JSONL, CSV and SQLite share it.

It must not know where a row comes from.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from satchel.migrate.items import Draft, Options, SourceItem, deleted, dropped, made_id, quarantined
from satchel.migrate.mapping import Columns, is_vector, says_deleted
from satchel.migrate.times import DateOrder, Moment, read_time

_SYSTEM = {"system", "log", "debug", "heartbeat", "系统", "日志"}
_SEPARATORS = re.compile(r"[,;，；、|]")
_ABSENT = object()

FIELDS_OF_A_TABLE: Mapping[str, str] = {
    "mapped columns": "the field they are mapped to",
    "every other column": "meta",
    "columns of vectors": "lost: rebuilt from the content",
    "rows that a column such as deleted, deleted_at, is_removed or state says are deleted": "dropped: deleted memories stay out",
    "rows whose type is system, log, debug or heartbeat": "dropped: not memories",
}


@dataclass(slots=True)
class Table:
    """One table being read: how its columns map, and which derived ids were given."""

    kind: str
    name: str
    columns: Columns
    options: Options
    told: Counter[str] = field(default_factory=Counter)

    def item(self, label: str, row: Mapping[str, Any], changes: tuple[str, ...] = ()) -> SourceItem:
        """Turn one row into an item."""
        reason = self._left_out(row)
        if reason:
            return dropped(label, reason)
        if any(says_deleted(column, _at(row, column)) for column in self.columns.gone):
            content, _ = self._content(row)
            return deleted(label, self._identity(row, content), self._owner(row))
        content, problem = self._content(row)
        if problem:
            return quarantined(label, problem)
        draft = Draft(self._identity(row, content), content, str(self._value(row, "type") or "fact"))
        draft.changes.extend(changes)
        # Another file's row 1 is another memory: only the same file may take the place of what it brought before.
        draft.imported_from = f"{self.kind}:{self.name}"
        draft.created, draft.updated = self._time(row, "created_at"), self._time(row, "updated_at")
        draft.due = self._time(row, "due_at")
        draft.expire(self._time(row, "expires_at"))
        draft.tags = _tags(self._value(row, "tags"))
        draft.agent, draft.session = self._text(row, "agent"), self._text(row, "session")
        draft.owner = self._owner(row)
        used = self.columns.used()
        draft.meta = {str(key): value for key, value in row.items() if key not in used and value is not None and not is_vector(str(key))}
        if self.options.mapping.get("ids") == "derived" and self._value(row, "id") is not None:
            draft.meta["native_id"] = self._value(row, "id")
        self._fraction(draft, row, "score")
        self._fraction(draft, row, "confidence")
        if self.columns.is_template:
            draft.mapped.append("content: a sentence made of columns")
            draft.meta |= {column: row.get(column) for column in self.columns.content_columns}
        return SourceItem(label, draft)

    def _owner(self, row: Mapping[str, Any]) -> dict[str, str]:
        owner = {name: self._text(row, name) for name in ("user", "agent", "session", "scope")}
        return {name: value for name, value in owner.items() if value}

    def _left_out(self, row: Mapping[str, Any]) -> str | None:
        if self.columns.where is not None:
            column, wanted = self.columns.where
            if str(_at(row, column)) != wanted:
                return f"left out by where={column}:{wanted}"
            return None
        kind = self._value(row, "type")
        return f"a system row ({self.columns.fields['type']}={kind})" if isinstance(kind, str) and kind.lower() in _SYSTEM else None

    def _content(self, row: Mapping[str, Any]) -> tuple[str, str | None]:
        values = {}
        for column in self.columns.content_columns:
            found = _at(row, column)
            if found is None or found == "":
                return "", f"has no {column}"
            if isinstance(found, bytes | dict | list):
                return "", f"{column} holds no text ({type(found).__name__})"
            values[column] = str(found)
        return (self.columns.fill(values) if self.columns.is_template else next(iter(values.values()))), None

    def _identity(self, row: Mapping[str, Any], content: str) -> str:
        native = self._value(row, "id")
        if isinstance(native, str | int | float) and str(native).strip():
            return made_id(self.kind, self.name, str(native)) if self.options.mapping.get("ids") == "derived" else str(native)
        whole = json.dumps(row, ensure_ascii=True, sort_keys=True, default=repr)
        made = made_id(self.kind, self.name, whole)
        self.told[made] += 1
        return made if self.told[made] == 1 else made_id(self.kind, self.name, whole, str(self.told[made]))

    def _time(self, row: Mapping[str, Any], name: str) -> Moment:
        order: DateOrder | None = {"dmy": "dmy", "mdy": "mdy"}.get(self.options.mapping.get("dates", ""))  # type: ignore[assignment]
        return read_time(self._value(row, name), zone=self.options.zone, order=order)

    def _fraction(self, draft: Draft, row: Mapping[str, Any], name: str) -> None:
        """Read a score or a confidence on its declared scale; a value outside it is kept in meta and not used."""
        raw = self._value(row, name)
        if raw is None or raw == "":
            return
        scale = self.columns.scales.get(name, 1.0)
        try:
            value = float(raw) / scale
        except (TypeError, ValueError, ZeroDivisionError):
            value = -1.0
        if scale != 1.0 or not 0.0 <= value <= 1.0:
            draft.meta[f"{name}_raw"] = raw
        if 0.0 <= value <= 1.0:
            setattr(draft, name, value)
        else:
            draft.changes.append(f"{name}: {raw} is not on the declared scale; declare it as in {self.columns.fields[name]}/100={name}")

    def _text(self, row: Mapping[str, Any], name: str) -> str | None:
        found = self._value(row, name)
        return str(found) if isinstance(found, str | int) and str(found).strip() else None

    def _value(self, row: Mapping[str, Any], name: str) -> Any:
        column = self.columns.fields.get(name)
        return None if column is None else _at(row, column)


def _at(row: Mapping[str, Any], column: str) -> Any:
    """Return a column's value, or that at a dotted path into nested objects."""
    found: Any = row.get(column, _ABSENT)
    if found is _ABSENT:
        found = row
        for part in column.split("."):
            found = found.get(part) if isinstance(found, dict) else None
    return found


def _tags(value: Any) -> list[str]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):
            value = json.loads(value)
    if isinstance(value, str):
        return [tag.strip() for tag in _SEPARATORS.split(value) if tag.strip()]
    return [str(tag) for tag in value if isinstance(tag, str | int)] if isinstance(value, list) else []
