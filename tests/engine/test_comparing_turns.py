"""A newer statement that says what took the place of what the older names, and another version of the same thing (CNF-2)."""

from __future__ import annotations

import pytest

from satchel.engine.comparing import compare
from satchel.ports import Relation

REPLACED = [
    ("We use Slack for team chat", "We switched from Slack to Teams"),
    ("We use Slack", "We switched from Slack to Teams"),
    ("We use Slack", "we have migrated off Slack to Teams"),
    ("We use Teams", "We switched back from Teams to Slack"),
    ("The team uses Jenkins", "Jenkins was replaced by GitHub Actions"),
    ("The team uses Jenkins", "We replaced Jenkins with GitHub Actions."),
    ("We deploy with Ansible", "We swapped Ansible for Terraform"),
    ("I drive a Golf", "I replaced the Golf with a Tesla"),
    ("The blog is hosted on Heroku", "The blog was moved from Heroku to Fly"),
    ("Tom works at Google", "Tom moved from Google to Meta"),
    ("数据库是MySQL", "数据库已从MySQL迁到PostgreSQL"),
    ("项目用MySQL", "已从MySQL迁移到PostgreSQL"),
    ("团队用Slack", "团队把Slack换成了飞书"),
    ("团队用Slack", "Slack已经被飞书取代了"),
    ("日志存在MongoDB", "日志从MongoDB迁移到ClickHouse"),
    ("会议在周三", "会议从周三改到了周五"),
    ("小李住在北京", "小李从北京搬到了上海"),
    ("The project uses Python 3.11", "The project is now on Python 3.12"),
    ("The project uses Python 3.11", "We upgraded to Python 3.12"),
    ("项目用Python 3.11", "项目升级到Python 3.12了"),
    ("前端用Vue 2", "前端现在用Vue 3了"),
    ("陈平是厨师", "陈平不当厨师了"),
    ("陈平是店长", "陈平不再担任店长了"),
    ("支付模块由王磊负责", "支付模块改由李娜负责"),
]
"""The newer names what it puts away, or tells another version of it."""

ASKED = [
    ("We use Slack", "We switched from Slack to Teams for calls"),
    ("We use Slack and Zoom", "We switched from Slack to Teams"),
]
"""It may be a part of it alone."""

APART = [
    ("We use Slack", "Acme switched from Slack to Teams"),
    ("We use Slack", "They switched from Slack to Teams"),
    ("We use Slack", "The design team switched from Slack to Teams"),
    ("We use Slack", "We are thinking about switching from Slack to Teams"),
    ("We use Slack", "I almost switched from Slack to Teams"),
    ("We use Slack", "We never switched from Slack to Teams"),
    ("We use Slack", "Should we have switched from Slack to Teams?"),
    ("I like Slack", "I switched from Slack to Teams"),
    ("Slack was slow", "We switched from Slack to Teams"),
    ("Rome is the capital of Italy", "We moved from Rome to Oslo"),
    ("The client uses Slack", "We switched from Slack to Teams"),
    ("The blog is hosted on Heroku", "The shop was moved from Heroku to Fly"),
    ("We use MySQL for orders", "We migrated the analytics from MySQL to PostgreSQL"),
    ("I drive a Golf", "My brother replaced his Golf with a Tesla"),
    ("王磊用Slack", "李娜从Slack换到了飞书"),
    ("客户用MySQL", "我们从MySQL迁到PostgreSQL了"),
    ("前端用React", "后端从React换成了Vue"),
    ("订单存在MongoDB", "日志从MongoDB迁移到ClickHouse"),
    ("我喜欢Slack", "团队从Slack换到了飞书"),
    ("项目A用Python 3.11", "项目B现在用Python 3.12了"),
    ("The backend uses Java 17", "The frontend is on Java 21 now"),
    ("The app needs Python 3.9 or later", "The CI is now on Python 3.12"),
    ("陈平是厨师", "陈明不当厨师了"),
    ("陈平会做饭", "陈平不当厨师了"),
]
"""Somebody else's change, one that was not made, or what holds all the same."""


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_what_took_the_place_of_what_is_named_replaces_it(older: str, newer: str) -> None:
    assert compare(older, newer).relation is Relation.REPLACES


@pytest.mark.parametrize(("older", "newer"), ASKED)
def test_what_may_be_a_part_of_it_is_asked_about_or_told(older: str, newer: str) -> None:
    assert compare(older, newer).relation in {Relation.CONTRADICTS, Relation.MAY_CONTRADICT}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We use Postgres for the orders service", "We use Mongo for the catalog service"),
        ("We use Terraform for the staging cluster", "We use Pulumi for the production cluster"),
        ("We use Notion for meeting notes", "We use Obsidian for reading notes"),
        ("We use Stripe for US payments", "We use Adyen for European payments"),
    ],
)
def test_what_is_told_of_two_parts_hides_neither(older: str, newer: str) -> None:
    for one, other in ((older, newer), (newer, older)):
        assert compare(one, other).relation in {Relation.APART, Relation.MAY_CONTRADICT}


def test_what_is_told_of_one_part_is_asked_about() -> None:
    assert compare("We use Postgres for the orders service", "We use MySQL for the orders service").relation is Relation.CONTRADICTS


@pytest.mark.parametrize(("older", "newer"), APART)
def test_the_change_of_something_else_puts_nothing_away(older: str, newer: str) -> None:
    assert compare(older, newer).relation in {Relation.APART, Relation.MAY_CONTRADICT}
