"""What the tests of MCP share: a script against a server over a memory, and what its tools say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.client.client import Client

from satchel import errors as e
from satchel.mcp.binding import Binding
from satchel.mcp.server import error_from_result, make_server
from satchel.operations import Memory
from write_stage import ALICE


def session(memory: Memory, script: Callable[[Client], Awaitable[None]], *, scopes: Any = ALICE, mode: str = "auto") -> None:
    server = make_server(lambda ctx: Binding.of(memory, scopes, client="a tool"))

    async def run() -> None:
        async with Client(server, mode=mode) as client:
            await script(client)

    anyio.run(run)


async def said(client: Client, name: str, **arguments: Any) -> tuple[Any, str]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return result.structured_content, result.content[0].text


async def refused(client: Client, name: str, arguments: dict[str, Any]) -> e.SatchelError:
    result = await client.call_tool(name, arguments)
    assert result.is_error
    error = error_from_result(result)
    assert error is not None and result.content[0].text.startswith(f"{error.code}: ")
    return error
