"""What must hold for any sequence of writes: replays, round trips, merges (PRO-9, PRO-10, CNF-1)."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel.errors import Conflict
from satchel.protocol import MemoryRecord, newer
from write_stage import ALICE, BOB, START, Clock, exported, opened, package, states

SLOW = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

texts = st.text(alphabet=st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), min_size=1, max_size=30).map(
    lambda text: text if text.strip() else f"x{text}"
)
names = st.text(alphabet="abc 中文é/-", min_size=1, max_size=8).map(lambda text: text.strip() or "x")
contents = st.sampled_from(["喜欢绿茶", "likes green tea", "住在成都", "has two cats", "Ünïcödé 🙂"]) | texts
units = st.floats(0, 1, allow_nan=False)
moments = st.integers(-(10**9), 10**9).map(lambda seconds: START + timedelta(seconds=seconds))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


FEW_IDS = st.sampled_from(["a", "b/c", "丙", "d"])


@st.composite
def records(draw, ids=FEW_IDS):
    at = draw(moments)
    fields = {
        "id": draw(ids),
        "scope": draw(st.sampled_from([ALICE, BOB])),
        "stored_at": draw(moments),
        "updated_at": at,
        "revision": draw(st.integers(1, 9)),
    }
    if draw(st.booleans()) and draw(st.booleans()):
        foreign = draw(st.lists(names, max_size=2))
        return MemoryRecord(**fields, content="", status="deleted", deletion={"at": at, "foreign_ids": foreign})
    return MemoryRecord(
        **fields,
        content=draw(contents),
        type=draw(st.sampled_from(["fact", "profile", "recipe"])),
        created_at=draw(st.none() | moments),
        status=draw(st.sampled_from(["active", "pending", "archived"])),
        score=draw(units),
        half_life=draw(st.floats(1, 1e9)),
        ttl=draw(st.none() | st.floats(1, 1e9)),
        tags=draw(st.lists(names, max_size=3)),
        pinned=draw(st.booleans()),
        meta=draw(st.dictionaries(texts, json_values, max_size=3)),
        usage={"access_count": draw(st.integers(0, 50)), "last_access_at": draw(st.none() | moments)},
    )


memories = st.fixed_dictionaries(
    {"content": contents, "scope": st.sampled_from([ALICE, BOB])},
    optional={"type": st.sampled_from(["fact", "task"]), "score": units, "tags": st.lists(st.sampled_from(["x", "y"]), max_size=2)},
)


@SLOW
@given(st.lists(memories, max_size=12), st.integers(1, 5))
def test_a_replay_of_any_sequence_of_writes_changes_nothing(writes, size):
    calls = [{**write, "id": f"call-{place}"} for place, write in enumerate(writes)]
    with opened(clock=Clock(), settings={"screen_secrets": False}) as memory:
        batches = [calls[start : start + size] for start in range(0, len(calls), size)]
        for batch in batches:
            memory.remember_many(batch)
        before, position = exported(memory), memory.stats().position
        for batch in batches:
            assert {done.outcome for done in memory.remember_many(batch)} == {"unchanged"}
        for call in calls:
            assert memory.remember(**call).outcome == "unchanged"
        assert (exported(memory), memory.stats().position) == (before, position)


@SLOW
@given(st.lists(memories, min_size=1, max_size=10))
def test_a_batch_and_single_calls_make_the_same_memories(writes):
    with opened(clock=Clock()) as one, opened(clock=Clock()) as two:
        one.remember_many([{**write, "id": f"{place}"} for place, write in enumerate(writes)])
        for place, write in enumerate(writes):
            two.remember(**write, id=f"{place}")
        for scope in (ALICE, BOB):
            assert states(one, scope) == states(two, scope)


@SLOW
@given(st.lists(records(ids=st.uuids().map(str)), max_size=8, unique_by=lambda found: found.id))
def test_export_into_a_fresh_store_is_equal_and_a_second_import_changes_nothing(found):
    ordered = sorted(found, key=lambda record: not record.is_tombstone)
    options = {"clock": Clock(), "settings": {"screen_secrets": False}}
    with opened(**options) as one, opened(**options) as two:
        report = one.import_package(package(ordered))
        assert sum(report.counts.values()) == len(found)
        data = exported(one)
        two.import_package(io.BytesIO(data))
        for scope in (ALICE, BOB):
            assert states(one, scope) == states(two, scope)
        assert set(two.import_package(io.BytesIO(data)).counts) <= {"unchanged"}
        assert exported(two, everything=True).splitlines()[1:-1] == data.splitlines()[1:-1]


@SLOW
@given(records(), records(), records())
def test_the_merge_is_commutative_associative_and_idempotent(one, two, three):
    one, two, three = (record.model_copy(update={"id": "a", "scope": ALICE}) for record in (one, two, three))

    def same(left, right):
        assert left.state() == right.state()
        if not left.is_tombstone:
            assert left.usage == right.usage

    same(newer(one, two), newer(two, one))
    same(newer(newer(one, two), three), newer(one, newer(two, three)))
    same(newer(one, one), one)


@SLOW
@given(st.lists(records(), min_size=1, max_size=6), st.randoms())
def test_packages_merge_to_the_same_whatever_order_they_come_in(found, chance):
    def after(packages):
        with opened(settings={"screen_secrets": False}) as memory:
            for one in packages:
                memory.import_package(package([one]))
            return {scope: states(memory, scope) for scope in (ALICE, BOB)}

    # Foreign ids and hashes of what was forgotten depend on what a store has seen; the merge of ids does not.
    unique = {}
    for one in found:
        content = one.content and f"{one.content} {one.id} {one.updated_at.isoformat()}"
        plain = {"content": content, "content_hash": ""} | ({"deletion": {"at": one.updated_at}} if one.is_tombstone else {})
        made = MemoryRecord.model_validate(one.model_dump() | plain)
        unique[made.state_hash()] = made
    shuffled = list(unique.values())
    chance.shuffle(shuffled)
    assert after(unique.values()) == after(shuffled)


def test_a_write_after_a_forgetting_is_never_a_silent_return():
    with opened() as memory:
        memory.remember("x", scope=ALICE, id="a")
        memory.forget("a", scope=ALICE)
        with pytest.raises(Conflict):
            memory.remember("x", scope=ALICE, id="a")
        assert memory.recall("x", scope=ALICE) == []
