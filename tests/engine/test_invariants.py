"""What holds whatever happens: nothing is lost that nobody asked to forget, nothing is left of what somebody did (issue's invariants)."""

from __future__ import annotations

import io
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.engine.text.segmenting import hash_term, segment
from store_stage import left_in_files
from write_stage import ALICE, Clock, exported, opened, package, record

TEAM = "team:kitchen"

# ---------------------------------------------------------------- nothing is lost

SENTENCES = [
    "用户每天早上跑步",
    "The garden faces south",
    "用户的表姐住在温州",
    "Rent is due on the fifth",
    "The printer on floor 2 is out of toner",
    "会议室的投影仪要先插左边的接口",
    "用户喜欢喝龙井",
    "用户不再喝龙井了",
    "The project uses module A",
    "The project is about to move to module C",
]

_steps = st.lists(
    st.tuples(
        st.sampled_from(["remember", "archive", "restore", "confirm", "settle", "snapshot", "go back", "pass", "move", "recall"]),
        st.integers(0, 99),
    ),
    min_size=10,
    max_size=30,
)


class _Life:
    """A memory that is lived in, and the sentences that it was told."""

    def __init__(self, memory, clock) -> None:
        self.memory, self.clock = memory, clock
        self.scope = ALICE
        self.told: set[str] = set()

    def step(self, kind: str, number: int) -> None:
        getattr(self, kind.replace(" ", "_"))(number)
        self.clock.pass_(minutes=7)

    def _one(self, number: int, **where):
        held = list(self.memory.every_record(scope=self.scope, **where))
        return held[number % len(held)] if held else None

    def remember(self, number: int) -> None:
        text = SENTENCES[number % len(SENTENCES)]
        self.memory.remember(text, scope=self.scope, type=["fact", "interaction", "preference"][number % 3])
        self.told.add(text)

    def archive(self, number: int) -> None:
        if one := self._one(number):
            self.memory.update(one.id, scope=self.scope, status="archived")

    def restore(self, number: int) -> None:
        if one := self._one(number, status="archived"):
            self.memory.restore(one.id, scope=self.scope)

    def confirm(self, number: int) -> None:
        if one := self._one(number):
            self.memory.confirm(one.id, scope=self.scope)

    def settle(self, number: int) -> None:
        for found in self.memory.conflicts(scope=self.scope):
            self.memory.resolve(found.id, keep=["both", "none", found.records[0].id][number % 3])

    def snapshot(self, number: int) -> None:
        self.memory.snapshot(scope=self.scope)

    def go_back(self, number: int) -> None:
        made = self.memory.snapshots(scope=self.scope)
        if made:
            self.memory.restore(made[number % len(made)])

    def _pass(self, number: int) -> None:
        self.clock.pass_(days=number)
        self.memory.maintain(self.scope)
        position = self.memory.stats(self.scope).position
        assert self.memory.maintain(self.scope).actions == ()
        assert self.memory.stats(self.scope).position == position

    def move(self, number: int) -> None:
        target = TEAM if self.scope == ALICE else ALICE
        self.memory.move_scope(self.scope, to=target)
        self.scope = target

    def recall(self, number: int) -> None:
        self.memory.recall(SENTENCES[number % len(SENTENCES)], scope=self.scope, session=f"s{number % 3}")

    def held(self) -> str:
        return "\n".join(found.content for found in self.memory.every_record(scope=self.scope))


setattr(_Life, "pass", _Life._pass)


@settings(max_examples=40, deadline=None)
@given(steps=_steps)
def test_no_sequence_of_merges_archives_and_restores_loses_a_sentence_nobody_asked_to_forget(steps) -> None:
    clock = Clock()
    with opened(clock=clock, settings={"ceiling": 6, "consolidate_at": 3}) as memory:
        life = _Life(memory, clock)
        for kind, number in steps:
            life.step(kind, number)
            held = life.held()
            assert [text for text in life.told if text not in held] == []


@settings(max_examples=15, deadline=None)
@given(steps=_steps)
def test_a_difference_applied_to_the_first_state_is_the_second_whatever_lies_between(steps) -> None:
    own = {"usage", "revision", "updated_at", "stored_at", "scope"}

    def said(records) -> dict[str, object]:
        return {one.id: one.model_dump(exclude=own) for one in records}

    clock = Clock()
    with opened(clock=clock, settings={"ceiling": 6}) as memory:
        life = _Life(memory, clock)
        moments = []
        for place, (kind, number) in enumerate(steps):
            life.step(kind, number)
            if place % 5 == 0:
                moments.append((memory.snapshot(scope=life.scope, name=f"here {place}").name, said(memory.every_record(scope=life.scope))))
        now = list(memory.every_record(scope=life.scope))
        by_key = {(one.scope, one.id): one for one in now}
        for name, then in moments:
            forth = memory.diff(name, scope=life.scope)
            back = memory.diff("now", name, scope=life.scope)
            assert said(back.applied_to(by_key).values()) == then
            there = back.applied_to(by_key)
            assert said(forth.applied_to(there).values()) == said(now)


@settings(max_examples=15, deadline=None)
@given(steps=_steps)
def test_a_package_taken_in_twice_changes_nothing_the_second_time(steps) -> None:
    clock = Clock()
    with opened(clock=clock) as memory, opened(clock=clock) as other:
        life = _Life(memory, clock)
        for kind, number in steps:
            life.step(kind, number)
        data = exported(memory, everything=True, working=True)
        other.import_package(io.BytesIO(data))
        clock.pass_(hours=1)
        for one in list(other.every_record(scope=life.scope))[::2]:
            # What was changed here since is newer than the package.
            other.update(one.id, scope=life.scope, tags=["later"])
        position = other.stats().position
        report = other.import_package(io.BytesIO(data))
        assert other.stats().position == position
        assert set(report.counts) <= {"unchanged", "kept", "working", "tombstones", "records"} or not report.counts


# ---------------------------------------------------------------- nothing is left

SECRET = "用户的保险箱密语是紫色长颈鹿 violet-giraffe-9041"
WORDS = ("紫色长颈鹿", "violet-giraffe-9041", "giraffe")


class _Secret:
    """A memory that tells a secret in ever more places."""

    def __init__(self, memory, clock) -> None:
        self.memory, self.clock, self.scope = memory, clock, ALICE
        memory.remember(SECRET, scope=ALICE)
        memory.remember("an unrelated memory stays", scope=ALICE)

    def holders(self) -> list[str]:
        """Return the records that tell it, in whatever member."""
        return [found.id for found in self.memory.every_record(scope=self.scope) if "giraffe" in found.model_dump_json()]

    def change(self) -> None:
        self.memory.update(self.holders()[0], scope=self.scope, tags=["紫色长颈鹿"], meta={"copy": SECRET})

    def recall(self) -> None:
        self.memory.recall("giraffe 长颈鹿", scope=self.scope, session="s1", turn="1", min_relevance=0)
        self.memory.used(self.holders(), scope=self.scope, session="s1")

    def snapshot(self) -> None:
        self.memory.snapshot(scope=self.scope, reason=f"说的是：{SECRET}")

    def name(self) -> None:
        """Go back to a snapshot that is named by the secret, past a change of another memory."""
        number = len(self.memory.snapshots(scope=self.scope))
        made = self.memory.snapshot(scope=self.scope, name=f"{SECRET} {number}")
        self.memory.remember(f"an errand {number}", scope=self.scope, id=f"errand{number}")
        self.memory.restore(made)

    def restore(self) -> None:
        for made in self.memory.snapshots(scope=self.scope)[:1]:
            self.memory.restore(made)

    def session(self) -> None:
        working = self.memory.working("s1", scope=self.scope)
        working.slots["note"] = {SECRET: [SECRET]}
        working.add_event(f"听好：{SECRET}。")
        working.summary = f"聊了茶。{SECRET}。"
        working.save()

    def end(self) -> None:
        working = self.memory.working("s2", scope=self.scope)
        working.add_event(f"记住，{SECRET}")
        working.save()
        self.memory.session_end("s2", scope=self.scope)

    def arrive(self) -> None:
        lines = [record(SECRET, id="imported", scope=self.scope, at="2020-01-01T00:00:00Z"), record("茶", id="tea", scope=self.scope)]
        self.memory.import_package(package(lines))

    def correct(self) -> None:
        # One that was merged into another is corrected there, and which of them comes first is chance.
        standing = self.memory.every_record(scope=self.scope, status="active")
        for found in [found.id for found in standing if "giraffe" in found.content][:1]:
            self.memory.correct(found, "用户没有保险箱", scope=self.scope)

    def repeat(self) -> None:
        self.memory.remember(SECRET, scope=self.scope)
        self.memory.remember(f"{SECRET}！", scope=self.scope)

    def fade(self) -> None:
        self.clock.pass_(days=400)
        self.memory.maintain(self.scope)

    def move(self) -> None:
        target = TEAM if self.scope == ALICE else ALICE
        self.memory.move_scope(self.scope, to=target)
        self.scope = target

    def plan(self) -> None:
        self.memory.forget(query="保险箱", scope=self.scope)


_PLACES = ["change", "recall", "snapshot", "name", "restore", "session", "end", "arrive", "correct", "repeat", "fade", "move", "plan"]


@pytest.mark.parametrize("url", ["sqlite:///{}/agent.db", "jsonl:///{}/agent.jsonl"])
@settings(max_examples=12, deadline=None)
@given(places=st.lists(st.sampled_from(_PLACES), max_size=8))
def test_nothing_of_a_forgotten_memory_is_left_wherever_it_had_been(url, places) -> None:
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, opened(url.format(folder), clock=clock) as memory:
        secret = _Secret(memory, clock)
        for place in places:
            clock.pass_(hours=1)
            getattr(secret, place)()
        held, scope = secret.holders(), secret.scope
        for name in held:
            memory.recall("giraffe", scope=scope)
            assert memory.forget(name, scope=scope).state == "scrubbed"

        assert held
        assert left_in_files(Path(folder) / "any", *WORDS) == set()
        kept = {hash_term(term) for found in memory.every_record(scope=scope) for term in segment(found.content)}
        gone = [hash_term(term).to_bytes(4, "little") for term in segment("violet giraffe 9041 紫色长颈鹿") if hash_term(term) not in kept]
        assert [term for term in gone if any(term in row.terms for row in memory.core.store.index_slice(scope).rows)] == []
        ids = [*held, *(found.id for found in memory.every_record(scope=scope, status=["active", "pending", "archived"]))]
        told = [exported(memory, everything=True, working=True).decode()]
        told += [entry.model_dump_json() for entry in memory.recall_log(scope=scope)]
        told += [one.model_dump_json() for one in memory.snapshots(scope=[ALICE, TEAM])]
        told += [entry.model_dump_json() for name in ids for entry in memory.history(name, scope=scope)]
        told += [found.model_dump_json() for found in memory.as_of(clock.now - timedelta(minutes=1), scope=scope)]
        assert [word for word in WORDS if word in "".join(told)] == []
        assert memory.search("giraffe 长颈鹿", scope=scope) == []
        assert any(found.content == "an unrelated memory stays" for found in memory.every_record(scope=scope))
