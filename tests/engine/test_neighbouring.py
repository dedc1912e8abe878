"""What lies close in topic to a record that is used is refreshed a little too (RET-3)."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from recall_stage import ALICE, START, Stage, TableEmbedder
from satchel.protocol.record import MemoryRecord

NEAR = ("the heron server needs a reboot", "the heron server needs more memory", "the heron server needs new disks")
_WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "ivory", "kiosk", "lumen", "maple"),
    *("north", "olive", "prism", "quartz", "river", "slate", "topaz", "umber", "vivid", "willow", "zephyr"),
)
FAR = tuple(f"{_WORDS[n]} {_WORDS[(n + 5) % 22]} {_WORDS[(n + 11) % 22]}" for n in range(22))


def stage(**settings) -> Stage:
    found = Stage(embedder=TableEmbedder(), **({"neighbours": 2} | settings))
    for number, text in enumerate((*NEAR, *FAR)):
        found.remember(text, id=f"m{number:02}")
    found.later(days=10)
    return found


def last(stage: Stage) -> dict[str, float]:
    """Return by id how many days after the start each record was last used; those that never were are left out."""
    stage.recaller.flush()
    held = stage.core.store.get(ALICE, [f"m{number:02}" for number in range(len(NEAR) + len(FAR))])
    return {id: _days(found) for id, found in sorted(held.items()) if found.usage.last_access_at}


def _days(found: MemoryRecord) -> float:
    assert found.usage.last_access_at is not None
    return round((found.usage.last_access_at - START) / timedelta(days=1), 3)


def test_the_nearest_are_moved_a_part_of_the_way_and_are_not_counted_as_used() -> None:
    here = stage()
    assert len(here.recall("reboot heron", limit=1)) == 1
    assert last(here) == {"m00": 10.0, "m01": 2.0, "m02": 2.0}
    assert here.core.store.get(ALICE, ["m01"])["m01"].usage.access_count == 0


def test_each_use_moves_them_on_but_never_to_the_present() -> None:
    here = stage()
    for _ in range(4):
        here.recall("reboot heron", limit=1)
        here.recaller.flush()
    assert 5.0 < last(here)["m01"] < 10.0


def test_what_is_refreshed_is_stronger_at_once_in_memory() -> None:
    here = stage()
    before = next(hit for hit in here.recall("heron memory", limit=8, touch=False) if hit.record.id == "m01").reasons["strength"]
    here.recall("reboot heron", limit=1)
    here.recaller.flush()
    here.later(seconds=6)  # so that the answer is not taken from the cache
    after = next(hit for hit in here.recall("heron memory", limit=8, touch=False) if hit.record.id == "m01").reasons["strength"]
    assert after > before


@pytest.mark.parametrize("settings", [{"neighbours": 0}, {"neighbour_share": 0.0}])
def test_it_can_be_turned_off(settings) -> None:
    here = stage(**settings)
    here.recall("reboot heron", limit=1)
    assert last(here) == {"m00": 10.0}


def test_there_are_no_more_than_the_setting_says() -> None:
    here = stage(neighbours=1)
    here.recall("reboot heron", limit=1)
    assert len(last(here)) == 2


def test_without_vectors_only_what_was_used_is_refreshed() -> None:
    here = Stage()
    for number, text in enumerate((*NEAR, *FAR)):
        here.remember(text, id=f"m{number:02}")
    here.later(days=10)
    here.recall("reboot heron", limit=1)
    assert set(last(here)) == {"m00"}


def test_it_happens_apart_from_the_read() -> None:
    here = stage()
    here.recaller._indexes.held(ALICE)
    threads = {thread.name for thread in threading.enumerate()}
    here.recall("reboot heron", limit=1)
    assert here.core.store.get(ALICE, ["m01"])["m01"].usage.last_access_at is None
    assert {thread.name for thread in threading.enumerate()} - threads <= {"satchel-usage"}
    here.recaller.close()
