"""The contract of a place for working memory: several sessions, in order, and those whose time is up. It must not know any place."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import NOW, later, sitting
from satchel.errors import InvalidRequest
from satchel.ports import WorkingStore
from satchel.protocol.working import WorkingSnapshot

_FAR = timedelta(days=3650)


def _names(found: list[WorkingSnapshot]) -> list[str]:
    return [one.session_id for one in found]


class WorkingListing(Contract):
    """`snapshots`, `expired`: exactly the scope that was asked for, and nothing lost that is not over."""

    subject = "working"

    def _keep(self, working: WorkingStore, *sessions: str, scope: str | None = None, **members: Any) -> None:
        for session in sessions:
            working.save(sitting(session, scope or self.scope(), **members), expect=0)

    @requirement("WRK-2", "STO-3")
    def test_sessions_are_listed_in_order_of_scope_and_session(self, working: WorkingStore) -> None:
        names = ["b", "B", "a/2", "a/10", "中", "\U0001f9e0", "é", "s s", "-"]
        self._keep(working, *names)
        self._keep(working, "z", scope=self.scope("aaron"))
        self._keep(working, "a", scope=self.scope("爱丽丝"))
        assert _names(working.snapshots(self.scope())) == sorted(names)
        mine = [(one.scope, one.session_id) for one in working.snapshots() if self.mark in one.scope]
        assert mine == sorted(mine) and len(mine) == len(names) + 2

    @requirement("WRK-2", "STO-3")
    def test_a_scope_is_not_a_prefix_of_another(self, working: WorkingStore) -> None:
        scopes = [self.scope(), f"{self.scope()}/project:web", f"{self.scope()}2", self.scope("alic")]
        for scope in scopes:
            self._keep(working, "s", scope=scope, updated_at=NOW, ended_at=NOW, ended_by="end")
            self._keep(working, "t", scope=scope)
        for scope in scopes:
            assert {one.scope for one in working.snapshots(scope)} == {scope}
            for ended in (True, False):
                assert {one.scope for one in working.expired(later(9e6), ended=ended, scope=scope)} == {scope}
        assert working.snapshots(self.scope("nobody")) == []

    @requirement("WRK-2")
    def test_a_listing_is_paged_to_the_last(self, working: WorkingStore) -> None:
        names = [f"{place:03}" for place in range(130)]
        self._keep(working, *names)
        found: list[str] = []
        while page := working.snapshots(self.scope(), after=(self.scope(), found[-1]) if found else None, limit=40):
            assert len(page) <= 40
            found += _names(page)
            assert len(found) <= len(names), "the pages go round in a circle"
        assert found == names
        assert _names(working.snapshots(self.scope(), after=(self.scope(), "1005"), limit=2)) == ["101", "102"]
        assert len(working.snapshots(self.scope())) == 100
        with refused(InvalidRequest):
            working.snapshots(self.scope(), limit=0)

    @requirement("WRK-2")
    def test_the_pages_of_all_scopes_go_on_where_they_stopped(self, working: WorkingStore) -> None:
        for name in ("a", "b", "c"):
            self._keep(working, "1", "2", scope=self.scope(name))
        found: list[tuple[str, str]] = []
        place: tuple[str, str] | None = None
        while page := working.snapshots(after=place, limit=1):
            place = (page[-1].scope, page[-1].session_id)
            assert place not in found, "the pages go round in a circle"
            found.append(place)
        assert [pair for pair in found if self.mark in pair[0]] == [(self.scope(name), one) for name in "abc" for one in "12"]

    @requirement("WRK-2")
    def test_the_idle_are_those_last_changed_before_a_moment_the_oldest_first(self, working: WorkingStore) -> None:
        for place, name in enumerate(["c", "a", "d", "b"]):
            self._keep(working, name, updated_at=later(place))
        self._keep(working, "over", updated_at=NOW, ended_at=later(5), ended_by="end")
        self._keep(working, "same", updated_at=later(1))
        assert _names(working.expired(later(3), ended=False, scope=self.scope())) == ["c", "a", "same", "d"]
        assert _names(working.expired(later(3), ended=False, scope=self.scope(), limit=2)) == ["c", "a"]
        assert _names(working.expired(later(3), ended=True, scope=self.scope())) == ["over"]
        assert working.expired(NOW, ended=True, scope=self.scope()) == []
        assert working.expired(NOW, ended=False, scope=self.scope()) == []
        mine = [one for one in working.expired(later(0.000001), ended=False) if self.mark in one.scope]
        assert _names(mine) == ["c"]

    @requirement("WRK-2")
    def test_a_session_that_goes_on_is_idle_no_longer_and_one_that_ends_is_over(self, working: WorkingStore) -> None:
        self._keep(working, "s", "t", updated_at=NOW)
        working.save(sitting("s", self.scope(), 2, updated_at=later(60)), expect=1)
        assert _names(working.expired(later(30), ended=False, scope=self.scope())) == ["t"]
        working.save(sitting("t", self.scope(), 2, updated_at=NOW, ended_at=later(60), ended_by="idle"), expect=1)
        assert working.expired(later(30), ended=False, scope=self.scope()) == []
        assert _names(working.expired(later(30), ended=True, scope=self.scope())) == ["t"]
        working.save(sitting("t", self.scope(), 3, updated_at=NOW), expect=2)
        assert _names(working.expired(later(30), ended=False, scope=self.scope())) == ["t"]
        working.drop(self.scope(), "t")
        assert working.expired(later(30), ended=False, scope=self.scope()) == []

    @requirement("WRK-2", "WRK-4")
    def test_a_session_that_is_not_over_outlasts_its_time(self, working: WorkingStore) -> None:
        """What it holds is in no record yet: only who has condensed it may let it go."""
        kept = sitting("s", self.scope(), summary="还没有写进长期记忆")
        working.save(kept, expect=0, lasting=0.05)
        time.sleep(0.2)
        assert working.load(self.scope(), "s") == kept
        assert working.snapshots(self.scope()) == [kept]
        assert _names(working.expired(NOW + _FAR, ended=False, scope=self.scope())) == ["s"]
        working.save(sitting("s", self.scope(), 2), expect=1, lasting=3600)
        assert working.expired(NOW - _FAR, ended=False, scope=self.scope()) == []

    @requirement("WRK-2")
    def test_a_session_that_is_over_is_kept_until_its_time_is_up(self, working: WorkingStore) -> None:
        over: dict[str, Any] = {"ended_at": NOW, "ended_by": "end"}
        working.save(sitting("s", self.scope(), **over), expect=0, lasting=3600)
        working.save(sitting("short", self.scope(), **over), expect=0, lasting=0.05)
        working.save(sitting("again", self.scope(), **over), expect=0, lasting=0.05)
        working.save(sitting("again", self.scope(), 2), expect=1)
        time.sleep(0.2)
        assert working.load(self.scope(), "s") is not None
        assert working.load(self.scope(), "again") is not None
        # Where the time is kept, it is gone everywhere at once.
        left = ["again", "s"] if working.load(self.scope(), "short") is None else ["again", "s", "short"]
        assert _names(working.snapshots(self.scope())) == left
        assert _names(working.expired(NOW + _FAR, ended=True, scope=self.scope())) == [name for name in left if name != "again"]
        if "short" not in left:
            working.save(sitting("short", self.scope()), expect=0)
            assert working.load(self.scope(), "short") is not None

    @requirement("RET-5", "WRK-2")
    def test_a_sound_place_has_nothing_wrong_and_can_be_scrubbed(self, working: WorkingStore) -> None:
        self._keep(working, "s")
        assert working.check() == []
        assert working.scrub() is True
        assert working.location and isinstance(working.capabilities, frozenset)
        assert working.load(self.scope(), "s") is not None
