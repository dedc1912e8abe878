"""Consolidation (RET-6): memories of one topic become one fuller memory, and nothing is lost by it, model or no model."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.engine import Engine
from satchel.engine.retention.topics import Background, Item, topic_words, topics
from satchel.engine.text.joining import join, sentences
from satchel.protocol.record import MemoryRecord
from write_stage import ALICE, BOB, Clock, opened, package, record

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
STAGING = (
    "The staging server is called heron",
    "The staging server runs Debian 12",
    "Deploys to the staging server happen on Tuesdays",
    "The staging server holds a copy of the PostgreSQL 16 database",
    "The staging server has 16 GB of memory",
    "The staging server keeps two weeks of logs",
    "Access to the staging server goes through the bastion host",
    "The staging server is reset every first Monday of the month",
)
GARDEN = (
    "Her garden has two apple trees",
    "She waters the garden every evening in summer",
    "The garden faces south",
    "She grows tomatoes along the garden wall",
    "The garden gate sticks in wet weather",
    "She planted lavender in the garden in spring",
    "A hedgehog sleeps in her garden",
    "She reads in the garden on Sunday mornings",
)
APART = (
    "用户住在杭州西湖区",
    "用户喜欢爬山",
    "用户喜欢看科幻电影",
    "用户喜欢安静的餐厅",
    "用户每天早上跑步五公里",
    "用户每天晚上写日记",
    "The user likes rye bread",
    "The user likes old maps",
    "The user likes trains",
    "The user speaks Portuguese at home",
)


def fill(memory: Engine, *texts: str, scope: str = ALICE, **fields: Any) -> list[str]:
    ids = [f"{scope}-{number}-{zlib.crc32(text.encode())}" for number, text in enumerate(texts)]
    memory.import_package(package(record(text, id=id, scope=scope, **fields) for id, text in zip(ids, texts, strict=True)))
    return ids


def active(memory: Engine, scope: str = ALICE) -> list[MemoryRecord]:
    return list(memory.every_record(scope=scope, status="active"))


def made(memory: Engine) -> list[MemoryRecord]:
    return [found for found in active(memory) if found.relations.derived_from]


@pytest.mark.parametrize("texts", [COFFEE, STAGING])
def test_a_topic_that_reaches_eight_memories_becomes_one_that_says_all_of_them(memory, texts) -> None:
    ids = fill(memory, *texts, tags=("seen",), score=0.7)
    done = memory.maintain()
    assert done.counts == {"consolidate": 9}
    (one,) = active(memory)
    assert all(text in one.content for text in texts)
    assert set(one.relations.derived_from) == set(ids) == set(one.relations.supersedes)
    assert (one.tags, one.score) == (("seen",), 0.7)
    for id in ids:
        original = memory.read(id, scope=ALICE)
        assert (original.status, original.relations.superseded_by) == ("archived", (one.id,))
        assert memory.history(id, scope=ALICE)[-1].operation == "consolidate"
    assert memory.history(one.id, scope=ALICE)[0].reason == "made of 8 memories of one topic"


def test_archived_originals_are_not_recalled(memory) -> None:
    fill(memory, *COFFEE)
    memory.maintain()
    assert [hit.record.relations.derived_from != () for hit in memory.recall("咖啡豆", scope=ALICE)] == [True]
    assert memory.recall("V60 滤杯", scope=ALICE, min_relevance=0.0, limit=8)[0].record.relations.derived_from


def test_seven_memories_wait_for_the_week_and_three_are_enough_then(memory, clock) -> None:
    fill(memory, *COFFEE[:7], *STAGING[:2], at=clock())
    assert memory.maintain().actions == ()
    clock.pass_(days=6)
    assert memory.maintain().actions == ()
    clock.pass_(days=1)
    assert memory.maintain().counts == {"consolidate": 8}
    assert len(active(memory)) == 3
    assert memory.maintain().actions == ()


def test_what_only_shares_common_words_stays_apart(memory, clock) -> None:
    fill(memory, *APART, *COFFEE[:2], *STAGING[:2])
    clock.pass_(days=8)
    assert memory.maintain().actions == ()


def test_new_memories_of_a_topic_join_the_fuller_one(memory) -> None:
    fill(memory, *STAGING)
    memory.maintain()
    more = (
        "The staging server sits in the Oslo rack",
        "Certificates of the staging server renew by themselves",
        "Only Mira may reboot the staging server",
        "The staging server mails nobody outside",
        "Nightly jobs of the staging server start at two",
        "The staging server keeps a copy of all orders",
        "A banner in orange marks the staging server",
        "The staging server answers on port 8443",
    )
    fill(memory, *more)
    assert memory.maintain().counts == {"consolidate": 10}
    (one,) = active(memory)
    assert all(text in one.content for text in (*STAGING, *more))
    assert memory.maintain().actions == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"pinned": True},
        {"retention": "permanent"},
        {"type": "task"},
        {"type": "interaction"},
        {"due_at": "2026-05-01T00:00:00Z"},
        {"expires_at": "2026-05-01T00:00:00Z"},
        {"valid_from": "2026-05-01T00:00:00Z"},
        {"status": "pending"},
    ],
    ids=str,
)
def test_what_stands_for_itself_is_never_put_together(memory, fields) -> None:
    fill(memory, *COFFEE, **fields)
    assert not [action for action in memory.maintain().actions if action.step == "consolidate"]


def test_what_is_true_only_beside_its_date_is_never_put_together(memory) -> None:
    fill(memory, *(f"今天{text[2:]}" for text in COFFEE))
    assert memory.maintain().actions == ()


def test_types_origins_and_protection_are_not_mixed(memory) -> None:
    fill(memory, *COFFEE[:5], type="preference")
    fill(memory, *COFFEE[5:], type="fact", scope=ALICE)
    assert memory.maintain().actions == ()


def test_scopes_are_not_mixed(memory) -> None:
    fill(memory, *COFFEE[:4])
    fill(memory, *COFFEE[4:], scope=BOB)
    assert memory.maintain().actions == ()


def test_a_fuller_memory_is_no_stronger_than_the_strongest_of_its_originals(memory, clock) -> None:
    from satchel.engine.retention.scoring import strength

    fill(memory, *COFFEE, at=clock(), score=0.6)
    clock.pass_(days=20)
    moment = clock().timestamp()
    before = max(strength(found, moment, memory.core.settings) for found in active(memory))
    memory.maintain()
    (one,) = active(memory)
    assert strength(one, moment, memory.core.settings) == pytest.approx(before)


def test_forgetting_one_original_takes_the_fuller_memory_and_brings_the_other_originals_back(memory) -> None:
    ids = fill(memory, *COFFEE)
    memory.maintain()
    (one,) = active(memory)
    memory.forget(ids[2], scope=ALICE)
    assert {found.id for found in active(memory)} == set(ids) - {ids[2]}
    assert not any("不加糖" in found.content for found in memory.every_record(scope=ALICE))
    assert memory.read_record(one.id, scope=ALICE).is_tombstone
    assert memory.maintain().actions == ()


def test_originals_that_a_person_brings_back_are_not_put_together_again(memory, clock) -> None:
    ids = fill(memory, *COFFEE)
    memory.maintain()
    (one,) = active(memory)
    memory.update(one.id, scope=ALICE, status="archived")
    for id in ids:
        memory.restore(id, scope=ALICE)
    clock.pass_(days=8)
    assert memory.maintain().actions == ()
    assert {found.id for found in active(memory)} == set(ids)


def test_a_topic_too_large_for_one_text_becomes_several(clock) -> None:
    with opened(clock=clock, settings={"consolidate_max_chars": 200}) as memory:
        texts = [*STAGING, *GARDEN]
        fill(memory, *texts)
        memory.maintain()
        assert len(made(memory)) > 1
        assert all(len(found.content) <= 220 for found in made(memory))
        whole = "\n".join(found.content for found in active(memory))
        assert all(text in whole for text in texts)
        assert memory.maintain().actions == ()


def test_consolidation_can_be_turned_off(clock) -> None:
    with opened(clock=clock, settings={"consolidate": False}) as memory:
        fill(memory, *COFFEE)
        assert memory.maintain().actions == ()


# ---------------------------------------------------------------- a model


class Model:
    """A model that answers as it is told to."""

    def __init__(self, answer: Callable[[Sequence[MemoryRecord]], Any]) -> None:
        self.answer = answer
        self.asked = 0

    def consolidate(self, memories: Sequence[MemoryRecord]) -> Any:
        self.asked += 1
        return self.answer(memories)


def _good(memories: Sequence[MemoryRecord]) -> dict[str, Any]:
    return {"content": "关于咖啡：" + "；".join(found.content for found in memories), "sources": [found.id for found in memories]}


def _raises(memories: Sequence[MemoryRecord]) -> Any:
    raise RuntimeError("the model is down")


def test_a_models_text_is_taken_where_it_holds_what_it_must(clock) -> None:
    model = Model(_good)
    with opened(clock=clock, consolidator=model) as memory:
        fill(memory, *COFFEE)
        memory.maintain()
        (one,) = active(memory)
        assert one.content.startswith("关于咖啡：")
        assert model.asked == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda _: None, "shape"),
        (lambda _: "just text", "shape"),
        (lambda _: {"content": "咖啡"}, "asked for (sources)"),
        (lambda found: {"content": ["咖啡"], "sources": [one.id for one in found]}, "asked for (content)"),
        (lambda found: _good(found) | {"sources": [found[0].id]}, "account"),
        (lambda found: _good(found) | {"sources": [one.id for one in found] + ["invented"]}, "account"),
        (lambda found: _good(found) | {"content": "用户喜欢咖啡"}, "lacks 1 of the numbers"),
        (lambda found: _good(found) | {"content": "  "}, "empty"),
        (lambda found: _good(found) | {"content": "V60 " * 5000}, "longer"),
        (_raises, "failed (RuntimeError)"),
    ],
)
def test_a_models_bad_answer_archives_nothing_and_leaves_one_note(clock, answer, said) -> None:
    """Complaint 8."""
    with opened(clock=clock, consolidator=Model(answer)) as memory:
        ids = fill(memory, *COFFEE)
        done = memory.maintain()
        assert done.actions == ()
        assert len(done.failures) == 1
        assert said in done.failures[0]
        assert {found.id for found in active(memory)} == set(ids)
        noted = memory.core.store.documents("failures")
        assert len(noted) == 1
        assert noted[0].value is not None
        assert set(noted[0].value["ids"]) == set(ids)
        assert not any(text in str(noted[0].value) for text in COFFEE)
        assert any("put together" in finding.message for finding in memory.doctor().findings)


def test_a_dry_run_with_a_failing_model_notes_nothing(clock) -> None:
    with opened(clock=clock, consolidator=Model(_raises)) as memory:
        fill(memory, *COFFEE)
        assert len(memory.maintain(dry_run=True).failures) == 1
        assert memory.core.store.documents("failures") == []


def test_what_is_written_while_the_model_thinks_survives(clock, tmp_path) -> None:
    """Complaint 10."""
    with opened(tmp_path / "m.db", clock=clock) as writer:

        def answer(memories: Sequence[MemoryRecord]) -> dict[str, Any]:
            writer.remember("用户的新咖啡机明天到货", scope=ALICE, id="new")
            writer.update(memories[0].id, scope=ALICE, tags=["changed"])
            return _good(memories)

        with opened(tmp_path / "m.db", clock=clock, consolidator=Model(answer)) as memory:
            ids = fill(memory, *COFFEE)
            done = memory.maintain()
            assert done.actions == ()
            assert {found.id for found in active(memory)} == {*ids, "new"}
            assert memory.read(ids[0], scope=ALICE).tags == ("changed",) or memory.read(ids[7], scope=ALICE).tags == ("changed",)


# ---------------------------------------------------------------- joining

_texts = st.lists(
    st.sampled_from([*COFFEE, *STAGING, "他说：“好。”走了。", "Is it? Yes! It is.", "v1.2 is out", "3.5 km"]), min_size=1, max_size=12
)


@given(_texts)
def test_joining_keeps_every_sentence_and_says_none_twice(texts) -> None:
    joined = join(texts)
    for text in texts:
        for sentence in sentences(text):
            assert sentence.rstrip("。.!?！？") in joined
    pieces = [re.sub(r"[。.]$", "", piece) for piece in sentences(joined)]
    assert len(pieces) == len(set(pieces))


def test_joined_text_reads_as_sentences() -> None:
    assert join(["用户喝茶", "用户不加糖。", "He likes rye bread", "用户喝茶。"]) == "用户喝茶。用户不加糖。He likes rye bread."
    assert join(["One thing", "Another thing"]) == "One thing. Another thing."


def test_topics_are_the_same_in_whatever_order_memories_come() -> None:
    items = [Item(f"m{number}", "k", text, True, None, topic_words(text)) for number, text in enumerate((*COFFEE, *STAGING, *APART))]
    forward = [[item.id for item in group] for group in topics(items, 8, None)]
    assert forward == [[item.id for item in group] for group in topics(items[::-1], 8, None)]
    assert sorted(map(len, forward)) == [8, 8]


def test_vectors_keep_apart_what_shares_a_word_by_chance() -> None:
    import numpy as np

    close, far = np.array([1.0, 0, 0], np.float32), [np.array([0.1, np.cos(n), np.sin(n)], np.float32) for n in range(8)]
    texts = [f"heron number {number}" for number in range(8)]
    ground = Background(0.3, 0.1)
    assert topics([Item(str(n), "k", text, True, close, topic_words(text)) for n, text in enumerate(texts)], 8, ground)
    assert not topics([Item(str(n), "k", text, True, far[n], topic_words(text)) for n, text in enumerate(texts)], 8, ground)


def test_passes_of_two_processes_make_one_fuller_memory(tmp_path) -> None:
    clock = Clock()
    with opened(tmp_path / "m.db", clock=clock) as first, opened(tmp_path / "m.db", clock=clock) as second:
        fill(first, *COFFEE)
        first.maintain()
        assert second.maintain().actions == ()
        assert len(active(first)) == 1
