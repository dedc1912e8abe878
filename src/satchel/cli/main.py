"""`satchel`: the application that holds every command, and the one place where failures become exit codes.

Exit codes: 0 done, 1 the answer is no, 2 usage, 3 an error, 130 interrupted. It must not know what any command does.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

import satchel
from satchel.cli.declaring import SharedOptions, set_defaults
from satchel.cli.session import Shared
from satchel.errors import InvalidPackage, InvalidRequest, NotFound, SatchelError, SecretRefused

DONE, NO, USAGE, ERROR, INTERRUPTED = 0, 1, 2, 3, 130

NOUNS = (
    "memories",
    "reading",
    "packages",
    "moving",
    "store",
    "copying",
    "retention",
    "conflicts",
    "snapshots",
    "sessions",
    "serving",
    "proving",
)
"""Modules of this folder that declare commands, in the order of the help page."""

_ParseError = typer.BadParameter.__mro__[2]
"""Typer's base of everything that is wrong with a command line; it has no public name."""

USAGE_HINT = (
    "Each command explains itself: satchel COMMAND --help. Options of the panel 'Everywhere' may stand before or after the command."
)


def build() -> typer.Typer:
    """Return the application with every command."""
    app = typer.Typer(
        name="satchel",
        help=satchel.__doc__.split("\n")[0].removeprefix("Satchel: ").capitalize() if satchel.__doc__ else None,
        epilog=USAGE_HINT,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_everywhere)
    for noun in NOUNS:
        import_module(f"satchel.cli.{noun}").register(app)
    return app


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"satchel {satchel.__version__}\n")
        raise typer.Exit


def _everywhere(
    context: typer.Context,
    store: SharedOptions.store = None,
    scope: SharedOptions.scope = None,
    agent: SharedOptions.agent = None,
    embedder: SharedOptions.embedder = None,
    working: SharedOptions.working = None,
    token: SharedOptions.token = None,
    as_json: SharedOptions.as_json = False,
    index: SharedOptions.index = None,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    set_defaults(context, Shared(store, tuple(scope or ()), agent, embedder, working, token, as_json, index))


def exit_code(error: SatchelError) -> int:
    """Return the exit code for an error: what was asked for is not there (1), was asked wrongly (2), or failed (3)."""
    if isinstance(error, NotFound):
        return NO
    if isinstance(error, InvalidRequest) and not isinstance(error, InvalidPackage | SecretRefused):
        return USAGE
    return ERROR


def run(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    as_json = "--json" in words
    try:
        _refuse_broken_text(words)
        code = build()(words, prog_name="satchel", standalone_mode=False)
        sys.stdout.flush()
        return int(code or DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _leave_pipe()
    except SystemExit as error:
        # Typer ends with 1 where nobody reads on.
        if isinstance(error.__context__, BrokenPipeError):
            return _leave_pipe()
        raise
    except SatchelError as error:
        _tell(error, as_json)
        return exit_code(error)
    except typer.Abort:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last door: a person gets a sentence, never a traceback
        return _other(error, as_json)


def _other(error: Exception, as_json: bool) -> int:
    if isinstance(error, _ParseError):
        return _tell_usage(error, as_json)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        _tell(SatchelError(f"{where}{error.strerror or error}"), as_json)
        return ERROR
    if os.environ.get("SATCHEL_DEBUG"):
        raise error
    _tell(SatchelError(f"unexpected {type(error).__name__}: {error} (set SATCHEL_DEBUG=1 to see where)"), as_json)
    return ERROR


def _tell_usage(error: Any, as_json: bool) -> int:
    message = error.format_message()
    if not message:  # the help page was asked for by giving no argument, and is printed
        return USAGE
    if as_json:
        _tell(InvalidRequest(message), as_json)
        return USAGE
    context = getattr(error, "ctx", None)
    if context is not None:
        sys.stderr.write(f"{context.get_usage()}\n")
    sys.stderr.write(f"error: {message}\n")
    return USAGE


def _tell(error: SatchelError, as_json: bool) -> None:
    from satchel.cli.output import printable, write_json

    if as_json:
        write_json({"error": error.to_wire()}, stream=sys.stderr)
        return
    sys.stderr.write(f"error: {printable(error.message, lines=True)}\n")
    faults = error.details.get("faults", [])
    for fault in faults[5:]:
        sys.stderr.write(f"       {printable(fault['field'])}: {printable(fault['message'])}\n")
    install = error.details.get("install")
    if install and install not in error.message:
        sys.stderr.write(f"       {install}\n")


class _Told(logging.Handler):
    """Says a warning to the person at the terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        from satchel.cli.output import printable

        sys.stderr.write(f"note: {printable(record.getMessage())}\n")


_TOLD = _Told(logging.WARNING)


def _prepare_streams() -> None:
    """Speak UTF-8 whatever the locale, and keep the library's log lines off the screen: the commands say what matters.

    What an index or a store did with files is said, for no command knows of it.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "")
        if encoding != "utf8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    logging.getLogger("satchel").addHandler(logging.NullHandler())
    for files in ("satchel.indexes", "satchel.stores"):
        logging.getLogger(files).addHandler(_TOLD)


def _refuse_broken_text(words: Sequence[str]) -> None:
    for place, word in enumerate(words, start=1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            shown = word.encode("utf-8", "backslashreplace").decode()
            raise InvalidRequest.of(
                [{"field": f"argument {place}", "message": f"{shown!r} is not valid UTF-8 (at character {error.start + 1})"}],
                subject="command line",
            ) from None


def _leave_pipe() -> int:
    """Nobody reads any more. Keep the interpreter from complaining when it flushes at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE
