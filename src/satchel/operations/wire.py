"""How an operation stands on the wire: verb, path, query and JSON body, written and read by the same rules.

It must not know sockets, clients or servers. A list repeats its query parameter; an object stands there as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel

from satchel.errors import Fault, InvalidRequest
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.operations.paths import decode_id, encode_id
from satchel.protocol.validation import validated

Model = TypeVar("Model", bound=BaseModel)
Shape = Literal["one", "list", "object"]

AGENT_HEADER = "X-Satchel-Agent"
"""Names the agent where no token does; percent-encoded UTF-8."""

SCOPE_HEADER = "X-Satchel-Scope"
"""Scopes of an MCP connection, comma-separated, each percent-encoded where it is not ASCII; the first is written to."""

_SINGULAR = {"status": "statuses", "type": "types"}

_QUERY_VERBS = frozenset({"GET", "DELETE"})


@dataclass(frozen=True, slots=True)
class Message:
    """One request on its way: `target` is the path under /v1 with its query, `body` JSON or None."""

    verb: str
    target: str
    body: bytes | None = None


def encode(operation: t.Operation[Any, Any], request: m.Request) -> Message:
    """Write a request; members that were not given are left out, so that the service's defaults hold."""
    places = _path_members(operation.path)
    path = operation.path
    for name in places:
        path = path.replace("{" + name + "}", encode_id(_path_value(request, name)))
    if operation.verb in _QUERY_VERBS:
        return Message(operation.verb, target(path, request, leave_out=places))
    return Message(operation.verb, path, request.model_dump_json(exclude_unset=True, exclude=set(places)).encode())


def target(path: str, request: m.Request, *, leave_out: Iterable[str] = ()) -> str:
    """Return a path with the request's members in its query string."""
    pairs: list[tuple[str, str]] = []
    for name, value in request.model_dump(mode="json", exclude_unset=True, exclude=set(leave_out)).items():
        if value is None:
            continue
        items = value if isinstance(value, list) else [value]
        pairs += [(name, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)) for item in items]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def decode(operation: t.Operation[Any, Any], path: Mapping[str, str], query: Iterable[tuple[str, str]], body: Any = None) -> m.Request:
    """Read a request from its parts; `body` is the parsed JSON. Members of the body go before those of the query.

    Raises:
        InvalidRequest: all faults at once.
    """
    members: dict[str, Any] = decode_query(operation.request, _spelled_out(operation, query))
    members |= _members(operation, body)
    given = {name: decode_id(value) for name, value in path.items()}
    if operation is t.WRITE_RECORD:
        _agree(members, given["id"])
    else:
        members |= given
    request: m.Request = validated(operation.request, members)
    return request


def split_query(query: bytes) -> list[tuple[str, str]]:
    """Return the names and values of a query string. Raises InvalidRequest where it is not percent-encoded UTF-8."""
    try:
        return parse_qsl(query.decode(), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise InvalidRequest.of([{"field": "query", "message": "is not percent-encoded UTF-8"}]) from None
    except ValueError:
        raise InvalidRequest.of([{"field": "query", "message": "cannot be read"}]) from None


def decode_query(model: type[BaseModel], query: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Gather query parameters into members of a request model, still unvalidated."""
    shapes = _shapes(model)
    gathered: dict[str, list[str]] = {}
    for name, value in query:
        gathered.setdefault(name, []).append(value)
    members: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, values in gathered.items():
        shape = shapes.get(name, "one")
        if shape == "list":
            members[name] = values
        elif len(values) > 1:
            faults.append(Fault(field=name, message="is given more than once"))
        elif shape == "object":
            try:
                members[name] = json.loads(values[0])
            except (ValueError, RecursionError):
                faults.append(Fault(field=name, message="is not JSON"))
        else:
            members[name] = values[0]
    if faults:
        raise InvalidRequest.of(faults)
    return members


def _spelled_out(operation: t.Operation[Any, Any], query: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Where records are listed, `status` and `type` may stand for the members, as they do in the method of `Memory`."""
    return [(_SINGULAR.get(name, name), value) for name, value in query] if operation is t.RECORDS else query


def _members(operation: t.Operation[Any, Any], body: Any) -> dict[str, Any]:
    if body is None:
        return {}
    if operation is t.REMEMBER_MANY:
        body = {"memories": body} if isinstance(body, list) else dict(body)
        memories = body.get("memories")
        if isinstance(memories, list):
            body["memories"] = [{"content": memory} if isinstance(memory, str) else memory for memory in memories]
    if not isinstance(body, dict):
        raise InvalidRequest.of([{"field": "body", "message": "expected a JSON object"}])
    if operation is t.WRITE_RECORD and set(body) != {"record"}:
        return {"record": body}
    if operation is t.SAVE_WORKING and "snapshot" not in body:
        beside = {name: body[name] for name in ("base", "keep", "if_version") if name in body}
        return beside | {"snapshot": {name: value for name, value in body.items() if name not in beside}}
    return body


def _agree(members: dict[str, Any], path_id: str) -> None:
    """A record names its id and scope itself; where the path and the query name them too, they are the same."""
    record = members.get("record")
    scope = members.pop("scope", None)
    if not isinstance(record, dict):
        return
    named = {"id": path_id} if scope is None else {"id": path_id, "scope": scope}
    faults = [
        Fault(field=f"record.{name}", message="is not the one that the address names")
        for name, value in named.items()
        if record.get(name, value) != value
    ]
    if faults:
        raise InvalidRequest.of(faults)
    members["record"] = named | record


def _path_value(request: m.Request, name: str) -> str:
    if isinstance(request, m.WriteRecordRequest):
        return request.record.id
    return str(getattr(request, name))


@lru_cache(maxsize=256)
def _path_members(path: str) -> tuple[str, ...]:
    return tuple(part.partition("}")[0] for part in path.split("{")[1:])


@lru_cache(maxsize=256)
def _shapes(model: type[BaseModel]) -> dict[str, Shape]:
    return {name: _shape(field.annotation) for name, field in model.model_fields.items()}


def _shape(annotation: Any) -> Shape:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _shape(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return next((shape for shape in map(_shape, get_args(annotation)) if shape != "one"), "one")
    if origin in (tuple, list, set, frozenset):
        return "list"
    return "object" if origin is dict or annotation is dict else "one"
