"""What must be obeyed (an allergy, a standing order) and who the user is: neither time nor a question hides it (CNF-3, RET-4)."""

from __future__ import annotations

import pytest

from satchel.engine.engine import Engine
from satchel.engine.recall.constraints import binds
from satchel.operations.models import ConflictKind, Outcome
from write_stage import ALICE, Clock, opened

OBEYED = [
    ("用户对花生严重过敏", None),
    ("I am severely allergic to nuts", None),
    ("I am allergic to latex", "preference"),
    ("I have diabetes", "profile"),
    ("I have type 2 diabetes", None),
    ("我有糖尿病", "profile"),
    ("用户患有糖尿病", None),
    ("Never phone before nine", "preference"),
    ("Never deploy on Fridays", None),
    ("不要在周五发版", None),
    ("回答一律用中文", None),
    ("别用表情", None),
    ("以后别在周五发布", None),
    ("Always use metric units", None),
    ("I don't eat pork", "preference"),
    ("不吃猪肉", "preference"),
]
CALLED = ["The user is called Kim", "I am Kim", "My name is Kim", "I'm Kim Lee", "用户叫王丽", "我是王丽", "我的名字是王丽"]


@pytest.mark.parametrize(("text", "kind"), [*OBEYED, *((text, "profile") for text in CALLED)])
def test_time_alone_never_archives_it_and_simulate_says_so(memory: Engine, clock: Clock, text: str, kind: str | None) -> None:
    memory.remember(text, scope=ALICE, id="obeyed", type=kind)
    memory.remember("等车时聊到天气很闷", scope=ALICE, id="weather", type="interaction")
    memory.remember("用户喜欢安静的餐厅", scope=ALICE, type="preference", pinned=True)
    foretold = {one.id: one.archived_at for one in memory.simulate(scope=ALICE, days=400).records}
    assert foretold["obeyed"] is None and foretold["weather"] is not None
    for _ in range(4):
        clock.pass_(days=100)
        memory.maintain(scope=ALICE)
    assert memory.read("obeyed", scope=ALICE).status == "active"
    assert memory.read("weather", scope=ALICE).status == "archived"
    assert "obeyed" in [hit.record.id for hit in memory.recall(text, scope=ALICE, touch=False)]


@pytest.mark.parametrize("text", ["我是中学生", "I am tired of rain", "The user is in Berlin", "我是医生"])
def test_what_one_is_like_is_no_name(memory: Engine, text: str) -> None:
    assert memory.remember(text, scope=ALICE, type="profile").record.retention == "core"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The report is about allergies", "fact"),
        ("We build a diabetes app", "fact"),
        ("花粉过敏季四月开始", "fact"),
        ("我没有糖尿病", "profile"),
        ("I don't have diabetes", "profile"),
        ("The user has no allergies", "fact"),
        ("I outgrew my nut allergy", "fact"),
        ("我对花生不过敏", "fact"),
        ("Deploy on Fridays", "fact"),
        ("He is always late", "fact"),
        ("I do not like rain", "preference"),
        ("Never mind the rain", "interaction"),
        ("Never been to Rome", "fact"),
        ("别担心，很快就好", "fact"),
        ("别人都来了", "fact"),
        ("别墅很贵", "fact"),
        ("Never forget the milk", "task"),
    ],
)
def test_what_binds_nobody_fades_as_ever(text: str, kind: str) -> None:
    assert not binds(kind, text)


def test_the_ceiling_leaves_it_too() -> None:
    with opened(settings={"ceiling": 1}) as memory:
        memory.remember("Never deploy on Fridays", scope=ALICE, id="order", score=0.01)
        memory.remember("The lease ends on 30 September", scope=ALICE, id="lease")
        memory.maintain(ALICE)
        assert [memory.read(name, scope=ALICE).status for name in ("order", "lease")] == ["active", "archived"]


@pytest.mark.parametrize("kind", [None, "preference"])
@pytest.mark.parametrize(
    ("order", "against"),
    [
        ("Never deploy on Fridays", "Deploy on Fridays"),
        ("不要在周五发版", "在周五发版"),
        ("Do not call the client on Mondays", "Call the client on Mondays"),
    ],
)
def test_a_standing_order_stays_while_it_is_asked(memory: Engine, order: str, against: str, kind: str | None) -> None:
    memory.remember(order, scope=ALICE, id="order", type=kind)
    done = memory.remember(against, scope=ALICE, id="against", type=kind)
    assert done.outcome is Outcome.PENDING
    assert [memory.read(name, scope=ALICE).status for name in ("order", "against")] == ["active", "pending"]
    assert order in [hit.record.content for hit in memory.recall(order, scope=ALICE)]
    (asked,) = memory.conflicts(scope=ALICE)
    memory.resolve(asked.id, keep="against")
    assert memory.read("against", scope=ALICE).status == "active" and memory.read("order", scope=ALICE).status == "archived"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Always answer in German", "Always answer in English"),
        ("Always use metric units", "Always use imperial units"),
        ("总是用德语回答", "总是用英语回答"),
    ],
)
def test_of_two_standing_orders_neither_waits_and_it_is_asked(memory: Engine, older: str, newer: str) -> None:
    memory.remember(older, scope=ALICE, id="older", type="preference")
    done = memory.remember(newer, scope=ALICE, id="newer", type="preference")
    assert (done.outcome, done.related) == (Outcome.CREATED, ("older",)) and done.reason
    assert [memory.read(name, scope=ALICE).status for name in ("older", "newer")] == ["active", "active"]
    (asked,) = memory.conflicts(scope=ALICE)
    assert asked.kind is ConflictKind.POSSIBLE
    memory.resolve(asked.id, keep="newer")
    assert memory.read("older", scope=ALICE).status == "archived" and memory.conflicts(scope=ALICE) == []


@pytest.mark.parametrize(
    ("older", "newer"),
    [("I live in Berlin", "I moved to Oslo"), ("项目使用模块A", "项目打算换成模块C"), ("我住在杭州", "我搬到南京了")],
)
@pytest.mark.parametrize("kept", [{"pinned": True}, {"retention": "permanent"}])
def test_what_is_kept_for_ever_is_hidden_by_no_question(memory: Engine, older: str, newer: str, kept: dict[str, object]) -> None:
    memory.remember(older, scope=ALICE, id="older", **kept)
    assert memory.remember(newer, scope=ALICE, id="newer").outcome is Outcome.PENDING
    assert [memory.read(name, scope=ALICE).status for name in ("older", "newer")] == ["active", "pending"]
    assert older in [hit.record.content for hit in memory.recall(older, scope=ALICE)]


def test_an_illness_is_told_to_a_question_about_food(memory: Engine, clock: Clock) -> None:
    memory.remember("我有糖尿病", scope=ALICE)
    memory.remember("用户喜欢安静的餐厅", scope=ALICE, type="preference", pinned=True)
    clock.pass_(days=150)
    memory.maintain(scope=ALICE)
    assert "我有糖尿病" in [hit.record.content for hit in memory.recall("推荐一家餐厅", scope=ALICE)]
