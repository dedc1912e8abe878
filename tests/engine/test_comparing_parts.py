"""What holds of a part, for a while, later or of one of several (CNF-1 to CNF-3) hides nothing; what is plainly news still does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from satchel.engine.comparing import compare, may_be_same
from satchel.engine.engine import Engine
from satchel.operations.models import Outcome
from satchel.ports import Relation
from satchel.protocol.record import Status
from write_stage import ALICE

OF_A_PART = [
    ("Logs are kept for 30 days.", "Logs are kept for 90 days in production."),
    ("The price is $9.", "The price is $7 for students."),
    ("The limit is 10 MB.", "The limit is 50 MB for paying customers."),
    ("The version is 2.1.", "The version is 2.2 on iOS."),
    ("The deadline is 10 June.", "The deadline is 12 June for the Swiss team."),
    ("Backups are kept for 7 days.", "Backups are kept for 30 days off-site."),
    ("The server port is 8080.", "The server port is 9090 in tests."),
    ("My favourite colour is blue.", "My favourite colour for cars is red."),
    ("My alarm is at 6:30.", "My alarm is at 8:00 at weekends."),
    ("Tokens expire after 1 hour.", "Tokens expire after 8 hours for admins."),
    ("Always use metric units.", "Always use imperial units for US customers."),
    ("I live in Berlin.", "I live in Oslo during the summer."),
    ("I live in Berlin.", "I moved to Oslo in 1998."),
    ("I work at Bosch.", "I work at SAP every Friday."),
    ("I work at Bosch.", "I work at Starbucks most mornings because the Wi-Fi is good."),
]

LATER = [
    ("The user has quit smoking.", "The user smoked in his twenties."),
    ("I live in Berlin.", "I will move to Oslo in May."),
    ("I live in Berlin.", "I'm moving to Oslo next spring."),
    ("I live in Berlin.", "I'll be living in Oslo from June."),
    ("I work at Bosch.", "I will work at SAP from July."),
    ("My phone number is 555-0143.", "My phone number will be 555-0199 from May."),
]

PLANNED = [
    ("I live in Berlin.", "I will move to Oslo."),
    ("I live in Berlin.", "I am going to move to Oslo."),
    ("I work at Bosch.", "I will work at SAP."),
    ("我住在杭州。", "我将住在南京。"),
    ("我住在杭州。", "我打算搬到南京。"),
]

OF_SEVERAL = [
    ("I have an appointment with Dr. Weiss on Tuesday at 10.", "I have an appointment with Dr. Kern on Tuesday at 15."),
    ("I have a meeting with Anna on Monday.", "I have a meeting with Ben on Monday."),
    ("The user has a bank account at ING.", "The user has a bank account at DKB."),
    ("The app supports login with Google.", "The app supports login with Apple."),
    ("The user lent a book to Tom.", "The user lent a book to Ida."),
    ("The user has a scar on the left knee.", "The user has a scar on the right knee."),
    ("The user collects stamps from Japan.", "The user collects stamps from Peru."),
    ("Price of plan Basic is $9.", "Price of plan Pro is $19."),
    ("My flight to Rome leaves at 7:40.", "My flight back from Rome leaves at 18:20."),
    ("应用支持德语。", "应用支持波兰语。"),
    ("应用支持谷歌登录。", "应用支持苹果登录。"),
    ("我们部署在上海机房。", "我们部署在北京机房。"),
    ("公司在杭州设有研发中心。", "公司在成都设有研发中心。"),
    ("用户养了一只叫橘子的猫。", "用户养了一只叫豆豆的狗。"),
]

PARTLY_DENIED = [
    ("The user eats fish.", "The user does not eat raw fish."),
    ("The user speaks German.", "The user does not speak German well."),
    ("I trust Anna.", "I do not trust Anna's brother."),
    ("I have been vegetarian since 2010.", "I was not vegetarian before 2010."),
    ("The printer works.", "The printer on the second floor does not work."),
    ("Do not email the customer before Monday.", "Email the customer on Monday."),
]

ELSEWHERE = [
    ("Peter leads the web team.", "Maria leads the web team while Peter is on leave."),
    ("I live in Berlin.", "I moved to Linux."),
    ("I live in Berlin.", "I moved to Kubernetes."),
    ("I live in Berlin.", "I moved to PostgreSQL 16."),
    ("I live in Berlin.", "I moved to the marketing department."),
    ("我住在杭州。", "我搬到了后排。"),
    ("我住在杭州。", "我搬到了市场部。"),
    ("我住在杭州。", "我搬到了飞书。"),
    ("The deadline for the report is 10 June.", "The deadline for the report's first draft is 1 June."),
    ("价格是9元。", "价格对学生来说是7元。"),
    ("日志保留30天。", "生产环境的日志保留90天。"),
    ("用户在华为工作。", "用户周末在小米工作。"),
    ("我住在杭州。", "我明年会住在南京。"),
    ("午饭12点吃。", "晚饭改到19点吃。"),
    ("周一站会九点半开。", "周五站会改到十点开。"),
]

OTHERWISE_MEANT = [
    ("The invoice is to be paid.", "The invoice is paid."),
    ("The contract is to be signed by Paula.", "The contract is signed by Paula."),
    ("Anna is to lead the team.", "Anna leads the team."),
    ("You should call Anna.", "You must call Anna."),
    ("The fee is 10 euros.", "The fee is about 10 euros."),
    ("The trip takes 10 minutes.", "The trip takes almost 10 minutes."),
    ("The variable is userId.", "The variable is userID."),
    ("报告要周一发。", "报告周一发了。"),
    ("文件应该周五前交。", "文件必须周五前交。"),
    ("费用10元。", "费用约10元。"),
    ("费用是10元。", "费用大约是10元。"),
]

STILL_ONE = [
    ("The file must be kept.", "The file has to be kept."),
    ("You ought to call Anna.", "You should call Anna."),
    ("The fee is around 10 euros.", "The fee is about 10 euros."),
    ("费用大约10元。", "费用约10元。"),
    ("租约9月30日到期。", "租约到9月30日为止。"),
]

NEWS = [
    ("The deadline for the report is 10 June.", "The deadline for the report was extended to 24 June."),
    ("The rate limit is 100 requests per minute.", "The rate limit was raised to 250 requests per minute."),
    ("I work at Siemens.", "I left Siemens and now work at Bosch."),
    ("Dark mode is disabled.", "Dark mode is enabled now."),
    ("站会九点半开。", "站会改到十点开。"),
    ("站会九点半开始。", "站会改成十点开始。"),
    ("评审会在周三。", "评审会改到周四。"),
    ("密码是alpha。", "密码改成了beta。"),
    ("价格是9元。", "价格降到7元。"),
    ("我住在杭州。", "我上个月搬到了南京。"),
    ("I live in Hamburg.", "I moved to Munich last month."),
    ("I live in Hamburg.", "I moved to Munich in May for a new job."),
    ("I live in Hamburg.", "I now live in Munich for work."),
    ("The user lives in Berlin.", "The user lives in Munich with Anna near the river."),
    ("The user works at Bosch.", "The user works at SAP in Munich."),
    ("The deadline is 10 June.", "The deadline is 12 June at 17:00."),
    ("The deadline is 10 June.", "The deadline is 12 June at noon."),
    ("The price is $9.", "The price is $12 a month."),
    ("Logs are kept for 30 days.", "Logs are kept for 90 days."),
    ("我住在杭州。", "我搬到了南京。"),
    ("默认分支是master。", "默认分支改成了main。"),
]

ONCE = [
    ("The user smoked in his twenties.", "The user has quit smoking."),
    ("The user lived in Rome in 2010.", "The user no longer lives in Rome."),
]

STILL_ASKED = [
    ("Backups run daily at 2 am.", "Backups run daily at 2 pm."),
    ("钥匙在门垫下面。", "钥匙在花盆下面。"),
    ("The user is on sick leave until 5 March.", "The user is on sick leave until 19 March."),
    ("The user eats fish.", "The user does not eat fish."),
    ("The printer works.", "The printer does not work."),
    ("用户吃鱼。", "用户不吃鱼。"),
]


def _relation(older: str, newer: str) -> Relation:
    return compare(older, newer).relation


@pytest.mark.parametrize(("older", "newer"), [*OF_A_PART, *LATER])
def test_what_holds_of_a_part_or_later_hides_nothing(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.MAY_CONTRADICT


@pytest.mark.parametrize(("first", "second"), [*OF_SEVERAL, *PARTLY_DENIED])
def test_one_of_several_hides_no_other_and_a_part_denied_not_the_whole(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.MAY_CONTRADICT


@pytest.mark.parametrize(("older", "newer"), [*PLANNED, *STILL_ASKED])
def test_a_plan_without_a_time_and_two_values_of_one_thing_are_asked_about(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.CONTRADICTS


@pytest.mark.parametrize(("older", "newer"), ELSEWHERE)
def test_another_kind_of_move_and_another_owner_are_left_alone(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.APART


@pytest.mark.parametrize(("first", "second"), OTHERWISE_MEANT)
def test_what_is_to_be_done_is_not_done_and_about_ten_is_not_ten(first: str, second: str) -> None:
    assert Relation.SAME not in {_relation(first, second), _relation(second, first)}
    assert not may_be_same(first, second)


@pytest.mark.parametrize(("first", "second"), STILL_ONE)
def test_the_same_duty_and_the_same_guess_are_one(first: str, second: str) -> None:
    assert _relation(first, second) is _relation(second, first) is Relation.SAME


@pytest.mark.parametrize(("older", "newer"), NEWS)
def test_news_with_a_nearer_account_still_takes_its_place(older: str, newer: str) -> None:
    assert _relation(older, newer) is Relation.REPLACES


@pytest.mark.parametrize(("older", "newer"), ONCE)
def test_what_once_was_is_not_put_away_because_it_ended(older: str, newer: str) -> None:
    assert _relation(older, newer) is not Relation.REPLACES
    assert _relation("The user smokes.", "The user has quit smoking.") is Relation.REPLACES


LATER_ON = datetime(2031, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("span", [{"valid_from": LATER_ON}, {"valid_until": LATER_ON}, {"expires_at": LATER_ON}, {"ttl": 86_400.0}])
@pytest.mark.parametrize(("older", "newer"), [("The user lives in Berlin", "The user lives in Oslo"), ("用户住在杭州", "用户住在南京")])
def test_a_value_for_later_or_for_a_while_stands_beside_the_one_that_holds(
    memory: Engine, older: str, newer: str, span: dict[str, Any]
) -> None:
    was = memory.remember(older, scope=ALICE).record
    done = memory.remember(newer, scope=ALICE, **span)
    assert done.outcome is Outcome.CREATED and done.related == (was.id,)
    assert memory.read(was.id, scope=ALICE).status is Status.ACTIVE


def test_what_held_for_a_while_gives_way_to_what_holds_and_the_same_span_to_news(memory: Engine) -> None:
    memory.remember("The user lives in Oslo", scope=ALICE, valid_until=LATER_ON)
    assert memory.remember("The user lives in Berlin", scope=ALICE).outcome is Outcome.SUPERSEDED
    memory.remember("用户在华为工作", scope=ALICE, valid_until=LATER_ON)
    assert memory.remember("用户现在在小米工作", scope=ALICE, valid_until=LATER_ON).outcome is Outcome.SUPERSEDED
