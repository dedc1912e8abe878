"""Duplicates, conflicts and corrections in a store: what is merged, replaced, asked and undone (CNF-1 to CNF-4), and the complaints."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from satchel.engine.engine import Engine
from satchel.errors import InvalidRequest, NotFound
from satchel.operations.models import ConflictKind, Outcome, conflict_id
from satchel.ports import Relation, Verdict
from satchel.protocol.record import Status
from write_stage import ALICE, opened, package, record


def _told(memory: Engine, question: str) -> list[str]:
    return [hit.record.content for hit in memory.recall(question, scope=ALICE, min_relevance=0.0)]


def _status(memory: Engine, id: str) -> Status:
    return memory.read(id, scope=ALICE).status


# ---------------------------------------------------------------- the cases by name


@pytest.mark.parametrize(
    ("first", "second"),
    [("Likes tea", "Likes jazz"), ("OK, noted.", "OK, done."), ("喜欢茶", "喜欢爵士"), ("好的", "收到")],
)
def test_two_short_unrelated_sentences_both_survive(memory: Engine, first: str, second: str) -> None:
    was = memory.remember(first, scope=ALICE).record
    done = memory.remember(second, scope=ALICE)
    assert done.outcome is Outcome.CREATED
    assert _status(memory, was.id) is _status(memory, done.record.id) is Status.ACTIVE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The user likes coffee", "The user no longer drinks coffee, tea now"),
        ("I like coffee", "I no longer drink coffee"),
        ("用户喜欢喝咖啡", "用户不再喝咖啡了，现在喝茶"),
        ("我喜欢咖啡", "我不喝咖啡了"),
    ],
)
def test_what_has_ended_is_no_longer_recalled_and_stays_in_the_history(memory: Engine, older: str, newer: str) -> None:
    """mem0 #5193: "I like coffee" and "not any more, tea" were both returned."""
    was = memory.remember(older, scope=ALICE).record
    done = memory.remember(newer, scope=ALICE)
    assert (done.outcome, done.related) == (Outcome.SUPERSEDED, (was.id,))
    assert _told(memory, "coffee" if older.isascii() else "咖啡") == [newer]
    held = memory.read(was.id, scope=ALICE)
    assert held.status is Status.ARCHIVED and held.relations.superseded_by == (done.record.id,)
    assert done.record.relations.supersedes == (was.id,)
    assert [entry.operation for entry in memory.history(was.id, scope=ALICE)][-1] == "supersede"
    memory.restore(was.id, scope=ALICE)
    assert _status(memory, was.id) is Status.ACTIVE


@pytest.mark.parametrize(
    ("older", "newer", "asks"),
    [
        ("The project uses module A", "The project is about to move to module C", "Which of these holds"),
        ("项目使用模块A", "项目打算换成模块C", "下面哪一条是对的"),
    ],
)
def test_a_plan_to_change_is_asked_about_and_neither_is_told_as_a_fact(memory: Engine, older: str, newer: str, asks: str) -> None:
    was = memory.remember(older, scope=ALICE).record
    done = memory.remember(newer, scope=ALICE)
    assert done.outcome is Outcome.PENDING
    assert _told(memory, older) == []
    (conflict,) = memory.conflicts(scope=ALICE)
    assert conflict.kind is ConflictKind.CONTRADICTION
    assert asks in conflict.question and older in conflict.question and newer in conflict.question
    settled = memory.resolve(conflict.id, keep=done.record.id)
    assert [one.id for one in settled.kept] == [done.record.id] and [one.id for one in settled.archived] == [was.id]
    assert _told(memory, older) == [newer] and memory.conflicts(scope=ALICE) == []
    assert memory.resolve(conflict.id, keep=done.record.id) == settled


@pytest.mark.parametrize("frame", ["The release is on {} May", "发布定在5月{}日", "The parcel arrives on {} May.", "包裹5月{}号到。"])
def test_the_third_and_the_eighth_of_may_never_merge(memory: Engine, frame: str) -> None:
    memory.remember(frame.format(3), scope=ALICE)
    assert memory.remember(frame.format(8), scope=ALICE).outcome is not Outcome.MERGED


# ---------------------------------------------------------------- merging


@pytest.mark.parametrize(
    ("first", "again"),
    [("The lease ends on 30 September.", "The lease expires on September 30."), ("租约9月30日到期。", "租约到9月30日为止。")],
)
def test_the_same_in_other_words_is_one_memory_and_a_higher_score(memory: Engine, first: str, again: str) -> None:
    """MemOS #881: what was merged was still recalled. mem0 #4721: say what it is like."""
    held = memory.remember(first, scope=ALICE).record
    done = memory.remember(again, scope=ALICE)
    assert done.outcome is Outcome.MERGED and done.record.id == held.id and held.id in done.related
    assert done.record.score > held.score and done.record.status is Status.ACTIVE
    assert _told(memory, first) == [first]
    assert [_status(memory, id) for id in done.related if id != held.id] == [Status.ARCHIVED]


def test_the_same_thing_under_another_type_is_still_the_same(memory: Engine) -> None:
    """MemOS #978: one fact was held as text and as preference."""
    memory.remember("用户在家每天喝两杯咖啡", scope=ALICE, type="fact")
    assert memory.remember("用户在家每天喝2杯咖啡", scope=ALICE, type="preference").outcome is Outcome.MERGED


def test_traces_of_what_was_said_are_never_merged_or_replaced(memory: Engine) -> None:
    """mcp-memory-service PR 898: session logs were blocked by deduplication."""
    for text in ("用户住在杭州", "用户住在成都", "用户搬到成都了", "The lease ends on 30 September.", "The lease expires on September 30."):
        assert memory.remember(text, scope=ALICE, type="interaction").outcome is Outcome.CREATED


def test_saying_it_again_word_for_word_keeps_the_memory_and_its_id(memory: Engine) -> None:
    """mem0 #1674: adding the same memory twice deleted it."""
    held = memory.remember("用户住在杭州", scope=ALICE).record
    assert memory.remember("用户住在杭州", scope=ALICE).record.id == held.id
    assert _status(memory, held.id) is Status.ACTIVE


def test_nothing_is_compared_across_scopes(memory: Engine) -> None:
    memory.remember("用户住在杭州", scope=ALICE)
    assert memory.remember("用户搬到成都了", scope="user:bob").outcome is Outcome.CREATED
    assert memory.recall("用户住在哪里", scope=ALICE)


# ---------------------------------------------------------------- who said it


def test_what_was_inferred_never_replaces_what_was_stated(memory: Engine) -> None:
    memory.remember("The user lives in Lisbon", scope=ALICE, source={"origin": "stated"})
    done = memory.remember("The user lives in Porto", scope=ALICE, source={"origin": "inferred"})
    assert done.outcome is Outcome.PENDING


def test_what_is_kept_for_ever_is_not_put_away_unasked(memory: Engine) -> None:
    memory.remember("用户住在杭州", scope=ALICE, pinned=True)
    assert memory.remember("用户住在成都", scope=ALICE).outcome is Outcome.PENDING


def test_people_without_names_may_be_two(memory: Engine) -> None:
    for text in ("我同事的老家在沈阳", "我同事的老家在深圳", "My cousin lives in Rome", "My cousin lives in Oslo"):
        assert memory.remember(text, scope=ALICE).outcome is Outcome.CREATED


def test_a_past_written_late_does_not_replace_the_present(memory: Engine) -> None:
    memory.remember("The user lives in Porto", scope=ALICE, created_at="2026-03-01T00:00:00Z")
    done = memory.remember("The user lives in Lisbon", scope=ALICE, created_at="2020-01-01T00:00:00Z")
    assert done.record.status is Status.ARCHIVED
    assert _told(memory, "Where does the user live?") == ["The user lives in Porto"]


# ---------------------------------------------------------------- resolving


def _asked(memory: Engine) -> tuple[str, str, str]:
    was = memory.remember("The project uses module A", scope=ALICE).record
    now = memory.remember("The project is about to move to module C", scope=ALICE).record
    return memory.conflicts(scope=ALICE)[0].id, was.id, now.id


@pytest.mark.parametrize(("keep", "left"), [("both", 2), ("none", 0)])
def test_a_question_may_be_answered_with_both_or_none(memory: Engine, keep: str, left: int) -> None:
    conflict, *ids = _asked(memory)
    assert len(memory.resolve(conflict, keep=keep).kept) == left
    assert sum(_status(memory, id) is Status.ACTIVE for id in ids) == left


def test_an_answer_that_cannot_be_changes_nothing(memory: Engine) -> None:
    conflict, was, _ = _asked(memory)
    with pytest.raises(InvalidRequest):
        memory.resolve(conflict, keep="another")
    with pytest.raises(NotFound):
        memory.resolve(conflict_id(ALICE, "nobody"), keep="both")
    assert _status(memory, was) is Status.PENDING


def test_a_memory_that_was_used_often_is_put_up_for_review_when_it_is_corrected(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as memory:
        wrong = memory.remember("报告的截止日期是5月3日", scope=ALICE).record
        for _ in range(5):
            memory.recall("报告什么时候截止", scope=ALICE)
    with opened(tmp_path / "agent.db") as memory:  # uses are written when it closes
        right = memory.correct(wrong.id, "报告的截止日期是5月8日", scope=ALICE)
        assert right.record.status is Status.ACTIVE and _status(memory, wrong.id) is Status.ARCHIVED  # MemOS #1242
        (review,) = memory.conflicts(scope=ALICE)
        assert review.kind is ConflictKind.REVIEW and "复查" in review.question
        memory.resolve(review.id, keep=right.record.id)
        assert memory.conflicts(scope=ALICE) == []


@pytest.mark.parametrize("by", ["correct", "replace"])
@pytest.mark.parametrize(
    ("old", "new", "query"),
    [("用户喜欢喝咖啡", "用户不再喝咖啡了", "咖啡"), ("The user likes coffee", "The user no longer drinks coffee", "coffee")],
)
def test_a_memory_that_was_used_just_now_is_put_up_for_review_at_once(old: str, new: str, query: str, by: str) -> None:
    with opened() as memory:
        wrong = memory.remember(old, scope=ALICE).record
        memory.remember("an unrelated memory", scope=ALICE)
        for task in range(5):
            memory.recall(query, scope=ALICE, session=f"task {task}")
        if by == "correct":
            memory.correct(wrong.id, new, scope=ALICE)
        else:
            memory.remember(new, scope=ALICE)
        assert [found.kind for found in memory.conflicts(scope=ALICE)] == [ConflictKind.REVIEW]


# ---------------------------------------------------------------- switching and plugging in


def test_comparing_can_be_switched_off() -> None:
    with opened(settings={"compare": False}) as memory:
        for text in ("用户住在杭州", "用户搬到成都了", "The lease ends on 30 September.", "The lease expires on September 30."):
            assert memory.remember(text, scope=ALICE).outcome is Outcome.CREATED


class _Judge:
    """Says what it is told to say."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def judge(self, older: str, newer: str) -> Verdict | None:
        if isinstance(self.said, Exception):
            raise self.said
        found: Verdict | None = self.said
        return found


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (Verdict(Relation.REPLACES, "a model says so"), Outcome.SUPERSEDED),
        (Verdict(Relation.CONTRADICTS, "a model says so"), Outcome.PENDING),
        (Verdict(Relation.SAME, "a model says so"), Outcome.CREATED),  # the numbers differ, whoever says that it is the same
        (None, Outcome.CREATED),
        (RuntimeError("no connection"), Outcome.CREATED),
        (("nonsense", 1), Outcome.CREATED),
    ],
)
def test_a_judge_is_asked_first_and_can_break_nothing(said: Any, outcome: Outcome) -> None:
    with opened(judge=_Judge(said)) as memory:
        memory.remember("The garden has 3 apple trees by the wall", scope=ALICE)
        assert memory.remember("By the wall 4 pear trees grow in the garden", scope=ALICE).outcome is outcome


# ---------------------------------------------------------------- many at once


def test_a_batch_is_as_if_one_after_another(memory: Engine) -> None:
    texts = [
        "用户住在杭州",
        "租约9月30日到期。",
        "租约到9月30日为止。",
        "用户搬到成都了",
        "The user likes coffee",
        "The user no longer drinks coffee",
    ]
    outcomes = [one.outcome.value for one in memory.remember_many(texts, scope=ALICE)]
    assert outcomes == ["created", "created", "merged", "superseded", "created", "superseded"]


def test_a_twin_is_found_among_thousands(memory: Engine) -> None:
    chance = random.Random(3)
    words = [chr(0x4E00 + chance.randrange(3000)) for _ in range(3000)]
    memory.remember_many([f"用户{''.join(chance.choices(words, k=12))}" for _ in range(1500)], scope=ALICE)
    memory.remember_many(["租约9月30日到期。", "张伟负责支付模块。"], scope=ALICE)
    assert memory.remember("租约到9月30日为止。", scope=ALICE).outcome is Outcome.MERGED
    assert memory.remember("现在支付模块由李娜负责。", scope=ALICE).outcome is Outcome.SUPERSEDED


def test_what_an_import_brings_in_other_words_is_merged_by_maintenance(memory: Engine) -> None:
    memory.remember("租约9月30日到期。", scope=ALICE)
    memory.import_package(package([record("租约到9月30日为止。", id="brought")]))
    memory.maintain(scope=ALICE)
    assert _status(memory, "brought") is Status.ARCHIVED or len(_told(memory, "租约")) == 1
