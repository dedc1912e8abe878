"""The sides of a question: none stays hidden once nothing goes against it, and what must be obeyed is never hidden (CNF-3, CNF-4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from satchel.engine.engine import Engine
from satchel.errors import Conflict, NotFound
from satchel.operations.models import Outcome, conflict_id
from write_stage import ALICE, package, record

PAIRS = [
    ("The project uses module A", "The project is about to move to module C"),
    ("项目使用模块A", "项目打算换成模块C"),
]
ALLERGIES = [
    ("用户对花生过敏", "用户对花生不过敏"),
    ("The user is allergic to peanuts", "The user is not allergic to peanuts"),
]


def _status(memory: Engine, id: str) -> str:
    return memory.read(id, scope=ALICE).status.value


def _two_sides(memory: Engine, older: str, newer: str) -> tuple[str, str]:
    first = memory.remember(older, scope=ALICE).record.id
    second = memory.remember(newer, scope=ALICE)
    assert second.outcome is Outcome.PENDING
    return first, second.record.id


GOING: dict[str, Callable[[Engine, str], object]] = {
    "forgotten": lambda memory, id: memory.forget(id, scope=ALICE),
    "archived": lambda memory, id: memory.update(id, scope=ALICE, status="archived"),
    "corrected": lambda memory, id: memory.correct(id, "The cat sleeps a lot", scope=ALICE),
    "replaced": lambda memory, id: memory.remember("猫在窗台上睡觉", scope=ALICE, id=id),
}


@pytest.mark.parametrize("going", GOING)
@pytest.mark.parametrize(("older", "newer"), PAIRS)
@pytest.mark.parametrize("side", [0, 1])
def test_the_side_that_is_left_holds_at_once(memory: Engine, older: str, newer: str, side: int, going: str) -> None:
    ids = _two_sides(memory, older, newer)
    GOING[going](memory, ids[side])
    left = memory.read(ids[1 - side], scope=ALICE)
    assert (left.status, left.relations.conflicts_with) == ("active", ())
    assert memory.conflicts(scope=ALICE) == []
    assert memory.history(left.id, scope=ALICE)[-1].revision == left.revision
    assert not [action for action in memory.maintain(scope=ALICE).actions if action.step == "repair"]


def test_a_side_with_another_opponent_goes_on_waiting(memory: Engine) -> None:
    sides = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}
    texts = {"a": "会议在周一", "b": "会议在周二", "c": "会议在周三"}
    memory.import_package(
        package([record(texts[name], id=name, status="pending", relations={"conflicts_with": to}) for name, to in sides.items()])
    )
    memory.forget("a", scope=ALICE)
    assert [_status(memory, name) for name in "bc"] == ["pending", "pending"]
    memory.confirm("c", scope=ALICE)
    assert [_status(memory, name) for name in "bc"] == ["archived", "active"]


@pytest.mark.parametrize(("older", "newer"), PAIRS)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("way", ["confirm", "remember"])
def test_to_confirm_a_side_or_say_it_again_answers_the_question(memory: Engine, older: str, newer: str, side: int, way: str) -> None:
    ids = _two_sides(memory, older, newer)
    if way == "confirm":
        memory.confirm(ids[side], scope=ALICE)
    else:
        assert memory.remember((older, newer)[side], scope=ALICE).outcome is Outcome.REINFORCED
    kept, gone = memory.read(ids[side], scope=ALICE), memory.read(ids[1 - side], scope=ALICE)
    assert (kept.status, gone.status) == ("active", "archived")
    assert kept.relations.supersedes == (gone.id,) and gone.relations.superseded_by == (kept.id,)
    assert memory.conflicts(scope=ALICE) == []


def test_a_guess_said_twice_does_not_beat_what_was_stated(memory: Engine) -> None:
    memory.remember("The user lives in Lisbon", scope=ALICE, source={"origin": "stated"})
    for _ in range(3):
        assert memory.remember("The user lives in Porto", scope=ALICE, source={"origin": "inferred"}).outcome is Outcome.PENDING


@pytest.mark.parametrize(("texts", "right"), [(("会议在5月3日", "会议在5月8日"), "会议在5月9日")])
def test_a_correction_of_one_side_puts_away_what_goes_against_it(memory: Engine, texts: tuple[str, str], right: str) -> None:
    memory.import_package(
        package(
            [
                record(texts[0], id="a", status="pending", relations={"conflicts_with": ["b"]}),
                record(texts[1], id="b", status="pending", relations={"conflicts_with": ["a"]}),
            ]
        )
    )
    memory.correct("a", right, scope=ALICE)
    assert [hit.record.content for hit in memory.recall("会议", scope=ALICE, min_relevance=0.0)] in ([right], [right, texts[1]])


# ---------------------------------------------------------------- what must be obeyed


@pytest.mark.parametrize("type", ["profile", "fact"])
@pytest.mark.parametrize(("danger", "denied"), ALLERGIES)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_allergy_is_obeyed_while_it_is_asked_about(memory: Engine, type: str, danger: str, denied: str, is_first: bool) -> None:
    for text in (danger, denied) if is_first else (denied, danger):
        memory.remember(text, scope=ALICE, type=type)
    assert danger in [hit.record.content for hit in memory.recall(danger, scope=ALICE, min_relevance=0.0)]
    for conflict in memory.conflicts(scope=ALICE):
        (kept,) = [one.id for one in conflict.records if one.content == danger]
        assert _status(memory, kept) == "active"
        memory.resolve(conflict.id, keep=kept)
    assert [hit.record.content for hit in memory.recall(danger, scope=ALICE, min_relevance=0.0)] == [danger]


@pytest.mark.parametrize(
    ("rule", "other"),
    [
        ("永远不要把代码推送到main分支", "可以把代码推送到main分支"),
        ("Never push code to the main branch", "Push code to the main branch"),
        ("用户对青霉素过敏", "用户打算做脱敏，对青霉素不过敏了"),
    ],
)
def test_no_rule_is_hidden_by_a_question(memory: Engine, rule: str, other: str) -> None:
    kept = memory.remember(rule, scope=ALICE, type="preference").record.id
    if memory.remember(other, scope=ALICE, type="preference").outcome is Outcome.PENDING:
        assert _status(memory, kept) == "active"
        assert len(memory.conflicts(scope=ALICE)) == 1
        # Nor by a repetition: only an answer puts it away.
        assert memory.remember(other, scope=ALICE, type="preference").outcome is Outcome.PENDING
        assert _status(memory, kept) == "active"


# ---------------------------------------------------------------- what nobody asks


@pytest.mark.parametrize("keep", ["none", "both", "solo"])
@pytest.mark.parametrize("text", ["用户住在杭州", "The user lives in Rome"])
def test_what_is_in_no_conflict_cannot_be_resolved(memory: Engine, keep: str, text: str) -> None:
    memory.remember(text, scope=ALICE, id="solo")
    with pytest.raises(NotFound):
        memory.resolve(conflict_id(ALICE, "solo"), keep=keep)
    assert _status(memory, "solo") == "active"


@pytest.mark.parametrize("keep", ["both", "none", "first"])
@pytest.mark.parametrize(("older", "newer"), PAIRS)
def test_the_same_answer_again_changes_nothing_and_another_is_refused(memory: Engine, older: str, newer: str, keep: str) -> None:
    ids = _two_sides(memory, older, newer)
    conflict = memory.conflicts(scope=ALICE)[0].id
    answer = ids[0] if keep == "first" else keep
    memory.resolve(conflict, keep=answer)
    revisions = [memory.read(id, scope=ALICE).revision for id in ids]
    memory.resolve(conflict, keep=answer)
    with pytest.raises(NotFound):
        memory.resolve(conflict, keep="none" if keep != "none" else "both")
    assert [memory.read(id, scope=ALICE).revision for id in ids] == revisions


@pytest.mark.parametrize(
    ("wrong", "right", "other"),
    [("报告周一交", "报告周二交", "报告周三交"), ("The report is due Monday", "The report is due Tuesday", "The report is due Friday")],
)
def test_a_second_correction_of_what_was_replaced_names_what_holds_now(memory: Engine, wrong: str, right: str, other: str) -> None:
    memory.remember(wrong, scope=ALICE, id="w")
    memory.correct("w", right, scope=ALICE, new_id="r")
    assert memory.correct("w", right, scope=ALICE).outcome is Outcome.UNCHANGED
    with pytest.raises(Conflict) as refused:
        memory.correct("w", other, scope=ALICE)
    assert refused.value.details["successor"] == "r"
    memory.correct("r", other, scope=ALICE, new_id="o")
    assert [_status(memory, id) for id in "wro"] == ["archived", "archived", "active"]
