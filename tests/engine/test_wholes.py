"""Memories that were put together: what a person sees in one can be forgotten and corrected, and a name alone makes none (RET-5, RET-6)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from satchel.engine.engine import Engine
from satchel.engine.retention.topics import Item, topic_words, topics
from satchel.errors import Conflict, InvalidRequest
from satchel.operations.models import Outcome
from write_stage import ALICE, package, record

TEA = (
    "小明每天早上泡一壶乌龙茶",
    "周末小明去茶山采乌龙茶",
    "乌龙茶是小明的家乡特产",
    "小明用紫砂壶泡乌龙茶",
    "朋友来时小明请大家品乌龙茶",
    "小明把乌龙茶存放在陶罐里",
    "乌龙茶的冲泡温度小明记在本子上",
    "小明参加了乌龙茶品鉴比赛",
    "小明的乌龙茶杯是祖父送的",
)
BIKE = (
    "Anna keeps a touring bicycle in the hall",
    "Every April Anna oils her touring bicycle",
    "The touring bicycle carries two red bags",
    "Anna painted the touring bicycle green",
    "A bell from Kyoto sits on the touring bicycle",
    "Anna rode the touring bicycle along the Danube",
    "The touring bicycle needs wide tyres",
    "Anna lends her touring bicycle to nobody",
    "The lamp of the touring bicycle runs on a dynamo",
)
WHOLES = [TEA, BIKE]

NAMED_ZH = (
    "小明的生日是5月8日",
    "小明喜欢爬山",
    "小明在腾讯工作",
    "小明养了一只橘猫",
    "小明每天跑步五公里",
    "小明正在学习西班牙语",
    "小明讨厌香菜",
    "小明对花生过敏",
    "小明收集旧邮票",
    "小明周末弹吉他",
)
NAMED_EN = (
    "Anna's birthday is May 8",
    "Anna likes to climb",
    "Anna works at a bakery",
    "Anna keeps an orange cat",
    "Anna runs five kilometres every day",
    "Anna is learning Spanish",
    "Anna hates coriander",
    "Anna is allergic to peanuts",
    "Anna collects old stamps",
    "Anna plays guitar at weekends",
)


def fill(memory: Engine, texts: tuple[str, ...], **fields: Any) -> list[str]:
    memory.import_package(package(record(text, id=f"m{9 - number}", **fields) for number, text in enumerate(texts)))
    return [f"m{9 - number}" for number in range(len(texts))]


def whole(memory: Engine) -> Any:
    (one,) = [found for found in memory.every_record(scope=ALICE, status="active") if found.relations.originals]
    return one


def active(memory: Engine) -> set[str]:
    return {found.content for found in memory.every_record(scope=ALICE, status="active")}


# ---------------------------------------------------------------- forgetting


@pytest.mark.parametrize("texts", WHOLES)
def test_to_forget_a_whole_forgets_what_was_put_together_in_it(memory: Engine, texts: tuple[str, ...]) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    done = memory.forget(one.id, scope=ALICE)
    assert done.count == 10 and {item.id for item in done.items} == {one.id, *ids}
    assert "9 of them" in (done.note or "")
    assert list(memory.every_record(scope=ALICE)) == []
    assert memory.recall(texts[0], scope=ALICE, min_relevance=0.0, statuses=("active", "archived", "pending")) == []


@pytest.mark.parametrize("texts", WHOLES)
def test_an_original_that_a_person_brought_back_is_not_forgotten_with_the_whole(memory: Engine, texts: tuple[str, ...]) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    memory.restore(ids[3], scope=ALICE)
    assert memory.forget(whole(memory).id, scope=ALICE).count == 9
    assert active(memory) == {texts[3]}


@pytest.mark.parametrize("texts", WHOLES)
def test_a_whole_of_wholes_goes_with_all_of_it(memory: Engine, texts: tuple[str, ...]) -> None:
    fill(memory, texts)
    memory.maintain(scope=ALICE)
    more = [text.replace("乌龙茶", "老乌龙茶").replace("touring", "old touring") + ("啊" if "茶" in text else " too") for text in texts]
    memory.import_package(package(record(text, id=f"n{number}") for number, text in enumerate(more)))
    memory.maintain(scope=ALICE)
    memory.forget(whole(memory).id, scope=ALICE)
    assert not [found for found in memory.every_record(scope=ALICE) if found.content in texts]


@pytest.mark.parametrize(("texts", "query"), [(TEA, "乌龙茶"), (BIKE, "touring bicycle")])
def test_a_plan_shows_what_was_put_together(memory: Engine, texts: tuple[str, ...], query: str) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    plan = memory.forget(query=query, scope=ALICE)
    assert {one.id, *ids} >= {item.id for item in plan.items} and one.id in {item.id for item in plan.items}
    meant = {item.id for item in plan.items}
    memory.forget(plan=plan)
    assert {found.id for found in memory.every_record(scope=ALICE)} == set(ids) - meant
    everything = memory.forget(everything=True, scope=ALICE)
    memory.forget(plan=everything)
    assert list(memory.every_record(scope=ALICE)) == []


def test_a_correction_and_its_predecessor_stay_two(memory: Engine) -> None:
    memory.remember("报告周一交", scope=ALICE, id="w")
    memory.correct("w", "报告周二交", scope=ALICE, new_id="r")
    assert memory.forget("r", scope=ALICE).count == 1
    assert memory.read("w", scope=ALICE).status == "archived"


# ---------------------------------------------------------------- correcting


@pytest.mark.parametrize(
    ("texts", "right", "at"),
    [
        (TEA, "小明用银壶泡乌龙茶，不用紫砂壶", 3),
        (TEA, "周末小明去茶园采乌龙茶", 1),
        (BIKE, "Anna painted the touring bicycle blue", 3),
        (BIKE, "The touring bicycle needs narrow tyres", 6),
    ],
)
@pytest.mark.parametrize("by", ["whole", "original"])
def test_to_correct_one_thing_in_a_whole_hides_nothing_else(memory: Engine, texts: tuple[str, ...], right: str, at: int, by: str) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    named = one.id if by == "whole" else ids[at]
    done = memory.correct(named, right, scope=ALICE)
    assert active(memory) == {right, *texts} - {texts[at]}
    assert memory.read(one.id, scope=ALICE).status == "archived"
    assert done.record.relations.derived_from == () and set(done.related) == {ids[at], one.id}
    assert memory.history(one.id, scope=ALICE)[-1].operation == memory.history(ids[0], scope=ALICE)[-1].operation == "correct"
    again = memory.correct(named, right, scope=ALICE)
    assert (again.outcome, again.record.id) == (Outcome.UNCHANGED, done.record.id)
    memory.forget(one.id, scope=ALICE)
    assert active(memory) == {right, *texts} - {texts[at]}


@pytest.mark.parametrize(("texts", "right"), [(TEA, "电梯坏了三天才修好"), (BIKE, "Wheat prices fell after the harvest")])
def test_where_it_does_not_show_what_is_wrong_the_originals_are_named(memory: Engine, texts: tuple[str, ...], right: str) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    with pytest.raises(Conflict, match="put together of 9 others") as refused:
        memory.correct(one.id, right, scope=ALICE)
    assert set(refused.value.details["originals"]) == set(ids)
    assert memory.read(one.id, scope=ALICE).status == "active"


@pytest.mark.parametrize("texts", WHOLES)
def test_a_whole_written_anew_takes_its_place_and_is_forgotten_as_it(memory: Engine, texts: tuple[str, ...]) -> None:
    fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    right = one.content.replace("九", "十").replace("green", "blue").replace("陶罐", "瓷罐")
    done = memory.correct(one.id, right, scope=ALICE)
    assert active(memory) == {right}
    memory.forget(done.record.id, scope=ALICE)
    assert not [found for found in memory.every_record(scope=ALICE) if found.content in texts]


@pytest.mark.parametrize("texts", WHOLES)
def test_to_correct_a_whole_to_what_one_of_it_says_takes_it_apart(memory: Engine, texts: tuple[str, ...]) -> None:
    fill(memory, texts)
    memory.maintain(scope=ALICE)
    memory.correct(whole(memory).id, texts[2], scope=ALICE)
    assert active(memory) == set(texts)


# ---------------------------------------------------------------- putting together


@pytest.mark.parametrize("name", ["", "张小明", "欧阳小明", "Anna Berg"])
@pytest.mark.parametrize(("texts", "before"), [(NAMED_ZH, ""), (NAMED_ZH, "我的同事"), (NAMED_EN, ""), (NAMED_EN, "My friend ")])
def test_one_person_is_no_topic(memory: Engine, clock: Any, texts: tuple[str, ...], before: str, name: str) -> None:
    ids = fill(memory, tuple(before + (re.sub("小明|Anna", name, text) if name else text) for text in texts))
    clock.pass_(days=8)
    memory.maintain(scope=ALICE)
    assert {memory.read(id, scope=ALICE).status for id in ids} == {"active"}


@pytest.mark.parametrize("texts", WHOLES)
def test_what_must_be_obeyed_or_holds_one_value_stands_for_itself(memory: Engine, texts: tuple[str, ...]) -> None:
    ids = fill(memory, texts)
    apart = (
        ("小明对乌龙茶过敏", "小明的乌龙茶店的电话是13800001111", "小明住在乌龙茶村")
        if texts is TEA
        else ("Anna is allergic to touring bicycle grease", "The touring bicycle shop's phone number is 555-1234", "Anna lives in Rome")
    )
    memory.remember_many(apart, scope=ALICE)
    memory.maintain(scope=ALICE)
    assert set(apart) <= active(memory)
    assert all(memory.read(id, scope=ALICE).status == "archived" for id in ids)


@pytest.mark.parametrize(
    ("first", "second"), [("小明的生日是5月8日", "小明的生日是5月3日"), ("Anna's birthday is May 8", "Anna's birthday is May 3")]
)
def test_conflicts_are_still_found_after_a_pass(memory: Engine, first: str, second: str) -> None:
    fill(memory, NAMED_ZH if "小明" in first else NAMED_EN)
    memory.maintain(scope=ALICE)
    assert memory.remember(second, scope=ALICE).outcome in {Outcome.SUPERSEDED, Outcome.PENDING}


@pytest.mark.parametrize("texts", WHOLES)
def test_sentences_stand_in_the_order_in_which_they_were_written(memory: Engine, texts: tuple[str, ...]) -> None:
    fill(memory, texts, at="2026-03-01T00:00:00Z")
    memory.maintain(scope=ALICE)
    places = [whole(memory).content.index(text) for text in texts]
    assert places == sorted(places)


def test_a_topic_is_still_a_topic_whoever_it_is_about() -> None:
    for texts in WHOLES:
        items = [Item(f"m{number}", "k", text, True, None, topic_words(text)) for number, text in enumerate(texts)]
        assert [len(group) for group in topics(items, 8, None)] == [9]


# ---------------------------------------------------------------- taking apart


@pytest.mark.parametrize("texts", WHOLES)
def test_a_whole_is_taken_apart_by_one_call_and_no_later_pass_puts_it_together_again(
    memory: Engine, clock: Any, texts: tuple[str, ...]
) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    gone = memory.restore(one.id, scope=ALICE, apart=True)
    assert (gone.id, gone.status) == (one.id, "archived") and active(memory) == set(texts)
    position = memory.stats(ALICE).position
    assert memory.restore(one.id, scope=ALICE, apart=True).status == "archived"
    assert memory.stats(ALICE).position == position
    for _ in range(3):
        clock.pass_(days=8)
        memory.maintain(scope=ALICE)
        assert active(memory) == set(texts)
    # They are their own memories again: to forget the whole forgets none of them, to forget one leaves the others.
    memory.forget(one.id, scope=ALICE)
    assert active(memory) == set(texts)
    memory.forget(ids[0], scope=ALICE)
    assert active(memory) == set(texts[1:])


@pytest.mark.parametrize("texts", WHOLES)
def test_a_whole_that_grew_comes_apart_into_what_was_said(memory: Engine, texts: tuple[str, ...]) -> None:
    fill(memory, texts)
    memory.maintain(scope=ALICE)
    more = [text.replace("乌龙茶", "老乌龙茶").replace("touring", "old touring") + ("啊" if "茶" in text else " too") for text in texts]
    memory.import_package(package(record(text, id=f"n{number}") for number, text in enumerate(more)))
    memory.maintain(scope=ALICE)
    memory.restore(whole(memory).id, scope=ALICE, apart=True)
    assert active(memory) == {*texts, *more}


def test_what_was_not_put_together_cannot_be_taken_apart(memory: Engine) -> None:
    memory.remember("报告周一交", scope=ALICE, id="w")
    with pytest.raises(InvalidRequest, match="not put together"):
        memory.restore("w", scope=ALICE, apart=True)
    assert memory.read("w", scope=ALICE).status == "active"


@pytest.mark.parametrize(
    ("texts", "apart"),
    [
        (TEA, "小明对乌龙茶过敏"),
        (TEA, "小明住在乌龙茶村"),
        (TEA, "小明今天在喝乌龙茶"),
        (BIKE, "Anna is allergic to touring bicycle grease"),
        (BIKE, "The touring bicycle shop's phone number is 555-1234"),
    ],
)
def test_a_pass_takes_apart_what_an_earlier_version_put_together_wrongly(memory: Engine, texts: tuple[str, ...], apart: str) -> None:
    together = (*texts, apart)
    ids = [f"o{number}" for number in range(len(together))]
    links = {"derived_from": ids, "supersedes": ids}
    lines = [
        record(text, id=name, status="archived", relations={"superseded_by": ["old"]}) for name, text in zip(ids, together, strict=True)
    ]
    memory.import_package(package([*lines, record(" ".join(together), id="old", relations=links)]))
    assert memory.read("old", scope=ALICE).status == "active"
    done = memory.maintain(scope=ALICE)
    assert memory.read("old", scope=ALICE).status == "archived" and apart in active(memory)
    assert any(action.id == "old" and "keep their own records" in action.reason for action in done.actions)
    held = "\n".join(active(memory))
    assert all(text in held for text in texts)
    assert memory.maintain(scope=ALICE).actions == ()
    memory.restore(done.before[0])
    assert memory.read("old", scope=ALICE).status == "active"


# ---------------------------------------------------------------- what comes back stays


def _forgotten_in_part(memory: Engine, one: Any, ids: list[str]) -> None:
    memory.forget(ids[0], scope=ALICE)


def _corrected_in_part(memory: Engine, one: Any, ids: list[str]) -> None:
    memory.correct(
        ids[0], "小明每天早上泡一壶普洱茶" if "m9" in ids and "茶" in one.content else "Anna keeps a folding bicycle", scope=ALICE
    )


def _taken_apart(memory: Engine, one: Any, ids: list[str]) -> None:
    memory.restore(one.id, scope=ALICE, apart=True)


def _pass_undone(memory: Engine, one: Any, ids: list[str]) -> None:
    memory.restore(memory.snapshots(scope=ALICE)[-1])


@pytest.mark.parametrize("undo", [_forgotten_in_part, _corrected_in_part, _taken_apart, _pass_undone])
@pytest.mark.parametrize("texts", WHOLES)
def test_what_comes_back_out_of_a_whole_in_use_is_not_archived_by_the_next_pass(
    memory: Engine, clock: Any, texts: tuple[str, ...], undo: Any
) -> None:
    ids = fill(memory, texts)
    memory.maintain(scope=ALICE)
    one = whole(memory)
    for _ in range(8):
        clock.pass_(days=50)
        memory.recall(texts[0], scope=ALICE)
        memory.maintain(scope=ALICE)
    assert memory.read(one.id, scope=ALICE).status == "active"
    undo(memory, one, ids)
    memory.maintain(scope=ALICE)
    held = "\n".join(active(memory))
    assert [text for text in texts[1:] if text not in held] == []


def test_undoing_a_pass_that_archived_what_had_faded_lasts(memory: Engine, clock: Any) -> None:
    memory.remember("等车时聊到天气很闷", scope=ALICE, id="weather", type="interaction")
    clock.pass_(days=60)
    done = memory.maintain(scope=ALICE)
    assert memory.read("weather", scope=ALICE).status == "archived"
    memory.restore(done.before[0])
    for _ in range(2):
        assert memory.maintain(scope=ALICE).actions == ()
        assert memory.read("weather", scope=ALICE).status == "active"
        clock.pass_(days=1)


FOSSILS = [
    "The user collects fossils from Lyme Regis", "The user found fossils on the beach in May", "The user cleans fossils with a brush",
    "The user stores fossils in the cellar", "The user sold two fossils to a museum", "The user reads books about fossils",
    "The user's fossils are insured", "The user photographs fossils at night", "The user lost a fossil in 2019",
]  # fmt: skip
OOLONG = [
    "乌龙茶是小明的家乡特产", "小明用紫砂壶泡乌龙茶", "周末小明去茶山采乌龙茶", "小明把乌龙茶存放在陶罐里",
    "朋友来时小明请大家品乌龙茶", "小明参加了乌龙茶品鉴比赛", "小明的乌龙茶杯是祖父送的", "小明每天早上泡一壶乌龙茶",
]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "news", "ended", "outcome"),
    [
        (FOSSILS, "The user's fossils are no longer insured", "The user's fossils are insured", "superseded"),
        (FOSSILS, "The user's fossils are not insured", "The user's fossils are insured", "pending"),
        (OOLONG, "小明不再用紫砂壶泡乌龙茶了", "小明用紫砂壶泡乌龙茶", "superseded"),
    ],
)
def test_news_reaches_what_was_put_together(memory, texts, news, ended, outcome):
    for text in texts:
        memory.remember(text, scope=ALICE)
    memory.maintain(ALICE)
    assert not any(record.content == ended for record in memory.every_record(scope=ALICE, status="active"))
    assert memory.remember(news, scope=ALICE).outcome == outcome
    told = {record.content for record in memory.every_record(scope=ALICE, status="active")}
    assert told >= {*texts} - {ended} and ended not in " ".join(told)
    if outcome == "pending":
        (asked,) = memory.conflicts(scope=ALICE)
        assert {record.content for record in asked.records} == {ended, news}
    memory.maintain(ALICE)
    assert not any(ended in record.content for record in memory.every_record(scope=ALICE, status="active"))


HUNTING = [*FOSSILS[:3], "The user enjoys hunting fossils in the Rocky Mountains", *FOSSILS[4:]]
COLLECTING = [
    "小明的乌龙茶杯是祖父送的", "小明用紫砂壶泡乌龙茶", "周末小明去茶山采乌龙茶", "小明把乌龙茶存放在陶罐里", "朋友来时小明请大家品乌龙茶",
    "小明参加了乌龙茶品鉴比赛", "乌龙茶的冲泡温度小明记在本子上", "小明晚饭后喜欢在江边品乌龙茶",
]  # fmt: skip
DOUBTED = [
    (HUNTING, "The user enjoys hunting fossils in the Appalachian Mountains", HUNTING[3]),
    (COLLECTING, "小明晚饭后喜欢在公园品乌龙茶", COLLECTING[-1]),
]


def _doubted(memory: Engine, texts: list[str], said: str) -> Any:
    for text in texts:
        memory.remember(text, scope=ALICE)
    memory.maintain(ALICE)
    one = whole(memory)
    done = memory.remember(said, scope=ALICE, id="said")
    assert (done.outcome, done.related) == (Outcome.CREATED, (one.id,)) and "may" in (done.reason or "")
    return one


@pytest.mark.parametrize(("texts", "said", "doubted"), DOUBTED)
def test_what_may_contradict_one_thing_in_a_whole_is_told_and_changes_nothing(memory, texts, said, doubted):
    one = _doubted(memory, texts, said)
    (asked,) = memory.conflicts(scope=ALICE)
    assert asked.kind == "possible" and {record.id for record in asked.records} == {one.id, "said"}
    assert f"“{doubted}”" in asked.question and one.content not in asked.question
    assert memory.read(one.id, scope=ALICE) == one
    memory.maintain(ALICE)
    assert len(memory.conflicts(scope=ALICE)) == 1  # a pass puts nothing together that is asked about
    memory.resolve(asked.id, keep="both")
    assert memory.conflicts(scope=ALICE) == [] and active(memory) == {one.content, said}


@pytest.mark.parametrize(("texts", "said", "doubted"), DOUBTED)
@pytest.mark.parametrize("keep", ["said", "none"])
def test_of_a_whole_only_what_an_answer_is_about_is_put_away(memory, texts, said, doubted, keep):
    _doubted(memory, texts, said)
    (asked,) = memory.conflicts(scope=ALICE)
    done = memory.resolve(asked.id, keep=keep)
    assert active(memory) == {*texts} - {doubted} | ({said} if keep == "said" else set())
    assert memory.resolve(asked.id, keep=keep) == done and memory.conflicts(scope=ALICE) == []
    memory.maintain(ALICE)
    assert not any(doubted in text for text in active(memory))


@pytest.mark.parametrize(("texts", "said", "doubted"), DOUBTED)
def test_to_keep_a_whole_puts_away_what_may_contradict_it(memory, texts, said, doubted):
    one = _doubted(memory, texts, said)
    (asked,) = memory.conflicts(scope=ALICE)
    memory.resolve(asked.id, keep=one.id)
    assert active(memory) == {one.content}
