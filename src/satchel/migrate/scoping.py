"""Which scope an item goes to: a given one, a rule's, or the one its origin names (MIG-10, simple form).

It must not know any foreign format. What nobody said is not guessed: such items are quarantined, or the migration refuses to begin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from satchel.errors import InvalidRequest
from satchel.migrate.items import Owner
from satchel.protocol.scope import make_scope, parse_scope

EVERYONE = "*"
"""A rule for whatever no other rule names."""

NO_SCOPE = "names no user or agent, and no scope was given; give --scope"

_OWNING = ("user", "agent", "project", "session")
"""Segment kinds in the order in which they claim an item: a user's memory is the user's, whichever agent or session wrote it."""


@dataclass(slots=True)
class ScopeMap:
    """Resolves owners to scopes and counts what went where.

    `rules`: an owner (`alice`, `user:alice`, `mem0/alice`, or `*` for all others) to a scope.
    With rules, what none names goes to `scope`, and nowhere without it. Without rules, `scope` takes everything,
    and without it each item goes to the scope that its origin names.
    """

    kind: str
    scope: str | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.scope = parse_scope(self.scope) if self.scope is not None else None
        self.rules = {name: parse_scope(scope) for name, scope in self.rules.items()}

    def require(self, names_owners: bool) -> None:
        """Refuse to begin where neither the source nor the caller says whose the items are (complaint 68)."""
        if self.scope is None and not names_owners and EVERYONE not in self.rules:
            raise InvalidRequest.of([{"field": "scope", "message": f"this source {NO_SCOPE}"}], subject="migration")

    def resolve(self, owner: Owner, *, count: bool = True) -> str | None:
        """Return the scope of an item, or None where nothing says it."""
        native = _native(owner)
        found = self._by_rule(owner, native) or self.scope or (native if not self.rules else None)
        if found is not None and count:
            self.seen[native or "", found] += 1
        return found

    def targets(self) -> tuple[str, ...]:
        """Return the scopes that items went to so far, or, before the first, those that the rules name."""
        found = {scope for _, scope in self.seen} or {scope for scope in (self.scope, *self.rules.values()) if scope}
        return tuple(sorted(found))

    def _by_rule(self, owner: Owner, native: str | None) -> str | None:
        if not self.rules:
            return None
        names = [native] if native else []
        for kind in _OWNING:
            if kind in owner:
                name = owner[kind]
                names += [f"{kind}:{name}", f"{self.kind}/{name}", name]
        return next((self.rules[name] for name in [*names, EVERYONE] if name in self.rules), None)

    def notes(self) -> list[str]:
        """Say what went where, and where several owners were put together."""
        said = [f"scope {scope}: {count} of {owner or 'no named owner'}" for (owner, scope), count in sorted(self.seen.items())]
        owners: dict[str, set[str]] = {}
        for owner, scope in self.seen:
            if owner:
                owners.setdefault(scope, set()).add(owner)
        said += [
            f"scope {scope} takes the memories of {len(names)} owners together: {', '.join(sorted(names))}"
            for scope, names in sorted(owners.items())
            if len(names) > 1
        ]
        return said


def _native(owner: Owner) -> str | None:
    if "scope" in owner:
        try:
            return parse_scope(owner["scope"])
        except InvalidRequest:
            return None
    kind = next((kind for kind in _OWNING if owner.get(kind, "").strip()), None)
    if kind is None:
        return None
    try:
        return make_scope(**{kind: owner[kind]})
    except InvalidRequest:
        return None
