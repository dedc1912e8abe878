"""The contract of a place for working memory: one session, saved over an expected version and read back. It must not know any place."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from satchel.conformance.contract import Contract, refused, requirement
from satchel.conformance.samples import later, sitting
from satchel.errors import Conflict, StoreUnavailable
from satchel.ports import WorkingStore
from satchel.protocol.working import MAX_SNAPSHOT_BYTES

_WRITERS, _TURNS = 6, 5


class WorkingSaving(Contract):
    """`load`, `save`, `drop`: whole, and never silently over what another saved."""

    subject = "working"

    @requirement("WRK-1", "WRK-2")
    def test_a_session_is_read_back_whole(self, working: WorkingStore) -> None:
        kept = sitting(
            "会话-1",
            self.scope("爱丽丝"),
            slots={"城市": "杭州", "deep": {"list": [1, 2.5, None, True, "", {}]}, "": 10**15},
            slot_times={"城市": later(1), "removed": later(2)},
            recent_events=[{"id": "e1", "at": later(1), "role": "user", "content": "帮我订酒店 🧳"}, {"id": "e2", "tokens": 12}],
            task_stack=[{"id": "t1", "content": "book\na room", "due_at": later(9), "status": "open", "own": ["x"]}],
            removed_tasks={"t0": later(3)},
            summary='says "这样" \\ and more\u2028',
            carried=[{"id": "c1", "content": "carried"}],
            promoted={"slot:城市": "r1"},
            records=["r1"],
            erased_at=later(4),
            theirs={"framework": "kept too"},
        )
        working.save(kept, expect=0)
        assert working.load(kept.scope, "会话-1") == kept

    @requirement("WRK-2")
    def test_an_unknown_session_is_none(self, working: WorkingStore) -> None:
        working.save(sitting("s", self.scope()), expect=0)
        for scope, session in ((self.scope(), "S"), (self.scope(), "s "), (self.scope("bob"), "s"), (f"{self.scope()}/project:web", "s")):
            assert working.load(scope, session) is None
        working.drop(self.scope("bob"), "s")
        assert working.load(self.scope(), "s") is not None

    @requirement("WRK-3")
    def test_a_session_is_only_written_over_the_version_expected(self, working: WorkingStore) -> None:
        with refused(Conflict) as caught:
            working.save(sitting("s", self.scope(), 2), expect=1)
        assert (caught.details["expected"], caught.details["actual"]) == (1, 0)
        assert working.load(self.scope(), "s") is None
        working.save(sitting("s", self.scope(), 1, summary="第一"), expect=0)
        for expect in (0, 2):
            with refused(Conflict) as caught:
                working.save(sitting("s", self.scope(), 3, summary="over it"), expect=expect)
            assert (caught.details["expected"], caught.details["actual"]) == (expect, 1)
        working.save(sitting("s", self.scope(), 7, summary="第七"), expect=1)
        found = working.load(self.scope(), "s")
        assert found is not None and (found.version, found.summary) == (7, "第七")

    @requirement("WRK-2", "RET-5")
    def test_nothing_of_the_version_before_is_left(self, working: WorkingStore) -> None:
        working.save(sitting("s", self.scope(), slots={"a": 1, "b": 2}, summary="long " * 100), expect=0)
        after = sitting("s", self.scope(), 2, slots={"c": 3})
        working.save(after, expect=1)
        assert working.load(self.scope(), "s") == after

    @requirement("WRK-2", "RET-5")
    def test_a_session_that_is_dropped_is_gone_and_may_begin_again(self, working: WorkingStore) -> None:
        working.save(sitting("s", self.scope(), 4, summary="old"), expect=0)
        working.save(sitting("beside", self.scope()), expect=0)
        working.drop(self.scope(), "s")
        working.drop(self.scope(), "s")
        assert working.load(self.scope(), "s") is None
        assert [one.session_id for one in working.snapshots(self.scope())] == ["beside"]
        again = sitting("s", self.scope(), 1, summary="new")
        working.save(again, expect=0)
        assert working.load(self.scope(), "s") == again

    @requirement("WRK-3")
    def test_a_session_is_only_dropped_in_the_version_expected(self, working: WorkingStore) -> None:
        working.save(sitting("s", self.scope(), 3), expect=0)
        for expect in (2, 4):
            with refused(Conflict):
                working.drop(self.scope(), "s", expect=expect)
        assert working.load(self.scope(), "s") is not None
        working.drop(self.scope(), "s", expect=3)
        assert working.load(self.scope(), "s") is None
        with refused(Conflict):
            working.drop(self.scope(), "s", expect=3)

    @requirement("WRK-3", "STO-5")
    def test_of_writers_at_the_same_time_one_comes_through_and_none_is_lost(self, working: WorkingStore) -> None:
        start = threading.Barrier(_WRITERS)

        def write(writer: int) -> None:
            start.wait()
            for turn in range(_TURNS):
                self._add(working, f"{writer}-{turn}")

        with ThreadPoolExecutor(_WRITERS) as pool:
            for done in [pool.submit(write, writer) for writer in range(_WRITERS)]:
                done.result()
        found = working.load(self.scope(), "s")
        assert found is not None
        assert (found.version, len(found.slots)) == (_WRITERS * _TURNS, _WRITERS * _TURNS)

    def _add(self, working: WorkingStore, slot: str) -> None:
        for _ in range(1000):
            held = working.load(self.scope(), "s")
            version, slots = (0, {}) if held is None else (held.version, held.slots)
            try:
                working.save(sitting("s", self.scope(), version + 1, slots={**slots, slot: True}), expect=version)
            except Conflict:
                continue
            return
        raise AssertionError("a save over what was just read met a conflict 1000 times in a row")

    @requirement("WRK-1")
    def test_a_session_as_large_as_may_be_is_kept(self, working: WorkingStore) -> None:
        turns = [{"id": f"e{place}", "content": "字" * (MAX_SNAPSHOT_BYTES // 3 // 20 - 100)} for place in range(20)]
        large = sitting("s", self.scope(), recent_events=turns)
        working.save(large, expect=0)
        assert working.load(self.scope(), "s") == large

    @requirement("WRK-2", "STO-5")
    def test_a_closed_place_says_so(self, working: WorkingStore) -> None:
        working.save(sitting("s", self.scope()), expect=0)
        working.close()
        with refused(StoreUnavailable):
            working.load(self.scope(), "s")
        with refused(StoreUnavailable):
            working.save(sitting("s", self.scope(), 2), expect=1)
        working.close()
