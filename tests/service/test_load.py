"""Many clients at once, reading and writing, beside one that exports as slowly as a bad line would (SRV-1)."""

from __future__ import annotations

import pytest
from benchmarks.load import run
from benchmarks.report import percentile

from soaking import Told


@pytest.mark.slow
def test_clients_at_once_meet_no_error_beside_a_slow_exporter(tmp_path):
    load = run(tmp_path / "load.db", clients=12, seconds=6)
    assert not load.errors
    assert load.exported
    assert set(load.spent) >= {"recall", "remember", "list", "correct"}


@pytest.mark.soak
def test_sixty_four_clients_for_a_minute_meet_no_error_and_the_service_does_not_grow(tmp_path, soaked: Told):
    load = run(tmp_path / "load.db", clients=64, seconds=60)
    assert not load.errors
    assert load.done > 64 * 10
    assert load.spent["forget"][1], "clients had come to forget what they wrote first: the store no longer grew"
    assert max(load.memory) < 400
    assert load.growth < 32, "it swings by some 20 MiB with what happens to be in flight"
    recalls = [spent for half in load.spent["recall"] for spent in half]
    slowness = {f"recall_p{share}_ms": percentile(recalls, share / 100) * 1000 for share in (50, 95, 99)}
    soaked(
        "64 clients on one service for 60 s", requests=load.done, errors=0, **slowness, peak_MiB=max(load.memory), growth_MiB=load.growth
    )
