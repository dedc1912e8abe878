"""The one conformance table is of the contracts as they are now; what it says was found by running them (scripts/conformance_table.py)."""

from __future__ import annotations

import re
from pathlib import Path

from satchel.conformance import MemoryContract, StoreContract, VectorIndexContract, WorkingContract
from satchel.conformance.contract import requirements_of

PAGE = Path(__file__).resolve().parents[2] / "docs/conformance-table.md"
CONTRACTS = {
    "store": StoreContract,
    "index": VectorIndexContract,
    "sessions": WorkingContract,
    "engine": MemoryContract,
    "service": MemoryContract,
}


def test_the_conformance_table_is_of_the_contracts_as_they_are_now():
    rows = [line.strip("|").split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    head, body = [cell.strip() for cell in rows[0][1:]], {row[0].strip(" *"): row[1:] for row in rows[2:-1]}
    assert {name.partition(":")[0] for name in head} == CONTRACTS.keys()
    for place, name in enumerate(head):
        contract = CONTRACTS[name.partition(":")[0]]
        for key in {*body} - {"tests"}:
            expected = sum(key in requirements_of(contract, test) for test in contract.names())
            assert _sum(body[key][place]) == expected, (name, key, "python scripts/conformance_table.py")
        assert _sum(body["tests"][place]) == len(contract.names()), (name, "python scripts/conformance_table.py")
    assert all(cell.strip() == "conformant" for cell in rows[-1][1:])


def _sum(cell: str) -> int:
    return sum(int(number) for number in re.findall(r"\d+", cell))
