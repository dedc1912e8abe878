"""What in a turn is worth keeping, Chinese and English: who people are, tastes, changes, lists asked for; and what is not (WRK-4)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from satchel.engine.text.utterances import remarks, utterances
from write_stage import ALICE, opened

SAID_AT = datetime(2026, 3, 1, tzinfo=UTC)


def kept(text, role="user"):
    return [(found.type, found.content) for found in utterances(text, role, SAID_AT)]


@pytest.mark.parametrize(
    ("text", "type", "content"),
    [
        ("My wife's name is Anna.", "profile", "The user's wife's name is Anna"),
        ("我儿子叫小明", "profile", "用户儿子叫小明"),
        ("你好，我叫李雪，很高兴认识你。", "profile", "用户叫李雪"),
        ("Hi, I'm Luna.", "profile", "The user is Luna"),
        ("我的手机号是13800138000", "profile", "用户的手机号是13800138000"),
        ("My sister's birthday is May 3", "profile", "The user's sister's birthday is May 3"),
        ("我表哥在银行上班", "profile", "用户表哥在银行上班"),
        ("张伟是我的同事", "profile", "用户说：张伟是我的同事"),
        ("I'm a software engineer at a small bank", "profile", "The user is a software engineer at a small bank"),
        ("I have two kids", "profile", "The user has two kids"),
        ("I have type 2 diabetes", "profile", "The user has type 2 diabetes"),
        ("我有高血压", "profile", "用户有高血压"),
        ("I'm lactose intolerant", "profile", "The user is lactose intolerant"),
        ("My favourite author is Ursula Le Guin", "preference", "The user's favourite author is Ursula Le Guin"),
        ("I'm a big fan of jazz", "preference", "The user is a big fan of jazz"),
        ("其实我对园艺很感兴趣", "preference", "用户对园艺很感兴趣"),
        ("Yeah, I've always loved the sea", "preference", "The user has always loved the sea"),
        ("我的爱好是攀岩", "preference", "用户的爱好是攀岩"),
        ("I no longer drink coffee", "fact", "The user no longer drinks coffee"),
        ("I no longer have a car", "fact", "The user no longer has a car"),
        ("I moved to Berlin last year", "profile", "The user moved to Berlin last year"),
        ("I quit my job", "fact", "The user says: I quit my job"),
        ("我戒烟了", "fact", "用户戒烟了"),
        ("不对，我住在北京", "profile", "用户住在北京"),
        ("我搬到上海了", "fact", "用户搬到上海了"),
    ],
)
def test_who_people_are_what_they_like_and_what_has_changed_is_kept_at_once(text, type, content):
    assert kept(text) == [(type, content)]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm allergic to peanuts, what should I avoid in Thailand?", "The user is allergic to peanuts"),
        ("我对花生过敏，去泰国要注意什么？", "用户对花生过敏"),
        ("I love jazz and blues, they calm me down", "The user loves jazz and blues"),
        ("我最喜欢鼓浪屿，那里很安静", "用户最喜欢鼓浪屿"),
        ("I'm a nurse, so I might be late sometimes", "The user is a nurse"),
        ("非常有趣，我也喜欢动作片", "用户也喜欢动作片"),
    ],
)
def test_what_is_said_of_oneself_before_a_question_or_another_thing_is_kept(text, content):
    assert [content for _, content in kept(text)] == [content]


@pytest.mark.parametrize(
    "text",
    [
        "I like tea, right?", "我喜欢喝茶，对吧？", "I love hiking, if the weather is good", "我住在哪里，你知道吗？",
        "我喜欢爬山，如果天气好",
        "I love you", "I love the colour", "I love to!", "I like what you did", "My favourite is the blue one", "我很喜欢这个",
        "I'm into the second chapter", "I switched to the other tab", "I moved to a new branch", "I'm Okay",
        "call me Monday",
        "My boss is a pain", "我是个笨蛋", "我是说明天", "他说，我喜欢吃辣", "I have two meetings",
        "I have a question", "Don't forget to take breaks", "Remember, stay positive", "别忘了照顾好自己",
        "Never give up", "remember this case",
        "Can you list the following?\n- tea\n- coffee", "我明天的计划：\n- 买菜\n- 跑步", "请记住以下几点：",
        "Please remember these three things:",
    ],
)  # fmt: skip
def test_small_talk_encouragement_and_what_is_of_the_moment_is_not_kept(text):
    assert kept(text) == []


def test_the_assistants_words_say_nothing_of_the_user():
    assert kept("I love jazz. My name is Sam. 我喜欢喝茶。Remember:\n- a\n- b c", role="assistant") == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        (
            "Remember the following:\n- my gate code is 7\n- Tom feeds the cat\n\nWhat is the weather?",
            ["The user's gate code is 7", "Tom feeds the cat"],
        ),
        ("请记住以下几点：\n1. 我对花生过敏\n2、周三不开会\n\n今天天气不错", ["用户对花生过敏", "周三不开会"]),
        ("请记住：1. 车停在三楼 2. 周三不开会", ["车停在三楼", "周三不开会"]),
        ("记住：\n车停在三楼\n钥匙在花盆下\n\n今天好热", ["车停在三楼", "钥匙在花盆下"]),
        ("好的。请记住这些：\n\n- 车停在三楼\n\n- 钥匙在花盆下\n", ["车停在三楼", "钥匙在花盆下"]),
        (
            "Please remember these two things: 1) Tom feeds the cat 2) the key is under the pot",
            ["Tom feeds the cat", "the key is under the pot"],
        ),
        ("别忘了：\n- 周五买牛奶\n- 交房租", ["用户要求：周五买牛奶", "用户要求：交房租"]),
        ("Remember to:\n* buy milk\n* call mum", ["The user asks: buy milk", "The user asks: call mum"]),
    ],
)
def test_a_list_that_the_user_asks_to_remember_is_kept_item_by_item(text, contents):
    found = kept(text)
    assert [content for _, content in found] == contents
    assert {type for type, _ in found if "user asks" in contents[0] or "用户要求" in contents[0]} <= {"task"}


def test_what_is_kept_at_once_is_no_remark_as_well():
    text = "我儿子叫小明。My dog is called Rex, isn't he cute?"
    assert list(remarks(text, "user", SAID_AT)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I like coffee", "I no longer drink coffee"),
        ("我喜欢喝咖啡", "我不再喝咖啡了"),
        ("I live in Paris", "I moved to Berlin"),
        ("我的手机号是13800138000", "我的手机号是13900139000"),
    ],
)
def test_what_a_later_session_says_is_no_longer_so_takes_the_place_of_the_earlier(before, after):
    with opened() as memory:
        for session, text in (("s1", before), ("s2", after)):
            working = memory.session_start(session, scope=ALICE)
            working.add_event(text)
            working.end()
        (held,) = memory.every_record(scope=ALICE, status="active")
        assert held.source.session == "s2"
