"""What a run of the suite found, for people and for programs. It must not know how the run was made.

Only a whole run in which every test passed is conformant: a skipped test is no pass, and neither is one that never ran.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What became of one test. `undeclared`: it is about a capability that the subject does not claim; `hung`: it did not end in time."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    HUNG = "hung"
    UNSUPPORTED = "unsupported"
    UNDECLARED = "undeclared"
    SKIPPED = "skipped"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Result:
    """One test: its name, the requirements it proves, what became of it and, where it did not pass, why."""

    test: str
    requirements: tuple[str, ...]
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Every test of a contract, run or not, for one subject."""

    contract: str
    subject: str
    results: Sequence[Result]

    @property
    def conformant(self) -> bool:
        """Whether every test passed, but for those about capabilities that are not claimed."""
        good = {Outcome.PASSED, Outcome.UNDECLARED}
        return any(result.outcome is Outcome.PASSED for result in self.results) and all(result.outcome in good for result in self.results)

    @property
    def verdict(self) -> str:
        """The last line: CONFORMANT, or NOT CONFORMANT and why."""
        counts = self.counts()
        without = f", without: {counts['undeclared']} of capabilities not claimed" if "undeclared" in counts else ""
        if self.conformant:
            return f"CONFORMANT ({counts['passed']} tests{without})"
        return f"NOT CONFORMANT ({', '.join(f'{count} {name}' for name, count in counts.items())})"

    def counts(self) -> dict[str, int]:
        """Return the number of tests by outcome, those that occur."""
        counted = Counter(result.outcome for result in self.results)
        return {outcome.value: counted[outcome] for outcome in Outcome if counted[outcome]}

    def by_requirement(self) -> dict[str, bool]:
        """Tell for each requirement whether all that was tested of it passed."""
        told: dict[str, bool] = {}
        for result in self.results:
            if result.outcome is not Outcome.UNDECLARED:
                for name in result.requirements:
                    told[name] = told.get(name, True) and result.outcome is Outcome.PASSED
        return dict(sorted(told.items()))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "contract": self.contract,
            "subject": self.subject,
            "conformant": self.conformant,
            "verdict": self.verdict,
            "counts": self.counts(),
            "requirements": self.by_requirement(),
            "tests": [
                {"test": result.test, "requirements": [*result.requirements], "outcome": result.outcome.value, "message": result.message}
                for result in self.results
            ],
        }

    def to_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Return the report as lines for a person: what did not pass first, then the verdict."""
        told = [f"{self.contract}: {self.subject}"]
        for result in self.results:
            if result.outcome is not Outcome.PASSED:
                sentence = result.test.removeprefix("test_").replace("_", " ")
                told.append(f"  {result.outcome.value:<11} {sentence} [{', '.join(result.requirements)}]")
                told += [f"      {line}" for line in result.message.strip().splitlines()[-9:]]
        proved = [name for name, passed in self.by_requirement().items() if passed]
        told.append(f"  requirements: {', '.join(proved) or 'none'}")
        told.append(f"  {self.verdict}")
        return "\n".join(told)
