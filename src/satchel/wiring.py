"""`open_memory`: from a URL to a `Memory`, embedded or remote.

It owns how the parts are put together; it must not know what any of them does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel import registry
from satchel.errors import InvalidRequest, Unsupported
from satchel.operations.memory import Memory
from satchel.ports import Clock, Consolidator, Embedder, Judge, Store, VectorIndex, WorkingStore

if TYPE_CHECKING:
    from satchel.engine.index.external import ExternalIndex
    from satchel.engine.notes import Notes

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//)?(.*)", re.DOTALL)
"""A scheme has at least two letters, so that a Windows drive is none."""

REMOTE_SCHEMES = ("http", "https")

FILE_SCHEMES = ("sqlite", "jsonl")
"""Stores whose URL holds a path."""

AUTOMATIC_EMBEDDERS = ("e5", "use")
"""Tried in this order where no embedder is named."""


def system_clock() -> datetime:
    """Return the present in UTC."""
    return datetime.now(UTC)


def default_store_url() -> str:
    """Return the URL of the store in the user's data directory."""
    import platformdirs

    return f"sqlite:///{Path(platformdirs.user_data_dir('satchel', appauthor=False)) / 'satchel.db'}"


def open_memory(
    url: str | os.PathLike[str] | Store | None = None,
    *,
    agent: str | None = None,
    embedder: str | Embedder | None = None,
    index: str | VectorIndex | None = None,
    clock: Clock | None = None,
    settings: Any = None,
    token: str | None = None,
    policy: str | None = None,
    consolidator: Consolidator | None = None,
    judge: Judge | None = None,
    working: str | WorkingStore | None = None,
) -> Memory:
    """Open a memory: `sqlite:///agent.db` (with four slashes an absolute path), a plain path, `memory://`, `http://…`, or a Store.

    `agent` is the name to write under. `embedder` is `e5`, `none`, `openai:…` or an Embedder; None takes the best installed.
    `index` keeps the vectors in an external index: `qdrant:///folder`, `qdrant://host:6333`, `chroma://…`, `milvus://…`, or a VectorIndex.
    `clock` returns the present as an aware datetime. `settings` is a Settings or a mapping of its fields; `policy` names a ranking.
    `consolidator` writes memories of one topic into one text; without it their sentences are joined.
    `judge` compares a new memory with those it may repeat, replace or contradict; without it, and where it says nothing, rules do.
    `working` is where sessions are kept: `redis://…`, a WorkingStore, or `store`, which is the default: beside the memories.
    Without a URL it opens the store in the user's data directory. A Store that is given is closed with the memory.

    Raises:
        InvalidRequest: a URL or setting that cannot be; Unsupported: a part is not installed; StoreError: the store cannot be opened.
    """
    given = url if isinstance(url, Store) else None
    scheme, rest = ("", "") if isinstance(url, Store) else split_url(default_store_url() if url is None else _text(url))
    agent = _agent_name(agent)
    if scheme in REMOTE_SCHEMES:
        set_there = {"embedder": embedder, "index": index, "clock": clock, "settings": settings, "policy": policy}
        set_there |= {"consolidator": consolidator, "judge": judge, "working": working}
        return _open_remote(f"{scheme}://{rest}", agent, token, **set_there)
    if token is not None:
        raise InvalidRequest.of([{"field": "token", "message": "is for a service's http:// address; an embedded store has no tokens"}])
    if clock is not None:
        _check_clock(clock)
    if given is None and isinstance(index, str):
        _check_apart(scheme, rest, index)
    opened = _open_store(scheme, rest, create_folder=url is None) if given is None else given
    try:
        return _open_engine(opened, agent, embedder, clock or system_clock, settings, policy, consolidator, judge, working, index)
    except BaseException:
        opened.close()
        raise


def open_store(url: str | os.PathLike[str], *, must_exist: bool = False, field: str = "url") -> Store:
    """Open a store itself, without an engine: for what works on whole stores.

    Raises:
        InvalidRequest: it is a service; or it is not there, where it must be.
        Unsupported, StoreError: as `open_memory`.
    """
    scheme, rest = split_url(_text(url))
    if scheme in REMOTE_SCHEMES:
        message = "must be a store itself; a service takes and gives a package (`satchel export`, `satchel import`)"
        raise InvalidRequest.of([{"field": field, "message": message}])
    if must_exist and (missing := missing_store(url)) is not None:
        raise InvalidRequest.of([{"field": field, "message": f"there is no store {missing!r}"}])
    return _open_store(scheme, rest, create_folder=False)


def _agent_name(given: str | None) -> str | None:
    from satchel.protocol.naming import agent_name

    return agent_name(given)


def split_url(url: str) -> tuple[str, str]:
    """Return scheme and rest of a store's URL; a plain path is SQLite's, but for one that ends in `.jsonl`."""
    found = _URL.fullmatch(url)
    if found is None:
        return ("jsonl" if url.lower().endswith(".jsonl") else "sqlite"), url
    scheme, slashes, rest = found[1].lower(), found[2], found[3]
    known = (*registry.STORES, *REMOTE_SCHEMES)
    if scheme not in known or slashes is None:
        listed = registry.offered(registry.STORES, "http://host:7377 (a service)", "or a plain path")
        raise InvalidRequest.of([{"field": "url", "message": f"{_without_password(url)!r} is no store this can open; known: {listed}"}])
    if scheme in FILE_SCHEMES and "?" in rest:
        raise _bad_url(f"{scheme}:// takes no options; a path that holds a question mark is written without {scheme}://")
    return scheme, rest.removeprefix("/") if scheme in FILE_SCHEMES else rest


def problem_of(part: str, address: str) -> str | None:
    """Say why an address can never be that of a `store`, a place for sessions (`working`) or an `index`; None where it may. Opens nothing.

    Raises Unsupported where what it needs is not installed.
    """
    try:
        if part == "store":
            scheme, _ = split_url(_text(address))
            if scheme in REMOTE_SCHEMES:
                return "is a service; name the store itself"
            registry.load(registry.STORES, scheme, kind="store", field="url")
        elif part == "index":
            _index_factory(address)
        elif address != "store":
            _working_factory(address)
    except InvalidRequest as error:
        return "; ".join(fault["message"] for fault in error.details["faults"])
    return None


def missing_store(url: str | os.PathLike[str]) -> str | None:
    """Return the name of a store that is not there yet, and make nothing; None where it is, and where only opening it can tell."""
    scheme, rest = split_url(_text(url))
    if scheme in FILE_SCHEMES:
        path = Path(rest).expanduser()
        return str(path) if rest and not path.exists() else None
    told_by = registry.STORES[scheme].missing if scheme in registry.STORES else None
    if told_by is None:
        return None
    registry.load(registry.STORES, scheme, kind="store", field="url")  # says it where its driver is not installed
    return registry.imported(told_by)(f"{scheme}://{rest}")  # type: ignore[no-any-return]


def _text(url: str | os.PathLike[str]) -> str:
    try:
        text = os.fspath(url)
        text.encode()
    except (TypeError, AttributeError, UnicodeEncodeError):
        raise _bad_url("is not text that is valid UTF-8") from None
    if "\0" in text:
        raise _bad_url("may not hold a NUL character")
    return text


def _check_clock(clock: Clock) -> None:
    now = clock()
    if now.utcoffset() is None:
        raise InvalidRequest.of([{"field": "clock", "message": "returns a time without a zone; datetime.now(UTC) has one"}])


def _bad_url(problem: str) -> InvalidRequest:
    return InvalidRequest.of([{"field": "url", "message": problem}])


def _without_password(url: str) -> str:
    return re.sub(r"(://[^/@:]*):[^/@]*@", r"\1:***@", url)


def _open_store(scheme: str, rest: str, *, create_folder: bool) -> Store:
    factory = registry.load(registry.STORES, scheme, kind="store", field="url")
    if scheme == "memory":
        return factory("memory://")  # type: ignore[no-any-return]
    if scheme not in FILE_SCHEMES:
        return factory(f"{scheme}://{rest}")  # type: ignore[no-any-return]
    if not rest or rest == ":memory:":
        raise _bad_url(f"{scheme}:// needs a path, as in {scheme}:///agent.db; memory:// keeps nothing")
    path = Path(rest).expanduser()
    if create_folder:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    elif not path.parent.is_dir():
        hint = "" if path.is_absolute() or not Path("/", rest).parent.is_dir() else f"; for an absolute path write {scheme}:////{rest}"
        raise _bad_url(f"the folder {str(path.parent)!r} does not exist{hint}")
    return factory(f"{scheme}:///{path}")  # type: ignore[no-any-return]


def _open_engine(
    store: Store,
    agent: str | None,
    embedder: str | Embedder | None,
    clock: Clock,
    settings: Any,
    policy: str | None,
    consolidator: Consolidator | None,
    judge: Judge | None,
    working: str | WorkingStore | None,
    index: str | VectorIndex | None,
) -> Memory:
    from satchel.engine.copying.bookmark import unfinished
    from satchel.engine.core import Core, Principal
    from satchel.engine.engine import Engine
    from satchel.engine.notes import UNFINISHED, Notes
    from satchel.engine.recall.ranking import policy_named
    from satchel.engine.settings import Settings
    from satchel.engine.working.home import open_home
    from satchel.protocol.validation import validated

    given = settings.model_dump(exclude_unset=True) if isinstance(settings, Settings) else dict(settings or {})
    chosen = validated(Settings, given | ({} if policy is None else {"policy": policy}), subject="settings")
    policy_named(chosen.policy)
    notes = Notes()
    found = _open_embedder(embedder, notes) if embedder is None or isinstance(embedder, str) else embedder
    apart = _open_working(working) if isinstance(working, str) else working
    vectors = _open_index(index) if isinstance(index, str) else index
    external = None if vectors is None else _following(vectors, store, notes)
    core = Core(store, found, clock, chosen, notes, consolidator, judge, apart, external=external)
    try:
        open_home(core, chosen=working is not None)
        if (said := unfinished(store)) is not None:
            notes.add(UNFINISHED, said)
        return Engine(core, Principal(agent=agent))
    except BaseException:
        if apart is not None:
            apart.close()
        raise


def _following(vectors: VectorIndex, store: Store, notes: Notes) -> ExternalIndex:
    from satchel.engine.index.external import ExternalIndex

    return ExternalIndex(vectors, store, notes)


def _check_apart(scheme: str, rest: str, index: str) -> None:
    """Refuse an index in, or over, a place that the store uses or will use, whether or not anything is there yet."""
    from satchel.indexes.address import folder_of

    beside = registry.STORES[scheme].beside
    folder = folder_of(index)
    if beside is None or folder is None or not rest:
        return
    given = Path(rest).expanduser()
    wanted = [folder.absolute(), folder.resolve()]
    for file in (given.absolute(), given.resolve()):
        for path in wanted:
            for part in (path, *path.parents):
                if part.parent == file.parent and _is_of(part.name.casefold(), file.name.casefold(), registry.imported(beside)):
                    raise _bad_index(f"{folder} is where the store keeps its own files: give the index another path")
            if path in file.parents:
                raise _bad_index(f"the store would lie in {folder}: give the index a path of its own")


def _is_of(name: str, file: str, endings: Iterable[str]) -> bool:
    """Tell whether a name is that of a file of a store, or of one that it keeps beside it."""
    if not name.startswith(file):
        return False
    rest = name.removeprefix(file)
    return not rest or any(rest == ending or (ending.endswith("*") and rest.startswith(ending[:-1])) for ending in endings)


def _bad_index(problem: str) -> InvalidRequest:
    return InvalidRequest.of([{"field": "index", "message": problem}])


def _open_index(url: str) -> VectorIndex:
    scheme, _, rest = url.partition("://")
    return _index_factory(url)(f"{scheme.lower()}://{rest}")  # type: ignore[no-any-return]


def _index_factory(url: str) -> Any:
    scheme, separator, rest = url.partition("://")
    if not separator:
        message = f"{_without_password(url)!r} is no address of a vector index; known: {registry.offered(registry.INDEXES)}"
        raise InvalidRequest.of([{"field": "index", "message": message}])
    of_folders = f"{scheme.lower()}:///"
    name = of_folders if rest.startswith("/") and of_folders in registry.INDEXES else scheme.lower()
    return registry.load(registry.INDEXES, name, kind="vector index", field="index")


def _open_working(url: str) -> WorkingStore | None:
    return None if url == "store" else _working_factory(url)(url)


def _working_factory(url: str) -> Any:
    scheme, colon, _ = _text(url).partition("://")
    if not colon:
        known = registry.offered(registry.WORKING_STORES, "store")
        raise InvalidRequest.of([{"field": "working", "message": f"{_without_password(url)!r} is no place for sessions; known: {known}"}])
    kind = "place of working memory"
    return registry.load(registry.WORKING_STORES, scheme.lower(), kind=kind, field="working", further=("store",))


def _open_embedder(name: str | None, notes: Any) -> Embedder | None:
    if name == "none":
        return None
    if name is not None:
        kind, _, rest = name.partition(":")
        opened = registry.load(registry.EMBEDDERS, kind, kind="embedder", field="embedder", further=("none",))
        return opened(rest)  # type: ignore[no-any-return]
    problems = []
    for candidate in AUTOMATIC_EMBEDDERS:
        try:
            return registry.load(registry.EMBEDDERS, candidate, kind="embedder", field="embedder")("")  # type: ignore[no-any-return]
        except Unsupported as error:
            problems.append(error.message)
    notes.add("embedder", f"no embedding model is installed, so recall is lexical only: {problems[0]}")
    return None


def _open_remote(url: str, agent: str | None, token: str | None, **set_there: Any) -> Memory:
    given = [name for name, value in set_there.items() if value is not None]
    if given:
        raise InvalidRequest.of([{"field": name, "message": "is set where the service runs, not by its client"} for name in given])
    from satchel.client import HttpMemory

    return HttpMemory(url, token=token, agent=agent)
