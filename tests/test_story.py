"""Thirty days of one memory, told day by day: born in use, promoted, strengthened, merged, superseded, archived, restored, forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from satchel.engine.engine import Engine
from satchel.engine.retention.scoring import strength
from satchel.errors import NotFound
from satchel.protocol.record import MemoryRecord
from write_stage import START, Clock, opened, package, record

DAY = 86_400.0
ME = "user:lin"
WEB = "user:lin/project:web"


class Days:
    """The calendar of the story: each day ends with the night's maintenance."""

    def __init__(self, memory: Engine, clock: Clock) -> None:
        self.memory = memory
        self._clock = clock
        self.nights: list[tuple[int, str, str]] = []

    @property
    def today(self) -> int:
        return (self._clock.now - START).days + 1

    def until(self, day: int) -> None:
        """Live on, night by night, to the morning of a day."""
        while self.today < day:
            foretold = self.memory.maintain(dry_run=True).actions
            done = self.memory.maintain().actions
            assert done == foretold, "a night does what it was foretold to do"
            self.nights += [(self.today, action.step.value, action.id) for action in done]
            assert self.memory.maintain().actions == (), "a second pass changes nothing"
            self._clock.now = START + timedelta(days=self.today)

    def what_happened_to(self, id: str) -> list[tuple[int, str]]:
        return [(day, step) for day, step, name in self.nights if name == id]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def days(tmp_path: Path, clock: Clock) -> Iterator[Days]:
    with opened(tmp_path / "lin.db", clock=clock, agent="assistant") as memory:
        yield Days(memory, clock)


def recalled(memory: Engine, question: str, scope: str = ME) -> list[str]:
    return [hit.record.content for hit in memory.recall(question, scope=scope)]


def now(days: Days, id: str, scope: str = ME) -> float:
    return strength(days.memory.read(id, scope=scope), days.memory.core.now().timestamp(), days.memory.core.settings)


def active(memory: Engine, scope: str = ME) -> dict[str, MemoryRecord]:
    return {found.id: found for found in memory.every_record(scope=scope, status="active")}


def test_thirty_days(days: Days) -> None:
    memory = days.memory

    # Day 1: what the user says is remembered, each kind for as long as its kind lasts.
    memory.remember("用户对花生严重过敏", scope=ME, id="allergy", type="profile")
    memory.remember("用户喜欢喝美式咖啡", scope=ME, id="coffee", type="preference")
    memory.remember("Ship the beta of the web shop", scope=ME, id="beta", type="task", due_at=START + timedelta(days=20))
    memory.remember("等电梯时聊到天气很闷", scope=ME, id="weather", type="interaction")
    memory.remember("本周会议室的口令是枫叶", scope=ME, id="code", ttl=5 * DAY)
    memory.remember("用户以前养过一只叫豆包的猫", scope=ME, id="cat", type="interaction")
    memory.import_package(package(record(text, id=f"web{n}", scope=WEB) for n, text in enumerate(STAGING[:5])))
    assert recalled(memory, "花生") == ["用户对花生严重过敏"]

    # Day 2: said again in other words, and by a retry: one record, stronger for the first only.
    days.until(2)
    before = memory.read("coffee", scope=ME).score
    assert memory.remember("用户喜欢喝美式咖啡", scope=ME, id="retry").outcome == "reinforced"
    assert memory.remember("用户喜欢喝美式咖啡", scope=ME, id="retry").outcome == "unchanged"
    assert memory.read("coffee", scope=ME).score == pytest.approx(before + (1 - before) / 2)

    # Day 5: use keeps a memory strong; what nobody used has faded.
    days.until(5)
    assert recalled(memory, "美式咖啡") == ["用户喜欢喝美式咖啡"]
    memory.maintain()
    assert now(days, "coffee") > memory.read("coffee", scope=ME).score
    assert now(days, "weather") < 0.15

    # Day 7: the code has run out, and is put away the night after.
    days.until(7)
    assert "code" not in active(memory)
    assert days.what_happened_to("code") == [(6, "expire")]
    assert recalled(memory, "会议室口令") == []

    # Day 8: an old tool's memory arrives, with what is known already.
    days.until(8)
    memory.import_package(
        package(
            [
                record("用户喜欢喝美式咖啡", id="old-coffee", scope=ME, tags=("old",)),
                record("The user has a sister in Porto", id="sister", scope=ME),
                *(record(text, id=f"more{n}", scope=WEB) for n, text in enumerate(STAGING[5:])),
            ]
        )
    )
    days.until(9)
    survivor, twin = memory.read("coffee", scope=ME), memory.read("old-coffee", scope=ME)
    if twin.status == "active":
        survivor, twin = twin, survivor
    assert (survivor.status, twin.status) == ("active", "archived")
    assert twin.relations.superseded_by == (survivor.id,)
    assert set(survivor.tags) == {"old"}

    # The night also put the web project's eight notes about its server together; no sentence is lost.
    (server,) = active(memory, WEB).values()
    assert all(text in server.content for text in STAGING)
    assert recalled(memory, "heron staging server", WEB) == [server.content]

    # Day 10: the world changes; the newer word stands, and the older can be seen.
    days.until(10)
    done = memory.correct(survivor.id, "用户不再喝咖啡，改喝龙井茶", scope=ME, new_id="tea", reason="the user said so")
    assert done.related == (survivor.id,)
    assert recalled(memory, "喝咖啡还是喝龙井茶")[0] == "用户不再喝咖啡，改喝龙井茶"
    assert survivor.content not in recalled(memory, "喝咖啡还是喝龙井茶")
    assert memory.read(survivor.id, scope=ME).status == "archived"

    # Day 21: the beta is overdue, and faint, but it is not done.
    days.until(21)
    assert "beta" in active(memory)
    assert now(days, "beta") < 0.15
    memory.update("beta", scope=ME, meta={"done": True})

    # Day 26: idle talk is nearly gone and archived. The cat is asked for: found, used, and back.
    days.until(26)
    assert [step for _, step in days.what_happened_to("weather")] == ["archive"]
    assert [step for _, step in days.what_happened_to("cat")] == ["archive"]
    assert memory.read("cat", scope=ME).status == "archived"
    assert recalled(memory, "豆包") == ["用户以前养过一只叫豆包的猫"]
    days.until(27)
    assert "cat" in active(memory)
    last = memory.history("cat", scope=ME)[-1]
    assert (last.operation, last.reason) == ("restore", "found again by recall, and used")

    # Day 28: the user asks to forget the sister. She does not come back, by import or by any night.
    days.until(28)
    memory.forget("sister", scope=ME, reason="the user asked")
    memory.import_package(package([record("The user has a sister in Porto", id="again", scope=ME)]))
    with pytest.raises(NotFound):
        memory.read("again", scope=ME)

    # Day 31: a person looks back over the month.
    days.until(31)
    assert set(active(memory)) == {"allergy", "tea", "cat", "beta"}
    assert now(days, "allergy") > 0.8
    held = {found.id: found for found in memory.every_record(scope=ME)}
    assert "Porto" not in str(held)
    assert all(entry.reason for id in ("weather", "cat", "code") for entry in memory.history(id, scope=ME) if entry.operation == "archive")
    foretold = {one.id: one for one in memory.simulate(ME, days=60).records}
    assert foretold["beta"].archived_at is not None
    assert foretold["allergy"].archived_at is None
    assert memory.restore("weather", scope=ME).status == "active"


STAGING = (
    "The staging server is called heron",
    "The staging server runs Debian 12",
    "Deploys to the staging server happen on Tuesdays",
    "The staging server holds a copy of the PostgreSQL 16 database",
    "The staging server has 16 GB of memory",
    "The staging server keeps two weeks of logs",
    "Access to the staging server goes through the bastion host",
    "The staging server is reset every first Monday of the month",
)
