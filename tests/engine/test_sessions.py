"""Sessions: what is due at their start, what is promoted on the way, what they leave at their end (WRK-2, WRK-4, RET-10)."""

from __future__ import annotations

import pytest

from satchel.errors import Denied, InvalidRequest, NotFound, SecretRefused
from satchel.operations import models as m
from write_stage import ALICE, BOB, opened, states

STATUSES = ["active", "pending", "archived"]


def contents(memory, scope=ALICE, **more):
    return sorted(record.content for record in memory.every_record(scope=scope, **more))


def worked(memory, session="s1"):
    """A session with something worth keeping in it, and much that is not."""
    working = memory.session_start(session, scope=ALICE)
    working.add_event("你好，今天天气不错")
    working.add_event("记住，我不吃香菜。你觉得呢？")
    working.add_event("I prefer window seats on long flights.")
    working.add_event("好的，我会在3月4日之前把行程发给你", role="assistant")
    working.add_event("那我们决定住西湖边的酒店")
    working.add_event("tool output: I prefer JSON", role="tool")
    working.slots["step"] = "3"
    working.slots["决定"] = "预算 800 元一晚"
    working.add_task("给酒店打电话确认早餐", due_at="2026-03-03T10:00:00Z")
    working.add_task("查天气", status="done")
    working.summary = "在订杭州的酒店，选定西湖边。"
    return working


# ------------------------------------------------------------ end


def test_the_end_writes_what_is_worth_keeping_and_nothing_else(memory):
    ended = worked(memory).end()
    assert [(done.record.type, done.record.content) for done in ended.written] == [
        ("task", "给酒店打电话确认早餐"),
        ("preference", "用户不吃香菜"),
        ("preference", "The user prefers window seats on long flights"),
        ("task", "助手承诺：我会在3月4日之前把行程发给你"),
        ("fact", "决定：我们决定住西湖边的酒店"),
        ("fact", "决定：预算 800 元一晚"),
        ("interaction", "会话小结（2026-03-01）：在订杭州的酒店，选定西湖边。"),
    ]
    assert ended.records == tuple(done.record.id for done in ended.written)
    assert ended.snapshot.ended_by == "end" and ended.snapshot.records == ended.records


def test_what_the_end_writes_says_where_it_comes_from_and_why(memory):
    working = worked(memory)
    ended = working.end()
    by_type = {done.record.content: done.record for done in ended.written}
    preference = by_type["用户不吃香菜"]
    assert (preference.source.session, preference.source.message, preference.source.origin) == (
        "s1",
        working.recent_events[1]["id"],
        "stated",
    )
    assert preference.source.agent == "writer"
    task = by_type["给酒店打电话确认早餐"]
    assert (task.due_at.isoformat(), task.source.session) == ("2026-03-03T10:00:00+00:00", "s1")
    promise = by_type["助手承诺：我会在3月4日之前把行程发给你"]
    assert (promise.source.origin, promise.tags, promise.due_at.date().isoformat()) == ("inferred", ("promise",), "2026-03-04")
    summary = ended.written[-1].record
    assert summary.score <= 0.2 and summary.source.origin == "inferred"
    (entry,) = memory.history(preference.id, scope=ALICE)
    assert (entry.operation, entry.agent) == ("session_end", "writer") and "s1" in entry.reason


def test_the_same_end_again_writes_nothing(memory):
    first = worked(memory).end()
    before, position = states(memory), memory.changes(scope=ALICE).position
    again = memory.session_end("s1", scope=ALICE)
    assert (again.already, again.written, again.records) == (True, (), first.records)
    assert (states(memory), memory.changes(scope=ALICE).position) == (before, position)


def test_an_end_that_was_broken_off_half_way_goes_on_and_writes_nothing_twice(memory, monkeypatch):
    working = worked(memory)
    working.save()

    def broken(self, snapshot, **_):
        raise OSError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr(type(memory.core.working), "save", broken)
        with pytest.raises(OSError, match="power"):
            memory.session_end("s1", scope=ALICE)
    before = states(memory)
    ended = memory.session_end("s1", scope=ALICE)
    assert not ended.already and len(ended.records) == 7
    assert states(memory) == before


def test_a_session_that_went_on_after_its_end_is_whole_and_only_what_is_new_is_written(memory):
    worked(memory).end()
    working = memory.bind(agent="other").session_start("s1", scope=ALICE)
    assert working.resumed and not working.ended and working.slots["决定"] == "预算 800 元一晚"
    working.add_event("我对虾过敏")
    working.task_stack[0]["status"] = "done"
    before = memory.changes(scope=ALICE).position
    ended = working.end()
    assert [done.record.content for done in ended.written if done.record.type != "interaction"] == ["用户对虾过敏"]
    changed = memory.changes(scope=ALICE, after=before).changes
    assert sorted(change.operation for change in changed) == ["archive", "session_end"]
    task = next(record for record in memory.every_record(scope=ALICE, status="archived"))
    assert task.content == "给酒店打电话确认早餐"
    assert "done" in memory.history(task.id, scope=ALICE)[-1].reason


def test_what_the_agent_remembered_itself_in_the_session_is_not_written_twice(memory):
    memory.remember("用户不吃香菜", scope=ALICE, source={"session": "s1"})
    ended = worked(memory).end()
    assert "用户不吃香菜" not in [done.record.content for done in ended.written]
    assert memory.recall("香菜", scope=ALICE)[0].record.revision == 1


def test_a_correction_of_what_an_end_wrote_survives_the_next_end(memory):
    ended = worked(memory).end()
    wrong = next(done.record for done in ended.written if done.record.content == "用户不吃香菜")
    memory.correct(wrong.id, "用户吃香菜", scope=ALICE)
    memory.session_start("s1", scope=ALICE).end()
    assert "用户吃香菜" in contents(memory, status="active")
    assert "用户不吃香菜" not in contents(memory, status="active")


def test_an_empty_session_leaves_nothing(memory):
    working = memory.session_start("s1", scope=ALICE)
    working.add_event("hello")
    working.add_event("Hi! How can I help?", role="assistant")
    assert working.end().written == ()
    assert contents(memory) == []


def test_an_end_can_be_told_to_write_nothing_and_to_take_a_summary(memory):
    assert worked(memory).end(condense=False).records == ()
    assert contents(memory) == []
    working = memory.session_start("s2", scope=ALICE)
    ended = working.end(summary="Nothing decided yet about the trip.")
    assert [done.record.content for done in ended.written] == ["Session of 2026-03-01: Nothing decided yet about the trip."]


def test_without_a_summary_one_is_made_of_what_was_decided_and_is_open(memory):
    working = worked(memory)
    working.summary = ""
    text = working.end().written[-1].record.content
    assert "西湖边" in text and "未完成：" in text and "给酒店打电话" in text


def test_what_a_turn_said_that_left_the_ring_is_not_lost(memory):
    working = memory.session_start("s1", scope=ALICE)
    working.add_event("I never eat meat.")
    working.save()
    for place in range(40):
        working.add_event(f"第 {place} 句闲话")
        working.save()
    assert "I never eat meat" not in str(working.recent_events)
    assert [done.record.content for done in working.end().written] == ["The user says: I never eat meat"]


def test_the_end_of_an_unknown_session_is_not_found(memory):
    with pytest.raises(NotFound):
        memory.session_end("nobody", scope=ALICE)
    worked(memory).save()
    with pytest.raises(Denied):
        memory.bind(read=[ALICE], write=[]).session_end("s1", scope=ALICE)
    with pytest.raises(NotFound):
        memory.bind(read=[], write=[ALICE]).session_end("s1", scope=ALICE)


# ------------------------------------------------------------ idle


def test_an_idle_session_is_let_go_and_condensed(memory, clock):
    worked(memory).save()
    clock.pass_(days=6)
    assert memory.working("s1", scope=ALICE).slots
    clock.pass_(days=2)
    assert memory.working("s1", scope=ALICE).slots == {}
    assert contents(memory) == []
    started = memory.session_start("s2", scope=ALICE)
    assert "用户不吃香菜" in contents(memory)
    (info,) = memory.sessions(scope=ALICE, ended=True).sessions
    assert (info.session_id, info.ended_by, info.updated_at) == ("s1", "idle", info.created_at)
    assert not started.resumed


def test_a_session_begun_anew_under_the_name_of_one_let_go_is_new_and_its_old_holder_is_not_merged_by_mistake(memory, clock):
    old = worked(memory)
    old.save()
    clock.pass_(days=8)
    new = memory.session_start("s1", scope=ALICE)
    assert (new.resumed, new.slots) == (False, {})
    assert new.version > old.version
    new.slots["b"] = "新"
    new.save()
    old.slots["c"] = "old"
    old.save()
    assert {"b", "c"} <= old.slots.keys()


def test_saving_over_a_session_that_was_idle_too_long_condenses_it_first(memory, clock):
    worked(memory).save()
    clock.pass_(days=8)
    working = memory.working("s1", scope=ALICE)
    working.slots["a"] = 1
    working.save()
    assert working.slots == {"a": 1}
    assert "用户不吃香菜" in contents(memory)


def test_the_snapshot_of_a_session_that_is_over_is_dropped_after_a_while(memory, clock):
    worked(memory).end()
    clock.pass_(days=31)
    memory.session_start("s2", scope=ALICE)
    assert [info.session_id for info in memory.sessions(scope=ALICE).sessions] == ["s2"]
    assert "用户不吃香菜" in contents(memory, status=STATUSES)


def test_the_idle_time_is_a_setting(clock):
    with opened(clock=clock, settings={"session_idle_seconds": 60}) as memory:
        worked(memory).save()
        clock.pass_(seconds=61)
        assert memory.working("s1", scope=ALICE).version == 0


# ------------------------------------------------------------ promotion


def test_a_slot_that_a_second_session_has_too_becomes_a_memory(memory):
    for name in ("s1", "s2"):
        working = memory.working(name, scope=ALICE)
        working.slots["diet"] = "素食，不吃蛋"
        saved = working.save()
    (known_as,) = saved.promoted
    record = memory.read(known_as, scope=ALICE)
    assert (record.content, record.source.session, record.source.origin) == ("diet：素食，不吃蛋", "s2", "inferred")
    (entry,) = memory.history(known_as, scope=ALICE)
    assert entry.operation == "promote" and "mentioned 2 times" in entry.reason
    assert memory.working("s2", scope=ALICE).snapshot.promoted == {"slot:diet": known_as}


def test_a_slot_that_is_set_again_or_named_again_by_the_user_becomes_a_memory(memory, clock):
    first, second = memory.working("s1", scope=ALICE), memory.working("s2", scope=ALICE)
    first.slots["city"] = "杭州"
    first.save()
    second.slots["team"] = "data platform"
    second.save()
    clock.pass_(minutes=1)
    first.slots["city"] = "杭州"
    assert len(first.save().promoted) == 1
    second.add_event("what does the data platform team need?", role="assistant")
    assert second.save().promoted == ()
    second.add_event("Ask the data platform people")
    assert len(second.save().promoted) == 1
    assert contents(memory) == ["city：杭州", "team: data platform"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("step", "third step"), ("current_file", "main.py"), ("url", "https://example.org/a"), ("path", "src/satchel/engine"), ("n", 3),
        ("ok", True), ("id", "0123456789abcdef0123"), ("plan", {"a": "b"}), ("answer", "yes"), ("when", "2026-03-01 10:00"), ("状态", "好"),
    ],
)  # fmt: skip
def test_what_belongs_to_the_work_at_hand_is_not_promoted_however_often_it_is_set(memory, key, value):
    for name in ("s1", "s2", "s3"):
        working = memory.working(name, scope=ALICE)
        working.slots[key] = value
        working.save()
    assert contents(memory) == []


def test_something_the_user_says_twice_becomes_a_memory_at_once(memory):
    working = memory.working("s1", scope=ALICE)
    working.add_event("我不吃香菜")
    assert working.save().promoted == ()
    working.add_event("I said: 记住")
    working.add_event("我不吃香菜！")
    assert len(working.save().promoted) == 1
    assert contents(memory) == ["用户不吃香菜"]
    assert working.end().written == ()


def test_how_often_is_a_setting_and_none_turns_it_off(clock):
    for needed, expected in ((3, 1), (0, 0)):
        with opened(clock=clock, settings={"promote_after": needed}) as memory:
            for name in ("s1", "s2", "s3"):
                working = memory.working(name, scope=ALICE)
                working.slots["diet"] = "vegetarian"
                promoted = working.save().promoted
            assert len(promoted) == expected


def test_what_is_confirmed_is_promoted(memory):
    working = worked(memory)
    task = working.task_stack[0]["id"]
    turn = working.recent_events[0]["id"]
    slot = working.promote(slot="决定")
    assert (slot.outcome, slot.record.content, slot.record.tags) == ("created", "决定：预算 800 元一晚", ("decision",))
    assert working.promote(task=task).record.type == "task"
    said = working.promote(event=turn, type="fact", tags=["weather"])
    assert (said.record.content, said.record.tags, said.record.source.message) == ("用户说：你好，今天天气不错", ("weather",), turn)
    assert working.promote(event=turn).outcome == "unchanged"
    full = working.promote(slot="step", content="The third step is the call")
    assert full.record.content == "The third step is the call"
    assert memory.history(full.record.id, scope=ALICE)[0].reason == "confirmed in session s1"
    left = [done.record.content for done in working.end().written]
    assert "决定：预算 800 元一晚" not in left and "给酒店打电话确认早餐" not in left


def test_what_cannot_be_promoted_says_why(memory):
    working = memory.working("s1", scope=ALICE)
    with pytest.raises(InvalidRequest, match="exactly one"):
        working.promote()
    working.slots["plan"] = {"a": 1}
    with pytest.raises(InvalidRequest, match="stands by itself"):
        working.promote(slot="plan")
    for wanted in ({"slot": "none"}, {"event": "none"}, {"task": "none"}):
        with pytest.raises(NotFound):
            working.promote(**wanted)
    with pytest.raises(NotFound):
        memory.promote("nobody", scope=ALICE, slot="a")
    with pytest.raises(SecretRefused):
        working.promote(slot="plan", content="the password is hunter2-xyz-9")


# ------------------------------------------------------------ due


def test_what_is_due_comes_with_the_start_of_a_session_whatever_its_strength(memory, clock):
    def task(content, due, **more):
        return memory.remember(content, scope=ALICE, type="task", due_at=due, score=0.01, half_life=60.0, **more)

    task("交房租", "2026-03-14T00:00:00Z")
    task("overdue by weeks", "2026-03-05T00:00:00Z")
    task("远着呢", "2026-04-20T00:00:00Z")
    task("done already", "2026-03-14T00:00:00Z", meta={"status": "done"})
    memory.remember("someone else's", scope=BOB, type="task", due_at="2026-03-14T00:00:00Z")
    memory.remember("没有期限", scope=ALICE, type="task")
    clock.pass_(days=11)
    due = memory.session_start("s1", scope=ALICE).due
    assert [record.content for record in due] == ["overdue by weeks", "交房租"]
    wider = memory.session_start("s1", scope=ALICE, due_scopes=[BOB]).due
    assert [record.content for record in wider] == ["overdue by weeks", "交房租", "someone else's"]
    bound = memory.bind(read=[ALICE], write=[ALICE]).session_start("s1", scope=ALICE, due_scopes=[BOB]).due
    assert [record.content for record in bound] == ["overdue by weeks", "交房租"]
    memory.update(due[0].id, scope=ALICE, status="archived")
    assert [record.content for record in memory.session_start("s2", scope=ALICE).due] == ["交房租"]


def test_a_promise_the_assistant_made_comes_due_in_a_later_session(memory, clock):
    worked(memory).end()
    clock.pass_(days=2)
    due = memory.session_start("s2", scope=ALICE).due
    assert [record.content for record in due] == ["给酒店打电话确认早餐", "助手承诺：我会在3月4日之前把行程发给你"]


def test_a_session_gets_a_name_where_it_has_none(memory):
    first, second = memory.session_start(scope=ALICE), memory.session_start(scope=ALICE)
    assert first.session_id != second.session_id
    assert {info.session_id for info in memory.sessions(scope=ALICE).sessions} == {first.session_id, second.session_id}


# ------------------------------------------------------------ list


def test_sessions_are_listed_page_by_page_without_what_they_hold(memory):
    for place in range(5):
        working = memory.working(f"s{place}", scope=ALICE if place < 3 else BOB)
        working.slots["a"] = "秘密的事"
        working.add_task("x")
        working.save()
    memory.session_end("s1", scope=ALICE)
    found, cursor = [], None
    while True:
        page = memory.sessions(scope=[ALICE, BOB], cursor=cursor, limit=2)
        found += page.sessions
        cursor = page.cursor
        if cursor is None:
            break
    assert [info.session_id for info in found] == ["s0", "s1", "s2", "s3", "s4"]
    assert (found[0].slots, found[0].open_tasks, found[0].agent_id) == (1, 1, "writer")
    assert "秘密" not in m.Sessions(sessions=tuple(found)).model_dump_json()
    assert [info.session_id for info in memory.sessions(scope=[ALICE, BOB], ended=True).sessions] == ["s1"]
    assert [info.session_id for info in memory.bind(read=[BOB]).sessions(scope=[ALICE, BOB]).sessions] == ["s3", "s4"]


# ------------------------------------------------------------ what the user asks to remember


def said(memory, text, session="s1", role="user"):
    working = memory.session_start(session, scope=ALICE)
    working.add_event(text, role=role)
    working.save()
    working.end()


@pytest.mark.parametrize(
    ("text", "type", "content"),
    [
        ("请记住我的航班是CA123", "fact", "用户的航班是CA123"),
        ("请记住我的航班是CA123，好吗？", "fact", "用户的航班是CA123"),
        ("Please remember that my flight is BA99", "fact", "The user's flight is BA99"),
        ("Can you remember that my gate code is 7?", "fact", "The user's gate code is 7"),
        ("Don't forget the passport is in the drawer.", "fact", "the passport is in the drawer"),
        ("记住:会议室密码锁在三楼前台", "fact", "会议室密码锁在三楼前台"),
        ("我换工作了，请记住我现在在腾讯上班", "fact", "用户现在在腾讯上班"),
        ("请记住如果下雨就改期", "fact", "如果下雨就改期"),
        ("别忘了周五给客户发报价", "task", "用户要求：别忘了周五给客户发报价"),
        ("Remember to buy milk", "task", "The user asks: Remember to buy milk"),
        ("I must call the bank tomorrow", "task", "The user says: I must call the bank tomorrow"),
        ("我明天要给银行打电话", "task", "用户明天要给银行打电话"),
        ("My son is allergic to milk", "profile", "The user's son is allergic to milk"),
        ("我女儿对牛奶过敏", "profile", "用户女儿对牛奶过敏"),
        ("孩子对青霉素过敏", "profile", "用户说：孩子对青霉素过敏"),
        ("我的生日是5月3日", "profile", "用户的生日是5月3日"),
        ("My birthday is May 3", "profile", "The user's birthday is May 3"),
        ("我家住在朝阳区", "profile", "用户家住在朝阳区"),
        ("别忘了我对花生过敏", "profile", "用户对花生过敏"),
    ],
)
def test_what_the_user_asks_to_remember_is_kept(text, type, content):
    with opened() as memory:
        said(memory, text)
        assert (type, content) in [(record.type, record.content) for record in memory.every_record(scope=ALICE)]


@pytest.mark.parametrize(
    "text",
    [
        "你还记得我的航班吗？", "记住了吗？", "记得了，谢谢", "请记住这个", "remember this", "Do you remember my flight?",
        "Remember when we went to Paris?", "Can you remember what my flight is?", "记得我们上次去的餐厅吗", "我记得去年下雪",
        "> 请记住我的航班是CA123", "老师说，请记住明天交作业", "“请记住我的航班”", "He said: please remember that the door is open",
        "翻译：请记住我的航班是CA123", "`remember that x is 1`", "如果我对牛奶过敏怎么办", "Is my son allergic to milk?", "我家在哪",
        "我今晚住在如家酒店", "我今天要去买菜", "I need to know by tomorrow whether it works", "今天天气不错",
        "请记住我的密码是 hunter2-Xy9!",
    ],
)  # fmt: skip
def test_small_talk_questions_quotations_and_secrets_are_not_kept(text):
    with opened() as memory:
        said(memory, text)
        assert contents(memory) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("我儿子在学钢琴", "用户儿子在学钢琴"),
        ("My car is a blue estate", "The user's car is a blue estate"),
        ("我的鞋码是42码", "用户的鞋码是42码"),
        ("我每周三要去游泳", "用户每周三要去游泳"),
    ],
)
def test_what_is_said_in_passing_is_kept_the_second_time(text, content):
    with opened() as memory:
        said(memory, text, "s1")
        assert contents(memory) == []
        said(memory, text, "s2")
        assert contents(memory) == [content]
        said(memory, text, "s3")
        assert contents(memory) == [content]


@pytest.mark.parametrize(
    "text", ["我有个问题想问", "My question is about Python", "我觉得是太贵了", "我家在哪", "今天我在家", "I have a question"]
)
def test_small_talk_is_not_kept_however_often_it_is_said(text):
    with opened() as memory:
        for session in ("s1", "s2", "s3"):
            said(memory, text, session)
        assert contents(memory) == []


def test_what_was_said_in_passing_and_is_forgotten_does_not_come_back(memory):
    for session in ("s1", "s2"):
        said(memory, "我的鞋码是42码", session)
    (record,) = memory.every_record(scope=ALICE)
    memory.forget(record.id, scope=ALICE)
    said(memory, "你好", "s1")
    assert contents(memory) == []


# ------------------------------------------------------------ long sessions


def test_a_session_that_never_ends_gives_what_it_heard_to_long_term_memory_after_a_while(memory, clock):
    working = memory.session_start("s1", scope=ALICE)
    working.add_event("I never eat meat.")
    for day in range(20):
        for place in range(5):
            working.add_event(f"第 {day} 天第 {place} 句闲话")
        working.save()
        clock.pass_(days=1)
        assert (contents(memory) == []) is (day < 8)
    assert contents(memory) == ["The user says: I never eat meat"]
    assert memory.history(memory.recall("meat", scope=ALICE)[0].record.id, scope=ALICE)[0].operation == "promote"
    assert not memory.working("s1", scope=ALICE).ended
    assert working.end().written == ()


def test_thousands_of_turns_lose_nothing_that_was_worth_keeping(memory):
    working = memory.session_start("s1", scope=ALICE)
    told = [f"请记住第 {place} 号柜放着蓝色箱子" if place % 5 == 0 else f"I like dish number {place} best" for place in range(400)]
    for place in range(4000):
        working.add_event(told[place // 10] if place % 10 == 0 else "嗯嗯")
        if place % 500 == 499:
            working.save()
    working.end()
    held = "\n".join(contents(memory, status=STATUSES))
    assert [text for text in told if text.removeprefix("请记住").removeprefix("I like ") not in held] == []
    assert len(working.recent_events) == 20


def test_what_is_asked_for_is_kept_first_where_one_turn_says_too_much(memory):
    working = memory.session_start("s1", scope=ALICE)
    working.add_event("\n".join(f"I like dish number {place}" for place in range(300)) + "\nPlease remember that the key is under the pot")
    written = [done.record.content for done in working.end().written]
    assert "the key is under the pot" in written and len(written) <= 250
