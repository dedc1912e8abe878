"""Which store each tenant's memory is in (ACC-6): read from a file, written in no request. It must not know how a store is opened.

A tenant is whoever has memory of its own: a customer, a team, an agent.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from satchel.errors import Fault, InvalidRequest
from satchel.protocol.validation import validated

_PLACE = "{tenant}"
_NAME = r"[a-z0-9][a-z0-9_-]{0,47}"

TenantName = Annotated[str, StringConstraints(pattern=rf"^{_NAME}$")]
"""Small letters, digits, `_` and `-`: safe in a path, a schema's name and a key, and the same on every file system."""


class TenantStore(BaseModel):
    """Where one tenant's memory is: URLs as `open_memory` takes them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: Annotated[str, Field(min_length=1)]
    working: str | None = None
    index: str | None = None


class Tenants(BaseModel):
    """The tenants of a service.

    `tenant` names those with a store of their own choice. `store` is the URL of all others, with `{tenant}` where the name stands; without
    it there are no others. `working` is likewise where sessions are kept; each tenant gets a namespace of its own there. `index` is an
    external vector index; on a server each tenant gets a collection of its own, and a folder needs a place for the name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str | None = None
    working: str | None = None
    index: str | None = None
    most_open: Annotated[int, Field(ge=1)] = 32
    """Stores that are open at a time; the longest unused is closed for another."""
    tenant: dict[TenantName, TenantStore] = Field(default_factory=dict)

    @property
    def keeps_indexes(self) -> bool:
        """Whether some tenant has its vectors in an external index."""
        return self.index is not None or any(where.index is not None for where in self.tenant.values())

    def of(self, name: str) -> TenantStore | None:
        """Return where a tenant's memory is; None for one that is not served."""
        if name in self.tenant:
            return self._completed(name, self.tenant[name])
        if self.store is None or re.fullmatch(_NAME, name) is None:
            return None
        return self._completed(name, TenantStore(store=self.store.replace(_PLACE, name)))

    def _completed(self, name: str, found: TenantStore) -> TenantStore:
        working, index = found.working or self.working, found.index
        if index is None and self.index is not None:
            index = self.index.replace(_PLACE, name) if _PLACE in self.index else _collected(self.index, name)
        return found.model_copy(update={"working": working and _namespaced(working.replace(_PLACE, name), name), "index": index})


def read_tenants(path: Path) -> Tenants:
    """Read the tenants of a service from a TOML file.

    Raises:
        InvalidRequest: it is no such file; a store is named twice, or the one for all has no place for the name.
    """
    try:
        given: Mapping[str, object] = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise _refused([{"field": "tenants", "message": f"{path} cannot be read: {error.strerror}"}]) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _refused([{"field": "tenants", "message": f"{path} is not TOML: {error}"}]) from None
    found = validated(Tenants, given, subject="file of tenants")
    faults = list(_faults(found))
    if faults:
        raise _refused(faults)
    return found


def _faults(found: Tenants) -> list[Fault]:
    faults: list[Fault] = []
    if found.store is None and not found.tenant:
        faults.append({"field": "tenant", "message": "names no tenant, and there is no store for all"})
    if found.store is not None and _PLACE not in found.store:
        faults.append({"field": "store", "message": f"has no {_PLACE}, so that all tenants would share one store"})
    if found.index is not None and _PLACE not in found.index and (where := urlsplit(found.index)).path and not where.netloc:
        faults.append({"field": "index", "message": f"is a folder and has no {_PLACE}, so that all tenants would share one index"})
    for part in ("store", "index"):
        taken: dict[str, str] = {}
        for name, own in found.tenant.items():
            url = getattr(own, part)
            other = name if url is None else taken.setdefault(url, name)
            if other != name:
                faults.append({"field": f"tenant.{name}.{part}", "message": f"is the {part} of tenant {other!r}"})
    return faults


def _namespaced(url: str, name: str) -> str:
    """Return the URL of working memory with a namespace that no other tenant of the service has: names hold no dot."""
    if url == "store":
        return url
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    options["namespace"] = f"{options.get('namespace', 'satchel')}.{name}"
    return f"{url.partition('?')[0]}?{urlencode(options)}"


def _collected(url: str, name: str) -> str:
    """Return the URL of a server's index with a collection that no other tenant of the service has.

    A collection's name takes no dash and has a limit: a name that does not fit stands there as its digest, which no name can be like.
    """
    options = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    fits = name if re.fullmatch(r"[a-z0-9]{1,20}", name) else f"_{blake2b(name.encode(), digest_size=8).hexdigest()}"
    options["collection"] = f"{options.get('collection', 'satchel')}_{fits}"
    return f"{url.partition('?')[0]}?{urlencode(options)}"


def _refused(faults: list[Fault]) -> InvalidRequest:
    return InvalidRequest.of(faults, subject="file of tenants")
