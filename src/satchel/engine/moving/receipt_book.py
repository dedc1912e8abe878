"""Which items of an import have a receipt already, known without reading them all each time. It must not know what a receipt says."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from satchel.engine.core import Core
from satchel.engine.moving import receipts
from satchel.operations.models import Receipt

_RECENT = 65_536


def _number(item: str) -> int:
    return int.from_bytes(hashlib.blake2b(item.encode(), digest_size=8).digest(), "little")


class ReceiptBook:
    """The receipts of one import, as far as they are written. Takes eight bytes an item; not safe under threads."""

    def __init__(self, core: Core, import_id: str) -> None:
        self._core = core
        self._import_id = import_id
        self._known: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._recent: set[int] = set()
        self._reader: Iterator[tuple[str, list[Receipt]]] = iter(())
        self._page: dict[str, Receipt] = {}
        for _, page in receipts.pages(core, import_id):
            self.add(receipt.item for receipt in page)

    def add(self, items: Iterable[str]) -> None:
        """Note that these items have a receipt now."""
        self._recent.update(map(_number, items))
        if len(self._recent) > _RECENT:
            self._known = np.union1d(self._known, np.fromiter(self._recent, np.uint64, len(self._recent)))
            self._recent.clear()

    def receipts_of(self, items: Collection[str]) -> dict[str, Receipt]:
        """Return the receipts that there are for these items, by item."""
        wanted = {item for item in items if self._may_know(_number(item))}
        found: dict[str, Receipt] = {}
        self._collect(wanted, found)
        if wanted:
            # Items come in the order of the source, as the receipts lie: going on from the last place finds them, else once around.
            self._reader = receipts.pages(self._core, self._import_id)
            self._collect(wanted, found)
        return found

    def _may_know(self, number: int) -> bool:
        if number in self._recent:
            return True
        place = int(np.searchsorted(self._known, np.uint64(number)))
        return place < len(self._known) and int(self._known[place]) == number

    def _collect(self, wanted: set[str], found: dict[str, Receipt]) -> None:
        while wanted:
            for item in wanted & self._page.keys():
                found[item] = self._page[item]
            # In place, so that the caller sees what is still to be found; `-=` with a view of keys makes a new set.
            wanted.difference_update(found)
            if wanted:
                following = next(self._reader, None)
                if following is None:
                    return
                self._page = {receipt.item: receipt for receipt in following[1]}
