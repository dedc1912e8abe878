"""A maintenance pass (RET-4, RET-7, RET-10): what it archives, merges, mends and erases, and what it leaves alone."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.engine.engine import Engine
from satchel.errors import Denied, NotFound
from satchel.ports import Use
from write_stage import ALICE, BOB, START, Clock, opened, package, record, states


def actions(memory: Engine, **request) -> list[tuple[str, str]]:
    return [(action.step.value, action.id) for action in memory.maintain(**request).actions]


def status(memory: Engine, id: str, scope: str = ALICE) -> str:
    return memory.read(id, scope=scope).status.value


# ---------------------------------------------------------------- fading


def test_what_is_nearly_gone_is_archived_with_the_figures_in_the_log(memory, clock) -> None:
    memory.remember("等电梯时聊到天气", scope=ALICE, id="a", type="interaction")
    clock.pass_(days=25)
    assert actions(memory) == [("archive", "a")]
    last = memory.history("a", scope=ALICE)[-1]
    assert last.operation == "archive"
    assert last.reason is not None
    assert last.reason.startswith("faded: strength 0.00")
    assert last.before is not None
    assert last.before.status == "active"


def test_the_threshold_is_two_percent_of_the_score_but_at_least_a_hundredth(memory, clock) -> None:
    day = 86_400.0
    memory.remember("score one", scope=ALICE, id="high", score=1.0, half_life=day)
    memory.remember("a low score", scope=ALICE, id="low", score=0.1, half_life=day)
    clock.pass_(days=3.4)  # 0.0095 of 0.1, and 0.095 of 1
    assert actions(memory) == [("archive", "low")]
    clock.pass_(days=2.2)  # 0.0206 of 1
    assert actions(memory) == []
    clock.pass_(hours=2)
    assert actions(memory) == [("archive", "high")]


def test_what_is_faint_is_archived_only_when_it_was_unused_for_thirty_days(memory, clock) -> None:
    memory.remember("用户有时听爵士", scope=ALICE, id="a", score=0.5, half_life=10 * 86_400.0)
    clock.pass_(days=29)
    assert actions(memory) == []
    clock.pass_(days=1.5)
    done = memory.maintain()
    assert done.counts == {"archive": 1}
    assert "unused for 30 days" in done.actions[0].reason


def test_use_keeps_a_memory_from_being_archived(memory, clock) -> None:
    memory.remember("用户有时听爵士", scope=ALICE, id="a", score=0.5, half_life=10 * 86_400.0)
    clock.pass_(days=15)
    assert memory.recall("爵士", scope=ALICE)
    clock.pass_(days=20)
    assert actions(memory) == []


def test_pinned_permanent_and_open_duties_stay_whatever_their_age(memory, clock) -> None:
    memory.remember("用户对花生过敏", scope=ALICE, id="allergy", type="profile")
    memory.remember("用户的车停在 B2", scope=ALICE, id="pinned", type="interaction", pinned=True)
    memory.remember("把合同寄给李律师", scope=ALICE, id="duty", type="task", due_at=START.isoformat())
    memory.remember("Send the report", scope=ALICE, id="done", type="task", due_at=START.isoformat(), meta={"done": True})
    memory.remember("Call the plumber", scope=ALICE, id="dropped", type="task", due_at=START.isoformat(), tags=["dropped"])
    memory.remember("Buy stamps", scope=ALICE, id="undated", type="task")
    clock.pass_(days=4000)
    assert {id for _, id in actions(memory)} == {"done", "dropped", "undated"}
    assert [status(memory, id) for id in ("allergy", "pinned", "duty")] == ["active"] * 3


def test_a_duty_that_is_done_fades_like_anything_else(memory, clock) -> None:
    memory.remember("把合同寄给李律师", scope=ALICE, id="duty", type="task", due_at=START.isoformat())
    clock.pass_(days=100)
    assert actions(memory) == []
    memory.update("duty", scope=ALICE, meta={"done": True})
    assert actions(memory) == [("archive", "duty")]


def test_what_is_past_its_ttl_is_archived_pinned_or_not(memory, clock) -> None:
    memory.remember("会议室改到 302", scope=ALICE, id="a", ttl=3600)
    memory.remember("Wi-Fi code of the day: maple", scope=ALICE, id="b", ttl=3600, pinned=True)
    memory.remember("下午的会取消了", scope=ALICE, id="c", ttl=86_400)
    clock.pass_(hours=2)
    assert sorted(actions(memory)) == [("expire", "a"), ("expire", "b")]
    assert memory.history("a", scope=ALICE)[-1].reason == "expired on 2026-03-01"


def test_an_expired_memory_can_be_demoted_instead(clock) -> None:
    with opened(clock=clock, settings={"on_expiry": "demote"}) as memory:
        memory.remember("周会在三楼开", scope=ALICE, id="past", ttl=3600)
        memory.remember("周会每周一开", scope=ALICE, id="holds")
        clock.pass_(hours=2)
        hits = {hit.record.id: hit for hit in memory.recall("周会", scope=ALICE)}
        assert set(hits) == {"past", "holds"}
        assert hits["past"].score < 0.6 * hits["holds"].score
        assert hits["past"].reasons["strength"] == pytest.approx(hits["holds"].reasons["strength"] / 2, abs=1e-3)
        assert actions(memory) == []
    with opened(clock=clock) as memory:
        memory.remember("周会在三楼开", scope=ALICE, ttl=3600)
        clock.pass_(hours=2)
        assert memory.recall("周会", scope=ALICE) == []


def test_pending_memories_wait_and_do_not_fade_away(memory, clock) -> None:
    memory.remember("用户也许在找新工作", scope=ALICE, id="a", type="interaction")
    memory.update("a", scope=ALICE, status="pending")
    clock.pass_(days=400)
    assert actions(memory) == []


# ---------------------------------------------------------------- coming back


def test_an_archived_memory_that_is_found_and_used_comes_back(memory, clock) -> None:
    memory.remember("用户的旧相机是海鸥牌", scope=ALICE, id="a", type="interaction")
    clock.pass_(days=60)
    memory.maintain()
    assert status(memory, "a") == "archived"
    assert [hit.record.id for hit in memory.recall("海鸥相机", scope=ALICE, touch=False)] == ["a"]
    assert actions(memory) == []
    assert status(memory, "a") == "archived"
    assert [hit.record.id for hit in memory.recall("海鸥相机", scope=ALICE)] == ["a"]
    assert actions(memory) == []  # which writes the usage first
    assert status(memory, "a") == "active"
    last = memory.history("a", scope=ALICE)[-1]
    assert (last.operation, last.reason) == ("restore", "found again by recall, and used")


def test_a_reader_brings_nothing_back(memory, clock) -> None:
    memory.remember("用户的旧相机是海鸥牌", scope=ALICE, id="a", type="interaction")
    clock.pass_(days=60)
    memory.maintain()
    reader = memory.bind(agent="reader", read=[ALICE], write=[])
    assert reader.recall("海鸥相机", scope=ALICE)
    memory.maintain()
    assert status(memory, "a") == "archived"


def test_what_was_archived_can_be_restored(memory, clock) -> None:
    memory.remember("用户的旧相机是海鸥牌", scope=ALICE, id="a", type="interaction")
    clock.pass_(days=60)
    memory.maintain()
    assert memory.restore("a", scope=ALICE).status == "active"
    assert actions(memory) == []


# ---------------------------------------------------------------- the ceiling


def test_beyond_the_ceiling_the_weakest_and_longest_unused_go(clock) -> None:
    with opened(clock=clock, settings={"ceiling": 3}) as memory:
        memory.import_package(package(record(f"第 {number} 件事", id=f"m{number}", score=0.3 + number / 20) for number in range(6)))
        memory.remember("钉住的事", scope=ALICE, id="pinned", score=0.1, pinned=True)
        memory.remember("elsewhere", scope=BOB, id="b", score=0.1)
        assert actions(memory) == [("ceiling", f"m{number}") for number in range(4)]
        assert actions(memory) == []
        assert status(memory, "pinned") == "active"
        assert status(memory, "b", BOB) == "active"


def test_the_small_preset_keeps_two_thousand(clock) -> None:
    with opened(clock=clock, settings={"size": "small", "consolidate": False}) as memory:
        memory.import_package(package(record(f"note {number}", id=f"n{number}") for number in range(2005)))
        assert memory.maintain().counts == {"ceiling": 5}
    with opened(clock=clock) as memory:
        assert memory.core.settings.most_active == 10_000


# ---------------------------------------------------------------- twins


def test_twins_from_imports_become_one_and_the_rest_are_archived_and_linked(memory, clock) -> None:
    memory.import_package(
        package(
            [
                record("用户住在苏州", id="a", tags=("home",), score=0.6),
                record("用户住在苏州", id="b", tags=("city",), score=0.9, pinned=True),
                record("用户住在苏州", id="c", scope=BOB),
                record("用户住在杭州", id="d"),
            ]
        )
    )
    memory.core.store.touch([Use(ALICE, "a", START, 3)])
    assert actions(memory) == [("merge", "b"), ("merge", "a")]
    survivor, twin = memory.read("b", scope=ALICE), memory.read("a", scope=ALICE)
    assert (survivor.status, survivor.tags, survivor.score, survivor.pinned) == ("active", ("city", "home"), 0.9, True)
    assert survivor.relations.supersedes == ("a",)
    assert survivor.usage.access_count == 3
    assert (twin.status, twin.relations.superseded_by) == ("archived", ("b",))
    assert actions(memory) == []
    assert [hit.record.id for hit in memory.recall("苏州", scope=ALICE)] == ["b"]


def test_what_an_import_says_in_other_words_is_merged_and_what_differs_in_a_number_is_not(memory) -> None:
    memory.remember("The user likes hiking in the mountains", scope=ALICE, id="here", score=0.9)
    memory.import_package(
        package(
            [
                record("The user enjoys hiking in the mountains", id="same"),
                record("The user's flight leaves on 3 May", id="third"),
                record("The user's flight leaves on 8 May", id="eighth"),
                record("用户不喜欢喝咖啡", id="not"),
                record("用户喜欢喝咖啡", id="likes"),
            ]
        )
    )
    assert actions(memory, dry_run=True) == [("merge", "here"), ("merge", "same")]
    assert actions(memory) == [("merge", "here"), ("merge", "same")]
    assert memory.read("same", scope=ALICE).relations.superseded_by == ("here",)
    assert actions(memory) == []


def test_forgetting_what_took_a_twin_in_forgets_the_twin_too(memory) -> None:
    memory.import_package(package([record("用户住在苏州", id="a"), record("用户住在苏州", id="b")]))
    memory.maintain()
    memory.forget("a", scope=ALICE)
    assert list(memory.every_record(scope=ALICE)) == []


def test_twins_that_differ_in_when_they_hold_stay_apart(memory) -> None:
    memory.import_package(
        package(
            [
                record("用户在上海", id="a", valid_until="2026-05-01T00:00:00Z"),
                record("用户在上海", id="b", valid_from="2027-05-01T00:00:00Z"),
            ]
        )
    )
    assert actions(memory) == []


def test_a_twin_that_a_person_brought_back_is_left_alone(memory) -> None:
    memory.import_package(package([record("用户住在苏州", id="a"), record("用户住在苏州", id="b")]))
    memory.maintain()
    memory.restore("b", scope=ALICE)
    assert actions(memory) == []
    assert status(memory, "b") == "active"


# ---------------------------------------------------------------- links


def test_links_that_lead_nowhere_are_dropped_and_what_stood_for_them_comes_back(memory) -> None:
    memory.import_package(
        package(
            [
                record("用户用 Vim", id="old", status="archived", relations={"superseded_by": ["never-came"]}),
                record("用户或许用 Emacs", id="asks", status="pending", relations={"conflicts_with": ["never-came"]}),
                record("用户用空格缩进", id="new", relations={"supersedes": ["never-came"], "derived_from": ["elsewhere"]}),
            ]
        )
    )
    done = memory.maintain()
    assert sorted((action.step.value, action.id) for action in done.actions) == [("repair", "asks"), ("repair", "new"), ("repair", "old")]
    assert [status(memory, id) for id in ("old", "asks", "new")] == ["active"] * 3
    assert memory.read("new", scope=ALICE).relations.supersedes == ()
    assert memory.read("new", scope=ALICE).relations.derived_from == ("elsewhere",)
    assert actions(memory) == []


def test_a_conflict_with_a_living_opponent_and_a_link_to_a_tombstone_stay(memory) -> None:
    memory.import_package(
        package(
            [
                record("用户周五休息", id="a", status="pending", relations={"conflicts_with": ["b"]}),
                record("用户周五上班", id="b", status="pending", relations={"conflicts_with": ["a"]}),
                record("旧地址", id="c"),
            ]
        )
    )
    memory.correct("c", "新地址", scope=ALICE, new_id="d")
    memory.forget("d", scope=ALICE)
    assert actions(memory) == []
    assert status(memory, "c") == "archived"
    memory.forget("b", scope=ALICE)
    assert status(memory, "a") == "active"
    assert actions(memory) == []


# ---------------------------------------------------------------- purging


def test_nothing_is_erased_unless_an_age_is_set(memory, clock) -> None:
    memory.remember("a trace", scope=ALICE, id="a", type="interaction")
    clock.pass_(days=100)
    memory.maintain()
    clock.pass_(days=4000)
    assert actions(memory) == []
    assert status(memory, "a") == "archived"


def test_an_archived_memory_is_erased_at_the_age_that_was_set(clock, tmp_path) -> None:
    with opened(tmp_path / "m.db", clock=clock, settings={"purge_after_seconds": 90 * 86_400.0}) as memory:
        memory.remember("午饭时聊到的闲话", scope=ALICE, id="a", type="interaction")
        clock.pass_(days=60)
        assert actions(memory) == [("archive", "a")]
        clock.pass_(days=89)
        assert actions(memory) == []
        clock.pass_(days=1)
        assert actions(memory, dry_run=True) == [("purge", "a")]
        assert status(memory, "a") == "archived"
        assert actions(memory) == [("purge", "a")]
        with pytest.raises(NotFound):
            memory.read("a", scope=ALICE)
        assert memory.read_record("a", scope=ALICE).deletion.reason == "archived for longer than 90 days"
        assert actions(memory) == []


# ---------------------------------------------------------------- sessions


def test_an_idle_session_is_let_go_and_what_lasts_of_it_is_kept(memory, clock) -> None:
    working = memory.working("s1", scope=ALICE)
    working.add_event("我不吃香菜")
    working.save()
    clock.pass_(days=6)
    assert actions(memory) == []
    clock.pass_(days=2)
    assert actions(memory, dry_run=True) == [("promote", "s1")]
    assert list(memory.every_record(scope=ALICE)) == []
    assert actions(memory) == [("promote", "s1")]
    assert any("不吃香菜" in found.content for found in memory.every_record(scope=ALICE))
    assert actions(memory) == []


# ---------------------------------------------------------------- the pass as a whole


def test_a_dry_run_says_exactly_what_the_pass_does_and_changes_nothing(clock) -> None:
    with opened(clock=clock, settings={"ceiling": 3, "purge_after_seconds": 86_400.0}) as memory:
        _fill(memory)
        memory.update("p1", scope=ALICE, status="archived")
        clock.pass_(days=40)
        before, position = states(memory), memory.changes(scope=ALICE).position
        foretold = memory.maintain(dry_run=True)
        assert foretold.dry_run
        assert states(memory) == before
        assert memory.changes(scope=ALICE, after=position).changes == ()
        done = memory.maintain()
        assert {action.step.value for action in done.actions} >= {"merge", "archive", "expire", "ceiling", "purge", "consolidate"}
        assert done.actions == foretold.actions
        assert done.counts == foretold.counts
        assert len(memory.changes(scope=ALICE, after=position).changes) == len(done.actions)


def _fill(memory: Engine) -> None:
    memory.import_package(package([record("用户住在苏州", id="t1"), record("用户住在苏州", id="t2", score=0.9)]))
    memory.remember("聊到天气", scope=ALICE, id="p1", type="interaction")
    memory.remember("聊到交通", scope=ALICE, id="faded", type="interaction")
    memory.remember("今日口令是枫叶", scope=ALICE, id="gone", ttl=3600)
    for number, text in enumerate(COFFEE):
        memory.remember(text, scope=ALICE, id=f"coffee{number}", type="preference")
    shelves = (
        record(f"Shelf {number} holds box {number * 7}", id=f"s{number:02}", score=0.6 + number / 100, pinned=number == 0)
        for number in range(14)
    )
    memory.import_package(package(shelves))


COFFEE = (
    "用户每天早上喝一杯手冲咖啡",
    "用户喜欢浅烘焙的咖啡豆",
    "用户的咖啡里从来不加糖",
    "用户在家用 V60 滤杯冲咖啡",
    "用户下午三点以后不喝咖啡",
    "用户最喜欢埃塞俄比亚的咖啡豆",
    "用户的咖啡磨豆机是司令官",
    "用户请客时会给朋友做拿铁咖啡",
)


def test_a_second_pass_changes_nothing(memory, clock) -> None:
    _fill(memory)
    clock.pass_(days=40)
    assert memory.maintain().actions
    position, before = memory.changes(scope=ALICE).position, states(memory)
    assert memory.maintain().actions == ()
    assert memory.maintain().actions == ()
    assert states(memory) == before
    assert memory.changes(scope=ALICE, after=position).changes == ()


def test_a_pass_keeps_to_the_scopes_that_the_caller_may_read_and_write(memory, clock) -> None:
    for scope in (ALICE, BOB):
        memory.remember("a trace", scope=scope, id="a", type="interaction")
    clock.pass_(days=60)
    bound = memory.bind(agent="gardener", read=[ALICE, BOB], write=[ALICE])
    assert bound.maintain().scopes == 1
    assert status(memory, "a", BOB) == "active"
    with pytest.raises(Denied):
        bound.maintain(BOB)
    with pytest.raises(NotFound):
        memory.bind(read=[ALICE], write=[BOB]).maintain(BOB)
    assert memory.maintain([BOB, ALICE]).counts == {"archive": 1}


def test_an_unknown_scope_has_nothing_to_do(memory) -> None:
    assert memory.maintain("user:nobody").counts == {}


def test_writers_go_on_during_a_pass_and_lose_nothing(tmp_path, clock) -> None:
    with opened(tmp_path / "m.db", clock=clock, settings={"consolidate": False}) as memory:
        memory.import_package(
            package(record(f"trace {number}", id=f"t{number}", type="interaction", half_life=86_400.0) for number in range(600))
        )
        clock.pass_(days=60)
        stop, written, problems = threading.Event(), [], []

        def write() -> None:
            number = 0
            while not stop.is_set():
                try:
                    memory.remember(f"{hex(number * 7919)} 是新来的", scope=ALICE, id=f"n{number}", type="interaction")
                    memory.update(f"t{number}", scope=ALICE, tags=["seen"], pinned=True)
                except Exception as error:  # noqa: BLE001 - told below
                    problems.append(error)
                    return
                written.append(number)
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            done = memory.maintain()
        finally:
            stop.set()
            writer.join()
        assert not problems
        assert done.skipped == 0
        for number in written:
            assert status(memory, f"n{number}") == "active"
            assert memory.read(f"t{number}", scope=ALICE).tags == ("seen",)
        assert memory.maintain().counts.get("merge", 0) == 0


# ---------------------------------------------------------------- invariants

_kinds = st.sampled_from(["fact", "interaction", "preference", "task", "profile"])
_memories = st.lists(
    st.tuples(st.sampled_from([*COFFEE, "用户住在苏州", "Rent is due", "The garden faces south", "等车时聊天"]), _kinds, st.booleans()),
    min_size=1,
    max_size=14,
)


@settings(max_examples=25, deadline=None)
@given(memories=_memories, days=st.lists(st.integers(0, 80), min_size=1, max_size=4), data=st.data())
def test_no_sequence_of_passes_restores_and_recalls_loses_a_sentence(memories, days, data) -> None:
    clock = Clock()
    with opened(clock=clock, settings={"ceiling": 9}) as memory:
        memory.import_package(
            package(record(text, id=f"m{number}", type=kind, pinned=pinned) for number, (text, kind, pinned) in enumerate(memories))
        )
        for span in days:
            clock.pass_(days=span)
            foretold = memory.maintain(dry_run=True).actions
            assert memory.maintain().actions == foretold
            position = memory.changes(scope=ALICE, limit=1000).position
            assert memory.maintain().actions == ()
            assert memory.changes(scope=ALICE, after=position).changes == ()
            held = {found.id: found for found in memory.every_record(scope=ALICE)}
            assert all(held[f"m{number}"].content == text for number, (text, *_) in enumerate(memories))
            active = [found.content for found in held.values() if found.status == "active"]
            kept = {text for number, (text, *_) in enumerate(memories) if held[f"m{number}"].relations.superseded_by}
            assert all(_reachable(held, text, active) for text in kept)
            archived = sorted(id for id, found in held.items() if found.status == "archived")
            for id in data.draw(st.lists(st.sampled_from(archived), max_size=3, unique=True)) if archived else ():
                memory.restore(id, scope=ALICE)


def _reachable(held, text: str, active: list[str]) -> bool:
    """A superseded text stands in an active record, or in one archived for its age alone, which recall can find."""
    return any(text in content for content in active) or any(
        text in found.content and not found.relations.superseded_by for found in held.values() if found.status == "archived"
    )


@settings(max_examples=40, deadline=None)
@given(
    score=st.floats(0.05, 1.0),
    half_life=st.floats(3600, 4e7),
    uses=st.integers(0, 30),
    spans=st.lists(st.floats(0, 90), min_size=1, max_size=8),
)
def test_strength_never_rises_with_time_alone(score, half_life, uses, spans) -> None:
    from satchel.engine.retention.scoring import strength

    clock = Clock()
    with opened(clock=clock) as memory:
        memory.remember("用户喜欢茶", scope=ALICE, id="a", score=score, half_life=half_life)
        memory.core.store.touch([Use(ALICE, "a", START, uses)])
        before = strength(memory.read("a", scope=ALICE), clock().timestamp(), memory.core.settings)
        for span in spans:
            clock.pass_(days=span)
            memory.maintain()
            after = strength(memory.read("a", scope=ALICE), clock().timestamp(), memory.core.settings)
            assert after <= before
            before = after
