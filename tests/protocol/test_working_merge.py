"""Two versions of one session's snapshot become one, whatever the order (WRK-3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.errors import InvalidRequest
from satchel.protocol.validation import validated
from satchel.protocol.working import MAX_REMOVED, WorkingSnapshot, same_json
from satchel.protocol.working_merge import merge_working

START = datetime(2026, 3, 1, 8, tzinfo=UTC)


def at(minutes: float) -> str:
    return (START + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def snapshot(minutes: float = 0, **members: Any) -> WorkingSnapshot:
    given = {"session_id": "s", "scope": "user:alice", "created_at": at(0), "updated_at": at(minutes)} | members
    return validated(WorkingSnapshot, given)


def slots(minutes: float = 0, **values: Any) -> dict[str, Any]:
    return {"slots": values, "slot_times": dict.fromkeys(values, at(minutes))}


def task(id: str, content: str = "写周报", minutes: float = 0, **more: Any) -> dict[str, Any]:
    return {"id": id, "content": content, "updated_at": at(minutes), **more}


def event(id: str, minutes: float = 0, content: str = "早上好") -> dict[str, Any]:
    return {"id": id, "at": at(minutes), "role": "user", "content": content}


# ------------------------------------------------------------ slots


def test_a_slot_that_only_one_side_changed_is_as_that_side_has_it():
    base = snapshot(**slots(0, city="杭州", diet="vegan"))
    ours = snapshot(1, **slots(1, city="上海", diet="vegan"))
    theirs = snapshot(2, **slots(2, city="杭州", diet="素食", room="302"))
    merged = merge_working(ours, theirs, base)
    assert merged.snapshot.slots == {"city": "上海", "diet": "素食", "room": "302"}
    assert (merged.replaced, merged.conflicts) == ((), ())


def test_of_a_slot_that_both_changed_the_newer_stands_and_the_older_is_told():
    base = snapshot(**slots(0, city="杭州"))
    merged = merge_working(snapshot(5, **slots(5, city="上海")), snapshot(2, **slots(2, city="Berlin")), base)
    assert merged.snapshot.slots == {"city": "上海"}
    (told,) = merged.replaced
    assert (told.kind, told.key, told.ours, told.theirs, told.kept) == ("slot", "city", "上海", "Berlin", "ours")


def test_a_slot_that_was_removed_stays_removed_unless_it_was_set_again_later():
    base = snapshot(**slots(0, a=1, b=1))
    ours = snapshot(3, slots={}, slot_times={"a": at(3), "b": at(3)})
    theirs = snapshot(4, slots={"a": 1, "b": 2}, slot_times={"a": at(0), "b": at(4)})
    merged = merge_working(ours, theirs, base)
    assert merged.snapshot.slots == {"b": 2}
    assert [found.key for found in merged.replaced] == ["b"]
    assert "a" in merged.snapshot.slot_times


def test_without_a_base_the_absence_of_a_slot_that_a_side_never_had_says_nothing():
    merged = merge_working(snapshot(9), snapshot(1, **slots(1, city="杭州")))
    assert merged.snapshot.slots == {"city": "杭州"}
    gone = snapshot(9, slot_times={"city": at(9)})
    assert merge_working(gone, snapshot(1, **slots(1, city="杭州"))).snapshot.slots == {}


def test_true_and_one_are_two_values():
    assert not same_json({"a": True}, {"a": 1})
    merged = merge_working(snapshot(2, **slots(2, a=True)), snapshot(1, **slots(1, a=1)), snapshot())
    assert merged.snapshot.slots["a"] is True


def test_marks_of_removal_are_bounded_and_the_newest_stay():
    times = {f"k{place:04}": at(place) for place in range(MAX_REMOVED + 50)}
    merged = merge_working(snapshot(1, slot_times=times), snapshot(2))
    assert len(merged.snapshot.slot_times) == MAX_REMOVED
    assert "k0000" not in merged.snapshot.slot_times


# ------------------------------------------------------------ events, tasks, summary


def test_turns_of_both_sides_stand_in_order_each_once():
    base = snapshot(recent_events=[event("1", 1)])
    ours = snapshot(3, recent_events=[event("1", 1), event("2", 2, "hello"), event("4", 4)])
    theirs = snapshot(3, recent_events=[event("1", 1), event("3", 3)])
    assert [found.id for found in merge_working(ours, theirs, base).snapshot.recent_events] == ["1", "2", "3", "4"]


def test_a_turn_that_was_erased_stays_erased():
    ours = snapshot(9, recent_events=[event("1", 1, "保险箱密语")])
    theirs = snapshot(2, recent_events=[{"id": "1", "at": at(1), "role": "user", "erased_at": at(2)}])
    for base in (None, snapshot(recent_events=[event("1", 1, "保险箱密语")])):
        for pair in ((ours, theirs), (theirs, ours)):
            (found,) = merge_working(*pair, base).snapshot.recent_events
            assert found.text == ""


def test_members_of_a_task_that_each_side_changed_apart_come_together():
    base = snapshot(task_stack=[task("t")])
    ours = snapshot(1, task_stack=[task("t", minutes=1, status="done")])
    theirs = snapshot(2, task_stack=[task("t", minutes=2, due_at="2026-03-05T00:00:00Z", note="附上数据")])
    merged = merge_working(ours, theirs, base)
    (found,) = merged.snapshot.task_stack
    assert (found.status, found.said()["due_at"], found.said()["note"]) == ("done", "2026-03-05T00:00:00Z", "附上数据")
    assert (merged.replaced, merged.conflicts) == ((), ())


def test_a_task_that_both_changed_otherwise_is_reported_with_both_sides_and_can_be_decided():
    base = snapshot(task_stack=[task("t")])
    ours, theirs = snapshot(1, task_stack=[task("t", "写月报", 1)]), snapshot(2, task_stack=[task("t", "write the yearly report", 2)])
    merged = merge_working(ours, theirs, base)
    (conflict,) = merged.conflicts
    assert (conflict.kind, conflict.key, conflict.members, conflict.kept) == ("task", "t", ("content",), None)
    assert (conflict.ours["content"], conflict.theirs["content"]) == ("写月报", "write the yearly report")
    for keep, content in (("ours", "写月报"), ("theirs", "write the yearly report")):
        decided = merge_working(ours, theirs, base, keep=keep)
        assert decided.conflicts == ()
        assert decided.snapshot.task_stack[0].text == content
        assert decided.replaced[0].kept == keep


def test_two_tasks_of_one_id_that_came_up_on_both_sides_are_not_taken_for_one():
    merged = merge_working(snapshot(1, task_stack=[task("t", "a")]), snapshot(1, task_stack=[task("t", "b")]), snapshot())
    assert [found.key for found in merged.conflicts] == ["t"]


def test_a_task_taken_off_the_stack_stays_off_unless_the_other_side_went_on_with_it():
    base = snapshot(task_stack=[task("t"), task("u", "call")])
    ours = snapshot(3, task_stack=[], removed_tasks={"t": at(3), "u": at(3)})
    theirs = snapshot(4, task_stack=[task("t"), task("u", "call the bank", 4)])
    merged = merge_working(ours, theirs, base)
    assert [found.text for found in merged.snapshot.task_stack] == ["call the bank"]
    assert [(found.key, found.ours, found.kept) for found in merged.replaced] == [("u", None, "theirs")]
    assert set(merged.snapshot.removed_tasks) == {"t"}


def test_of_two_summaries_the_newer_stands_and_the_other_is_told():
    base = snapshot(summary="start")
    ours = snapshot(1, summary="在订酒店", summary_at=at(1))
    theirs = snapshot(2, summary="booking a hotel", summary_at=at(2))
    merged = merge_working(ours, theirs, base)
    assert merged.snapshot.summary == "booking a hotel"
    assert [(found.kind, found.ours, found.kept) for found in merged.replaced] == [("summary", "在订酒店", "theirs")]


def test_members_of_a_later_version_are_kept():
    merged = merge_working(snapshot(1, mood="好"), snapshot(2, place={"at": "home"}))
    assert merged.snapshot.__pydantic_extra__ == {"mood": "好", "place": {"at": "home"}}


# ------------------------------------------------------------ JSON only


class Framework:
    """Something that a framework would like to keep."""


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"slots": {"a": {"b": [1, Framework()]}}}, "slots.a.b.1"),
        ({"recent_events": [{"content": {"message": Framework()}}]}, "recent_events.0.content.message"),
        ({"task_stack": [{"content": "x"}, {"content": "y", "steps": {1: "a"}}]}, "task_stack.1.steps.1"),
        ({"slots": {"n": float("nan")}}, "slots.n"),
        ({"slots": {"when": START}}, "slots.when"),
        ({"slots": {"set": {1, 2}}}, "slots.set"),
        ({"slots": {"text": "a\x00b"}}, "slots.text"),
        ({"recent_events": [Framework()]}, "recent_events.0"),
        ({"summary": Framework()}, "summary"),
        ({"recent_events": [{"id": "1"}, {"id": "1"}]}, "recent_events.1.id"),
    ],
)
def test_nothing_that_is_no_json_gets_in_and_the_path_is_named(members, path):
    with pytest.raises(InvalidRequest) as caught:
        snapshot(**members)
    assert [fault["field"] for fault in caught.value.details["faults"]] == [path]


def test_what_gets_in_is_plain_whatever_it_was_before():
    class Text(str):
        pass

    class State(dict):
        pass

    held = snapshot(slots={"a": State(b=(1, Text("文")))}).slots
    assert held == {"a": {"b": [1, "文"]}}
    assert type(held["a"]) is dict and type(held["a"]["b"]) is list and type(held["a"]["b"][1]) is str


# ------------------------------------------------------------ properties

keys = st.sampled_from(["城市", "diet", "k"])
values = st.sampled_from(["杭州", "vegan", 1, True, None, ["a"]])
minutes = st.integers(0, 4)


@st.composite
def snapshots(draw: st.DrawFn) -> WorkingSnapshot:
    held = draw(st.dictionaries(keys, values, max_size=3))
    times = {key: at(draw(minutes)) for key in held}
    marks = {key: at(draw(minutes)) for key in draw(st.sets(keys)) if key not in held}
    tasks = [task(name, draw(st.sampled_from(["写", "call"])), draw(minutes)) for name in draw(st.sets(st.sampled_from("tuv")))]
    gone = {name: at(draw(minutes)) for name in draw(st.sets(st.sampled_from("tuv"))) if name not in {t["id"] for t in tasks}}
    # A turn is written once: the same id says the same.
    turns = [
        event(name, ord(name) % 5, name) for name in sorted(draw(st.sets(st.sampled_from("abcde"))), key=lambda name: (ord(name) % 5, name))
    ]
    summary = draw(st.sampled_from(["", "在订酒店", "booking"]))
    return snapshot(
        draw(minutes), slots=held, slot_times=times | marks, task_stack=tasks, removed_tasks=gone, recent_events=turns,
        summary=summary, summary_at=at(draw(minutes)), version=draw(st.integers(1, 5)),
    )  # fmt: skip


def content(found: WorkingSnapshot) -> dict[str, Any]:
    told = found.to_json()
    told["task_stack"] = sorted(told["task_stack"], key=lambda one: one["id"])
    return told


@settings(max_examples=200, deadline=None)
@given(snapshots(), snapshots())
def test_the_order_of_the_sides_does_not_matter(one, other):
    assert content(merge_working(one, other).snapshot) == content(merge_working(other, one).snapshot)


@settings(max_examples=200, deadline=None)
@given(snapshots(), snapshots())
def test_merging_again_changes_nothing(one, other):
    merged = merge_working(one, other).snapshot
    assert content(merge_working(merged, merged).snapshot) == content(merged)
    assert content(merge_working(merged, one).snapshot) == content(merged)
    assert content(merge_working(other, merged).snapshot) == content(merged)


@settings(max_examples=200, deadline=None)
@given(snapshots(), snapshots(), snapshots())
def test_with_a_base_the_order_of_the_sides_does_not_matter_either(one, other, base):
    there, back = merge_working(one, other, base), merge_working(other, one, base)
    assert {(found.kind, found.key) for found in there.conflicts} == {(found.kind, found.key) for found in back.conflicts}
    if not there.conflicts:
        assert content(there.snapshot) == content(back.snapshot)


@settings(max_examples=200, deadline=None)
@given(snapshots(), snapshots())
def test_what_only_one_side_changed_is_as_that_side_has_it(base, changed):
    merged = merge_working(changed, base, base)
    assert merged.conflicts == ()
    known = {**base.slot_times, **changed.slot_times}
    assert merged.snapshot.slots == {key: value for key, value in changed.slots.items() if key in known}
    assert {event.id for event in merged.snapshot.recent_events} == {event.id for event in (*base.recent_events, *changed.recent_events)}
