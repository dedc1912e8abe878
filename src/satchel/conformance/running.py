"""Runs a contract without any test runner, one test after the other. It must not know what is tested.

`run_against` is what `satchel conformance URL` calls: the server may hold other memories, for each test keeps to scopes of its own.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from satchel.conformance.contract import Contract, capability_of, requirements_of
from satchel.conformance.index_contract import VectorIndexContract
from satchel.conformance.memory_contract import MemoryContract
from satchel.conformance.report import Outcome, Report, Result
from satchel.conformance.store_contract import StoreContract
from satchel.conformance.working_contract import WorkingContract
from satchel.errors import InvalidRequest, SatchelError, Unsupported
from satchel.operations.memory import Memory
from satchel.ports import Store, VectorIndex, WorkingStore

LIMIT_SECONDS = 60.0
"""How long one test may take. One that takes longer hangs, and is an error that names it."""


def run_against(memory: Memory, *, subject: str = "memory", only: Sequence[str] | None = None, limit: float = LIMIT_SECONDS) -> Report:
    """Run the memory contract against anything that offers `Memory`. With `only`, the rest counts as not run.

    What the tests wrote is forgotten at the end; tombstones stay. Where a test does not end within `limit` seconds, the rest is not run:
    the memory is one and the same for all of them.
    """
    marks: list[str] = []
    report: Report | None = None
    try:
        report = _run(MemoryContract, lambda: memory, lambda _: None, subject=subject, only=only, limit=limit, marks=marks)
    finally:
        # Also where the run is broken off; but what hangs would hang in this too.
        if report is None or not any(result.outcome is Outcome.HUNG for result in report.results):
            _tidy(memory, marks)
    return report


def _tidy(memory: Memory, marks: Sequence[str]) -> None:
    # A memory that cannot even do this was told so in the report.
    with suppress(SatchelError):
        scopes = [found.scope for found in memory.scopes() if any(mark in found.scope for mark in marks)]
        if scopes:
            memory.forget(plan=memory.forget(scope=scopes, everything=True))


def run_store(
    factory: Callable[[], Store], *, subject: str = "store", only: Sequence[str] | None = None, limit: float = LIMIT_SECONDS
) -> Report:
    """Run the store contract; each test gets a new store from the factory, which is to be empty."""
    return _run(StoreContract, factory, lambda store: store.close(), subject=subject, only=only, limit=limit)


def run_index(
    factory: Callable[[], VectorIndex], *, subject: str = "index", only: Sequence[str] | None = None, limit: float = LIMIT_SECONDS
) -> Report:
    """Run the vector index contract; each test gets a new index from the factory, which nobody has cleared yet."""
    return _run(VectorIndexContract, factory, lambda index: index.close(), subject=subject, only=only, limit=limit)


def run_working(
    factory: Callable[[], WorkingStore], *, subject: str = "working", only: Sequence[str] | None = None, limit: float = LIMIT_SECONDS
) -> Report:
    """Run the contract of working memory; each test gets a new place from the factory, without sessions."""
    return _run(WorkingContract, factory, lambda working: working.close(), subject=subject, only=only, limit=limit)


def _run(
    contract: type[Contract],
    factory: Callable[[], Any],
    release: Callable[[Any], None],
    *,
    subject: str,
    only: Sequence[str] | None,
    limit: float,
    marks: list[str] | None = None,
) -> Report:
    if not __debug__:
        raise Unsupported("the conformance suite consists of assertions, which python -O leaves out; run it without -O")
    if unknown := sorted(set(only or ()) - set(contract.names())):
        raise InvalidRequest.of([{"field": "only", "message": f"no such test: {name}"} for name in unknown])
    results: list[Result] = []
    hung = ""
    for name in contract.names():
        if hung and marks is not None:
            outcome, message = Outcome.NOT_RUN, f"{hung} did not end"
        elif only is not None and name not in only:
            outcome, message = Outcome.NOT_RUN, ""
        else:
            test = contract()
            if marks is not None:
                marks.append(test.mark)
            ended = _within(limit, lambda test=test, name=name: _attempt(test, name, factory, release))  # type: ignore[misc]
            outcome, message = ended or (Outcome.HUNG, f"it did not end within {limit:g} seconds")
        if outcome is Outcome.HUNG:
            hung = name
        results.append(Result(name, requirements_of(contract, name), outcome, message))
    return Report(contract.__name__, subject, results)


def _within(limit: float, work: Callable[[], tuple[Outcome, str]]) -> tuple[Outcome, str] | None:
    """Do something in a thread of its own; None where it does not end in time, and then the thread is left to itself."""
    told: list[tuple[Outcome, str]] = []
    thread = threading.Thread(target=lambda: told.append(work()), name="satchel-conformance", daemon=True)
    thread.start()
    thread.join(limit)
    return told[0] if told else None


def _attempt(test: Contract, name: str, factory: Callable[[], Any], release: Callable[[Any], None]) -> tuple[Outcome, str]:
    try:
        subject = factory()
    except Exception:  # noqa: BLE001 - whatever it is, it is the subject's failure and belongs in the report
        return Outcome.ERROR, traceback.format_exc(limit=-2)
    try:
        capability = capability_of(type(test), name)
        if capability is not None and capability not in getattr(subject, "capabilities", ()):
            return Outcome.UNDECLARED, f"the capability {capability!r} is not claimed"
        getattr(test, name)(subject)
    except Unsupported as error:
        return Outcome.UNSUPPORTED, str(error)
    except AssertionError:
        return Outcome.FAILED, traceback.format_exc(limit=-3)
    except Exception:  # noqa: BLE001 - as above
        return Outcome.ERROR, traceback.format_exc(limit=-2)
    finally:
        release(subject)
    return Outcome.PASSED, ""
