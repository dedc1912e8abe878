"""Any file of JSON lines, a record a line; a JSON array of objects is taken as well.

It knows lines and JSON; what a column means is the mapping's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from satchel.migrate.formats.table import FIELDS_OF_A_TABLE, Table
from satchel.migrate.items import Options, Reading, SourceItem, quarantined
from satchel.migrate.json_stream import JsonBroken, JsonStream
from satchel.migrate.mapping import is_vector, resolve
from satchel.migrate.reading import encoding_named, encoding_note, encoding_of, lines_of, open_text, reading, refuse

_SAMPLE = 200

Row = tuple[str, dict[str, Any] | None, str | None]
"""Label, row, and the problem where there is no row."""


class JsonLines:
    """Generic JSON lines."""

    kind = "jsonl"
    description = "Any JSON lines (or one JSON array of objects), with a mapping of its members"
    location = "any file"
    fields: Mapping[str, str] = FIELDS_OF_A_TABLE

    def detect(self, path: Path) -> bool:
        """Tell whether the first line is an object."""
        try:
            first = next(_rows(path, encoding_of(path)), None) if path.is_file() else None
        except Exception:  # noqa: BLE001 - detection never raises
            return False
        return first is not None and first[1] is not None

    def read(self, path: Path, options: Options) -> Reading:
        """Open a file; members are recognised by the first rows."""
        with reading(path):
            if not path.is_file():
                raise refuse(path, "is no file")
        encoding = encoding_named(path, options.mapping.get("encoding"))
        sample = [row for _, row, _ in islice(_rows(path, encoding), _SAMPLE) if row]
        members = list(dict.fromkeys(key for row in sample for key in row))
        columns, detected = resolve(options.mapping, members)
        notes = [*encoding_note(path.name, encoding), f"{path.name}: {columns.note(detected)}"]
        notes += [f"{path.name}: {name} left out: vectors are rebuilt from the content" for name in members if is_vector(name)]
        table = Table(self.kind, path.name, columns, options)
        return Reading(
            path.parent, (path,), _items(path, encoding, table), notes, names_owners=bool({"user", "scope"} & set(columns.fields))
        )


def _items(path: Path, encoding: str, table: Table) -> Iterator[SourceItem]:
    for label, row, problem in _rows(path, encoding):
        yield quarantined(label, problem or "is no object") if row is None else table.item(label, row)


def _rows(path: Path, encoding: str) -> Iterator[Row]:
    with open_text(path, encoding) as stream, reading(path):
        first = stream.read(4096).lstrip("\ufeff \t\r\n")[:1]
    yield from _array(path, encoding) if first == "[" else _lines(path, encoding)


def _lines(path: Path, encoding: str) -> Iterator[Row]:
    for number, line, complete in lines_of(path, encoding):
        text = line.strip("\ufeff \t\r")
        if not text:
            continue
        label = f"{path.name}:{number}"
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield label, None, f"is no JSON ({_said(error)})" if complete else f"is cut off ({_said(error)})"
        else:
            yield label, _object(row), None


def _said(error: Exception) -> str:
    return error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or a number too long"


def _array(path: Path, encoding: str) -> Iterator[Row]:
    number = -1
    try:
        with open_text(path, encoding) as stream:
            for number, row in enumerate(JsonStream(stream).elements()):
                yield f"{path.name}[{number}]", _object(row), None
    except JsonBroken as error:
        yield f"{path.name}[{number + 1}]", None, f"the JSON ends or breaks here: {error}"


def _object(row: Any) -> dict[str, Any] | None:
    return {"text": row} if isinstance(row, str) else row if isinstance(row, dict) else None


JSONL = JsonLines()
"""The one reader of JSON lines."""
