"""The pytest door: options that name what is to be certified, and the report. It must not know any contract's tests.

Loaded at the start of every pytest run, it imports nothing of Satchel before a contract is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from satchel.conformance.report import Report

_SUBJECTS = ("store", "index", "working", "memory")
_UNDECLARED = "not claimed: "


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the options."""
    group = parser.getgroup("satchel", "Satchel conformance")
    for subject in _SUBJECTS:
        text = f"a function, as package.module:name, that returns the {subject} to certify, empty each time"
        group.addoption(f"--satchel-{subject}", metavar="PACKAGE:FACTORY", help=text)
    group.addoption("--satchel-report", metavar="FILE", help="write the conformance report to FILE as JSON")


def _made(config: pytest.Config, subject: str) -> Iterator[Any]:
    named = config.getoption(f"--satchel-{subject}")
    if not named:
        pytest.skip(f"no --satchel-{subject} was given")
    made = _factory(subject, named)()
    try:
        yield made
    finally:
        made.close()


def _factory(subject: str, named: str) -> Callable[[], Any]:
    """Return the function that an option names. Raises pytest.UsageError: once, for a run, and not for each of its tests."""
    module, _, attribute = named.partition(":")
    try:
        home = import_module(module)
    except Exception as error:  # noqa: BLE001 - whatever the module does, it is the line that is to be mended
        raise _unusable(subject, named, f"the module {module!r} cannot be imported: {error}") from None
    found = getattr(home, attribute or "temporary", None)
    if found is None:
        raise _unusable(subject, named, f"there is no {attribute or 'temporary'!r} in the module {module!r}")
    if not callable(found):
        raise _unusable(subject, named, "it is no function")
    return found  # type: ignore[no-any-return]


def _unusable(subject: str, named: str, why: str) -> pytest.UsageError:
    return pytest.UsageError(f"--satchel-{subject}={named}: {why}; expected package.module:name, a function that returns the {subject}")


@pytest.fixture
def store(pytestconfig: pytest.Config) -> Iterator[Any]:
    """Return the store that the options name. A class that inherits the contract offers its own."""
    yield from _made(pytestconfig, "store")


@pytest.fixture
def index(pytestconfig: pytest.Config) -> Iterator[Any]:
    """Return the vector index that the options name."""
    yield from _made(pytestconfig, "index")


@pytest.fixture
def working(pytestconfig: pytest.Config) -> Iterator[Any]:
    """Return the place for working memory that the options name."""
    yield from _made(pytestconfig, "working")


@pytest.fixture
def memory(pytestconfig: pytest.Config) -> Iterator[Any]:
    """Return the memory that the options name."""
    yield from _made(pytestconfig, "memory")


def _contract_of(item: pytest.Item) -> Any:
    found = getattr(item, "cls", None)
    if found is None or not any(base.__module__ == "satchel.conformance.contract" for base in found.__mro__):
        return None
    return found


class _Seen:
    """Outcomes of contract tests, by class and test."""

    def __init__(self) -> None:
        self.classes: dict[Any, dict[str, tuple[str, str]]] = {}


_SEEN = pytest.StashKey[_Seen]()


def pytest_configure(config: pytest.Config) -> None:
    """Make room for the outcomes, and see that what the options name is there."""
    config.stash[_SEEN] = _Seen()
    for subject in _SUBJECTS:
        if named := config.getoption(f"--satchel-{subject}"):
            _factory(subject, named)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse a run in which nothing can be certified: skipped as a whole, it would pass for a success."""
    ours = [item for item in items if _is_of_the_suite(item)]
    wanted = sorted({_contract_of(item).subject for item in ours})
    if wanted and len(ours) == len(items) and not any(config.getoption(f"--satchel-{subject}") for subject in wanted):
        options = " or ".join(f"--satchel-{subject}=package.module:name" for subject in wanted)
        raise pytest.UsageError(f"there is nothing to certify: give {options}")


def _is_of_the_suite(item: pytest.Item) -> bool:
    contract = _contract_of(item)
    return contract is not None and contract.__module__.startswith("satchel.conformance.test_")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Leave out a test about a capability that the subject does not claim."""
    contract = _contract_of(item)
    capability = getattr(getattr(item, "function", None), "capability", None)
    if contract is None or capability is None:
        return
    subject = getattr(item, "funcargs", {}).get(contract.subject)
    if capability not in getattr(subject, "capabilities", ()):
        pytest.skip(f"{_UNDECLARED}{capability}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Note what became of a contract test."""
    report = yield
    contract = _contract_of(item)
    if contract is not None and (report.when == "call" or report.outcome != "passed"):
        seen = item.config.stash[_SEEN].classes.setdefault(contract, {})
        seen[item.name.partition("[")[0]] = _told(report, call)
    return report


def _told(report: pytest.TestReport, call: pytest.CallInfo[None]) -> tuple[str, str]:
    from satchel.errors import Unsupported

    message = report.longreprtext if report.outcome == "failed" else ""
    if report.outcome == "skipped":
        reason = str(call.excinfo.value) if call.excinfo is not None else ""
        return ("undeclared" if reason.startswith(_UNDECLARED) else "skipped"), reason
    if report.outcome == "passed":
        return "passed", ""
    if call.excinfo is not None and call.excinfo.errisinstance(Unsupported):
        return "unsupported", str(call.excinfo.value)
    return ("failed" if report.when == "call" else "error"), message


def _reports(config: pytest.Config) -> list[Report]:
    from satchel.conformance.contract import requirements_of
    from satchel.conformance.report import Outcome, Report, Result

    reports = []
    for contract, seen in config.stash[_SEEN].classes.items():
        results = []
        for name in contract.names():
            outcome, message = seen.get(name, ("not_run", ""))
            results.append(Result(name, requirements_of(contract, name), Outcome(outcome), message))
        subject = config.getoption(f"--satchel-{contract.subject}") or f"{contract.__module__}.{contract.__qualname__}"
        reports.append(Report(contract.__name__, subject, results))
    return reports


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the report, and write it where it was asked for."""
    if not config.stash[_SEEN].classes:
        return
    import json

    reports = _reports(config)
    if target := config.getoption("--satchel-report"):
        Path(target).write_text(json.dumps([report.to_dict() for report in reports], ensure_ascii=False, indent=2), "utf-8")
    terminalreporter.section("satchel conformance")
    for report in reports:
        terminalreporter.line(report.to_text())
