"""Tokens: who may come in, under which agent's name, to which scopes (ACC-1). Kept as documents of the store.

It must not know HTTP. Of a token's secret only a SHA-256 is stored: it is 256 random bits, so that guessing is hopeless without salt.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict

from satchel.errors import Denied, InvalidRequest, NotFound
from satchel.ports import Batch, Clock, Document, Store
from satchel.protocol.naming import agent_name
from satchel.protocol.record import Label
from satchel.protocol.scope import Scope
from satchel.protocol.times import Instant
from satchel.protocol.validation import validated
from satchel.service.tenants import TenantName

COLLECTION = "tokens"
PREFIX = "satchel"
_PAGE = 1000


def _now() -> datetime:
    return datetime.now(UTC)


class Token(BaseModel):
    """What is known of a token. `read` and `write` are scopes; None means every scope, and has to be said: nothing defaults to it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Label
    agent: Label
    read: frozenset[Scope] | None
    write: frozenset[Scope] | None
    created_at: Instant
    expires_at: Instant | None = None
    revoked_at: Instant | None = None
    secret_sha256: str
    tenant: TenantName | None = None
    """Whose memory it opens, all its scopes being of that one; None, the service's own."""

    def alive(self, now: datetime) -> bool:
        """Tell whether it opens the door at this moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its `secret` text, which is shown once and kept nowhere."""

    token: Token
    secret: str


class TokenBook:
    """Issues, lists, revokes and checks tokens. Each check reads the store: a revocation holds at once in every process."""

    def __init__(self, store: Store, *, clock: Clock = _now) -> None:
        self._store = store
        self._clock = clock

    def create(
        self,
        agent: str,
        *,
        read: Iterable[str] | None = (),
        write: Iterable[str] | None = (),
        expires_in: timedelta | None = None,
        tenant: str | None = None,
    ) -> IssuedToken:
        """Issue a token for an agent, bound to scopes that it may read and write; None stands for every scope, of this tenant.

        Raises:
            InvalidRequest: no agent, no scope at all, a scope or tenant that is none, or a time that is past.
        """
        now = self._clock()
        if not (agent_name(agent) or "").strip():
            raise InvalidRequest.of([{"field": "agent", "message": "may not be empty"}])
        if expires_in is not None and expires_in <= timedelta(0):
            raise InvalidRequest.of([{"field": "expires_in", "message": "lies in the past"}])
        scopes = {"read": _several(read), "write": _several(write)}
        if not any(scope is None or scope for scope in scopes.values()):
            raise InvalidRequest.of([{"field": "read", "message": "name at least one scope to read or write, or say all"}])
        secret = secrets.token_urlsafe(32)
        given = {
            "id": secrets.token_hex(6),
            "agent": agent,
            **scopes,
            "created_at": now,
            "expires_at": now + expires_in if expires_in else None,
            "secret_sha256": _digest(secret),
            "tenant": tenant,
        }
        token = validated(Token, given, subject="token")
        self._write(token)
        return IssuedToken(token, f"{PREFIX}_{token.id}_{secret}")

    def all(self) -> list[Token]:
        """Return every token that was issued, revoked and expired ones too, the oldest first."""
        found: list[Token] = []
        after: str | None = None
        while page := self._store.documents(COLLECTION, after=after, limit=_PAGE):
            found += [Token.model_validate(document.value) for document in page]
            after = page[-1].key
        return sorted(found, key=lambda token: (token.created_at, token.id))

    def revoke(self, token_id: str) -> Token:
        """Close the door to a token, from the next request on. Raises NotFound for an unknown id."""
        token = self._read(token_id)
        if token is None:
            raise NotFound(f"there is no token {token_id!r}")
        if token.revoked_at is None:
            token = token.model_copy(update={"revoked_at": self._clock()})
            self._write(token)
        return token

    def required(self) -> bool:
        """Tell whether callers need a token: from the first one issued on, even when every one is revoked."""
        return bool(self._store.documents(COLLECTION, limit=1))

    def any_alive(self) -> bool:
        """Tell whether some token opens the door now."""
        now = self._clock()
        return any(token.alive(now) for token in self.all())

    def tenants(self) -> set[str]:
        """Return the tenants that some token opens now."""
        now = self._clock()
        return {token.tenant for token in self.all() if token.tenant is not None and token.alive(now)}

    def check(self, secret: str) -> Token:
        """Return the token that this text is. Raises Denied, always in the same words."""
        prefix, _, rest = secret.partition("_")
        token_id, _, random_part = rest.partition("_")
        token = self._read(token_id) if prefix == PREFIX and token_id.isalnum() else None
        # Compared in constant time, and against something where there is no such token.
        same = hmac.compare_digest(_digest(random_part), token.secret_sha256 if token else _digest("none"))
        if token is None or not same or not token.alive(self._clock()):
            raise Denied("the token is not valid")
        return token

    def _read(self, token_id: str) -> Token | None:
        value = self._store.document(COLLECTION, token_id)
        return None if value is None else Token.model_validate(value)

    def _write(self, token: Token) -> None:
        self._store.apply(Batch(documents=[Document(COLLECTION, token.id, token.model_dump(mode="json"))]))


def _several(scopes: Iterable[str] | None) -> tuple[str, ...] | None:
    if scopes is None:
        return None
    return (scopes,) if isinstance(scopes, str) else tuple(scopes)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
