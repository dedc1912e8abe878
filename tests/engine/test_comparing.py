"""Two short memories side by side (CNF-1 to CNF-3): the same, one in the other's place, in contradiction, or apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.engine.comparing import compare, values_of
from satchel.ports import Relation

SAME = [
    ("The dog is called Rex.", "The name of the dog is Rex."),
    ("In Lyon the user lives with his sister.", "The user resides in Lyon with his sister."),
    ("The staff meeting takes place every Monday at 9:00.", "Every Monday at 9:00 there is a staff meeting."),
    ("The lease ends on 30 September.", "The lease expires on September 30."),
    ("Henry manages the sales team.", "The sales team is managed by Henry."),
    ("The office in Turin closes at 16:30 on Thursday.", "On Thursday the Turin office closes at 4:30 pm."),
    ("Mark is the user's brother.", "The user's brother is Mark."),
    ("The user has been living in Madrid since 2015.", "The user lives in Madrid since 2015."),
    ("The user prefers tea to coffee.", "The user likes tea more than coffee."),
    ("小狗叫豆豆。", "小狗的名字是豆豆。"),
    ("员工例会每周一早上九点开。", "员工例会在每周一早上9:00举行。"),
    ("租约9月30日到期。", "租约到9月30日为止。"),
    ("张伟负责支付模块。", "支付模块的负责人是张伟。"),
    ("团队用飞书管理任务。", "团队的任务用飞书管理。"),
    ("图书馆周六晚上六点关门。", "图书馆星期六18:00闭馆。"),
    ("用户不吃猪肉。", "用户从来不吃猪肉。"),
    ("办公室的无线密码存在 Bitwarden 里。", "办公室无线密码放在 Bitwarden 中。"),
    ("房租每月三千元。", "每个月房租3000块。"),
]

UNLIKE = [
    ("The release is on 3 May.", "The release is on 8 May."),
    ("The user drinks two cups of coffee a day.", "The user drinks two cups of coffee a week."),
    ("Tom's birthday is on 4 June.", "Tim's birthday is on 4 June."),
    ("The key is in the drawer.", "The key is under the drawer."),
    ("The train to Berlin leaves at 8:15.", "The train from Berlin leaves at 8:15."),
    ("The dog bit the man.", "The man bit the dog."),
    ("Use tabs for Python and spaces for Go.", "Use spaces for Python and tabs for Go."),
    ("Only Anna may deploy on Friday.", "Anna may deploy only on Friday."),
    ("The boss likes me.", "I like the boss."),
    ("Work on Monday, rest on Friday.", "Work on Friday, rest on Monday."),
    ("The user swims on Wednesdays.", "The user swims on Wednesday."),
    ("Payments are due within 30 days.", "Payments are due after 30 days."),
    ("The user may move to Rome.", "The user moved to Rome."),
    ("Anna's sister works in Rome.", "Anna works in Rome."),
    ("I made a cake for Anna.", "I took a cake for Anna."),
    ("发布在5月3日。", "发布在5月8日。"),
    ("用户每天喝两杯咖啡。", "用户每周喝两杯咖啡。"),
    ("王磊的生日是6月4日。", "王雷的生日是6月4日。"),
    ("车库钥匙在门垫下面。", "车库钥匙在门垫上面。"),
    ("小明教李娜钢琴。", "李娜教小明钢琴。"),
    ("张伟喜欢李明。", "李明喜欢张伟。"),
    ("老板喜欢我。", "我喜欢老板。"),
    ("周一上班，周五休息。", "周五上班，周一休息。"),
    ("密码不能少于12位。", "密码不能多于12位。"),
    ("用户下班前去健身。", "用户下班后去健身。"),
    ("用户来上海出差。", "用户去上海出差。"),
    ("用户可能搬到上海。", "用户搬到了上海。"),
    ("用户的妹妹在杭州工作。", "用户在杭州工作。"),
    ("只有管理员能看日志。", "管理员只能看日志。"),
]

REPLACED = [
    ("The user likes coffee", "The user no longer drinks coffee"),
    ("用户喜欢喝咖啡", "用户不再喝咖啡了"),
    ("The user lives in Lisbon", "The user moved to Porto"),
    ("用户住在杭州", "用户搬到成都了"),
    ("The deadline for the report is 3 May", "The deadline for the report was moved to 8 May"),
    ("报告的截止日期是5月3日", "报告的截止日期改到5月8日"),
    ("Priya is the lead on the payments team.", "Leadership on the payments team changed. Sam is now the lead."),
    ("张伟负责支付模块。", "现在支付模块由李娜负责。"),
]

ASKED = [
    ("The project uses module A", "The project is about to move to module C"),
    ("项目使用模块A", "项目打算换成模块C"),
    ("Anna speaks at the conference in Rome", "Anna does not speak at the conference in Rome"),
    ("用户对花生过敏", "用户对花生不过敏"),
    ("Order AB-88 is currently pending.", "Update: order AB-88 has shipped."),
    ("订单 A-88 目前待发货。", "更新：订单 A-88 已发货。"),
    ("Anna and Ben both went to the same school", "Anna and Ben went to different schools"),
    ("Ben is fluent in Greek and Turkish", "Anna is fluent in Greek, while Ben only speaks Turkish"),
    ("My cousin lives in Rome.", "My cousin moved to Oslo."),
    ("我表姐住在北京。", "我表姐搬到上海了。"),
]

APART = [
    ("My colleague comes from Shenyang.", "My colleague comes from Shenzhen."),
    ("My cousin's birthday is on 1 June.", "My cousin's birthday is on 5 August."),
    ("我同事的老家在沈阳。", "我同事的老家在深圳。"),
    ("我表姐的生日是6月1日。", "我表姐的生日是8月5日。"),
    ("我刚才路过的商场是银泰。", "我刚才路过的商场是万象城。"),
    ("Priya leads the payments team.", "Sam leads the search team."),
    ("张敏是我的表姐，其工作地是青岛。", "张敏是我的表姐，其家乡是青岛。"),
    ("OK, noted.", "OK, done."),
    ("好的，知道了。", "好的，收到了。"),
    ("The user likes tea", "The user likes jazz"),
    ("用户喜欢茶", "用户喜欢爵士乐"),
]


def _relation(older: str, newer: str) -> Relation:
    return compare(older, newer).relation


@pytest.mark.parametrize(("first", "second"), SAME)
def test_other_words_for_the_same_are_the_same(first: str, second: str) -> None:
    assert _relation(first, second) is Relation.SAME
    assert _relation(second, first) is Relation.SAME


@pytest.mark.parametrize(("first", "second"), UNLIKE)
def test_what_differs_is_never_the_same(first: str, second: str) -> None:
    assert _relation(first, second) is not Relation.SAME
    assert _relation(second, first) is not Relation.SAME


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_news_takes_the_place_of_what_was(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.REPLACES


@pytest.mark.parametrize(("older", "newer"), ASKED)
def test_what_cannot_both_hold_is_asked_about(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.CONTRADICTS


@pytest.mark.parametrize(("first", "second"), APART)
def test_what_may_both_hold_is_left_alone(first: str, second: str) -> None:
    assert _relation(first, second) is Relation.APART
    assert _relation(second, first) is Relation.APART


def test_somebody_with_a_name_is_one_person() -> None:
    assert _relation("我同事小王住在北京。", "我同事小王住在上海。") is Relation.REPLACES
    assert _relation("My cousin Anna lives in Rome.", "My cousin Anna lives in Oslo.") is Relation.REPLACES


def test_a_verdict_quotes_nothing() -> None:
    for older, newer in (*REPLACED, *ASKED):
        assert not set(compare(older, newer).reason.split()) & {"coffee", "Lisbon", "Porto", "Anna", "Priya"}


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_can_be_compared(first: str, second: str) -> None:
    assert compare(first, second).reason


@given(st.sampled_from([text for pair in (*SAME, *UNLIKE, *REPLACED, *APART) for text in pair]))
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert _relation(text, text) in {Relation.SAME, Relation.APART}


@given(
    st.integers(1, 28), st.integers(1, 28), st.sampled_from(["The visit is on {} May", "拜访在5月{}日", "The rent is {} euros", "房租{}元"])
)
def test_two_numbers_never_merge(first: int, second: int, frame: str) -> None:
    assert (_relation(frame.format(first), frame.format(second)) is Relation.SAME) <= (first == second)


def test_values_are_read_alike_in_both_languages() -> None:
    assert values_of("周六晚上六点开会") == values_of("星期六18:00开会")
    assert values_of("猫重五公斤") == values_of("猫重5公斤")
