"""Who may do what (ACC-1): checks every scope that a request names, before anything else sees the request.

An unauthorised read looks like absence, an unauthorised write is Denied. It must not know what an operation does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from satchel.engine.core import Principal
from satchel.errors import Denied, NotFound
from satchel.operations import models as m
from satchel.operations.table import Operation

Q = TypeVar("Q", bound=m.Request)

_REVEALING = frozenset(
    {
        "update",
        "correct",
        "confirm",
        "restore",
        "restore_snapshot",
        "drop_snapshot",
        "resolve",
        "move_scope",
        "save_working",
        "promote",
        "session_start",
        "session_end",
    }
)
"""Writes whose result shows what was there before: they need reading as well."""


def narrow(principal: Principal, *, agent: str | None, read: Iterable[str] | None, write: Iterable[str] | None) -> Principal:
    """Return a principal that can do no more than the given one; None leaves a set as it is."""

    def within(held: frozenset[str] | None, wanted: Iterable[str] | None) -> frozenset[str] | None:
        if wanted is None:
            return held
        return frozenset(wanted) if held is None else held & frozenset(wanted)

    return Principal(agent=agent or principal.agent, read=within(principal.read, read), write=within(principal.write, write))


def restricted(principal: Principal) -> bool:
    """Tell whether the principal is bound to some scopes only."""
    return principal.read is not None or principal.write is not None


def authorise(principal: Principal, operation: Operation[Q, Any], request: Q) -> Q:
    """Return the request as far as the principal may make it: scopes that may not be read are gone from it.

    Raises:
        NotFound: the request is about one record of a scope that may not be read.
        Denied: a scope that may not be written, or an operation on the whole store by a principal that is bound to scopes.
    """
    if not restricted(principal):
        return request
    if operation.access == "manage":
        raise Denied(f"{operation.name} concerns the whole store, and this caller is bound to some scopes")
    if operation.access == "write":
        _authorise_writing(principal, operation, request)
        return request
    return _as_readable(principal, request)


def require_write(principal: Principal, scopes: Iterable[str]) -> None:
    """Raise Denied, naming the scopes, unless each may be written."""
    if principal.write is None:
        return
    missing = sorted(set(scopes) - principal.write)
    if missing:
        raise Denied(f"this caller may not write to {', '.join(missing)}", scopes=missing)


def require_read(principal: Principal, scopes: Iterable[str]) -> None:
    """Raise NotFound unless each scope may be read; it does not say which."""
    if principal.read is not None and not principal.read.issuperset(scopes):
        raise NotFound("no such record")


def _authorise_writing(principal: Principal, operation: Operation[Any, Any], request: m.Request) -> None:
    named = written_scopes(request)
    require_write(principal, named)
    revealing = operation.name in _REVEALING or (isinstance(request, m.ForgetRequest) and request.id is None and request.plan is None)
    if revealing:
        require_read(principal, named)


def written_scopes(request: m.Request) -> set[str]:
    """Return every scope that a writing request names, wherever it stands."""
    if isinstance(request, m.RememberManyRequest):
        return {memory.scope or request.scope or "" for memory in request.memories} | ({request.scope} if request.scope else set())
    if isinstance(request, m.WriteRecordRequest):
        return {request.record.scope}
    if isinstance(request, m.IngestRequest):
        return {item.record.scope for item in request.items if item.record is not None}
    if isinstance(request, m.MoveScopeRequest):
        return {request.scope, request.to}
    scope = getattr(request, "scope", None)
    return set() if scope is None else {scope} if isinstance(scope, str) else set(scope)


def _as_readable(principal: Principal, request: Q) -> Q:
    scope = getattr(request, "scope", None)
    if scope is None:
        return request
    if isinstance(scope, str):
        require_read(principal, (scope,))
        return request
    return request.model_copy(update={"scope": principal.readable(scope)})
