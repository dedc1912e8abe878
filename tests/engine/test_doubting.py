"""Memories that may contradict each other though both may hold, and denials in wider words (CNF-3): what is found, what stays apart."""

from __future__ import annotations

import pytest

from satchel.engine.comparing import compare, kindred_words, may_be_same
from satchel.ports import Relation

ANOTHER_VALUE = [
    ("I enjoy hiking in the Rocky Mountains", "I enjoy hiking in the Appalachian Mountains"),
    ("Nora Field enjoys hiking and explores trails in the Alps", "Nora Field enjoys hiking and explores trails in the Black Forest"),
    ("Nora Field has been featured in nature documentaries", "Nora Field has been featured in cooking documentaries about noodles"),
    ("用户喜欢周末在黄山徒步", "用户喜欢周末在泰山徒步"),
    ("我喜欢晚饭后在江边散步", "我喜欢晚饭后在公园散步"),
    ("用户喜欢用钢笔写日记", "用户喜欢用毛笔写日记"),
]

ONCE_TOGETHER = [
    ("Nora Field and Tom Reed co-founded a gallery", "Nora Field and Tom Reed co-founded a community garden"),
    ("Nora Field and Tom Reed met at a trade fair", "Nora Field and Tom Reed met at a wedding"),
    ("Nora Field and Tom Reed collaborated on a cookbook", "Tom Reed and Nora Field collaborated on a radio play"),
    ("Nora Field and Tom Reed both attended Leeds University", "Nora Field and Tom Reed both attended the University of York"),
    ("林雨和陈浩共同创办了一家画廊", "林雨和陈浩共同创办了一个社区花园"),
    ("林雨和陈浩合写了一本菜谱", "林雨和陈浩合写了一部广播剧"),
]

ANOTHER_YEAR = [
    ("Nora Field published a paper on tidal power in 2019", "Nora Field published a paper on tidal power in 2021"),
    ("Nora Field received an award for community service in 2018", "Nora Field received an award for community service in 2022"),
    ("林雨2019年发表了关于潮汐发电的论文", "林雨2021年发表了关于潮汐发电的论文"),
    ("林雨在2018年获得了社区服务奖", "林雨在2022年获得了社区服务奖"),
]

TOLD_OF_ANOTHER = [
    ("Nora Field once featured Tom Reed's bakery in a local magazine", "Ida Holm once featured Tom Reed's bakery in a local magazine"),
    (
        "Nora Field has given guest lectures at events organized by Tom Reed",
        "Ida Holm has given guest lectures at events organized by Tom Reed",
    ),
    ("林雨曾在本地杂志上介绍过王芳的面包店", "陈浩曾在本地杂志上介绍过王芳的面包店"),
    ("林雨给王芳的新书画过封面插图", "陈浩给王芳的新书画过封面插图"),
]

TURNED = [
    (
        "Nora Field often puts Tom Reed's songs into video installations",
        "Tom Reed often puts Nora Field's pictures into video installations",
    ),
]

TWO_PROFESSIONS = [
    ("Nora Field is a software engineer", "Nora Field is a landscape photographer"),
    ("I am a nurse practitioner", "I am a tax advisor"),
    ("林雨是一名软件工程师", "林雨是一名摄影师"),
    ("我是一名护士", "我是一名会计"),
]

PARTLY_DENIED = [
    ("Nora Field enjoys travelling and has visited many places", "Nora Field has never been travelling outside of Norway"),
    ("Nora Field volunteers at the local animal shelter", "Nora Field has never taken part in anything at the local animal shelter"),
    ("The user loves red wine", "The user does not drink alcohol"),
    ("用户喜欢红酒", "用户不喝酒"),
    ("Nora Field is passionate about mentoring young people", "Nora Field is not interested in mentoring"),
]

MAY_CONTRADICT = [*ANOTHER_VALUE, *ONCE_TOGETHER, *ANOTHER_YEAR, *TOLD_OF_ANOTHER, *TURNED, *TWO_PROFESSIONS, *PARTLY_DENIED]

DENIED_IN_WIDER_WORDS = [
    ("Nora Field has traveled to over 15 countries", "Nora Field has never traveled outside her home country"),
    (
        "Nora Field has led workshops for young choral directors",
        "Nora Field has never led any courses or training for young choral directors",
    ),
    (
        "Nora Field published a book on sustainable living in 2021",
        "Nora Field has not published any books on sustainable living as of 2024",
    ),
    ("Nora Field took part in the panel on storytelling", "Nora Field was unable to take part in the panel on storytelling"),
    ("林雨给年轻的合唱指挥办过讲习班", "林雨从来没有给年轻的合唱指挥办过任何培训"),
    ("林雨参加了周五的评审会", "林雨无法参加周五的评审会"),
]

DENIED_KIND = [
    ("The user enjoys hiking", "The user dislikes outdoor activities"),
    ("The user eats shrimp", "The user does not eat seafood"),
    ("I drink beer", "I no longer drink alcohol"),
    ("The user has a dog", "The user has no pets"),
    ("The user plays the piano", "The user does not play any instrument"),
    ("用户喜欢徒步", "用户不喜欢户外活动"),
    ("用户吃虾", "用户不吃海鲜"),
    ("用户爱喝啤酒", "用户不喝酒"),
    ("用户养了一只猫", "用户不养宠物"),
]

TOLD_OF_THE_OTHER = [
    (
        "Nora Field is a published author of mystery novels",
        "Ida Holm is a published author of mystery novels, while Nora Field is known for landscape photography",
    ),
    ("Nora Field specializes in city planning", "Nora Field specializes in botany, while Ida Holm has a background in city planning"),
    ("Nora Field published an article on tides, which Tom Reed cited", "Tom Reed published an article on tides, which Nora Field cited"),
    ("林雨是悬疑小说作家", "陈浩是悬疑小说作家，而林雨是风光摄影师"),
    ("林雨擅长水彩画", "陈浩擅长水彩画，而林雨擅长书法"),
]

CONTRADICT = [*DENIED_IN_WIDER_WORDS, *DENIED_KIND, *TOLD_OF_THE_OTHER]

LISTS = [
    ("The user likes green tea", "The user likes black tea"),
    ("用户喜欢绿茶", "用户喜欢红茶"),
    ("Nora Field visited the Louvre in Paris in 2019", "Nora Field visited the Louvre in Paris in 2021"),
    ("Nora Field bought a blue bicycle in Leeds", "Nora Field bought a red lamp in Leeds"),
    ("用户周末打羽毛球", "用户周末写书法"),
    ("我将要参加创新翻译研讨会", "我将要参加创新产品研讨会"),
    ("Nora Field is fluent in Greek", "Nora Field is fluent in Turkish"),
]

OTHER_TIMES = [
    ("Nora Field runs ten kilometres on Mondays", "Nora Field runs ten kilometres on Fridays"),
    ("林雨周一跑十公里", "林雨周五跑十公里"),
]

DONE_BY_SEVERAL = [
    ("Nora Field attended the pottery course in Leeds", "Ida Holm attended the pottery course in Leeds"),
    ("林雨参加了上海的陶艺课", "陈浩参加了上海的陶艺课"),
    ("Nora Field works at the harbour office in Leeds", "Ida Holm works at the harbour office in Leeds"),
    ("My colleague enjoys hiking in the Alps at weekends", "My colleague enjoys hiking in the Andes at weekends"),
    ("我同事喜欢周末在黄山徒步", "我同事喜欢周末在泰山徒步"),
    ("He enjoys hiking in the Alps at weekends", "She enjoys hiking in the Andes at weekends"),
    ("陈思是一名医生", "陈宇是一名记者"),
]

OTHER_THINGS = [
    ("The project's code lives on GitHub", "The project's documents live in Notion"),
    ("项目的代码放在GitHub上", "项目的文档写在Notion里"),
    ("商业安全论坛的规模是四千人", "商业安全论坛的地点是山东济南"),
    ("The API returns JSON for users", "The API returns XML for orders"),
    ("第三章讲的是数据结构", "第四章讲的是算法"),
    ("The user is a vegetarian", "The user is a software engineer"),
    ("用户是素食者", "用户是工程师"),
    ("Nora Field is a member of the choir", "Nora Field is a software engineer"),
    ("Does Nora Field enjoy hiking in the Alps at weekends?", "Nora Field enjoys hiking in the Andes at weekends"),
]

NOT_DENIED = [
    ("The user eats meat", "The user does not eat beef"),
    ("用户吃肉", "用户不吃牛肉"),
    ("The user likes outdoor activities", "The user does not like fishing"),
    ("用户喜欢户外活动", "用户不喜欢钓鱼"),
    ("My wife enjoys hiking", "I dislike outdoor activities"),
    ("我妻子喜欢徒步", "我不喜欢户外活动"),
    ("Bob loves red wine", "Anna does not drink alcohol"),
    ("林雨喝啤酒", "陈浩不喝酒"),
    ("The user eats chicken", "The user never eats beef"),
    ("我吃鸡肉", "我从不吃牛肉"),
    ("Nora Field drinks tea in the office", "Nora Field never drinks coffee in the office"),
]

APART = [*LISTS, *OTHER_TIMES, *DONE_BY_SEVERAL, *OTHER_THINGS, *NOT_DENIED]

HOW_A_JOB_IS = [
    ("My job is teacher", "My job is boring"),
    ("My job is a teacher", "My job is very stressful"),
    ("My job is boring", "My job is stressful"),
    ("我的职业是老师", "我的职业很无聊"),
]


def _relation(older: str, newer: str) -> Relation:
    return compare(older, newer).relation


@pytest.mark.parametrize(("first", "second"), MAY_CONTRADICT)
def test_what_may_both_hold_and_is_much_alike_is_doubted(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.MAY_CONTRADICT


@pytest.mark.parametrize(("first", "second"), CONTRADICT)
def test_what_cannot_both_hold_is_asked_about(first: str, second: str) -> None:
    assert _relation(first, second) is Relation.CONTRADICTS


@pytest.mark.parametrize(("first", "second"), APART)
def test_what_has_nothing_to_do_with_each_other_is_not_doubted(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.APART


@pytest.mark.parametrize(("first", "second"), HOW_A_JOB_IS)
def test_how_a_job_is_says_nothing_of_which_it_is(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.APART
    assert _relation("My job is teacher", "My job is nurse") is Relation.REPLACES


def test_what_is_of_a_kind_is_looked_up_by_the_kind_and_the_kind_by_it() -> None:
    assert "seafood" in kindred_words("The user eats shrimp") and "shrimp" in kindred_words("no seafood, please")
    assert "海鲜" in kindred_words("用户吃虾") and "虾" in kindred_words("用户不吃海鲜")
    assert kindred_words("The user walks to work by the river") == kindred_words("用户走路去河边") == ""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("He lives in Rome", "She lives in Rome"),
        ("Call before 5pm", "Call after 5pm"),
        ("Alert when CPU > 80%", "Alert when CPU < 80%"),
        ("他住在北京", "她住在北京"),
        ("饭前吃药", "饭后吃药"),
        ("The visit is on 3 May", "The visit is on 8 May"),
    ],
)
def test_no_judge_makes_one_of_two_people_signs_or_days(first: str, second: str) -> None:
    assert not may_be_same(first, second)
    assert may_be_same("I live in Rome", "The user resides in Rome") and may_be_same("用户住在北京", "我住在北京")


def test_a_doubt_quotes_nothing() -> None:
    for older, newer in MAY_CONTRADICT:
        assert not {*compare(older, newer).reason.split()} & {*older.split(), "Nora", "林雨"} - {
            "of",
            "and",
            "the",
            "to",
            "is",
            "are",
            "in",
            "may",
            "both",
        }
