"""A date ahead of the clock, by a mistake or a wrong zone, lets no later news wait (CNF-2)."""

from __future__ import annotations

import pytest

from satchel.engine.engine import Engine
from write_stage import ALICE


@pytest.mark.parametrize("ahead", ["2027-06-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize(
    ("older", "newer"),
    [("The user lives in Oslo", "The user moved to Bergen"), ("用户住在北京", "用户搬到了上海"), ("我喜欢喝咖啡", "我不再喝咖啡了")],
)
def test_news_replaces_what_was_dated_ahead(memory: Engine, ahead: str, older: str, newer: str) -> None:
    memory.remember(older, scope=ALICE, id="old", created_at=ahead)
    assert memory.remember(newer, scope=ALICE, id="new").outcome == "superseded"
    assert memory.read("new", scope=ALICE).status == "active"
    assert memory.read("old", scope=ALICE).status == "archived"
