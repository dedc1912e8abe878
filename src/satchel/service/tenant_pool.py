"""The stores of tenants that are open now: opened when first used, a bounded number at a time, each one's trouble its own (ACC-6).

It must not know who calls, nor what is asked of a memory.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Literal

from satchel.engine.engine import Engine
from satchel.errors import Conflict, Fault, InvalidRequest, SatchelError, StoreCorrupt, StoreError, StoreUnavailable
from satchel.ports import Batch, Document, Store
from satchel.service.tenants import Tenants, TenantStore
from satchel.wiring import missing_store, open_memory, problem_of

logger = logging.getLogger("satchel")

OWNER, KEY = "tenant", "owner"
"""The document that says whose memory a store holds. None: that of the service itself."""

_CANNOT = "the memory of this tenant cannot be opened"

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_QUEUE_SECONDS = 1.0
"""How long a call waits while its tenant has as many under way as it may. One whose store fails does not wait."""
_OPENING_SECONDS = 30.0
_CLOSING_SECONDS = 30.0

_LOOK_SECONDS = 1.0
"""How long somebody who asks after the tenants' health waits for a look at those that failed, and how soon it is looked again."""
_LOOKERS = 4

State = Literal["ok", "closed", "failing"]


@dataclass(slots=True)
class _House:
    """One tenant's store, open or not."""

    name: str
    where: TenantStore
    seats: threading.BoundedSemaphore
    door: threading.Lock = field(default_factory=threading.Lock)
    """Held by who opens or closes the store."""
    engine: Engine | None = None
    guests: int = 0
    used: float = 0.0
    failure: str | None = None
    broken: bool = False
    pause: float = _FIRST_PAUSE
    retry_at: float = 0.0
    look_at: float = 0.0
    """When it may be looked at for its health's sake."""

    @property
    def named(self) -> str:
        """How the log names it."""
        return f"the memory of tenant {self.name}"

    @property
    def state(self) -> State:
        return "failing" if self.failure is not None else "closed" if self.engine is None else "ok"


@contextmanager
def _seat(house: _House) -> Iterator[None]:
    if not house.seats.acquire(timeout=0 if house.failure else _QUEUE_SECONDS):
        raise StoreUnavailable("too many calls of this tenant are under way", retry_after=1)
    try:
        yield
    finally:
        house.seats.release()


class TenantPool:
    """Lends the engines of tenants. Safe under threads."""

    def __init__(self, tenants: Tenants, front: Engine, *, share: int = 16) -> None:
        """`front` is the service's own memory: its embedder, clock and settings are the tenants' too. `share`: calls of one at a time.

        Raises StoreError where the front's store is a tenant's, InvalidRequest where an address can be none.
        """
        self._tenants = tenants
        self._front = front
        self._share = share
        self._lock = threading.Lock()
        self._houses: dict[str, _House] = {}
        self._open = 0
        self._closed = False
        self._lookers = ThreadPoolExecutor(_LOOKERS, thread_name_prefix="satchel-tenants-health")
        self._looks: dict[str, Future[None]] = {}
        _check(tenants)
        _claim(front.core.store, None)

    def serves(self, name: str) -> bool:
        """Tell whether this is a tenant of the service."""
        return self._tenants.of(name) is not None

    def names(self) -> list[str]:
        """Return the tenants that are named in the file or were used."""
        with self._lock:
            return sorted({*self._tenants.tenant, *self._houses})

    def states(self) -> dict[str, State]:
        """Tell of each tenant how its store was when it was last used; asks nobody."""
        with self._lock:
            known = {name: house.state for name, house in self._houses.items()}
        return {name: known.get(name, "closed") for name in self.names()}

    def troubles(self) -> dict[str, str]:
        """Return, by name, why the stores fail that still do when they are looked at again."""
        self.look_again()
        with self._lock:
            return {name: house.failure for name, house in sorted(self._houses.items()) if house.failure is not None}

    def look_again(self) -> None:
        """Look at the stores that failed when they were last used, for about a second: what takes longer shows the next time."""
        now = time.monotonic()
        with self._lock:
            if self._closed:
                return
            self._looks = {name: look for name, look in self._looks.items() if not look.done()}
            for house in self._houses.values():
                if house.failure is not None and house.name not in self._looks and now >= max(house.retry_at, house.look_at):
                    # To look a damaged store over whole may be long work.
                    house.look_at = now + (_LONGEST_PAUSE if house.broken else _LOOK_SECONDS)
                    self._looks[house.name] = self._lookers.submit(self._look, house)
            looks = list(self._looks.values())
        wait(looks, timeout=_LOOK_SECONDS)

    def _look(self, house: _House) -> None:
        damaged = house.broken
        if house.engine is None and missing_store(house.where.store) is not None:
            # A look makes no store: whoever calls next does. What failed is away; but not a place where none can be made.
            if house.failure != _CANNOT:
                house.failure, house.retry_at = None, 0.0
            return
        with suppress(SatchelError), self.lease(house.name, stream=True) as engine:
            engine.core.store.document(OWNER, KEY)
            problems = engine.core.store.check() if damaged else []
            if problems:
                raise StoreCorrupt(problems[0])

    @contextmanager
    def lease(self, name: str, *, stream: bool = False) -> Iterator[Engine]:
        """Lend a tenant's engine for the block. A stream counts as no call: it may last, and whoever runs it bounds them.

        Raises:
            StoreUnavailable: it cannot be opened now, or too much is under way; `details["retry_after"]` is in seconds.
            StoreError: what else keeps it from being opened.
        """
        house = self._house(name)
        with nullcontext() if stream else _seat(house):
            try:
                engine = self._enter(house)
            except SatchelError as error:
                error.add_note(house.named)
                raise
            try:
                yield engine
            except (StoreUnavailable, StoreCorrupt) as error:
                error.add_note(house.named)
                house.failure = error.message
                # What is damaged is opened anew next time: somebody may have mended it.
                house.broken = house.broken or isinstance(error, StoreCorrupt)
                raise
            else:
                house.failure = None
            finally:
                self._leave(house)

    def _house(self, name: str) -> _House:
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the service is stopping")
            if name not in self._houses:
                where = self._tenants.of(name)
                if where is None:
                    raise StoreUnavailable(f"there is no tenant {name!r} here")
                self._houses[name] = _House(name, where, threading.BoundedSemaphore(self._share))
            return self._houses[name]

    # ------------------------------------------------------------ coming and going

    def _enter(self, house: _House) -> Engine:
        engine = self._seated(house)
        if engine is not None:
            return engine
        if not house.door.acquire(timeout=_OPENING_SECONDS):
            raise StoreUnavailable("the memory of this tenant is being opened", retry_after=1)
        try:
            engine = self._seated(house)
            if engine is not None:
                return engine
            left = house.retry_at - time.monotonic()
            if left > 0:
                raise StoreUnavailable(house.failure or _CANNOT, retry_after=max(1, round(left)))
            self._retire(house)
            self._take_place()
            try:
                engine = self._opened(house)
            except BaseException:
                self._give_place()
                raise
            with self._lock:
                house.engine, house.guests, house.used = engine, house.guests + 1, time.monotonic()
            return engine
        finally:
            house.door.release()

    def _seated(self, house: _House) -> Engine | None:
        with self._lock:
            if house.engine is None or (house.broken and not house.guests):
                return None
            house.guests += 1
            house.used = time.monotonic()
            return house.engine

    def _leave(self, house: _House) -> None:
        with self._lock:
            house.guests -= 1
            house.used = time.monotonic()

    def _opened(self, house: _House) -> Engine:
        try:
            engine = self._open_engine(house)
        except Exception as error:
            first, house.failure = house.failure is None, error.message if isinstance(error, StoreError) else _CANNOT
            house.retry_at, house.pause = time.monotonic() + house.pause, min(house.pause * 2, _LONGEST_PAUSE)
            if isinstance(error, StoreError):
                raise
            if first:
                logger.warning("%s cannot be opened: %s", house.named, error.message if isinstance(error, SatchelError) else repr(error))
            # How the file of tenants is wrong is no fault of who calls.
            raise StoreUnavailable(_CANNOT) from error
        house.failure, house.broken, house.pause, house.retry_at = None, False, _FIRST_PAUSE, 0.0
        return engine

    def _open_engine(self, house: _House) -> Engine:
        core = self._front.core
        engine = open_memory(
            house.where.store,
            embedder=core.embedder or "none",
            clock=core.clock,
            settings=core.settings,
            consolidator=core.consolidator,
            judge=core.judge,
            working=house.where.working,
            index=house.where.index,
        )
        if not isinstance(engine, Engine):
            engine.close()
            raise StoreUnavailable(f"the store of tenant {house.name!r} is a service; name the store itself")
        try:
            _claim(engine.core.store, house.name)
        except BaseException:
            engine.close()
            raise
        return engine

    # ------------------------------------------------------------ places

    def _take_place(self) -> None:
        """Reserve one of the places for open stores; the one that was unused for longest makes room."""
        while True:
            with self._lock:
                if self._closed:
                    raise StoreUnavailable("the service is stopping")
                if self._open < self._tenants.most_open:
                    self._open += 1
                    return
                idle = [house for house in self._houses.values() if house.engine is not None and not house.guests]
            for house in sorted(idle, key=lambda one: one.used):
                if house.door.acquire(blocking=False):
                    try:
                        done = self._retire(house)
                    finally:
                        house.door.release()
                    if done:
                        break
            else:
                raise StoreUnavailable("as many tenants as may be are using their memories now; try again later", retry_after=1)

    def _give_place(self) -> None:
        with self._lock:
            self._open -= 1

    def _retire(self, house: _House) -> bool:
        """Close a store that nobody uses; tell whether it was open. The caller holds its door."""
        with self._lock:
            if house.engine is None or house.guests:
                return False
            engine, house.engine = house.engine, None
        try:
            engine.close()
        except SatchelError as error:
            logger.warning("the memory of tenant %s did not close well: %s", house.name, type(error).__name__)
        finally:
            self._give_place()
        return True

    def close(self) -> None:
        """Close every store, once what is under way is done."""
        with self._lock:
            self._closed = True
            houses = list(self._houses.values())
        self._lookers.shutdown(wait=False, cancel_futures=True)
        deadline = time.monotonic() + _CLOSING_SECONDS
        for house in houses:
            with house.door:
                while house.guests and time.monotonic() < deadline:
                    time.sleep(0.02)
                self._retire(house)


def _check(tenants: Tenants) -> None:
    """Raise InvalidRequest for every address that can never be opened. Nothing is opened: what is away may come."""
    some = {f"tenant.{name}.": name for name in tenants.tenant} | ({"": "tenant"} if tenants.store is not None else {})
    faults: list[Fault] = []
    for prefix, name in some.items():
        where = tenants.of(name)
        for part in ("store", "working", "index"):
            address = getattr(where, part)
            given = part if prefix and getattr(tenants.tenant[name], part) is None else f"{prefix}{part}"
            problem = None if address is None else problem_of(part, address)
            fault = Fault(field=given, message=problem or "")
            if problem is not None and fault not in faults:
                faults.append(fault)
    if faults:
        raise InvalidRequest.of(faults, subject="file of tenants")


def _claim(store: Store, name: str | None) -> None:
    """Note whose memory a store holds. Raises StoreError where it is somebody else's: two tenants never share one."""
    held = store.document(OWNER, KEY)
    if held is None:
        try:
            store.apply(Batch(documents=[Document(OWNER, KEY, {"version": 1, "name": name}, expect=0)]))
        except Conflict:
            held = store.document(OWNER, KEY)
    if held is not None and held.get("name") != name:
        whose = "the service's own" if held.get("name") is None else "another tenant's"
        logger.error("a store that is to be the memory of %s is %s", name or "the service", whose)
        raise StoreError(f"this store is {whose} memory; export from it and import into another to share what it holds")
