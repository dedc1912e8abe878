"""Another value of the same thing, where the newer says that it has changed (CNF-2)."""

from __future__ import annotations

import pytest

from satchel.engine.comparing import compare
from satchel.ports import Relation

REPLACED = [
    ("Timeout is 30 seconds", "Timeout is now 60 seconds"),
    ("The timeout is set to 30 seconds", "The timeout was changed to 60 seconds"),
    ("The API is on v2", "The API is now on v3"),
    ("The config is in deploy/prod.yaml", "The config is now in ops/prod.yaml"),
    ("超时是30秒", "超时改为60秒"),
    ("超时设置为30秒", "超时时间改为60秒"),
    ("周会在周一", "周会改到周二了"),
    ("周会在周一上午十点", "周会改到周二下午三点了"),
    ("项目上线时间是6月10日", "上线推迟到6月24日"),
    ("我的邮箱是 lin@old.example.com", "我的邮箱换成 lin@new.example.com 了"),
]

KEPT = [
    ("Timeout is 30 seconds", "The retry limit is now 60 seconds"),
    ("The read timeout is 30 seconds", "The write timeout is now 60 seconds"),
    ("Timeout is 30 seconds", "Timeout might change to 60 seconds"),
    ("Timeout is 30 seconds", "Timeout is now 3 retries"),
    ("The web API is on v2", "The billing API is now on v3"),
    ("超时是30秒", "重试改为60秒"),
    ("读超时是30秒", "写超时改为60秒"),
    ("周会在周一", "例会改到周二了"),
    ("周会在周一", "周会打算改到周二"),
    ("我的邮箱是 lin@old.example.com", "他的邮箱换成 wang@new.example.com 了"),
    ("房租每月5号交", "水费改到每月8号交"),
]


@pytest.mark.parametrize(("older", "newer"), REPLACED)
def test_a_value_that_is_told_to_have_changed_replaces_the_old_one(older: str, newer: str) -> None:
    assert compare(older, newer).relation is Relation.REPLACES


@pytest.mark.parametrize(("older", "newer"), KEPT)
def test_the_value_of_another_thing_or_one_that_is_only_planned_replaces_none(older: str, newer: str) -> None:
    assert compare(older, newer).relation not in {Relation.REPLACES, Relation.SAME}
