"""The reference pages, made from the command line and the operation table. It must not know where they are written to."""

from __future__ import annotations

import json
from typing import Any

import typer.main

from satchel.cli.main import build
from satchel.conformance import MemoryContract, StoreContract, WorkingContract
from satchel.conformance.contract import Contract, capability_of, requirements_of
from satchel.conformance.requirements import REQUIREMENTS
from satchel.operations.table import EXPORT_PATH, IMPORT_PATH, OPERATIONS, PACKAGE_MEDIA_TYPE, Operation
from satchel.protocol.typescript import type_of

CONTRACTS = (StoreContract, WorkingContract, MemoryContract)

MADE = "<!-- Made from the code by `make docs`; do not edit. -->\n"


# ---------------------------------------------------------------- command line


def command_line() -> str:
    """Return docs/cli.md."""
    app = typer.main.get_command(build())
    parts = [MADE, "# Command line\n", _INTRODUCTION, "## Options of every command\n", _options(app, shared=True)]
    panels: dict[str, list[str]] = {}
    for name, command in _commands(app):
        panels.setdefault(str(command.rich_help_panel), []).append(_command(name, command))
    for panel, entries in panels.items():
        parts += [f"## {panel}\n", *entries]
    return "\n".join(parts)


_INTRODUCTION = """\
`satchel COMMAND --help` says the same as this page. Completion for your shell: `satchel --install-completion`.

- A table for people; with `--json` one JSON document for programs on standard output, and errors as `{"error": {"code", "message", "details"}}` on standard error.
- Exit codes: 0 done; 1 the answer is no (nothing found, verification failed); 2 wrong usage; 3 an error; 130 interrupted.
- A time is `2026-11-30`, an ISO 8601 time (without a zone: this machine's), or a span back from now such as `7d`. A span is seconds, or a number with s, m, h, d or w.
- `-` in place of a text or a file reads standard input. A text that starts with a dash goes after `--`.
- `SATCHEL_DEBUG=1` shows where an unexpected error came from.
"""


def _commands(group: Any, prefix: str = "") -> list[tuple[str, Any]]:
    found = []
    for name, command in group.commands.items():
        full = f"{prefix}{name}"
        found += _commands(command, f"{full} ") if hasattr(command, "commands") else [(full, command)]
    return found


def command_names() -> list[str]:
    """Return the name of every command."""
    return [name for name, _ in _commands(typer.main.get_command(build()))]


def _command(name: str, command: Any) -> str:
    arguments = " ".join(
        parameter.metavar or parameter.name.upper() for parameter in command.params if parameter.param_type_name == "argument"
    )
    return f"### satchel {name} {arguments}".rstrip() + f"\n\n{command.help}\n\n{_options(command, shared=False)}"


def _options(command: Any, *, shared: bool) -> str:
    rows = [
        f"| `{_spelled(parameter)}` | {(parameter.help or '').replace('|', chr(92) + '|')}{_default(parameter)} |"
        for parameter in command.params
        if (parameter.rich_help_panel == "Everywhere") is shared and parameter.name not in {"install_completion", "show_completion"}
    ]
    return "\n".join(["| | |", "|---|---|", *rows]) + "\n" if rows else ""


def _spelled(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar or parameter.name.strip('_').upper()}"


def _default(parameter: Any) -> str:
    value = parameter.default
    return f" Default: {value}." if isinstance(value, str | int) and not isinstance(value, bool) else ""


# ---------------------------------------------------------------- operations


def operations() -> str:
    """Return docs/operations.md."""
    return "\n".join([MADE, "# Operations\n", _OPERATIONS_INTRODUCTION, *map(_operation, OPERATIONS), _STREAMS])


_OPERATIONS_INTRODUCTION = """\
One table drives the Python methods, the HTTP routes, both clients and the MCP tools. A method of `Memory` has the operation's name and its request's members as arguments;
`POST`, `PUT` and `PATCH` take the members as a JSON body, `GET` and `DELETE` in the query string, those in braces in the path (an id as the protocol's [primitives](../spec/04-primitives.md) say). All paths stand under `/v1`.
Members of a result are listed by name; a record is described in [spec/02-record.md](../spec/02-record.md). Errors are those of [spec/04-primitives.md](../spec/04-primitives.md).
"""

_STREAMS = f"""\
## export

`GET /v1{EXPORT_PATH}` · needs read · Python: `export(to=stream, …)`

Streams a package ([spec/05-package.md](../spec/05-package.md)) as `{PACKAGE_MEDIA_TYPE}`.

## import

`POST /v1{IMPORT_PATH}` · needs write · Python: `import_package(stream, …)`

Takes a package in and answers with a report: `import_id`, `counts`, `receipts`.
"""


def _operation(operation: Operation[Any, Any]) -> str:
    retry = "" if operation.idempotent else " · a retry may act twice"
    lines = [
        f"## {operation.name}\n",
        f"`{operation.verb} /v1{operation.path}` · needs {operation.access}{retry}\n",
        _prose(operation.description),
        _members(operation.request.model_json_schema()),
        f"Gives {_result(operation)}\n",
    ]
    return "\n".join(line for line in lines if line)


def _prose(text: str | None) -> str:
    return "\n".join(line.strip() for line in (text or "").strip().split("\n")) + "\n"


def _result(operation: Operation[Any, Any]) -> str:
    schema = operation.result.model_json_schema()
    if operation.result.__name__ == "MemoryRecord":
        return "the record."
    members = ", ".join(f"`{name}`" for name in schema.get("properties", {}))
    return f"{members}: {_prose(schema.get('description')).strip()}"


def _members(schema: dict[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = [f"| `{name}` | {_kind(inner)} | {_given(inner, name in required)} |" for name, inner in schema.get("properties", {}).items()]
    return "\n".join(["| member | type | default |", "|---|---|---|", *rows]) + "\n" if rows else ""


def _kind(schema: dict[str, Any]) -> str:
    text = type_of(schema).replace(" | null", "").replace("|", r"\|")
    inner = next((option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"), {})
    return "time" if inner.get("format") == "date-time" else f"`{text}`" if "\\" not in text else text


def _given(schema: dict[str, Any], required: bool) -> str:
    if required:
        return "needed"
    default = schema.get("default")
    return "" if default in (None, [], {}) or isinstance(default, dict) else f"`{json.dumps(default)}`"


# ---------------------------------------------------------------- conformance


def conformance() -> str:
    """Return docs/conformance.md."""
    parts = [MADE, _CONFORMANCE]
    for contract in CONTRACTS:
        parts.append(f"## {contract.__name__}: {len(contract.names())} tests\n")
        proved = {key: [name for name in contract.names() if key in requirements_of(contract, name)] for key in REQUIREMENTS}
        parts += [_requirement(contract, key, tests) for key, tests in proved.items() if tests]
    return "\n".join(parts)


def _requirement(contract: type[Contract], key: str, tests: list[str]) -> str:
    lines = [f"**{key}** {REQUIREMENTS[key]}\n"]
    for name in tests:
        capability = capability_of(contract, name)
        only = f" (where `{capability}` is claimed)" if capability else ""
        lines.append(f"- {name.removeprefix('test_').replace('_', ' ')}{only}")
    return "\n".join(lines) + "\n"


_CONFORMANCE = """\
# Conformance

What a store, an engine or a server must do to call itself Satchel's, as tests that ship with the package. Each is tied to the requirements it proves. A test that is skipped or never ran is no pass, and only a whole run in which all passed is conformant; what a subject may leave out it must say, by not claiming the capability.

```bash
satchel conformance --help
python -m pytest --help | grep -A 3 satchel
```

- A store: `pytest --pyargs satchel.conformance.test_store --satchel-store=package:factory`; the factory gives an empty store. See [writing a store](stores.md#writing-a-store).
- A place for working memory: `pytest --pyargs satchel.conformance.test_working --satchel-working=package:factory`. See [a place of your own](sessions.md#a-place-of-your-own).
- A server in any language: `satchel conformance http://127.0.0.1:7377`. It keeps to scopes of its own and forgets them at the end; their tombstones, about a hundred, stay for good, so certify an instance that is no one's memory. A test that does not end within a minute (`--limit`) is reported as `hung`.
- In a test suite of your own: inherit a contract and offer its fixture. Its tests cannot be redefined.

`--json`, or `Report.to_json()`, gives the report for programs. What everything that ships makes of the contracts stands in [one table](conformance-table.md).
"""
