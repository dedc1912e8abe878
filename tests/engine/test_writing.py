"""`remember`: ENG-1 to ENG-3, CNF-1, complaints A2, B26, B28, B29."""

from __future__ import annotations

import threading

import pytest

from satchel.errors import Conflict, InvalidRequest, SecretRefused
from write_stage import ALICE, BOB, Clock, opened, states

KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" * 2


def test_what_is_left_out_is_filled_in(memory, clock):
    done = memory.remember("用户喜欢靠窗的座位", scope=ALICE, type="preference")
    assert done.outcome == "created"
    found = memory.read(done.record.id, scope=ALICE)
    assert (found.created_at, found.stored_at, found.updated_at) == (clock.now,) * 3
    assert (found.source.agent, found.source.origin, found.revision, found.status) == ("writer", "stated", 1, "active")
    assert found == done.record


def test_a_memory_without_a_type_is_a_fact(memory):
    assert memory.remember("The office is on the third floor.", scope=ALICE).record.type == "fact"


def test_an_unknown_type_is_kept_and_treated_like_a_fact(memory):
    found = memory.remember("配方：三份面粉一份水", scope=ALICE, type="recipe").record
    assert (found.type, found.retention, found.half_life) == ("recipe", "factual", 60 * 86400)


def test_the_same_id_and_content_again_changes_nothing_even_when_the_score_has_risen(memory):
    memory.remember("I take the 8:15 train.", scope=ALICE, id="t1")
    memory.remember("I take the 8:15 train.", scope=ALICE)
    before = memory.read("t1", scope=ALICE)
    again = memory.remember("I take the 8:15 train.", scope=ALICE, id="t1")
    assert (again.outcome, again.record, len(memory.history("t1", scope=ALICE))) == ("unchanged", before, 2)


def test_each_repetition_halves_the_distance_of_the_score_to_one(memory):
    first = memory.remember("喝咖啡不加糖", scope=ALICE, score=0.6)
    for expected in (0.8, 0.9, 0.95):
        again = memory.remember("喝咖啡不加糖", scope=ALICE)
        assert (again.outcome, again.related, again.record.id) == ("reinforced", (first.record.id,), first.record.id)
        assert again.record.score == pytest.approx(expected)
    assert len(memory.records(scope=ALICE).records) == 1


def test_a_retried_repetition_is_not_another_repetition(memory):
    memory.remember("喝茶", scope=ALICE, score=0.6)
    calls = [memory.remember("喝茶", scope=ALICE, id="second") for _ in range(3)]
    assert [call.outcome for call in calls] == ["reinforced", "unchanged", "unchanged"]
    assert calls[-1].record.score == pytest.approx(0.8)


def test_a_repetition_brings_an_archived_memory_back(memory):
    first = memory.remember("Runs on Sundays.", scope=ALICE).record
    memory.update(first.id, scope=ALICE, status="archived")
    again = memory.remember("Runs on Sundays.", scope=ALICE)
    assert (again.outcome, again.record.status) == ("reinforced", "active")


def test_a_repetition_of_what_has_expired_counts_from_now(memory, clock):
    first = memory.remember("停车位在 B2", scope=ALICE, ttl=60).record
    clock.pass_(hours=1)
    again = memory.remember("停车位在 B2", scope=ALICE, ttl=60).record
    assert (again.id, again.expires_at > clock.now) == (first.id, True)


def test_a_repetition_adds_its_tags(memory):
    memory.remember("Plays the cello.", scope=ALICE, tags=["music"])
    assert memory.remember("Plays the cello.", scope=ALICE, tags=["music", "hobby"]).record.tags == ("music", "hobby")


def test_content_is_compared_in_its_normal_form(memory):
    assert memory.remember("Café au lait", scope=ALICE).outcome == "created"
    assert memory.remember("Cafe\u0301 au lait", scope=ALICE).outcome == "reinforced"


def test_the_same_content_in_another_scope_is_another_memory(memory):
    memory.remember("同一句话", scope=ALICE, id="x")
    assert memory.remember("同一句话", scope=BOB, id="x").outcome == "created"


def test_new_content_under_the_same_id_is_an_update_that_keeps_what_was_not_given(memory, clock):
    first = memory.remember("Project state: design", scope=ALICE, id="p", type="task", tags=["web"], score=0.9, meta={"n": 1}).record
    clock.pass_(days=1)
    done = memory.remember("Project state: building", scope=ALICE, id="p", meta={"n": 2})
    assert done.outcome == "updated"
    found = memory.read("p", scope=ALICE)
    assert (found.content, found.tags, found.type, found.score, found.meta) == ("Project state: building", ("web",), "task", 0.9, {"n": 2})
    assert (found.revision, found.created_at, found.updated_at) == (2, first.created_at, clock.now)
    assert memory.history("p", scope=ALICE)[-1].before.content == "Project state: design"
    assert [hit.record.id for hit in memory.recall("building", scope=ALICE)] == ["p"]


def test_the_id_of_a_forgotten_memory_is_spent_and_says_so(memory):
    memory.remember("秘密花园", scope=ALICE, id="g")
    memory.forget("g", scope=ALICE)
    with pytest.raises(Conflict, match="forgotten"):
        memory.remember("另一件事", scope=ALICE, id="g")


def test_forgotten_content_can_be_remembered_anew_under_a_new_id(memory):
    first = memory.remember("I live in Lisbon.", scope=ALICE).record
    memory.forget(first.id, scope=ALICE)
    again = memory.remember("I live in Lisbon.", scope=ALICE)
    assert (again.outcome, again.record.id != first.id) == ("created", True)
    assert [hit.record.id for hit in memory.recall("Lisbon", scope=ALICE)] == [again.record.id]


# ------------------------------------------------------------ faults


def test_all_faults_of_a_batch_come_at_once_and_nothing_is_written(memory):
    with pytest.raises(InvalidRequest) as caught:
        memory.remember_many(
            [
                "good",
                {"content": " ", "ttl": -1, "score": 2},
                {"content": "x", "created_at": "2026-01-01T00:00:00", "type": ""},
                {"content": "ok", "unheard_of": 1},
            ],
            scope=ALICE,
        )
    fields = {fault["field"] for fault in caught.value.details["faults"]}
    assert {
        "memories.1.content",
        "memories.1.ttl",
        "memories.1.score",
        "memories.2.created_at",
        "memories.2.type",
        "memories.3.unheard_of",
    } <= fields
    assert memory.records(scope=ALICE).records == ()


def test_faults_between_two_fields_come_with_the_others(memory):
    when = {"valid_from": "2026-02-01T00:00:00Z", "valid_until": "2026-01-01T00:00:00Z", "expires_at": "2027-01-01T00:00:00Z"}
    with pytest.raises(InvalidRequest) as caught:
        memory.remember("", scope="*", ttl=5, score=2, **when)
    assert {fault["field"] for fault in caught.value.details["faults"]} == {"content", "scope", "score", "expires_at", "valid_until"}


def test_faults_the_engine_finds_come_at_once_too(memory):
    with pytest.raises(SecretRefused) as caught:
        memory.remember_many([{"content": "a", "retention": "forever"}, f"my key is {KEY}"], scope=ALICE)
    assert {fault["field"] for fault in caught.value.details["faults"]} == {"memories.0.retention", "memories.1.content"}
    assert memory.records(scope=ALICE).records == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"content": ""},
        {"content": "\n\t "},
        {"content": "a\x00b"},
        {"content": "half of a pair \ud83d"},
        {"content": "x" * 1_048_577},
        {"content": "x", "scope": ""},
        {"content": "x", "scope": "*"},
        {"content": "x", "scope": "user:.."},
        {"content": "x", "scope": "user:alice/../user:bob"},
        {"content": "x", "ttl": -5},
        {"content": "x", "ttl": 5, "expires_at": "2026-01-01T00:00:00Z"},
        {"content": "x", "created_at": "2026-01-01 10:00:00"},
        {"content": "x", "valid_from": "2026-02-01T00:00:00Z", "valid_until": "2026-01-01T00:00:00Z"},
        {"content": "x", "id": "y" * 513},
        {"content": "x", "id": "line\nbreak"},
        {"content": "x", "meta": {"n": float("nan")}},
    ],
)
def test_bad_input_is_an_invalid_request_that_names_the_field(memory, arguments):
    with pytest.raises(InvalidRequest) as caught:
        memory.remember(**{"scope": ALICE, **arguments})
    assert caught.value.details["faults"]


@pytest.mark.parametrize(
    ("record_id", "created"),
    [("a/b?c#d", "1870-01-01T00:00:00Z"), ("编号-7", "2190-12-31T23:59:59Z"), ("i" * 512, "1969-12-31T23:59:59.5Z"), ("..", None)],
)
def test_ids_in_any_alphabet_and_times_of_any_century_are_kept(memory, record_id, created):
    done = memory.remember("内容 content", scope=ALICE, id=record_id, created_at=created)
    assert memory.read(record_id, scope=ALICE) == done.record
    assert [hit.record.id for hit in memory.recall("内容", scope=ALICE, min_strength=0)] == [record_id]


def test_a_megabyte_of_content_is_kept_and_its_end_is_found(memory):
    content = "很长的记忆。" + "x " * 524_000 + "needle"
    done = memory.remember(content, scope=ALICE)
    assert memory.read(done.record.id, scope=ALICE).content == content
    assert [hit.record.id for hit in memory.search("needle", scope=ALICE)] == [done.record.id]


def test_a_ttl_beyond_the_calendar_never_expires(memory):
    assert memory.remember("x", scope=ALICE, ttl=1e11).record.expires_at.year == 5195
    assert memory.remember("y", scope=ALICE, ttl=1e11, created_at="9000-01-01T00:00:00Z").record.expires_at.year == 9999


def test_a_smaller_size_limit_can_be_set(clock):
    with opened(settings={"max_content_bytes": 10}) as memory, pytest.raises(InvalidRequest, match="limit is 10"):
        memory.remember("四个汉字", scope=ALICE)


# ------------------------------------------------------------ secrets


@pytest.mark.parametrize(
    "arguments",
    [{"content": f"我的密钥是 {KEY}"}, {"content": "see meta", "meta": {"api_key": KEY}}, {"content": "see tag", "tags": [KEY]}],
)
def test_a_credential_is_refused_and_not_echoed(memory, arguments):
    with pytest.raises(SecretRefused) as caught:
        memory.remember(scope=ALICE, **arguments)
    assert caught.value.details["detectors"]
    assert KEY not in repr(caught.value.to_wire())


def test_a_credential_cannot_come_in_by_update_or_correction(memory):
    found = memory.remember("an ordinary note", scope=ALICE).record
    with pytest.raises(SecretRefused):
        memory.correct(found.id, f"use {KEY}", scope=ALICE)
    with pytest.raises(SecretRefused):
        memory.update(found.id, scope=ALICE, meta={"key": KEY})


def test_screening_can_be_turned_off():
    with opened(settings={"screen_secrets": False}) as memory:
        assert memory.remember(f"the demo key {KEY}", scope=ALICE).outcome == "created"


# ------------------------------------------------------------ batches


def test_a_batch_is_like_its_memories_one_after_another(memory):
    texts = [{"content": "a b", "score": 0.5}, "a b", {"content": "c", "id": "x"}, {"content": "c", "id": "x"}, {"content": "d", "id": "x"}]
    outcomes = [done.outcome for done in memory.remember_many(texts, scope=ALICE)]
    assert outcomes == ["created", "reinforced", "created", "unchanged", "updated"]
    assert sorted(found.content for found in memory.records(scope=ALICE).records) == ["a b", "d"]
    assert {found.revision for found in memory.records(scope=ALICE).records} == {1}
    assert memory.remember("a b", scope=ALICE).record.score == pytest.approx(0.875)


def test_a_batch_may_span_scopes(memory):
    done = memory.remember_many([{"content": "一", "scope": ALICE}, {"content": "二", "scope": BOB}])
    assert [one.record.scope for one in done] == [ALICE, BOB]


def test_an_empty_batch_is_no_error(memory):
    assert memory.remember_many([], scope=ALICE) == []


def test_a_batch_in_which_content_moves_from_one_id_to_another_is_written(memory):
    memory.remember("old words", scope=ALICE, id="x")
    done = memory.remember_many([{"content": "new words", "id": "x"}, {"content": "old words", "id": "y"}], scope=ALICE)
    assert [one.outcome for one in done] == ["updated", "created"]


def test_a_replayed_batch_changes_nothing(memory):
    batch = [{"content": "甲", "id": "1"}, {"content": "甲", "id": "2"}, {"content": "乙", "id": "3"}]
    memory.remember_many(batch, scope=ALICE)
    before = states(memory)
    assert {done.outcome for done in memory.remember_many(batch, scope=ALICE)} == {"unchanged"}
    assert states(memory) == before


# ------------------------------------------------------------ others writing at the same time


def test_threads_that_say_the_same_make_one_memory(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        threads = [threading.Thread(target=lambda: [memory.remember(f"事实 {n}", scope=ALICE) for n in range(10)]) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = memory.records(scope=ALICE).records
        assert sorted(record.content for record in found) == [f"事实 {n}" for n in range(10)]
        assert {record.revision for record in found} == {6}


def test_two_engines_over_one_file_lose_nothing(tmp_path):
    with opened(tmp_path / "agent.db", agent="a") as one, opened(tmp_path / "agent.db", agent="b") as two:
        one.remember("apples from one", scope=ALICE)
        two.remember("apples from two", scope=ALICE)
        assert two.remember("apples from one", scope=ALICE).outcome == "reinforced"
        assert {hit.record.content for hit in one.recall("apples", scope=ALICE)} == {"apples from one", "apples from two"}


def test_engines_that_write_at_once_neither_lose_nor_double_anything(tmp_path):
    path = tmp_path / "agent.db"
    with opened(path, agent="a") as one, opened(path, agent="b") as two:

        def write(memory, mine: str) -> None:
            for number in range(15):
                memory.remember_many([f"{mine} {number}", f"共同 {number}"], scope=ALICE)

        threads = [threading.Thread(target=write, args=pair) for pair in ((one, "one"), (two, "two"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = one.records(scope=ALICE, limit=1000).records
        assert len({record.content for record in found}) == len(found) == 45
        assert {record.revision for record in found if record.content.startswith("共同")} == {2}


def test_many_repetitions_in_one_batch_are_one_memory(memory):
    done = memory.remember_many([{"content": "once more", "id": f"{n}"} for n in range(2000)], scope=ALICE)
    assert (done[0].outcome, {one.outcome for one in done[1:]}) == ("created", {"reinforced"})
    assert memory.records(scope=ALICE).records[0].score == pytest.approx(1.0)
    assert {one.outcome for one in memory.remember_many([{"content": "once more", "id": f"{n}"} for n in range(2000)], scope=ALICE)} == {
        "unchanged"
    }


def test_the_clock_may_run_backwards_without_an_older_change_winning(memory, clock: Clock):
    found = memory.remember("first", scope=ALICE, id="x").record
    clock.pass_(days=-1)
    assert memory.update("x", scope=ALICE, score=0.9).updated_at == found.updated_at
