"""Commands on packages: export, import, inspect.

It must not know their lines beyond header, trailer and counts.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satchel.cli.declaring import command
from satchel.cli.output import fields, local, printable, progress, remark, say, table, write_json
from satchel.cli.session import Session
from satchel.cli.values import existing_file, fault, pairs
from satchel.errors import InvalidPackage, SatchelError, VersionError

if TYPE_CHECKING:
    from satchel.operations.memory import Memory

PANEL = "Packages"

File = Annotated[Path, typer.Argument(metavar="FILE", help="The package; - reads standard input.")]


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
    for function, name in ((export, None), (import_, "import"), (inspect, None)):
        command(app, name, panel=PANEL)(function)


def export(
    session: Session,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to; a name that ends in .zst is compressed. Default: standard output."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Every scope that you may read.")] = False,
    since: Annotated[int | None, typer.Option(min=0, metavar="POSITION", help="Only what changed after this position of the log.")] = None,
    include_sensitive: Annotated[bool, typer.Option("--include-sensitive", help="Sensitive memories too.")] = False,
    sessions: Annotated[bool, typer.Option("--sessions", help="Working memory too.")] = False,
    zstd: Annotated[bool, typer.Option("--zstd", help="Compress.")] = False,
) -> None:
    """Write a package: every memory and tombstone of the scope, in one stream that any Satchel reads."""
    if everything and session.scope_given and not session.scope_from_environment:
        raise fault("--everything", "goes against --scope")
    given: dict[str, Any] = {
        "scope": None if everything else session.scopes,
        "everything": everything,
        "since": since,
        "include_sensitive": include_sensitive,
        "working": sessions,
        "compressed": zstd or (output is not None and output.suffix == ".zst"),
    }
    with session.without_embedder().open() as memory:
        if output is None or str(output) == "-":
            if sys.stdout.isatty():
                raise fault("--output", "name a file with -o, or send the output on: a package is not for reading on a terminal")
            memory.export(to=sys.stdout.buffer, **given)
            sys.stdout.buffer.flush()
            return
        size = _export_to_file(memory, output, given)
    if session.as_json:
        write_json({"file": str(output), "bytes": size})
    else:
        say(f"wrote {printable(str(output))} ({size:,} bytes)")


def _export_to_file(memory: Memory, output: Path, given: dict[str, Any]) -> int:
    """Write beside the target and put it in place whole, so that a broken-off export never replaces a good one.

    A link stays a link: what it points to is replaced. A pipe or a device is written to as it is.
    """
    try:
        target = output.resolve()
        if target.is_dir():
            raise fault("--output", f"is a folder; name a file in it: {output}")
        if not target.parent.is_dir():
            raise fault("--output", f"no such folder: {target.parent}")
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                return _written(memory, stream, given)
        return _replaced(memory, target, given)
    except RuntimeError as error:  # Path.resolve on links that lead in a circle
        raise fault("--output", f"cannot be followed: {error}") from None
    except BrokenPipeError:
        raise SatchelError(f"{output}: the export was not written whole: its reader closed it") from None
    except OSError as error:
        raise SatchelError(f"{output}: the export could not be written: {error.strerror or error}") from None


def _replaced(memory: Memory, target: Path, given: dict[str, Any]) -> int:
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            size = _written(memory, stream, given)
            os.fsync(stream.fileno())
        Path(name).replace(target)
        return size
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _written(memory: Memory, stream: Any, given: dict[str, Any]) -> int:
    with progress("exporting") as advance:
        size = memory.export(to=_Counting(stream, advance), **given)
    stream.flush()
    return size


class _Counting:
    def __init__(self, stream: Any, advance: Any) -> None:
        self._stream, self._advance, self._done = stream, advance, 0

    def write(self, data: bytes, /) -> int:
        self._done += len(data)
        self._advance(self._done)
        return int(self._stream.write(data))

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._stream.read(size)
        self._done += len(data)
        self._advance(self._done)
        return data


def import_(
    session: Session,
    file: File,
    map_: Annotated[
        list[str] | None, typer.Option("--map", metavar="FROM=TO", help="Put one scope's memories into another; may be repeated.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
) -> None:
    """Take a package in: verified whole first; the same package again changes nothing; what was forgotten stays forgotten."""
    scope_map = pairs("--map", map_)
    with (
        opened_package("FILE", file) as stream,
        nullcontext(stream) if session.has_store() else _verified(stream) as sound,
        session.creating().open() as memory,
        progress("reading") as advance,
    ):
        report = memory.import_package(_Counting(sound, advance), scope_map=scope_map, dry_run=dry_run)
    if session.as_json:
        write_json(report.model_dump(mode="json"))
        return
    say(("would do" if dry_run else "done") + ": " + (", ".join(f"{count} {name}" for name, count in report.counts.items()) or "nothing"))
    if report.receipts:
        table(["line", "outcome", "id", "why"], ([r.item, r.outcome.value, r.id or "", r.reason or ""] for r in report.receipts[:50]))
        if len(report.receipts) > 50:
            remark(f"… and {len(report.receipts) - 50} more receipts: --json has them all")
    if not dry_run:
        say(f"import {report.import_id}")
        remark(f"to take it back: satchel undo {printable(report.import_id)}")


@contextmanager
def opened_package(argument: str, file: Path) -> Iterator[Any]:
    """Open a package's file, or standard input for `-`; what is wrong with it is said with its name."""
    name = "standard input" if str(file) == "-" else str(file)
    try:
        if str(file) == "-":
            yield sys.stdin.buffer
            return
        with existing_file(argument, file).open("rb") as stream:
            yield stream
    except (InvalidPackage, VersionError) as error:
        if not error.message.startswith(f"{name}: "):
            error.message = f"{name}: {error.message}"
            error.args = (error.message,)
        raise


@contextmanager
def _verified(stream: Any) -> Iterator[Any]:
    """Verify a package before a store is begun for it: a refused one leaves no empty store behind."""
    from satchel.protocol.package import read_package

    with tempfile.SpooledTemporaryFile(max_size=16 * 1_048_576) as spool:
        shutil.copyfileobj(stream, spool)
        spool.seek(0)
        read_package(spool).close()
        spool.seek(0)
        yield spool


def inspect(session: Session, file: File) -> None:
    """Verify a package and say what it holds, without a store."""
    from satchel.protocol.package import read_package

    with opened_package("FILE", file) as stream:
        package = read_package(stream)
    with package:
        header, counts = package.header, package.trailer.counts
    if session.as_json:
        write_json({"header": header.model_dump(mode="json"), "counts": counts, "sha256": package.trailer.sha256})
        return
    fields(
        [
            ("protocol", header.protocol),
            ("producer", header.producer),
            ("written", local(header.created_at)),
            ("position", "" if header.position is None else str(header.position)),
            ("scopes", ", ".join(header.scopes) if header.scopes is not None else "all that its writer could read"),
            ("complete", "yes" if header.complete else f"no, what changed after position {header.since}"),
            ("holds", ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"),
            ("sha-256", f"{package.trailer.sha256} (verified)"),
        ]
    )
