"""Default score and half-life: RET-2."""

from __future__ import annotations

import pytest

from satchel.engine.retention.retention import CLASSES, default_class, is_lasting
from satchel.errors import InvalidRequest
from write_stage import ALICE, opened

DAY = 86_400


@pytest.mark.parametrize(
    ("kind", "name", "days"),
    [
        ("preference", "core", 30),
        ("profile", "core", 30),
        ("fact", "factual", 60),
        ("skill", "factual", 60),
        ("task", "procedural", 7),
        ("interaction", "ephemeral", 3),
        ("recipe", "factual", 60),
    ],
)
def test_each_type_has_its_class(memory, kind, name, days):
    found = memory.remember("任意内容 whatever", scope=ALICE, type=kind).record
    assert (found.retention, found.half_life) == (name, days * DAY)
    assert CLASSES[name].lowest <= found.score <= CLASSES[name].highest


@pytest.mark.parametrize("kind", ["preference", "fact", "task", "interaction"])
def test_what_is_stated_scores_higher_than_what_is_inferred(memory, kind):
    stated = memory.remember("said", scope=ALICE, type=kind).record
    inferred = memory.remember("guessed", scope=ALICE, type=kind, source={"origin": "inferred"}).record
    assert stated.score > inferred.score
    assert stated.half_life >= inferred.half_life


@pytest.mark.parametrize(
    "content",
    [
        "用户对花生严重过敏",
        "對海鮮過敏",
        "乳糖不耐受",
        "Allergic to penicillin",
        "Has a severe nut allergy",
        "lactose intolerant",
        "用户叫王芳",
        "姓名：李雷",
        "生日是 5 月 4 日",
        "出生于 1990 年",
        "The user's name is Dana",
        "Born in Porto",
        "Blood type is O",
    ],
)
def test_allergies_and_identity_are_permanent(memory, content):
    found = memory.remember(content, scope=ALICE, type="profile").record
    assert (found.retention, found.half_life) == ("permanent", 365 * DAY)
    assert found.score >= 0.95


@pytest.mark.parametrize(
    "content",
    [
        "对花生不过敏",
        "没有过敏史",
        "没有任何食物过敏",
        "Not allergic to anything",
        "has no known food allergies",
        "is no longer allergic to cats",
        "住在三楼",
        "Works as a nurse",
        "大声呼叫",
    ],
)
def test_a_denied_allergy_and_an_ordinary_profile_are_not(content):
    assert not is_lasting(content)
    assert default_class("profile", content).name == "core"


def test_an_allergy_beside_a_denied_one_still_counts():
    assert is_lasting("对牛奶不过敏，但对花生过敏")


def test_a_fact_is_not_permanent_for_its_words():
    assert default_class("fact", "The report is about allergies").name == "factual"


def test_a_record_can_override_everything(memory):
    found = memory.remember("x", scope=ALICE, type="task", retention="core", score=0.33, half_life=10).record
    assert (found.retention, found.score, found.half_life) == ("core", 0.33, 10)


def test_an_unknown_class_is_refused_with_those_there_are(memory):
    with pytest.raises(InvalidRequest, match="permanent, core, factual, procedural, ephemeral"):
        memory.remember("x", scope=ALICE, retention="eternal")


def test_the_preset_types_has_its_own_half_lives():
    with opened(settings={"retention_preset": "types"}) as memory:
        days = {
            kind: memory.remember(f"{kind} 内容", scope=ALICE, type=kind).record.half_life / DAY
            for kind in ("profile", "task", "preference", "fact")
        }
        assert days == {"profile": 30, "task": 15, "preference": 14, "fact": 7}
        assert memory.remember("Allergic to bees", scope=ALICE, type="profile").record.half_life == 365 * DAY


def test_half_lives_by_type_can_be_set_and_a_named_class_beats_them():
    with opened(settings={"half_life_by_type": {"fact": 100.0, "recipe": 5.0}}) as memory:
        assert memory.remember("a", scope=ALICE).record.half_life == 100.0
        assert memory.remember("b", scope=ALICE, type="recipe").record.half_life == 5.0
        assert memory.remember("c", scope=ALICE, type="other").record.half_life == 100.0
        assert memory.remember("d", scope=ALICE, retention="core").record.half_life == 30 * DAY


def test_a_ttl_counts_from_when_the_memory_arose(memory, clock):
    found = memory.remember("x", scope=ALICE, ttl=60).record
    assert (found.expires_at - clock.now).total_seconds() == 60
    found = memory.remember("y", scope=ALICE, ttl=60, created_at="2020-01-01T00:00:00Z").record
    assert found.expires_at.year == 2020


@pytest.mark.parametrize(
    "bring_back",
    [
        lambda memory, text: memory.confirm("one", scope=ALICE),
        lambda memory, text: memory.update("one", scope=ALICE, status="active"),
        lambda memory, text: memory.restore("one", scope=ALICE),
        lambda memory, text: memory.remember(text, scope=ALICE, type="interaction"),
        lambda memory, text: memory.remember(text, scope=ALICE, id="one again", type="interaction"),
        lambda memory, text: memory.remember_many([text, text], scope=ALICE),
    ],
    ids=["confirm", "update", "restore", "say again", "say again by id", "say again in a batch"],
)
@pytest.mark.parametrize("text", ["等车时聊到天气很闷", "They talked about the heat at the bus stop"])
@pytest.mark.parametrize("days", [12, 60])
def test_what_faded_and_is_brought_back_or_said_again_is_not_archived_by_the_next_pass(memory, clock, text, bring_back, days):
    memory.remember(text, scope=ALICE, id="one", type="interaction")
    clock.pass_(days=days)
    memory.maintain()
    bring_back(memory, text)
    assert memory.maintain().counts.get("archive", 0) == 0
    clock.pass_(days=1)
    memory.maintain()
    assert memory.read("one", scope=ALICE).status == "active"
    assert [hit.record.id for hit in memory.recall(text, scope=ALICE)] == ["one"]
