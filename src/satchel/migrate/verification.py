"""The report of a verification: what was compared, what differs, and at which level; as a dictionary, as text and as a page.

It must not know how anything was compared.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from satchel.operations.models import ImportSummary, ReceiptOutcome
from satchel.protocol.record import MemoryRecord

Level = Literal["source_compared", "hash_only", "unverified"]
"""What a verification reached: the source read anew and every record compared with it; only the hashes that the receipts keep; nothing."""

MAX_FAULTS = 100
"""Faults told one by one; more are counted."""

_MEANING = {
    "source_compared": "the source was read anew, and every field of every record was compared with it",
    "hash_only": "the source is gone: the store holds what it took at the import, which says nothing of the source",
    "unverified": "there was no record to compare",
}


@dataclass(frozen=True, slots=True)
class VerificationFault:
    """One thing that is wrong: the item of the source, the record, the field, and what is wrong with it."""

    item: str
    problem: str
    id: str | None = None
    field: str | None = None

    def __str__(self) -> str:
        where = f", record {self.id}" if self.id else ""
        which = f", field {self.field}" if self.field else ""
        return f"{self.item}{where}{which}: {self.problem}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """What was proved. `passed` only where something was compared and nothing is wrong."""

    import_id: str
    kind: str
    path: str
    level: Level
    passed: bool
    compared: int
    deleted_checked: int
    outcomes: dict[str, int]
    by_status: dict[str, int]
    fault_count: int
    faults: tuple[VerificationFault, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        faults = [
            {name: value for name, value in (("item", f.item), ("id", f.id), ("field", f.field), ("problem", f.problem)) if value}
            for f in self.faults
        ]
        return {
            "import_id": self.import_id,
            "kind": self.kind,
            "path": self.path,
            "passed": self.passed,
            "verification_level": self.level,
            "compared": self.compared,
            "deleted_checked": self.deleted_checked,
            "outcomes": self.outcomes,
            "by_status": self.by_status,
            "fault_count": self.fault_count,
            "faults": faults,
            "notes": list(self.notes),
        }

    def headline(self) -> str:
        """Say the result in one sentence."""
        if self.passed:
            return f"Verified: {self.compared} records compared, none differs."
        if self.level == "unverified":
            return f"Not verified: {_MEANING['unverified']}."
        return f"FAILED: {self.fault_count} fault{'s' * (self.fault_count != 1)} in {self.compared} records compared."

    def to_text(self) -> str:
        """Return the report for a terminal."""
        head = [
            f"Verification of {self.import_id}: {self.kind} from {self.path}",
            self.headline(),
            f"level {self.level}: {_MEANING[self.level]}",
        ]
        return "\n".join([*head, *(f"  {line}" for line in (*self._numbers(), *self.notes, *self._said()))])

    def to_markdown(self) -> str:
        """Return the report as a page."""
        parts = [
            f"# Verification: {self.kind}", "", self.headline(), "",
            f"Import `{self.import_id}` from `{self.path}`.", "",
            f"Level **{self.level}**: {_MEANING[self.level]}.", "", *(f"- {line}" for line in (*self._numbers(), *self.notes)),
        ]  # fmt: skip
        if self.faults:
            parts += ["", "## What is wrong", "", *(f"- {line}" for line in self._said())]
        return "\n".join(parts) + "\n"

    def _numbers(self) -> list[str]:
        listed = ", ".join(f"{count} {name}" for name, count in self.outcomes.items() if count) or "no items"
        states = ", ".join(f"{count} {name}" for name, count in sorted(self.by_status.items())) or "none"
        said = [f"items: {listed}", f"records in the store: {states}"]
        return [*said, f"deleted at the origin and not in the store: {self.deleted_checked} checked"] if self.deleted_checked else said

    def _said(self) -> list[str]:
        more = self.fault_count - len(self.faults)
        return [*(str(fault) for fault in self.faults), *([f"and {more} more"] if more else [])]


@dataclass(slots=True)
class Tally:
    """Gathers what a verification finds."""

    deleted: int = 0
    _compared: int = 0
    _faults: list[VerificationFault] = field(default_factory=list)
    _fault_count: int = 0
    _outcomes: Counter[str] = field(default_factory=Counter)
    _states: Counter[str] = field(default_factory=Counter)
    _notes: dict[str, None] = field(default_factory=dict)

    def outcome(self, found: ReceiptOutcome) -> None:
        """Count one item's outcome."""
        self._outcomes[found.value] += 1

    def compared(self, stored: MemoryRecord) -> None:
        """Count one record that was compared."""
        self._compared += 1
        self._states[stored.status.value] += 1

    def fault(self, item: str, problem: str, *, id: str | None = None, field: str | None = None) -> None:
        """Record something wrong."""
        self._fault_count += 1
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(VerificationFault(item, problem, id, field))

    def note(self, text: str) -> None:
        """Record something a person should know; the first few hundred are kept."""
        if len(self._notes) < MAX_FAULTS:
            self._notes[text] = None

    def report(self, summary: ImportSummary, *, source_read: bool) -> VerificationReport:
        """Return the report."""
        level: Level = "unverified" if self._compared == 0 else "source_compared" if source_read else "hash_only"
        origin = summary.origin
        return VerificationReport(
            import_id=summary.import_id,
            kind=origin.kind if origin else "unknown",
            path=origin.path if origin else "unknown",
            level=level,
            passed=self._compared > 0 and self._fault_count == 0,
            compared=self._compared,
            deleted_checked=self.deleted,
            outcomes={outcome.value: self._outcomes[outcome.value] for outcome in ReceiptOutcome},
            by_status=dict(self._states),
            fault_count=self._fault_count,
            faults=tuple(self._faults),
            notes=tuple(self._notes),
        )
