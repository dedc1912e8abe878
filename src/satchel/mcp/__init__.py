"""The MCP server: the tools that an agent needs, over stdio and streamable HTTP. It must not know how memory works.

`serve_stdio(memory, scope=…)` serves one connection; `http_door()` is mounted in the HTTP service at /mcp.
Importing this needs no SDK; using it does, and says how to get it where it is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from satchel.errors import SatchelError, Unsupported
from satchel.operations.memory import Memory

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from satchel.mcp.http import HttpDoor

__all__ = ["error_from_result", "http_door", "serve_stdio"]

_INSTALL = "pip install 'satchel[mcp]'"


def serve_stdio(memory: Memory, *, scope: str | Sequence[str], agent: str | None = None) -> None:
    """Serve one MCP connection over stdin and stdout until the client closes it. The caller closes the memory.

    `scope`: one or several; the first is written to, all are read. `agent` is the name to write under, where the memory is embedded.
    """
    try:
        from satchel.mcp.stdio import serve
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    serve(memory, scope=scope, agent=agent)


def http_door() -> HttpDoor:
    """Return the MCP door of the HTTP service, which `serve` takes as `mounts={"/mcp": …}`."""
    try:
        from satchel.mcp.http import HttpDoor
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return HttpDoor()


def error_from_result(result: CallToolResult) -> SatchelError | None:
    """Read a tool's error, which a client got, back into the class that was raised; None where the call went well."""
    from satchel.mcp.server import error_from_result as read

    return read(result)


def _missing(error: ModuleNotFoundError) -> BaseException:
    if (error.name or "").partition(".")[0] == "satchel":
        return error
    return Unsupported(f"MCP needs the package {error.name}: {_INSTALL}", install=_INSTALL)
