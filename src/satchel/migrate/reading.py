"""Reading foreign files safely: bounded, decoded by what they hold, never followed out of the source's folder, databases only as copies.

It must not know any format above text, lines, JSON and SQLite.
"""

from __future__ import annotations

import codecs
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from satchel.errors import InvalidRequest

MAX_TEXT_BYTES = 64 * 1_048_576
"""Bytes of a text that is read whole."""

MAX_LINE_CHARS = 16 * 1_048_576

_BLOCK = 1_048_576
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CHINESE_TEXT = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


def refuse(path: Path | str, problem: str) -> InvalidRequest:
    """Build the error for a source that cannot be read."""
    return InvalidRequest.of([{"field": "path", "message": f"{path}: {problem}"}], subject="source")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the operating system's errors into ours, naming the file."""
    try:
        yield
    except FileNotFoundError:
        raise refuse(path, "no such file or folder") from None
    except OSError as error:
        raise refuse(path, f"cannot be read ({error.strerror or error})") from None


def files_below(root: Path, pattern: str = "*") -> list[Path]:
    """Return the regular files below a folder that match, sorted; links that lead out of the folder are passed over."""
    with reading(root):
        base = root.resolve()
        found = (path for path in root.rglob(pattern) if path.is_file())
        return sorted(path for path in found if path.resolve().is_relative_to(base))


# ---------------------------------------------------------------- text


def encoding_of(path: Path) -> str:
    """Find a text file's encoding: by its mark, UTF-8, UTF-16 without a mark, or GB18030; a damaged UTF-8 is `utf-8`."""
    with reading(path), path.open("rb") as stream:
        head = stream.read(_BLOCK)
        marked = next((name for mark, name in _BOMS if head.startswith(mark)), None) or _utf16(head)
        if marked:
            return marked
        decoder = codecs.getincrementaldecoder("utf-8")()
        before, block = b"", head
        while True:
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError:
                return _damaged_or_chinese(before + block)
            if not block:
                return "utf-8"
            before, block = block[-4096:], stream.read(_BLOCK)


def _utf16(head: bytes) -> str | None:
    sample = head[:4096]
    if len(sample) < 4 or b"\x00" not in sample:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.4 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.4 and odd < half * 0.1 else None


def _damaged_or_chinese(block: bytes) -> str:
    """Tell GB18030 from UTF-8 with a few bad bytes: nearly all of a GB18030 text's high bytes are bad UTF-8."""
    as_utf8 = block.decode("utf-8", "replace")
    good, bad = sum(ord(char) > 127 for char in as_utf8 if char != "\ufffd"), as_utf8.count("\ufffd")
    if good > bad:
        return "utf-8"
    as_chinese = block.decode("gb18030", "replace")
    high = [char for char in as_chinese if ord(char) > 127]
    likely = sum(bool(_CHINESE_TEXT.match(char)) for char in high)
    return "gb18030" if likely >= 0.8 * len(high) else "utf-8"


def encoding_named(path: Path, name: str | None) -> str:
    """Return the encoding that a person named, or without a name the one found. Raises InvalidRequest where the file is not in it."""
    found = encoding_of(path)
    if not name:
        return found
    try:
        named = codecs.lookup(name).name
    except LookupError:
        raise refuse(path, f"there is no encoding {name!r}; leave encoding out, and it is found") from None
    if named.startswith("utf") and codecs.lookup(found).name.replace("-sig", "")[:6] != named.replace("-sig", "")[:6]:
        raise refuse(path, f"is not {name.upper()}: it looks like {found.upper()}; leave encoding out, or name it")
    return name


def encoding_note(name: str, encoding: str) -> list[str]:
    """Say an encoding that is not plain UTF-8, for the plan."""
    return [] if encoding in {"utf-8", "utf-8-sig"} else [f"{name}: encoding {encoding.upper()} (detected)"]


def open_text(path: Path, encoding: str) -> IO[str]:
    """Open a text file. Undecodable bytes become lone surrogates, which drafting finds and reports."""
    with reading(path):
        return path.open(encoding=encoding, errors="surrogateescape" if encoding.startswith(("utf-8", "gb")) else "replace", newline="")


def read_text(path: Path, encoding: str | None = None) -> str:
    """Read a whole text with line feeds as line ends. Raises InvalidRequest above MAX_TEXT_BYTES."""
    with reading(path):
        if path.stat().st_size > MAX_TEXT_BYTES:
            raise refuse(path, f"is larger than {MAX_TEXT_BYTES // 1_048_576} MB")
        with open_text(path, encoding or encoding_of(path)) as stream:
            return stream.read().replace("\r\n", "\n").replace("\r", "\n")


def lines_of(path: Path, encoding: str) -> Iterator[tuple[int, str, bool]]:
    """Yield (line number from 1, line without its end, whether the line is complete). A line that is too long is cut and incomplete."""
    with open_text(path, encoding) as stream, reading(path):
        number = 0
        while line := stream.readline(MAX_LINE_CHARS):
            number += 1
            complete = line.endswith("\n")
            yield number, line.rstrip("\r\n"), complete
            while not complete and len(line) == MAX_LINE_CHARS:
                line = stream.readline(MAX_LINE_CHARS)
                complete = line.endswith("\n")


# ---------------------------------------------------------------- SQLite


@contextmanager
def database_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database with its write-ahead log, so that the tool that owns it is not disturbed. Rows are sqlite3.Row."""
    with tempfile.TemporaryDirectory(prefix="satchel-") as folder:
        copy = Path(folder) / "copy.db"
        with reading(path):
            for file in database_files(path):
                shutil.copyfile(file, f"{copy}{file.name.removeprefix(path.name)}")
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            for pragma in ("query_only = 1", "trusted_schema = 0"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # names of columns are decoded strictly
            raise refuse(path, f"is no readable SQLite database ({error})") from None
        finally:
            connection.close()


def database_files(path: Path) -> list[Path]:
    """Return the files that hold a database's content: itself, its write-ahead log, and a rollback journal left by a crash."""
    beside = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    return [path, *(file for file in beside if file.is_file())]


def is_database(path: Path) -> bool:
    """Tell whether a file begins as a SQLite database does."""
    try:
        with path.open("rb") as stream:
            return stream.read(16) == b"SQLite format 3\x00"
    except OSError:
        return False


def columns_of(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return a table's columns in order; empty where there is no such table, or it is virtual and its module is not here."""
    try:
        return [row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        return []
