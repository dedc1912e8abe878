"""What a contract promises about itself: kept as it is, tied to requirements, reported honestly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from satchel.conformance import MemoryContract, Outcome, Report, StoreContract, WorkingContract, plugin, run_against, run_store, running
from satchel.conformance.contract import Contract, requirement, requirements_of
from satchel.conformance.report import Result
from satchel.conformance.requirements import REQUIREMENTS
from satchel.errors import StoreUnavailable
from satchel.ports import Batch
from satchel.stores.memory import MemoryStore
from write_stage import opened

CONTRACTS = [StoreContract, WorkingContract, MemoryContract]


@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_contract_test_is_tied_to_a_requirement(contract):
    for name in contract.names():
        assert set(requirements_of(contract, name)) & REQUIREMENTS.keys(), name


def test_every_requirement_is_proved_by_some_test():
    proved = {key for contract in CONTRACTS for name in contract.names() for key in requirements_of(contract, name)}
    assert REQUIREMENTS.keys() - proved == set()


@pytest.mark.parametrize("ids", [(), ("STO-99",), ("STO-1", "sto-5")])
def test_a_test_that_proves_nothing_known_is_refused(ids):
    with pytest.raises(ValueError, match="requirements"):
        requirement(*ids)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_redefined_contract_test_is_an_error(contract):
    name = contract.names()[0]
    with pytest.raises(TypeError, match=f"redefines {name}"):
        type("Mine", (contract,), {name: lambda self, store: None})


def test_parts_that_hide_each_others_methods_are_an_error():
    first = type("First", (Contract,), {"_fill": lambda self: None})
    second = type("Second", (Contract,), {"_fill": lambda self: None})
    with pytest.raises(TypeError, match="_fill"):
        type("Both", (first, second), {})


def test_tests_of_ones_own_may_be_added():
    mine = type("Mine", (StoreContract,), {"test_my_own_promise": lambda self, store: None})
    assert "test_my_own_promise" in mine.names()


def test_a_partial_run_is_not_conformant():
    report = run_store(MemoryStore, only=StoreContract.names()[:3])
    assert report.counts() == {"passed": 3, "not_run": len(StoreContract.names()) - 3}
    assert not report.conformant
    assert report.verdict.startswith("NOT CONFORMANT")


def test_an_empty_report_is_not_conformant():
    assert not Report("c", "s", []).conformant


def test_a_skipped_test_is_never_a_pass():
    for outcome in Outcome:
        report = Report("c", "s", [Result("test_a", ("STO-1",), Outcome.PASSED), Result("test_b", ("STO-2",), outcome)])
        assert report.conformant is (outcome in {Outcome.PASSED, Outcome.UNDECLARED})


def test_a_capability_that_is_not_claimed_is_reported_apart():
    class Modest(MemoryStore):
        capabilities = frozenset()

    report = run_store(Modest)
    assert report.conformant
    assert report.counts()["undeclared"] == 1
    assert "not claimed" in report.verdict


def test_a_store_that_cannot_be_made_is_an_error_and_no_crash():
    def refuse():
        raise StoreUnavailable("nobody home")

    report = run_store(refuse)
    assert report.counts() == {"error": len(StoreContract.names())}
    assert "nobody home" in report.to_text()


def test_what_a_memory_does_not_offer_is_reported_as_unsupported():
    from satchel.errors import Unsupported

    memory = opened("memory://")
    real = memory.call

    def call(operation, request):
        if operation.name == "move_scope":
            raise Unsupported("no moving here")
        return real(operation, request)

    memory.call = call
    report = run_against(memory, only=["test_a_scope_is_moved_with_its_history"])
    assert report.counts()["unsupported"] == 1
    assert not report.conformant


def test_a_report_is_read_by_people_and_by_programs():
    report = run_store(MemoryStore, subject="the reference", only=["test_an_unknown_scope_is_an_empty_one"])
    told = json.loads(report.to_json())
    assert told["subject"] == "the reference"
    assert told["conformant"] is False
    assert told["requirements"]["STO-3"] is False
    assert {"test", "requirements", "outcome", "message"} == told["tests"][0].keys()
    assert "NOT CONFORMANT" in report.to_text()
    assert "a batch keeps every record to the last" in report.to_text()


def test_the_suite_refuses_to_run_without_assertions():
    code = "from satchel.conformance import run_store; from satchel.stores.memory import MemoryStore; run_store(MemoryStore)"
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "without -O" in done.stderr


def _pytest(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    # Named as a plugin, so that the test does not depend on how the package is installed.
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *_plugin(), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


def _plugin() -> list[str]:
    from importlib.metadata import entry_points

    installed = any(entry.value == "satchel.conformance.plugin" for entry in entry_points(group="pytest11"))
    return [] if installed else ["-p", "satchel.conformance.plugin"]


def test_any_store_is_certified_by_name(tmp_path):
    report = tmp_path / "report.json"
    arguments = ["--pyargs", "satchel.conformance", "--satchel-store=satchel.stores.memory:temporary", f"--satchel-report={report}"]
    done = _pytest(*arguments, "-k", "TestStore", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"CONFORMANT ({len(StoreContract.names())} tests)" in done.stdout
    (told,) = json.loads(report.read_text("utf-8"))
    assert told["conformant"]
    assert told["subject"] == "satchel.stores.memory:temporary"


def test_a_run_of_some_tests_says_so(tmp_path):
    some = _pytest(
        "--pyargs", "satchel.conformance", "--satchel-store=satchel.stores.memory:temporary", "-k", "TestStore and alphabet", cwd=tmp_path
    )
    assert "NOT CONFORMANT (1 passed" in some.stdout


@pytest.mark.parametrize("subject", ["store", "index", "working", "memory"])
def test_a_run_that_certifies_nothing_is_a_fault_of_the_command_line(subject, tmp_path):
    for options in ([], ["--satchel-index=satchel.stores.memory:temporary"] if subject != "index" else []):
        done = _pytest("--pyargs", f"satchel.conformance.test_{subject}", *options, cwd=tmp_path)
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert f"give --satchel-{subject}=" in done.stdout + done.stderr


def test_a_class_of_ones_own_is_certified_and_reported(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "import pytest\n"
        "from satchel.conformance import StoreContract\n"
        "from satchel.stores.memory import MemoryStore\n"
        "class Forgetful(MemoryStore):\n"
        "    capabilities = frozenset()\n"
        "    def document(self, collection, key):\n"
        "        return None\n"
        "class TestMine(StoreContract):\n"
        "    @pytest.fixture\n"
        "    def store(self):\n"
        "        return Forgetful()\n",
        "utf-8",
    )
    done = _pytest(cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(r"NOT CONFORMANT \(\d+ passed, \d+ failed, 1 undeclared\)", done.stdout), done.stdout
    assert "failed      a document is written replaced and deleted" in done.stdout


@pytest.mark.parametrize("subject", ["store", "index", "working", "memory"])
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("nosuch:x", "the module 'nosuch' cannot be imported"),
        ("broken:x", "the module 'broken' cannot be imported"),
        ("json:nosuch", "there is no 'nosuch' in the module 'json'"),
        ("json", "there is no 'temporary' in the module 'json'"),
        ("os:sep", "it is no function"),
        (":x", "the module '' cannot be imported"),
    ],
)
def test_what_cannot_be_certified_is_one_fault_of_the_command_line(subject, named, said, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("half a line (")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(pytest.UsageError) as caught:
        plugin._factory(subject, named)
    assert str(caught.value).startswith(f"--satchel-{subject}={named}: {said}")


def test_a_run_that_names_no_store_ends_before_its_first_test(tmp_path):
    done = _pytest("--pyargs", "satchel.conformance.test_store", "--satchel-store=nosuch:x", cwd=tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    told = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    assert len(told) == 1, told
    assert "--satchel-store=nosuch:x" in told[0]


class Hanging(MemoryStore):
    """A store whose writes with two changes do not end until they are let go."""

    let_go = threading.Event()

    def apply(self, batch: Batch) -> int:
        if len(batch.changes) == 2:
            self.let_go.wait()
        return super().apply(batch)


def test_a_store_that_hangs_is_named_with_the_test_and_the_other_tests_are_run() -> None:
    report = run_store(Hanging, limit=0.5)
    Hanging.let_go.set()
    hung = [result for result in report.results if result.outcome is Outcome.HUNG]
    assert 0 < len(hung) < 40 and all("within 0.5 seconds" in result.message for result in hung)
    assert report.counts()["passed"] > 40 and not report.conformant and "hung" in report.verdict


def test_behind_a_memory_that_hangs_the_rest_is_not_run_and_says_why() -> None:
    with opened() as memory:
        store = memory.core.store  # type: ignore[attr-defined]
        let_go = threading.Event()
        store.scopes = lambda: let_go.wait() or []
        report = run_against(memory, limit=1.0)
        let_go.set()
    places = [place for place, result in enumerate(report.results) if result.outcome is Outcome.HUNG]
    assert len(places) == 1
    behind = report.results[places[0] + 1 :]
    assert behind and {result.outcome for result in behind} == {Outcome.NOT_RUN}
    assert all(report.results[places[0]].test in result.message for result in behind)


def test_a_run_that_is_broken_off_takes_away_what_it_wrote(monkeypatch) -> None:
    within, calls = running._within, []

    def interrupted(limit, work):
        calls.append(work)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return within(limit, work)

    monkeypatch.setattr(running, "_within", interrupted)
    with opened() as memory:
        memory.remember("somebody else's", scope="user:alice")
        with pytest.raises(KeyboardInterrupt):
            run_against(memory)
        assert [found.scope for found in memory.scopes() if found.counts.get("active")] == ["user:alice"]
