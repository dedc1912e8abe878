"""What entered which session, and what of it was used: OBS-4, OBS-5."""

from __future__ import annotations

from datetime import timedelta

import pytest

from satchel.engine.recall.recall_log import RECALLS
from satchel.engine.settings import Settings
from satchel.errors import NotFound
from write_stage import ALICE, BOB, START, opened


def told(memory, scope=ALICE, session=None):
    return [
        (entry.session, entry.turn, [(item.id, item.revision, item.used) for item in entry.items])
        for entry in memory.recall_log(scope=scope, session=session)
    ]


def test_the_log_says_which_revision_entered_which_session_and_turn(memory, clock):
    memory.remember("The user plays the cello", scope=ALICE, id="cello")
    memory.recall("cello", scope=ALICE, session="s1", turn="1")
    memory.update("cello", scope=ALICE, tags=["music"])
    clock.pass_(minutes=1)
    memory.context("who plays the cello?", scope=ALICE, session="s2", turn="七")
    memory.recall("cello", scope=ALICE)
    assert told(memory) == [("s1", "1", [("cello", 1, False)]), ("s2", "七", [("cello", 2, False)])]
    assert [entry.session for entry in memory.recall_log(scope=ALICE, session="s2")] == ["s2"]
    entry = next(memory.recall_log(scope=ALICE))
    assert (entry.scope, entry.agent, entry.at) == (ALICE, "writer", START)


def test_a_recall_over_two_scopes_is_logged_in_each(memory):
    memory.remember("她喜欢大提琴", scope=ALICE, id="a")
    memory.remember("他也喜欢大提琴", scope=BOB, id="b")
    memory.recall("大提琴", scope=[ALICE, BOB], session="s")
    assert told(memory, ALICE) == [("s", None, [("a", 1, False)])]
    assert told(memory, BOB) == [("s", None, [("b", 1, False)])]


def test_the_log_holds_no_content_and_is_written_off_the_read_path(memory):
    memory.remember("a very recognisable sentence", scope=ALICE, id="x")
    memory.recall("recognisable sentence", scope=ALICE, session="s")
    memory.recall("recognisable sentence", scope=ALICE, session="s", turn="2")
    assert memory.core.store.documents(RECALLS) == []
    assert len(told(memory)) == 2
    (document,) = memory.core.store.documents(RECALLS)
    assert "recognisable" not in str(document.value)


def test_the_log_is_read_in_pages(memory, monkeypatch):
    memory.remember("cello", scope=ALICE, id="x")
    for turn in range(7):
        memory.recall("cello", scope=ALICE, session="s", turn=str(turn))
        if turn % 3 == 0:
            told(memory)
    monkeypatch.setattr("satchel.operations.models.MAX_LIMIT", 2)
    assert [turn for _, turn, _ in told(memory)] == [str(turn) for turn in range(7)]


def test_a_reported_use_is_marked_and_counted_once_a_session(memory):
    memory.remember_many([{"content": "她拉大提琴", "id": "a"}, {"content": "大提琴很贵", "id": "b"}], scope=ALICE)
    memory.recall("大提琴", scope=ALICE, session="s")
    assert memory.stats(ALICE).hit_rate is None
    done = memory.used(["a", "nobody"], scope=ALICE, session="s")
    assert (done.counted, done.unknown) == (1, ("nobody",))
    assert memory.used(["a"], scope=ALICE, session="s").counted == 0
    ((_, _, items),) = told(memory)
    assert sorted(items) == [("a", 1, True), ("b", 1, False)]
    stats = memory.stats(ALICE)
    assert (stats.recalled, stats.used, stats.hit_rate) == (2, 1, 0.5)


def uses(memory, record_id: str) -> int:
    memory.export(to=__import__("io").BytesIO(), everything=True)
    return memory.read(record_id, scope=ALICE).usage.access_count


def test_what_recall_counted_is_not_counted_again_when_it_is_used(memory):
    memory.remember("她拉大提琴", scope=ALICE, id="a")
    memory.recall("大提琴", scope=ALICE, session="s")
    memory.used(["a"], scope=ALICE, session="s")
    assert uses(memory, "a") == 1
    memory.used(["a"], scope=ALICE, session="another")
    assert uses(memory, "a") == 2


def test_by_setting_only_what_was_used_counts(clock):
    with opened(clock=clock, settings=Settings(refresh_on="used")) as memory:
        memory.remember("她拉大提琴", scope=ALICE, id="a")
        memory.remember("大提琴很贵", scope=ALICE, id="b")
        memory.recall("大提琴", scope=ALICE, session="s")
        memory.context("大提琴", scope=ALICE, session="s")
        memory.used(["a"], scope=ALICE, session="s")
        assert (uses(memory, "a"), uses(memory, "b")) == (1, 0)


def test_a_forgotten_memory_leaves_the_log_also_where_it_was_not_written_yet(memory):
    memory.remember_many([{"content": "她拉大提琴", "id": "a"}, {"content": "大提琴很贵", "id": "b"}], scope=ALICE)
    memory.recall("大提琴", scope=ALICE, session="s", turn="1")
    memory.used(["a"], scope=ALICE, session="s")
    memory.recall("大提琴", scope=ALICE, session="s", turn="2")
    memory.forget("a", scope=ALICE)
    assert told(memory) == [("s", "1", [("b", 1, False)]), ("s", "2", [("b", 1, False)])]
    memory.forget("b", scope=ALICE)
    assert told(memory) == []
    assert memory.core.store.documents(RECALLS) == []


def test_the_log_moves_with_its_scope(memory):
    memory.remember("她拉大提琴", scope=ALICE, id="a")
    memory.recall("大提琴", scope=ALICE, session="s")
    told(memory)
    memory.move_scope(ALICE, to=BOB)
    assert told(memory, ALICE) == []
    assert told(memory, BOB) == [("s", None, [("a", 1, False)])]


def test_the_log_is_bounded_by_age_and_size(clock, monkeypatch):
    monkeypatch.setattr("satchel.engine.recall.recall_log._PRUNE_EVERY", 1)
    with opened(clock=clock, settings=Settings(recall_log_batches=3, recall_log_seconds=86_400)) as memory:
        memory.remember("她拉大提琴", scope=ALICE, id="a", pinned=True)
        for turn in range(5):
            clock.now += timedelta(minutes=1)
            memory.recall("大提琴", scope=ALICE, session="s", turn=str(turn))
            told(memory)
        assert [turn for _, turn, _ in told(memory)] == ["2", "3", "4"]
        clock.pass_(days=2)
        memory.recall("大提琴", scope=ALICE, session="s", turn="late")
        assert [turn for _, turn, _ in told(memory)] == ["late"]


def test_the_log_is_for_those_who_may_read_the_scope(memory):
    memory.remember("x", scope=ALICE, id="x")
    bound = memory.bind(read=[BOB])
    with pytest.raises(NotFound):
        next(bound.recall_log(scope=ALICE))
    with pytest.raises(NotFound):
        bound.used(["x"], scope=ALICE, session="s")


def test_closing_writes_what_is_still_gathered(tmp_path, clock):
    with opened(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("她拉大提琴", scope=ALICE, id="a")
        memory.recall("大提琴", scope=ALICE, session="s")
    with opened(tmp_path / "m.db", clock=clock) as memory:
        assert told(memory) == [("s", None, [("a", 1, False)])]
