"""Plain statements that a session's end must not lose, each alone in its turn, and what is like them and no memory (WRK-4)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from satchel.engine.text.utterances import utterances
from write_stage import ALICE, opened

SAID_AT = datetime(2026, 9, 1, tzinfo=UTC)


def kept(text, role="user"):
    return [(found.type, found.content) for found in utterances(text, role, SAID_AT)]


HEALTH = [
    ("She's allergic to eggs.", "The user says: She's allergic to eggs"),
    ("Sophie is allergic to eggs.", "The user says: Sophie is allergic to eggs"),
    ("小宝对牛奶过敏,路上吃的要注意。", "用户说：小宝对牛奶过敏,路上吃的要注意"),
    ("我花生过敏", "用户花生过敏"),
    ("I take insulin twice a day.", "The user says: I take insulin twice a day"),
    ("我每天打两次胰岛素", "用户每天打两次胰岛素"),
    ("My wife is pregnant.", "The user's wife is pregnant"),
    ("我老婆怀孕三个月了,行程别太累", "用户老婆怀孕三个月了"),
    ("我有多动症,步骤要小", "用户有多动症"),
    ("我恐高", "用户恐高"),
    ("My mom has breast cancer.", "The user's mom has breast cancer"),
    ("I'm afraid of heights.", "The user is afraid of heights"),
    ("My daughter uses a wheelchair.", "The user's daughter uses a wheelchair"),
    ("I'm not allergic to shrimp, I was wrong.", "The user is not allergic to shrimp"),
    ("我对虾不过敏,我搞错了", "用户对虾不过敏"),
    ("I don't have diabetes.", "The user says: I don't have diabetes"),
]
PEOPLE = [
    ("We live in Bristol, near the harbour.", "The user says: We live in Bristol, near the harbour"),
    ("我们住在武汉洪山区。", "用户说：我们住在武汉洪山区"),
    ("我在小米做测试", "用户在小米做测试"),
    ("My manager is Petra Holm.", "The user's manager is Petra Holm"),
    ("我的经理是何佩。", "用户的经理是何佩"),
    ("我的邮箱是 laozhou@example.com。", "用户的邮箱是 laozhou@example.com"),
    ("My husband Mark works nights.", "The user's husband Mark works nights"),
    ("I'm a midwife.", "The user is a midwife"),
    ("My son doesn't eat fish.", "The user's son doesn't eat fish"),
    ("我们家不吃猪肉", "用户说：我们家不吃猪肉"),
    ("I'm not available on Wednesdays.", "The user is not available on Wednesdays"),
    ("我在东八区", "用户在东八区"),
    ("No, I meant my son is allergic to milk.", "The user's son is allergic to milk"),
]
WISHES = [
    ("Don't use emojis.", "The user asks: Don't use emojis"),
    ("文档里不要用表情符号", "用户要求：文档里不要用表情符号"),
    ("Don't call me before nine.", "The user asks: Don't call me before nine"),
    ("九点前别给我打电话", "用户要求：九点前别给用户打电话"),
    ("Please never suggest clowns, Sophie is terrified of them.", "The user asks: Please never suggest clowns"),
    ("千万别安排爬华山,我恐高", "用户要求：千万别安排爬华山,用户恐高"),
    ("Don't commit to main.", "The user asks: Don't commit to main"),
    ("Answer in German.", "The user asks: Answer in German"),
    ("用英文回复我", "用户要求：用英文回复用户"),
    ("Keep answers short.", "The user asks: Keep answers short"),
    ("周末别联系我", "用户要求：周末别联系用户"),
]
FACTS = [
    ("Ok we decided: the party is on Saturday 10 October at 11.", "Decided: we decided: the party is on Saturday 10 October at 11"),
    ("那就定了,去西安", "决定：去西安"),
    ("就用PostgreSQL吧。", "决定：就用PostgreSQL吧"),
    ("We'll use PostgreSQL, not MySQL.", "Decided: We'll use PostgreSQL, not MySQL"),
    ("The deadline moved to 29 January 2027.", "The deadline moved to 29 January 2027"),
    ("截止日期改到2027年1月29日了", "截止日期改到2027年1月29日了"),
    ("We no longer use Jira.", "The user says: We no longer use Jira"),
    ("大家说好了,周六聚餐", "决定：周六聚餐"),
    ("我已经不住北京了", "用户已经不住北京了"),
    ("我们不用Jira了,换成了Linear。", "用户说：我们不用Jira了,换成了Linear"),
    ("I started a new job at the infirmary.", "The user says: I started a new job at the infirmary"),
    ("我上个月换工作了,现在在小米做测试", "用户上个月换工作了,现在在小米做测试"),
    ("The repo is acme/lantern.", "The repo is acme/lantern"),
    ("主分支是main", "主分支是main"),
    ("I'm not vegetarian any more.", "The user is not vegetarian any more"),
]


@pytest.mark.parametrize(
    ("text", "type", "content"),
    [
        (text, type, content)
        for type, said in (("profile", HEALTH), ("profile", PEOPLE), ("preference", WISHES), ("fact", FACTS))
        for text, content in said
    ],
)
def test_a_plain_statement_is_kept_though_it_is_alone(text, type, content):
    assert kept(text) == [(type, content)]


def test_a_duty_with_a_day_is_a_task_that_is_due():
    for text in ("我得在周五前把票买好", "I need to book the hall by Friday.", "The report is due on 3 March."):
        (found,) = utterances(text, "user", SAID_AT)
        assert found.type == "task"
        assert found.due_at is not None


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("我是技术负责人,小丹是设计师", ["用户是技术负责人", "用户说：小丹是设计师"]),
        ("I'm the tech lead, Dana is the designer.", ["The user is the tech lead", "The user says: Dana is the designer"]),
        ("我老婆喜欢博物馆,我更喜欢吃小吃", ["用户老婆喜欢博物馆", "用户更喜欢吃小吃"]),
        ("我们一家三口,我老婆叫周敏", ["用户老婆叫周敏"]),
    ],
)
def test_each_clause_says_its_own(text, contents):
    assert [content for _, content in kept(text)] == contents


@pytest.mark.parametrize(
    "text",
    [
        "I prefer not to say.", "My name is not important.", "I no longer see the error.",
        "I don't drink and drive, haha, joking.",
        "我叫你一声", "我叫了外卖", "别忘了加标点", "Don't forget to add punctuation.",
        "Don't use that function.", "Don't worry about the budget.", "Don't call me back yet.",
        "别担心", "别说了", "不要推荐这个", "别提了",
        "不要用太多字", "别问我为什么", "Reply in JSON.", "Use British spelling here.", "心里别提多舒畅了",
        "Is Sophie allergic to eggs?", "小宝对牛奶过敏吗?", "Maybe she's allergic to eggs.",
        "I'm allergic to Mondays.", "I'm blind to that.",
        "Nobody is allergic to eggs.", "If my wife is pregnant, what should she eat?", "Pretend I'm allergic to nuts.",
        "He said, I'm allergic to nuts.", "他说，我对花生过敏", "翻译:我对花生过敏", "我怕迟到",
        "Let's go with that.", "就用这个吧。", "就这样吧", "那就去吧", "We decided nothing yet.", "我们还没决定去哪。",
        "The deadline is soon.", "The client is angry.", "客户很生气", "客户是谁",
        "我在家做饭", "我在公司做报告", "My manager is great.", "老板是个好人", "Paris is the capital.",
        "王女士是护士，写一个故事", "Alice works at Acme. Write a story about her.", "In my story, my wife is pregnant.",
        "my boss hates me",
        "我离职报告怎么写", "我换工作的简历帮我改", "我用Excel打开了文件", "就按你说的吧", "Let's go with option B", "不要推荐了",
        "我不吃了", "我不喝了,谢谢", "我换了个思路", "I retired to bed.", "I became a bit tired.", "我挺喜欢的",
    ],
)  # fmt: skip
def test_what_is_like_it_and_of_the_moment_a_guess_or_anothers_word_is_not_kept(text):
    assert kept(text) == []


@pytest.mark.parametrize("text", [text for said in (HEALTH, PEOPLE, WISHES, FACTS) for text, _ in said])
def test_none_of_it_counts_from_the_assistant(text):
    assert kept(text, role="assistant") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I'm allergic to shrimp.", "I'm not allergic to shrimp, I was wrong."),
        ("我对虾过敏", "我对虾不过敏,我搞错了"),
        ("Sophie is allergic to eggs.", "Sophie is not allergic to eggs."),
    ],
)
def test_an_allergy_denied_in_a_later_session_is_asked_about_and_stays_until_then(before, after):
    with opened() as memory:
        for session, text in (("s1", before), ("s2", after)):
            working = memory.session_start(session, scope=ALICE)
            working.add_event(text)
            working.end()
        (held,) = memory.every_record(scope=ALICE, status="active")
        assert held.source.session == "s1"
        assert len(memory.conflicts(scope=ALICE)) == 1


def test_a_deadline_that_moved_takes_the_place_of_the_earlier():
    with opened() as memory:
        for session, text in (("s1", "The deadline is 15 January 2027."), ("s2", "The deadline moved to 29 January 2027.")):
            working = memory.session_start(session, scope=ALICE)
            working.add_event(text)
            working.end()
        (held,) = memory.every_record(scope=ALICE, status="active")
        assert "29 January" in held.content
