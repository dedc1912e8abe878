"""Maintenance inside the service (RET-7)."""

from __future__ import annotations

import anyio

from satchel.service import schedule
from satchel.service.schedule import Schedule

ALICE = "user:alice"
DAY = 86_400.0


def test_the_first_pass_is_due_after_the_first_interval_and_then_each(engine, clock) -> None:
    engine.remember("用户只住两天的酒店", scope=ALICE, ttl=DAY)
    daily = Schedule(engine, DAY)
    assert not daily.look()
    clock.pass_(hours=23)
    assert not daily.look()
    clock.pass_(hours=2)
    assert daily.look()
    assert not daily.look()
    assert [record.status for record in engine.records(scope=ALICE).records] == ["archived"]
    clock.pass_(days=1)
    assert daily.look()


def test_the_change_log_says_that_it_was_maintenance(engine, clock) -> None:
    done = engine.remember("valid for a day", scope=ALICE, ttl=DAY)
    daily = Schedule(engine, DAY)
    daily.look()
    clock.pass_(days=3)
    daily.look()
    last = engine.history(done.record.id, scope=ALICE)[-1]
    assert (last.operation, last.agent, last.reason) == ("archive", schedule.AGENT, "expired on 2026-03-02")


def test_of_two_services_on_one_store_one_makes_the_pass(engine, clock) -> None:
    first, second = Schedule(engine, DAY), Schedule(engine, DAY)
    first.look()
    clock.pass_(days=2)
    assert [first.look(), second.look()] == [True, False]


def test_a_service_that_stops_waits_for_the_scope_under_way_and_starts_no_other(engine, clock) -> None:
    for name in ("user:a", "user:b"):
        engine.remember("one day only", scope=name, ttl=DAY)
    daily = Schedule(engine, DAY)
    daily.look()
    clock.pass_(days=3)

    async def serve_shortly() -> None:
        async with daily.running():
            pass

    anyio.run(serve_shortly)
    states = [engine.records(scope=name).records[0].status for name in ("user:a", "user:b")]
    assert states in (["active", "active"], ["archived", "active"], ["archived", "archived"])
    assert Schedule(engine, DAY).look() in (True, False)


def test_a_failing_store_is_logged_and_the_service_goes_on(engine, clock, monkeypatch, caplog) -> None:
    from satchel.errors import StoreUnavailable

    daily = Schedule(engine, DAY)
    daily.look()
    clock.pass_(days=2)

    def broken(*_: object, **__: object) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(type(engine), "scopes", broken)
    assert not daily.look()
    assert "the disk is full" in caplog.text
