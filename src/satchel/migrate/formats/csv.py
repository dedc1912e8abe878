"""Any CSV file with a header: quoting, ragged rows, encodings.

It knows cells and lines; what a column means is the mapping's.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from satchel.migrate.formats.table import FIELDS_OF_A_TABLE, Table
from satchel.migrate.items import Options, Reading, SourceItem, quarantined
from satchel.migrate.mapping import is_vector, resolve
from satchel.migrate.reading import MAX_LINE_CHARS, encoding_named, encoding_note, encoding_of, open_text, reading, refuse

_DELIMITERS = ",;\t|"


class CommaSeparated:
    """Generic CSV."""

    kind = "csv"
    description = "Any CSV with a header line, with a mapping of its columns (UTF-8, UTF-16, GB18030)"
    location = "any file"
    fields: Mapping[str, str] = FIELDS_OF_A_TABLE

    def detect(self, path: Path) -> bool:
        """Tell whether the first line is a header with a column that holds a content."""
        try:
            if not path.is_file() or path.suffix.lower() not in {".csv", ".tsv"}:
                return False
            encoding = encoding_of(path)
            resolve({}, _header(path, encoding, _delimiter(path, encoding)))
        except Exception:  # noqa: BLE001 - detection never raises
            return False
        return True

    def read(self, path: Path, options: Options) -> Reading:
        """Open a file."""
        with reading(path):
            if not path.is_file():
                raise refuse(path, "is no file")
        encoding = encoding_named(path, options.mapping.get("encoding"))
        delimiter = {"tab": "\t"}.get(options.mapping.get("delimiter", ""), options.mapping.get("delimiter")) or _delimiter(path, encoding)
        header = _header(path, encoding, delimiter)
        columns, detected = resolve(options.mapping, header)
        notes = [*encoding_note(path.name, encoding), f"{path.name}: {columns.note(detected)}"]
        notes += [f"{path.name}: {name} left out: vectors are rebuilt from the content" for name in header if is_vector(name)]
        table = Table(self.kind, path.name, columns, options)
        items = _items(path, encoding, delimiter, table)
        return Reading(path.parent, (path,), items, notes, names_owners=bool({"user", "scope"} & set(columns.fields)))


def _delimiter(path: Path, encoding: str) -> str:
    with open_text(path, encoding) as stream:
        first = stream.readline(65536)
    return max(_DELIMITERS, key=lambda mark: (first.count(mark), -_DELIMITERS.index(mark)))


def _cells(path: Path, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str] | None, str]]:
    """Yield (first line of the row, cells, problem where there are none)."""
    csv.field_size_limit(MAX_LINE_CHARS)
    with open_text(path, encoding) as stream, reading(path):
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield line, None, f"is broken CSV ({error})"
                continue
            if cells is None:
                return
            yield line, cells, ""


def _header(path: Path, encoding: str, delimiter: str) -> list[str]:
    for line, cells, problem in _cells(path, encoding, delimiter):
        if cells is None:
            raise refuse(path, f"line {line}: the header {problem}")
        if any(cell.strip() for cell in cells):
            return _named(cells)
    raise refuse(path, "is empty")


def _named(cells: list[str]) -> list[str]:
    """Name the columns; one that has no name or a name seen before gets its number."""
    names: list[str] = []
    for place, cell in enumerate(cells, 1):
        name = cell.strip().strip("\ufeff")
        names.append(name if name and name not in names else f"{name or 'column'}_{place}")
    return names


def _items(path: Path, encoding: str, delimiter: str, table: Table) -> Iterator[SourceItem]:
    header: list[str] | None = None
    for line, cells, problem in _cells(path, encoding, delimiter):
        label = f"{path.name}:{line}"
        if cells is None:
            yield quarantined(label, problem)
        elif not any(cell.strip() for cell in cells):
            continue
        elif header is None:
            header = _named(cells)
        elif len(cells) > len(header):
            yield quarantined(label, f"has {len(cells)} cells under a header of {len(header)}: which one is too many cannot be told")
        else:
            short = len(header) - len(cells)
            changes = (f"row: its last {short} cells are missing",) if short else ()
            row = {name: cell for name, cell in zip(header, cells, strict=False) if cell != ""}
            yield table.item(label, row, changes)


CSV = CommaSeparated()
"""The one reader of CSV."""
