"""What may contradict, in a store: both are told, it is asked, and the answer closes it (CNF-3)."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path

import pytest

from satchel.engine.engine import Engine
from satchel.errors import InvalidRequest, NotFound
from satchel.operations.models import Conflict, ConflictKind, Outcome
from satchel.ports import Relation, Verdict
from satchel.protocol.record import Status
from write_stage import ALICE, BOB, Clock, opened

HIKING = ("I enjoy hiking in the Rocky Mountains", "I enjoy hiking in the Appalachian Mountains")
WALKING = ("我喜欢晚饭后在江边散步", "我喜欢晚饭后在公园散步")
BOTH_LANGUAGES = pytest.mark.parametrize(("older", "newer"), [HIKING, WALKING])


def _doubted(memory: Engine, older: str, newer: str) -> Conflict:
    memory.remember(older, scope=ALICE, id="older")
    memory.remember(newer, scope=ALICE, id="newer")
    (found,) = memory.conflicts(scope=ALICE)
    return found


def _statuses(memory: Engine) -> list[Status]:
    return [memory.read(name, scope=ALICE).status for name in ("older", "newer")]


@BOTH_LANGUAGES
def test_both_stay_and_the_writer_is_told(memory: Engine, older: str, newer: str) -> None:
    was = memory.remember(older, scope=ALICE).record
    done = memory.remember(newer, scope=ALICE)
    assert (done.outcome, done.related) == (Outcome.CREATED, (was.id,)) and done.reason is not None and "may" in done.reason
    assert {hit.record.content for hit in memory.recall(older, scope=ALICE, min_relevance=0.0)} == {older, newer}
    assert memory.read(was.id, scope=ALICE) == was
    (conflict,) = memory.conflicts(scope=ALICE)
    assert (conflict.kind, conflict.reason) == (ConflictKind.POSSIBLE, done.reason)
    assert [one.content for one in conflict.records] == [older, newer] and older in conflict.question
    assert memory.conflicts(scope=BOB) == []


def test_what_is_in_no_doubt_is_told_nothing(memory: Engine) -> None:
    done = memory.remember("Prefers a window seat", scope=ALICE)
    assert (done.outcome, done.related, done.reason) == (Outcome.CREATED, (), None)


@BOTH_LANGUAGES
@pytest.mark.parametrize("keep", ["older", "newer", "both", "none"])
@pytest.mark.parametrize("named", ["the conflict", "the older memory"])
def test_the_answer_closes_it_and_the_same_answer_again_changes_nothing(
    memory: Engine, older: str, newer: str, keep: str, named: str
) -> None:
    conflict = _doubted(memory, older, newer)
    done = memory.resolve(conflict.id if named == "the conflict" else f"{ALICE}//older", keep=keep)
    assert [record.id for record in done.kept] == [name for name in ("older", "newer") if keep in {name, "both"}]
    assert _statuses(memory) == [Status.ACTIVE if keep in {name, "both"} else Status.ARCHIVED for name in ("older", "newer")]
    assert memory.conflicts(scope=ALICE) == []
    position = memory.stats(ALICE).position
    assert memory.resolve(conflict.id, keep=keep) == done
    assert memory.stats(ALICE).position == position
    with pytest.raises((NotFound, InvalidRequest)):
        memory.resolve(conflict.id, keep="none" if keep != "none" else "both")


def test_what_is_kept_takes_the_place_of_the_other_and_that_can_be_undone(memory: Engine) -> None:
    memory.resolve(_doubted(memory, *HIKING).id, keep="newer")
    older = memory.read("older", scope=ALICE)
    assert older.relations.superseded_by == ("newer",) and memory.history("older", scope=ALICE)[-1].operation == "resolve"
    memory.restore("older", scope=ALICE)
    assert _statuses(memory) == [Status.ACTIVE, Status.ACTIVE]
    assert memory.conflicts(scope=ALICE) == []  # it was answered


@BOTH_LANGUAGES
@pytest.mark.parametrize("side", ["older", "newer"])
@pytest.mark.parametrize("going", ["forget", "archive", "correct", "rewrite"])
def test_it_is_asked_no_more_once_a_side_is_gone(memory: Engine, older: str, newer: str, side: str, going: str) -> None:
    conflict = _doubted(memory, older, newer)
    if going == "forget":
        memory.forget(side, scope=ALICE)
    elif going == "archive":
        memory.update(side, scope=ALICE, status="archived")
    elif going == "correct":
        memory.correct(side, "The lease ends on 30 September", scope=ALICE)
    else:
        memory.remember("The lease ends on 30 September", scope=ALICE, id=side)
    assert memory.conflicts(scope=ALICE) == []
    if going != "rewrite":
        with pytest.raises((NotFound, InvalidRequest)):
            memory.resolve(conflict.id, keep="none")


def test_what_replaces_a_side_closes_it(memory: Engine) -> None:
    _doubted(memory, *HIKING)
    done = memory.remember("I no longer enjoy hiking in the Rocky Mountains", scope=ALICE)
    assert done.outcome is Outcome.SUPERSEDED and "older" in done.related
    assert memory.conflicts(scope=ALICE) == []


def test_a_side_that_waits_for_another_question_is_asked_about_there(memory: Engine) -> None:
    _doubted(memory, *HIKING)
    done = memory.remember("I do not enjoy hiking in the Appalachian Mountains", scope=ALICE)
    assert done.outcome is Outcome.PENDING
    (conflict,) = memory.conflicts(scope=ALICE)
    assert conflict.kind is ConflictKind.CONTRADICTION
    memory.resolve(conflict.id, keep="newer")
    assert (
        "newer" in {record.id for one in memory.conflicts(scope=ALICE) for record in one.records}
        or _statuses(memory)[0] is not Status.ACTIVE
    )


def test_saying_it_again_importing_it_and_maintaining_ask_nothing_twice(memory: Engine) -> None:
    _doubted(memory, *HIKING)
    target = io.BytesIO()
    memory.export(to=target, everything=True)
    for _ in range(2):
        memory.import_package(io.BytesIO(target.getvalue()))
        memory.maintain(ALICE)
    assert len(memory.conflicts(scope=ALICE)) == 1
    for text in HIKING:
        assert memory.remember(text, scope=ALICE).outcome is Outcome.REINFORCED
    assert memory.conflicts(scope=ALICE) == []
    assert b"may contradict" not in target.getvalue() and b"doubt" not in target.getvalue()


def test_several_older_ones_are_one_question(memory: Engine) -> None:
    _doubted(memory, *HIKING)
    third = memory.remember("I enjoy hiking in the Ozark Mountains", scope=ALICE)
    assert {*third.related} == {"older", "newer"}
    asked = memory.conflicts(scope=ALICE)
    assert [len(one.records) for one in asked] == [3]
    memory.resolve(max(asked, key=lambda one: len(one.records)).id, keep=third.record.id)
    assert memory.conflicts(scope=ALICE) == [] and _statuses(memory) == [Status.ARCHIVED, Status.ARCHIVED]


def test_two_of_one_call_are_doubted_like_two_of_two_calls(memory: Engine) -> None:
    first, second = memory.remember_many(list(HIKING), scope=ALICE)
    assert (second.outcome, second.related) == (Outcome.CREATED, (first.record.id,))
    assert len(memory.conflicts(scope=ALICE)) == 1


def test_forgetting_leaves_nothing_of_it_behind(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(f"sqlite:///{path}") as memory:
        memory.remember("我喜欢晚饭后在鹭江边散步", scope=ALICE, id="older")
        memory.remember("我喜欢晚饭后在莲花公园散步", scope=ALICE, id="newer")
        assert len(memory.conflicts(scope=ALICE)) == 1
        for name in ("newer", "older"):
            memory.forget(name, scope=ALICE)
    stored = b"".join(found.read_bytes() for found in tmp_path.iterdir())
    assert not [word for word in ("鹭江", "莲花") if word.encode() in stored]
    with opened(f"sqlite:///{path}") as memory:
        assert memory.conflicts(scope=ALICE) == []


def test_it_moves_with_its_scope_and_goes_with_it(memory: Engine) -> None:
    _doubted(memory, *HIKING)
    memory.move_scope(ALICE, to=BOB)
    (conflict,) = memory.conflicts(scope=BOB)
    assert conflict.kind is ConflictKind.POSSIBLE and memory.conflicts(scope=ALICE) == []
    memory.resolve(conflict.id, keep="both")
    assert memory.conflicts(scope=BOB) == []


def test_the_past_is_as_it_was(tmp_path: Path) -> None:
    clock = Clock()
    with opened(clock=clock) as memory:
        conflict = _doubted(memory, *HIKING)
        clock.pass_(days=1)
        memory.resolve(conflict.id, keep="newer")
        then = memory.as_of(clock.now - timedelta(hours=1), scope=ALICE)
        assert {record.id: record.status for record in then} == {"older": Status.ACTIVE, "newer": Status.ACTIVE}


def test_a_judge_may_doubt_too() -> None:
    class Careful:
        def judge(self, older: str, newer: str) -> Verdict | None:
            return Verdict(Relation.MAY_CONTRADICT, "a model finds them hard to reconcile")

    with opened(judge=Careful()) as memory:
        memory.remember("The garden faces south", scope=ALICE)
        done = memory.remember("The garden is in the shade all day", scope=ALICE)
        assert (done.outcome, done.reason) == (Outcome.CREATED, "a model finds them hard to reconcile")
        assert [one.reason for one in memory.conflicts(scope=ALICE)] == [done.reason]


@pytest.mark.parametrize(
    ("older", "newer"), [("The office has a kitchen", "The office does not have a kitchen"), ("我喜欢猫", "我不喜欢猫")]
)
def test_to_make_a_side_active_answers_its_question(memory: Engine, older: str, newer: str) -> None:
    was = memory.remember(older, scope=ALICE).record
    done = memory.remember(newer, scope=ALICE).record
    assert done.status is Status.PENDING
    memory.update(done.id, scope=ALICE, status="active")
    assert memory.conflicts(scope=ALICE) == []
    assert memory.read(was.id, scope=ALICE).status is Status.ARCHIVED and memory.read(done.id, scope=ALICE).status is Status.ACTIVE


@BOTH_LANGUAGES
@pytest.mark.parametrize("side", ["older", "newer"])
def test_to_confirm_a_side_closes_it_and_both_stay(memory: Engine, older: str, newer: str, side: str) -> None:
    _doubted(memory, older, newer)
    memory.confirm(side, scope=ALICE)
    assert memory.conflicts(scope=ALICE) == [] and _statuses(memory) == [Status.ACTIVE, Status.ACTIVE]


@pytest.mark.parametrize("ends", [{"ttl": 86_400}, {"valid_until": "2026-03-03T00:00:00Z"}])
def test_it_is_asked_no_more_once_a_side_is_over(memory: Engine, clock: Clock, ends: dict[str, object]) -> None:
    memory.remember(WALKING[0], scope=ALICE)
    memory.remember(WALKING[1], scope=ALICE, **ends)
    assert len(memory.conflicts(scope=ALICE)) == 1
    clock.pass_(days=5)
    assert memory.conflicts(scope=ALICE) == []


@BOTH_LANGUAGES
def test_a_snapshot_from_before_the_answer_brings_the_question_back(memory: Engine, clock: Clock, older: str, newer: str) -> None:
    conflict = _doubted(memory, older, newer)
    before = memory.snapshot(scope=ALICE)
    clock.pass_(minutes=1)
    memory.resolve(conflict.id, keep="both")
    assert memory.conflicts(scope=ALICE) == []
    memory.restore(before)
    assert [one.id for one in memory.conflicts(scope=ALICE)] == [conflict.id]


REPLACED = [("I live in Berlin", "I live in Oslo"), ("我住在杭州", "我住在南京")]


def _replaced(memory: Engine, older: str, newer: str, *, ttl: int | None = None) -> None:
    """Let one memory replace another; what holds for a time replaces only what has an end too."""
    memory.remember(older, scope=ALICE, id="older", ttl=ttl and 365 * ttl)
    assert memory.remember(newer, scope=ALICE, id="newer", ttl=ttl).outcome is Outcome.SUPERSEDED


@pytest.mark.parametrize(("older", "newer"), REPLACED)
@pytest.mark.parametrize("keep", ["older", "newer", "both"])
def test_what_is_restored_and_what_had_replaced_it_are_asked_about(memory: Engine, older: str, newer: str, keep: str) -> None:
    _replaced(memory, older, newer)
    memory.restore("older", scope=ALICE)
    assert _statuses(memory) == [Status.ACTIVE, Status.ACTIVE]
    (asked,) = memory.conflicts(scope=ALICE)
    assert {one.id for one in asked.records} == {"older", "newer"}
    memory.resolve(asked.id, keep=keep)
    assert _statuses(memory) == [Status.ACTIVE if keep in {name, "both"} else Status.ARCHIVED for name in ("older", "newer")]
    assert memory.conflicts(scope=ALICE) == []


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_to_confirm_what_is_restored_answers_for_it(memory: Engine, older: str, newer: str) -> None:
    _replaced(memory, older, newer)
    memory.restore("older", scope=ALICE)
    memory.confirm("older", scope=ALICE)
    assert _statuses(memory) == [Status.ACTIVE, Status.ARCHIVED] and memory.conflicts(scope=ALICE) == []


@pytest.mark.parametrize(("older", "newer"), REPLACED)
@pytest.mark.parametrize("going", ["forget", "archive", "correct"])
def test_what_was_replaced_comes_back_once_that_is_gone(memory: Engine, older: str, newer: str, going: str) -> None:
    _replaced(memory, older, newer)
    if going == "forget":
        memory.forget("newer", scope=ALICE)
    elif going == "archive":
        memory.update("newer", scope=ALICE, status="archived")
    else:
        memory.correct("newer", "The lease ends on 30 September", scope=ALICE)
    assert memory.read("older", scope=ALICE).status is Status.ACTIVE
    assert older in [hit.record.content for hit in memory.recall(older, scope=ALICE)]


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_a_scope_is_forgotten_whole_whatever_replaced_what_in_it(memory: Engine, older: str, newer: str) -> None:
    _replaced(memory, older, newer)
    memory.forget(plan=memory.forget(scope=ALICE, everything=True))
    assert not list(memory.every_record(scope=ALICE, status=["active", "archived", "pending"]))


def test_what_is_wrong_or_replaced_anew_does_not_come_back(memory: Engine) -> None:
    _replaced(memory, *REPLACED[0])
    memory.correct("newer", "I live in Rome", scope=ALICE, new_id="newest")
    assert memory.read("older", scope=ALICE).status is Status.ARCHIVED
    memory.forget("newest", scope=ALICE)
    assert memory.read("newer", scope=ALICE).status is not Status.ACTIVE


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_what_was_replaced_for_a_time_comes_back_when_that_is_over(memory: Engine, clock: Clock, older: str, newer: str) -> None:
    _replaced(memory, older, newer, ttl=86_400)
    clock.pass_(days=5)
    memory.maintain(ALICE)
    memory.maintain(ALICE)
    assert _statuses(memory) == [Status.ACTIVE, Status.ARCHIVED]


SEVERAL = [
    (*HIKING, "I enjoy hiking in the Ozark Mountains"),
    (*WALKING, "我喜欢晚饭后在操场散步"),
    ("The deadline for the draft is 3 May", "The deadline for the draft may be 8 May", "The deadline for the draft is perhaps 9 May"),
    ("草稿的截止日期是5月3日", "草稿的截止日期可能是5月8日", "草稿的截止日期也许是5月9日"),
]
"""Two that may hold or contradict each other, and a third that goes against both."""


def _asked_by_a_third(memory: Engine, texts: tuple[str, str, str]) -> Conflict:
    _doubted(memory, *texts[:2])
    (first,) = memory.conflicts(scope=ALICE)
    memory.resolve(first.id, keep="both")
    assert {*memory.remember(texts[2], scope=ALICE, id="third").related} == {"older", "newer"}
    (asked,) = memory.conflicts(scope=ALICE)
    return asked


@pytest.mark.parametrize("texts", SEVERAL)
def test_what_was_said_to_hold_together_is_not_asked_again_by_a_third(memory: Engine, texts: tuple[str, str, str]) -> None:
    asked = _asked_by_a_third(memory, texts)
    assert {one.id for one in asked.records} == {"older", "newer", "third"}
    told = "已确认都对" if "的" in texts[0] or "我" in texts[0] else "hold together"
    assert told in asked.question and asked.question.index(texts[2]) > max(asked.question.index(text) for text in texts[:2])


@pytest.mark.parametrize("texts", SEVERAL)
@pytest.mark.parametrize(
    ("keep", "left"),
    [
        ("older", ["older", "newer"]),
        ("newer", ["older", "newer"]),
        ("third", ["third"]),
        ("both", ["older", "newer", "third"]),
        ("none", []),
    ],
)
def test_an_answer_about_a_third_takes_no_earlier_answer_back(
    memory: Engine, texts: tuple[str, str, str], keep: str, left: list[str]
) -> None:
    asked = _asked_by_a_third(memory, texts)
    for _ in range(2):
        memory.resolve(asked.id, keep=keep)
        assert [name for name in ("older", "newer", "third") if memory.read(name, scope=ALICE).status is Status.ACTIVE] == left
        assert memory.conflicts(scope=ALICE) == []


@pytest.mark.parametrize("texts", SEVERAL[:2])
def test_after_another_answer_the_one_that_was_kept_is_asked_about_alone(memory: Engine, texts: tuple[str, str, str]) -> None:
    memory.resolve(_doubted(memory, *texts[:2]).id, keep="newer")
    memory.remember(texts[2], scope=ALICE, id="third")
    (asked,) = memory.conflicts(scope=ALICE)
    assert {one.id for one in asked.records} == {"newer", "third"} and texts[0] not in asked.question
