"""The report of a migration: numbers, notes and a receipt for every item; as a dictionary, as text and as a Markdown page.

It must not know how anything was read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from satchel.operations.models import Receipt, ReceiptOutcome

OUTCOMES = tuple(outcome.value for outcome in ReceiptOutcome)
"""accepted, merged, transformed, quarantined, dropped."""

_SHOWN = 50


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What a migration did, or (`dry_run`) would do. `counts` are by outcome; each item has exactly one.

    `forgotten`: how many of the imported items were forgotten here since, and stay so.
    `new`: how many of the imported items the store did not hold before, as they are or under another id.
    """

    import_id: str
    kind: str
    path: str
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    new: int
    read_receipts: Callable[[], Iterable[Receipt]] = field(repr=False)
    dry_run: bool = False
    forgotten: int = 0

    @property
    def items(self) -> int:
        """How many items the source held."""
        return sum(self.counts.values())

    @property
    def imported(self) -> int:
        """How many items are in the store now: accepted, transformed, or merged into what was there."""
        return sum(self.counts.get(name, 0) for name in ("accepted", "transformed", "merged"))

    @property
    def ok(self) -> bool:
        """Whether anything arrived; the command line's answer (complaint 65)."""
        return self.imported > 0

    def receipts(self) -> Iterator[Receipt]:
        """Yield the receipt of every item, in the order of the source."""
        yield from self.read_receipts()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values, a receipt for every item included."""
        receipts = [receipt.model_dump(mode="json", exclude_none=True) for receipt in self.receipts()]
        counted = {name: self.counts.get(name, 0) for name in OUTCOMES}
        return {"import_id": self.import_id, "items": self.items, **counted, "receipts": receipts}

    def headline(self) -> str:
        """Say the result in one sentence."""
        if self.items == 0:
            return f"Nothing was found in {self.path}."
        if not self.ok:
            return f"Nothing was imported: none of {self.items} items could be taken. The receipts say why."
        known = self.imported - self.new - self.forgotten
        gone = f", {self.forgotten} {'was' if self.forgotten == 1 else 'were'} forgotten here" if self.forgotten else ""
        if not self.new:
            return f"Nothing new: {known} of {self.items} items {'is' if known == 1 else 'are'} already here{gone}."
        verb = "would be imported" if self.dry_run else "imported"
        taken = f"{self.imported - self.forgotten} of {self.items} items {verb}"
        return taken + (f": {self.new} new, {known} already here{gone}." if known or gone else ".")

    def to_text(self) -> str:
        """Return the report for a terminal."""
        counted = "  ".join(f"{name} {self.counts.get(name, 0)}" for name in OUTCOMES)
        head = [f"{'Plan' if self.dry_run else 'Import'} {self.import_id}: {self.kind} from {self.path}", self.headline(), counted]
        return "\n".join([*head, *(f"  {note}" for note in self.notes), *(f"  {line}" for line in self._remarkable())])

    def to_markdown(self) -> str:
        """Return the report as a page."""
        rows = [f"| {name} | {self.counts.get(name, 0)} |" for name in OUTCOMES]
        notes = [f"- {note}" for note in self.notes]
        lines = [f"- {line}" for line in self._remarkable()]
        title = f"# {'Plan of a migration' if self.dry_run else 'Migration'}: {self.kind}"
        parts = [
            title,
            "",
            self.headline(),
            "",
            f"Import `{self.import_id}` from `{self.path}`.",
            "",
            "| outcome | items |",
            "|---|---|",
            *rows,
        ]
        for heading, body in (("What was detected", notes), ("Items that did not simply arrive", lines)):
            parts += ["", f"## {heading}", "", *body] if body else []
        return "\n".join(parts) + "\n"

    def _remarkable(self) -> Iterator[str]:
        more = 0
        shown = 0
        for receipt in self.receipts():
            if receipt.outcome is ReceiptOutcome.ACCEPTED and not receipt.reason:
                continue
            if shown < _SHOWN:
                shown += 1
                why = "; ".join([receipt.reason] if receipt.reason else receipt.changes)
                yield f"{receipt.outcome.value}: {receipt.item}" + (f" ({why})" if why else "")
            else:
                more += 1
        if more:
            yield f"and {more} more"
