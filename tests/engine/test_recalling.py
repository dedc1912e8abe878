"""Recall and search over a real store (RCL-1 to RCL-4, RCL-7, RET-3, RET-4)."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from recall_stage import ALICE, BOB, START, Stage, TableEmbedder
from satchel.engine.core import Principal
from satchel.errors import InvalidRequest
from satchel.operations.models import ContextRequest, SearchRequest
from satchel.protocol.record import Relations, Status, Usage
from satchel.stores.memory import MemoryStore
from satchel.stores.sqlite import SQLiteStore
from satchel.wiring import open_memory

PEANUTS, TEA, SWIM, SEAT = "用户对花生严重过敏", "喜欢喝龙井茶", "每周三晚上去游泳", "The user prefers a window seat on long flights"


@pytest.fixture
def stage() -> Stage:
    made = Stage(embedder=TableEmbedder(means={"餐厅": "花生", "aisle": "window"}))
    for content in (PEANUTS, TEA, SWIM, SEAT):
        made.remember(content)
    return made


@pytest.fixture
def words() -> Stage:
    """Words alone: no embedder."""
    made = Stage()
    for content in (PEANUTS, TEA, SWIM, SEAT):
        made.remember(content)
    return made


# ------------------------------------------------------------ lanes


@pytest.mark.parametrize(
    ("query", "content"),
    [("茶", TEA), ("龙井", TEA), ("游泳", SWIM), ("遊泳", SWIM), ("周三晚", SWIM), ("window seats?", SEAT), ("ＷＩＮＤＯＷ", SEAT)],
)
def test_words_alone_find_chinese_and_english(words: Stage, query: str, content: str) -> None:
    assert words.found(query)[0] == content


def test_likeness_finds_what_shares_no_word(stage: Stage) -> None:
    assert stage.found("餐厅") == [PEANUTS]


def test_nothing_found_is_an_answer(stage: Stage) -> None:
    assert stage.found("量子色动力学") == []


def test_a_record_whose_vector_is_still_missing_is_found_by_its_words(stage: Stage) -> None:
    stage.write(stage.record("周末要修好厨房的水龙头"), vectors=False)
    assert stage.found("水龙头") == ["周末要修好厨房的水龙头"]


def test_every_hit_explains_itself(stage: Stage) -> None:
    hit = stage.recall("龙井茶")[0]
    assert set(hit.reasons) == {"semantic", "lexical", "fused", "relevance", "match", "recency", "strength", "type"}
    assert all(0.0 <= value <= 1.0 for value in hit.reasons.values())
    assert hit.reasons["lexical"] == 1.0
    total = 0.60 * hit.reasons["match"] + 0.25 * hit.reasons["recency"] + 0.15 * hit.reasons["type"]
    assert hit.score == pytest.approx(total, abs=1e-5)


def test_relevance_is_absolute_and_no_other_record_moves_it(stage: Stage) -> None:
    before = stage.recall("餐厅")[0].reasons
    stage.later(seconds=60)
    stage.remember("餐厅 花生")
    after = {hit.record.content: hit.reasons for hit in stage.recall("餐厅")}[PEANUTS]
    assert after["semantic"] == before["semantic"]
    assert after["relevance"] == pytest.approx(before["relevance"], abs=0.05)


# ------------------------------------------------------------ scopes


def test_another_scope_is_never_answered_from(stage: Stage) -> None:
    stage.remember("花生酱在冰箱里", scope=BOB)
    assert stage.found("花生") == [PEANUTS]
    assert stage.found("花生", scope="user:carol") == []


def test_several_scopes_are_ranked_together(stage: Stage) -> None:
    stage.remember("龙井茶 龙井茶", scope=BOB)
    stage.remember("和龙井茶有关的采购", scope="project:web")
    assert set(stage.found("龙井茶", scope=[ALICE, BOB, "project:web"])) == {"龙井茶 龙井茶", TEA, "和龙井茶有关的采购"}


def test_the_order_of_the_scopes_does_not_matter(stage: Stage) -> None:
    for n, scope in enumerate([BOB, "project:web"] * 3):
        stage.remember(f"龙井茶记录{n}", scope=scope)
    orders = [["project:web", ALICE, BOB], [BOB, "project:web", ALICE]]
    found = [[(hit.record.id, hit.score) for hit in stage.recall("龙井茶", scope=order)] for order in orders]
    assert found[0] == found[1]


def test_words_of_another_scope_do_not_move_a_score(stage: Stage) -> None:
    before = stage.recall("龙井茶")[0]
    for _ in range(20):
        stage.remember("龙井茶", scope=BOB)
    stage.recaller._answers.clear()
    assert stage.recall("龙井茶")[0].score == before.score


def test_a_scope_that_may_not_be_read_looks_empty(stage: Stage) -> None:
    stage.principal = Principal(agent="guest", read=frozenset({BOB}))
    assert stage.found("龙井茶") == []
    stage.remember("龙井茶在第二层", scope=BOB)
    assert stage.found("龙井茶", scope=[ALICE, BOB]) == ["龙井茶在第二层"]


# ------------------------------------------------------------ filters


def test_filters_hold_before_ranking(words: Stage) -> None:
    for n in range(120):
        words.remember(f"部署 部署 部署 {n}", type="interaction")
    wanted = words.remember(
        "部署前要先跑回归测试",
        type="skill",
        tags=("发布", "测试"),
        origin="inferred",
        created_at=START - timedelta(days=9),
        meta={"区": {"号": 3}},
    )
    pinned = words.remember("部署密钥由小林保管", pinned=True)
    day = timedelta(days=1)
    cases = [
        {"types": ["skill"]},
        {"tags": ["发布"]},
        {"tags": ["测试", "发布"]},
        {"origins": ["inferred"]},
        {"until": START - day},
        {"since": START - 9 * day, "until": START - day},
        {"where": {"区.号": 3}},
        {"where": {"区.号": [2, 3]}, "types": ["skill", "fact"]},
    ]
    for conditions in cases:
        assert words.found("部署", **conditions) == [wanted.content], conditions
    assert words.found("部署", pinned=True) == [pinned.content]
    for conditions in ({"types": ["profile"]}, {"tags": ["发布", "没有"]}, {"since": START + day}, {"where": {"区.号": "3"}}):
        assert words.found("部署", **conditions) == [], conditions


def test_the_default_is_active_records_and_a_past_ttl_is_left_out(words: Stage) -> None:
    words.remember("部署 待定", status=Status.PENDING)
    words.remember("部署 很快过期", expires_at=START + timedelta(seconds=5))
    words.remember("部署 一小时", ttl=3600.0)
    assert set(words.found("部署")) == {"部署 很快过期", "部署 一小时"}
    assert words.found("部署", statuses=["pending"]) == ["部署 待定"]
    words.later(seconds=5)
    assert words.found("部署") == ["部署 一小时"]
    words.later(hours=1)
    assert words.found("部署") == []


def test_an_answer_in_the_cache_does_not_outlive_a_ttl(words: Stage) -> None:
    words.remember("部署 很快过期", expires_at=START + timedelta(seconds=2))
    assert words.found("部署") == ["部署 很快过期"]
    words.later(seconds=2)
    assert words.found("部署") == []


def test_what_does_not_hold_now_is_left_out_until_it_does_and_once_it_no_longer_does(words: Stage) -> None:
    day = timedelta(days=1)
    words.remember("住址 苏州 address", valid_until=START + day)
    words.remember("住址 杭州 address", valid_from=START + day, valid_until=START + 3 * day)
    words.remember("住址 不详 address", score=0.5)
    for query in ("住址", "address"):
        assert set(words.found(query)) == {"住址 苏州 address", "住址 不详 address"}
    words.later(days=1)
    assert set(words.found("住址")) == {"住址 杭州 address", "住址 不详 address"}
    words.later(days=2)
    assert words.found("住址") == ["住址 不详 address"]


def test_what_does_not_hold_crowds_nothing_out_and_brings_no_company(words: Stage) -> None:
    for number in range(300):
        words.remember(f"值班电话 {number}", valid_until=START, score=1.0, type="preference")
    words.remember("值班电话 在前台 问小王 也可以 打总机", score=0.5, type="preference")
    assert words.found("值班电话", limit=3) == ["值班电话 在前台 问小王 也可以 打总机"]
    block = words.recaller.context(words.principal, ContextRequest(scope=ALICE, limit=3))
    assert "总机" in block.text and "值班电话 1" not in block.text
    asked = words.recaller.context(words.principal, ContextRequest(scope=ALICE, query="值班电话"))
    assert "总机" in asked.text and "值班电话 1" not in asked.text


def test_who_asks_for_archived_memories_is_told_of_the_past(words: Stage) -> None:
    words.remember("住址 苏州", valid_until=START, status=Status.ARCHIVED)
    words.remember("住址 无锡", valid_until=START)
    assert words.found("住址") == []
    assert set(words.found("住址", statuses=["archived", "active"])) == {"住址 苏州", "住址 无锡"}


def test_an_answer_in_the_cache_does_not_outlive_its_validity(words: Stage) -> None:
    words.remember("部署 很快作废", valid_until=START + timedelta(seconds=2))
    assert words.found("部署") == ["部署 很快作废"]
    words.later(seconds=2)
    assert words.found("部署") == []


@pytest.mark.parametrize("query", ["的", "的了", "the", "The", "is the of", "吗", "the 的"])
def test_words_that_say_nothing_find_nothing(query: str) -> None:
    for embedder in (None, TableEmbedder()):
        stage = Stage(embedder=embedder)
        stage.remember("用户的自行车是灰色的 the bicycle is grey")
        if embedder is None or len(query.split()) < 2:
            assert stage.found(query) == []
    assert stage.found(f"bicycle {query}") == ["用户的自行车是灰色的 the bicycle is grey"]


def test_a_question_of_stop_words_alone_is_asked_by_its_meaning() -> None:
    stage = Stage(embedder=TableEmbedder(means={"who am i": "Kim"}))
    stage.remember("Kim")
    assert stage.found("who am i") == ["Kim"]
    assert Stage(store=stage.core.store).found("who am i") == []


def test_the_limit_is_the_settings_unless_the_request_has_one() -> None:
    stage = Stage(limit=3)
    for n in range(20):
        stage.remember(f"值班表 {n}")
    assert len(stage.found("值班表")) == 3
    assert len(stage.found("值班表", limit=8)) == 8


# ------------------------------------------------------------ order


def test_ties_go_to_the_later_update_then_to_the_smaller_id(words: Stage) -> None:
    same = {"created_at": START, "stored_at": START}
    words.remember("钥匙在抽屉", id="b", **same)
    words.remember("钥匙在抽屉", id="a", **same)
    words.remember("钥匙在抽屉", id="c", **same, updated_at=START + timedelta(seconds=1))
    assert [hit.record.id for hit in words.recall("钥匙")] == ["c", "a", "b"]


def test_the_order_of_writing_does_not_show() -> None:
    contents = [f"{'会议' * (n % 4 + 1)}纪要{'和预算' * (n % 3)} note {n % 5}" for n in range(150)]
    answers = []
    for step in (1, -1):
        stage = Stage(embedder=TableEmbedder())
        for n, content in list(enumerate(contents))[::step]:
            stage.remember(content, id=f"m{n:03}")
        answers.append([(hit.record.id, hit.score, hit.reasons) for hit in stage.recall("会议预算 note", limit=60)])
    assert answers[0] == answers[1]
    assert len(answers[0]) == 60


def test_a_policy_can_be_named_weighed_or_wrong(stage: Stage) -> None:
    stage.remember("龙井茶 旧事", type="interaction", score=0.3)
    for policy in ("default", "strength", "similarity", "relevance=0.2,strength=0.8"):
        assert TEA in stage.found("龙井茶", policy=policy)
    with pytest.raises(InvalidRequest, match="policy"):
        stage.found("龙井茶", policy="best")


# ------------------------------------------------------------ thresholds


def test_below_min_relevance_nothing_is_returned(stage: Stage) -> None:
    assert stage.found("茶 飞机 医院 机场 学校", min_relevance=0.99) == []
    assert len(stage.found("茶 飞机 医院 机场 学校", min_relevance=0.0)) == 4


def test_beside_an_answer_a_part_of_min_relevance_is_enough_unless_the_caller_named_it(stage: Stage) -> None:
    stage.remember("飞机票在信箱里")
    least = [hit.reasons["relevance"] for hit in stage.recall("茶 飞机 医院 机场 学校", min_relevance=0.0)]
    setting = sorted(least)[-2] + 1e-4
    by_setting = stage.another(min_relevance=setting)
    assert len(by_setting.found("茶 飞机 医院 机场 学校")) > 1
    assert len(by_setting.found("茶 飞机 医院 机场 学校", min_relevance=setting)) == 1
    assert stage.another(min_relevance=max(least) + 1e-4).found("茶 飞机 医院 机场 学校") == []


def test_a_record_answers_one_sentence_of_many(words: Stage) -> None:
    chatter = "今天的会开得太长了。晚饭也没有吃好。明天还要早起出门。"
    assert words.found(f"{chatter}我什么时候游泳？")[0] == SWIM
    assert words.recall(f"{chatter}我什么时候游泳？")[0].reasons["lexical"] == words.recall("我什么时候游泳？")[0].reasons["lexical"]


def test_a_faint_record_is_left_out_while_others_answer(words: Stage) -> None:
    words.remember("游泳馆在城西", half_life=86_400.0)
    words.later(days=3)
    assert words.found("游泳") == [SWIM]


def test_half_the_initial_score_is_enough_where_that_is_lower(words: Stage) -> None:
    words.remember("游泳卡在包里", score=0.2, half_life=10 * 86_400.0)
    words.later(days=9)
    assert "游泳卡在包里" in words.found("游泳", touch=False)
    words.later(days=2)
    assert "游泳卡在包里" not in words.found("游泳", touch=False)


def test_a_threshold_that_the_caller_names_holds_as_it_stands(words: Stage) -> None:
    assert words.found("游泳", min_strength=0.8, touch=False) == [SWIM]
    assert words.found("游泳", min_strength=0.81) == []


def test_archived_and_faint_records_answer_only_when_nothing_else_does(words: Stage) -> None:
    words.remember("潜水证放在书架上", status=Status.ARCHIVED)
    words.remember("潜水镜借给了同事", half_life=3600.0)
    words.later(days=2)
    assert set(words.found("潜水", touch=False)) == {"潜水证放在书架上", "潜水镜借给了同事"}
    words.remember("潜水课改到周五")
    assert words.found("潜水") == ["潜水课改到周五"]


def test_a_superseded_record_never_answers_for_itself(words: Stage) -> None:
    words.remember("喜欢咖啡", status=Status.ARCHIVED, relations=Relations(superseded_by=("m9",)))
    assert words.found("咖啡") == []
    assert words.found("咖啡", statuses=["archived"]) == ["喜欢咖啡"]


def test_a_pending_record_does_not_answer_even_when_nothing_else_does(words: Stage) -> None:
    words.remember("也许喜欢咖啡", status=Status.PENDING)
    assert words.found("咖啡") == []


# ------------------------------------------------------------ questions


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00"])
def test_a_blank_question_is_a_fault_that_names_the_field(stage: Stage, query: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        stage.found(query)
    assert raised.value.details["faults"][0]["field"] == "query"


@pytest.mark.parametrize("query", ["？！", "...", "——"])
def test_a_question_of_signs_alone_finds_nothing(stage: Stage, query: str) -> None:
    assert stage.found(query) == []


def test_what_no_text_may_hold_is_passed_over_in_a_question(stage: Stage) -> None:
    assert stage.found("龙井\x00茶") == [TEA]


def test_a_very_long_question_is_answered_by_its_rarest_terms(words: Stage) -> None:
    for n in range(60):
        words.remember(f"日志第{n}行")
    noise = " ".join(f"word{n}" for n in range(5000))
    hashed = words.recaller.search(words.principal, SearchRequest(query=f"{noise} 龙井茶", scope=ALICE, limit=1)).hits
    assert hashed[0].record.content == TEA


def test_a_model_is_asked_once_for_the_same_question(stage: Stage) -> None:
    embedder = stage.core.embedder
    assert isinstance(embedder, TableEmbedder)
    embedder.calls.clear()
    stage.later(seconds=60)
    for _ in range(3):
        stage.found("推荐一家餐厅")
        stage.later(seconds=60)
    assert embedder.calls == ["推荐一家餐厅"]


# ------------------------------------------------------------ search


def test_search_knows_no_threshold_and_leaves_usage_alone(stage: Stage) -> None:
    stage.remember("游泳馆在城西", half_life=60.0)
    stage.later(days=30)
    hits = stage.recaller.search(stage.principal, SearchRequest(query="游泳", scope=ALICE, limit=3)).hits
    assert {hit.record.content for hit in hits[:2]} == {SWIM, "游泳馆在城西"}
    assert [hit.score for hit in hits] == [pytest.approx(hit.reasons["match"], abs=1e-5) for hit in hits]
    stage.recaller.flush()
    assert all(hit.record.usage == Usage() for hit in stage.recaller.search(stage.principal, SearchRequest(query="游泳", scope=ALICE)).hits)


def test_search_gives_as_many_as_are_asked_for(words: Stage) -> None:
    for n in range(300):
        words.remember(f"值班表 {n}")
    found = words.recaller.search(words.principal, SearchRequest(query="值班表", scope=ALICE, limit=250)).hits
    assert len(found) == 250


def test_search_by_words_gives_only_what_holds_one(words: Stage) -> None:
    found = words.recaller.search(words.principal, SearchRequest(query="游泳", scope=ALICE)).hits
    assert [hit.record.content for hit in found] == [SWIM]


# ------------------------------------------------------------ freshness


def test_the_same_question_is_answered_from_memory_for_a_few_seconds(stage: Stage) -> None:
    first = stage.recall("龙井茶")
    assert stage.recall("龙井茶")[0] is first[0]
    stage.later(seconds=5)
    assert stage.recall("龙井茶")[0] is not first[0]
    stage.later(days=-30)
    assert stage.recall("龙井茶")[0] is not first[0]


def test_no_answer_survives_a_write_or_a_delete_by_anybody(stage: Stage) -> None:
    other = stage.another()
    assert stage.found("龙井") == other.found("龙井") == [TEA]
    added = other.remember("龙井茶园在梅家坞", id="added")
    assert set(stage.found("龙井")) == {TEA, added.content}
    other.forget(added)
    assert stage.found("龙井") == other.found("龙井") == [TEA]


def test_what_was_forgotten_is_in_no_cache_after_the_next_question(stage: Stage) -> None:
    for query in ("龙井", "喝茶", "龙井茶"):
        stage.recall(query)
    tea = stage.recall("龙井")[0].record
    stage.forget(tea)
    stage.recall("龙井")
    kept = [hit.record for answer in stage.recaller._answers._answers.values() for hit in answer.hits]
    assert tea.id not in {record.id for record in kept}


def test_readers_and_writers_side_by_side_never_see_what_is_gone(tmp_path: Path) -> None:
    stage = Stage(store=SQLiteStore(tmp_path / "memory.db"), embedder=TableEmbedder())
    for n in range(40):
        stage.remember(f"钥匙{n}在抽屉", id=f"m{n}")
    gone: set[str] = set()
    wrong: list[object] = []

    def read() -> None:
        for _ in range(30):
            before = set(gone)
            found = {hit.record.id for hit in stage.recall("钥匙", limit=40, min_relevance=0.0)}
            if found & before or not found:
                wrong.append(found & before)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(30):
        stage.forget(stage.core.store.get(ALICE, [f"m{n}"])[f"m{n}"])
        gone.add(f"m{n}")
    for reader in readers:
        reader.join()
    stage.recaller.close()
    stage.core.store.close()
    assert wrong == []


def test_every_store_gives_the_same_answers(tmp_path: Path) -> None:
    contents = [f"{'会议' * (n % 4 + 1)}纪要{'和预算' * (n % 3)} note {n % 5}" for n in range(150)]
    answers = []
    for store in (MemoryStore(), SQLiteStore(tmp_path / "memory.db")):
        stage = Stage(store=store, embedder=TableEmbedder())
        for part in (contents[::2], contents[1::2]):
            stage.write(*[stage.record(content, id=f"m{n:03}", pinned=n % 7 == 0) for n, content in enumerate(part, start=len(part))])
            stage.recall("会议")
        answers.append([(hit.record.state(), hit.score, hit.reasons) for hit in stage.recall("会议预算 note", limit=100)])
        stage.recaller.close()
        store.close()
    assert answers[0] == answers[1]


def test_a_changed_record_is_found_by_its_new_words_only(stage: Stage) -> None:
    stage.remember("钥匙在抽屉", id="key")
    assert stage.found("抽屉", min_relevance=0.5) == ["钥匙在抽屉"]
    stage.remember("钥匙在门厅", id="key")
    assert stage.found("抽屉", min_relevance=0.5) == []
    assert stage.found("门厅", min_relevance=0.5) == ["钥匙在门厅"]


def test_a_cache_too_small_for_any_scope_still_answers(stage: Stage) -> None:
    small = stage.another(index_cache_bytes=0)
    assert small.found("龙井") == [TEA]
    assert small.found("花生") == [PEANUTS]
    assert small.recaller._indexes.bytes == 0


def test_the_least_recently_used_scope_leaves_a_full_cache(stage: Stage) -> None:
    stage.recall("龙井")
    room = int(stage.recaller._indexes.bytes * 2.5)
    small = stage.another(index_cache_bytes=room)
    for scope in (BOB, "user:carol", "user:dave"):
        for content in (PEANUTS, TEA, SWIM, SEAT):
            small.remember(content, scope=scope, id=f"{scope}{content}")
        assert small.found("龙井", scope=scope) == [TEA]
    assert 0 < small.recaller._indexes.bytes <= room


# ------------------------------------------------------------ usage


def test_what_is_returned_counts_as_used(stage: Stage) -> None:
    stage.later(days=1)
    record = stage.recall("龙井茶")[0].record
    assert record.usage.access_count == 0
    stage.later(seconds=60)
    assert stage.recall("龙井茶")[0].reasons["strength"] == pytest.approx(0.82, abs=1e-4)
    stage.recaller.flush()
    usage = stage.core.store.get(ALICE, [record.id])[record.id].usage
    assert (usage.access_count, usage.last_access_at) == (2, stage.now)


def test_usage_can_be_left_alone_by_the_request_or_the_settings(stage: Stage) -> None:
    quiet = stage.another(touch_on_recall=False)
    quiet.recall("龙井茶")
    stage.recall("龙井茶", touch=False)
    for one in (quiet, stage):
        one.recaller.close()
    assert all(hit.record.usage == Usage() for hit in stage.another().recall("龙井茶"))


def test_closing_writes_usage_that_is_still_on_its_way(stage: Stage) -> None:
    stage.recall("龙井茶")
    stage.recaller.close()
    assert stage.another().recall("龙井茶")[0].record.usage.access_count == 1


def test_usage_on_its_way_counts_in_an_index_built_meanwhile(stage: Stage) -> None:
    record = stage.recall("龙井茶")[0].record
    stage.recaller._indexes.clear()
    stage.later(seconds=60)
    assert stage.recall("龙井茶")[0].reasons["strength"] == pytest.approx(0.82, abs=1e-4)
    stage.remember(TEA, id=record.id, tags=("饮料",), stored_at=record.stored_at, usage=record.usage)
    assert stage.recall("龙井茶")[0].reasons["strength"] == pytest.approx(0.84, abs=1e-4)


@pytest.mark.parametrize(
    "question", ["推荐明天中午的餐厅", "which restaurant should I book?", "给她做什么菜好", "can she take this medicine?"]
)
def test_a_danger_to_the_user_belongs_to_questions_about_food_and_medicine(question):
    # surface.md shows it: whoever asks for a restaurant must learn of the allergy, though no word of it was asked for.
    with open_memory("memory://", embedder="none") as memory:
        memory.remember("用户对花生严重过敏", scope="user:alice", type="profile")
        memory.remember("Alice plays the cello on weekends", scope="user:alice")
        assert memory.recall(question, scope="user:alice")[0].record.content == "用户对花生严重过敏"
        assert memory.recall(question, scope="user:bob") == []
        assert memory.recall(question, scope="user:alice", types=["fact"]) == []
        assert memory.recall(question, scope="user:alice", min_relevance=0.9) == []


def test_a_danger_to_the_user_does_not_answer_other_questions():
    with open_memory("memory://", embedder="none") as memory:
        memory.remember("用户对花生严重过敏", scope="user:alice", type="profile")
        memory.remember("A colleague wrote a paper about allergies", scope="user:alice")
        assert memory.recall("what is the capital of France?", scope="user:alice") == []
        assert [hit.record.type for hit in memory.recall("dinner plans", scope="user:alice")] == ["profile"]
