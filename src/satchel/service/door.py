"""Who is calling: from a request's headers to a memory that can do no more than the caller may (ACC-1).

It must not know operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict
from starlette.datastructures import Headers

from satchel.errors import Denied, InvalidRequest
from satchel.operations.memory import Memory
from satchel.operations.wire import AGENT_HEADER
from satchel.protocol.naming import AgentName
from satchel.protocol.validation import validated
from satchel.service.envelope import Refused
from satchel.service.guards import RateLimiter
from satchel.service.tokens import Token, TokenBook

ANONYMOUS = "anonymous"
"""The agent under whose name those write who give none: never that of the service's own process."""


class Bindable(Protocol):
    """A memory that can be bound to a caller, as an engine is. None leaves a set of scopes as it is."""

    def bind(self, *, agent: str | None = None, read: Iterable[str] | None = None, write: Iterable[str] | None = None) -> Memory:
        """Return a memory that may read and write these scopes only, under this agent's name."""
        ...


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and the memory that the caller sees. `scopes` are those that a token names for writing, in order.

    `tenant`: whose memory it is; None, the service's own. `is_keeper`: it has a token for all of that one: who runs the service.
    """

    agent: str | None
    memory: Memory
    scopes: tuple[str, ...] = ()
    tenant: str | None = None
    is_keeper: bool = False


class _Named(BaseModel):
    model_config = ConfigDict(frozen=True)

    agent: AgentName


class Door:
    """Lets callers in. `always`: a token is needed even before the first one was issued (a service that others can reach)."""

    def __init__(
        self,
        memory: Bindable,
        tokens: TokenBook | None,
        *,
        always: bool,
        limiter: RateLimiter | None,
        tenants: Callable[[str], Bindable | None] | None = None,
    ) -> None:
        """`tenants` gives a tenant's memory by its name, None where it is not served."""
        self._memory = memory
        self._tenants = tenants
        self._tokens = tokens
        self._always = always
        self._limiter = limiter

    def enter(self, headers: Headers) -> Caller:
        """Return the caller. Reads the store, so it belongs in a worker thread.

        Raises:
            Refused: a token is needed and none that is valid came, or its tenant is not served here; RateLimited;
            InvalidRequest: an agent's name that is none.
        """
        token = self._token(headers.get("authorization"))
        if token is not None:
            self._count(f"token {token.id}")
            bound = self._of(token).bind(agent=token.agent, read=token.read, write=token.write)
            return Caller(token.agent, bound, tuple(sorted(token.write or ())), token.tenant, _opens_all(token))
        agent = _agent(headers.get(AGENT_HEADER))
        self._count(f"agent {agent}")
        return Caller(agent, self._memory.bind(agent=agent or ANONYMOUS))

    def is_keeper(self, headers: Headers) -> bool:
        """Tell whether who calls has a token for the whole of the service's own memory: who runs the service."""
        try:
            token = self._token(headers.get("authorization"))
        except Refused:
            return False
        return token is not None and _opens_all(token)

    def _of(self, token: Token) -> Bindable:
        """Return the memory that a token opens: never the service's own for a tenant's, whatever is set up."""
        if token.tenant is None:
            return self._memory
        found = None if self._tenants is None else self._tenants(token.tenant)
        if found is None:
            raise Refused(Denied("the tenant of this token is not served here"), 403)
        return found

    def _token(self, header: str | None) -> Token | None:
        scheme, _, secret = (header or "").partition(" ")
        if self._tokens is not None and scheme.lower() == "bearer":
            try:
                return self._tokens.check(secret.strip())
            except Denied as error:
                raise _unauthenticated(error) from None
        if self._always or (self._tokens is not None and self._tokens.required()):
            raise _unauthenticated(Denied("a token is needed: send Authorization: Bearer …, from `satchel tokens create`"))
        return None

    def _count(self, caller: str) -> None:
        if self._limiter is not None:
            self._limiter.take(caller)


def _opens_all(token: Token) -> bool:
    return token.tenant is None and token.read is None and token.write is None


def _unauthenticated(error: Denied) -> Refused:
    return Refused(error, 401, {"WWW-Authenticate": "Bearer"})


def _agent(header: str | None) -> str | None:
    if not header:
        return None
    try:
        name = unquote(header, errors="strict")
    except UnicodeDecodeError:
        raise InvalidRequest.of([{"field": AGENT_HEADER, "message": "is not percent-encoded UTF-8"}]) from None
    return validated(_Named, {"agent": name}, subject="header").agent
