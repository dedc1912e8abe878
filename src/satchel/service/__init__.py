"""The HTTP service: the operation table behind /v1, tokens, and the rules of the door. It must not know how memory works.

Importing it needs no web framework; `create_app`, `serve` and `serving` do, and say how to get it where it is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from satchel.errors import Unsupported
from satchel.service.settings import ServiceSettings
from satchel.service.tenants import Tenants, TenantStore, read_tenants
from satchel.service.tokens import IssuedToken, Token, TokenBook

if TYPE_CHECKING:
    from satchel.service.app import create_app
    from satchel.service.running import serve, serving

__all__ = [
    "IssuedToken",
    "ServiceSettings",
    "TenantStore",
    "Tenants",
    "Token",
    "TokenBook",
    "create_app",
    "read_tenants",
    "serve",
    "serving",
]

_HOMES = {"create_app": "satchel.service.app", "serve": "satchel.service.running", "serving": "satchel.service.running"}
_INSTALL = "pip install 'satchel[server]'"


def __getattr__(name: str) -> Any:
    """Import the web framework only when it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "satchel":
            raise
        raise Unsupported(f"the service needs {error.name}: {_INSTALL}", install=_INSTALL) from None
