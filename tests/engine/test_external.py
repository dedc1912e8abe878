"""The engine's side of an external index: it follows the truth, is done without while it is down, and mends itself (STO-2, RET-5)."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import pytest

from index_stage import ASKED, WordEmbedder, answers, fill, findings, held, indexed, raw, semantic
from satchel.engine.engine import Engine
from satchel.engine.index import entries, external, outside
from satchel.errors import StoreUnavailable
from satchel.indexes.exact import ExactIndex
from satchel.ports import Position, VectorEntry
from satchel.service.health import health_of
from write_stage import ALICE, BOB, Clock, exported

UNCACHED = {"answer_cache_seconds": 0}


class Server(ExactIndex):
    """An index that keeps what it has while nobody is connected, counts what it is asked, and can be cut off."""

    capabilities = frozenset({"persistent", "multiprocess", "scrub"})

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.slow = 0.0
        self.asked: list[tuple[str, int]] = []

    def _reach(self) -> None:
        if self.down:
            raise ConnectionError("nobody answers")

    def _put(self, scope, entries):
        self.asked += [("put", len(entries))] if scope else []
        if scope:
            sleep(self.slow)
        super()._put(scope, entries)

    def _search(self, scope, vector, limit, exact):
        self.asked.append(("search", limit))
        return super()._search(scope, vector, limit, exact)

    def count_of(self, verb: str) -> int:
        return sum(count for name, count in self.asked if name == verb)


@pytest.fixture
def server() -> Server:
    return Server()


def wait_until(done: Callable[[], bool], seconds: float = 20.0) -> None:
    end = monotonic() + seconds
    while not done():
        assert monotonic() < end, "it never came to it"
        sleep(0.01)


# ---------------------------------------------------------------- following


def test_vectors_are_in_the_index_and_not_in_memory(server):
    with indexed("memory://", server) as memory:
        fill(memory)
        assert semantic(memory)
        index = memory._parts.recaller.indexes.held(ALICE)
        assert index is not None
        assert index.dimension == WordEmbedder.dimension
        assert index.vectors.bytes == 0
        assert len(held(memory)) == 40


def test_only_what_changed_is_copied_and_after_opening_again_nothing(server, tmp_path):
    with indexed(tmp_path / "a.db", server) as memory:
        fill(memory)
        memory.search("花生", scope=ALICE)
        assert server.count_of("put") == 40
        memory.remember("又一条 one more", scope=ALICE, id="more")
        memory.forget("m001", scope=ALICE)
        memory.search("one more", scope=ALICE)
        assert server.count_of("put") == 41
        assert "m001" not in held(memory)
    with indexed(tmp_path / "a.db", server) as memory:
        assert "more" in [hit.record.id for hit in memory.search("one more", scope=ALICE)]
        assert server.count_of("put") == 41


def test_content_that_changed_has_its_new_vector(server):
    with indexed("memory://", server) as memory:
        fill(memory, 5)
        memory.search("花生", scope=ALICE)
        before = held(memory)
        memory.remember("完全不同的内容 something else", scope=ALICE, id="m001")
        memory.search("花生", scope=ALICE)
        assert {name for name, checksum in held(memory).items() if before[name] != checksum} == {"m001"}


def test_the_neighbours_of_what_was_used_are_the_same(server):
    """RET-3: what lies close to a record that was used is refreshed with it."""
    told = []
    for index in (None, server):
        clock = Clock()
        with indexed("memory://", index, clock=clock) as memory:
            fill(memory)
            clock.pass_(days=20)
            memory.recall("花生", scope=ALICE, limit=2)
            memory._parts.recaller.flush()
            told.append({record.id: record.usage for record in memory.every_record(scope=ALICE)})
    assert told[0] == told[1]
    assert len([usage for usage in told[0].values() if usage.last_access_at is not None and not usage.access_count]) == 3


def test_several_engines_on_one_index_follow_each_other(server, tmp_path):
    with indexed(tmp_path / "a.db", server, settings=UNCACHED) as one, indexed(tmp_path / "a.db", server, settings=UNCACHED) as two:
        for round_ in range(5):
            one.remember(f"甲 {round_} from one", scope=ALICE, id=f"one{round_}")
            two.remember(f"乙 {round_} from two", scope=ALICE, id=f"two{round_}")
            assert answers(one) == answers(two)
        one.forget("two3", scope=ALICE)
        assert answers(one) == answers(two)
        assert findings(one) == findings(two)
        assert findings(one)[0][0] == "ok"


def test_threads_that_ask_write_and_forget_leave_the_index_as_the_store_is(server, tmp_path):
    with indexed(tmp_path / "a.db", server, settings=UNCACHED) as memory:
        fill(memory)

        def work(place: int) -> None:
            for turn in range(15):
                memory.remember(f"线程 {place} 第 {turn} 条 note", scope=ALICE, id=f"t{place}-{turn}")
                memory.search("线程 note", scope=ALICE)
                if turn % 3 == 2:
                    assert memory.forget(f"t{place}-{turn - 1}", scope=ALICE).state == "scrubbed"
                    assert f"t{place}-{turn - 1}" not in held(memory)

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(work, place) for place in range(4)]:
                done.result()
        memory.search("note", scope=ALICE)
        assert findings(memory) == [("ok", "exact:// holds what the store does, as far as it has come")]


# ---------------------------------------------------------------- down, and back


def test_while_the_index_is_down_words_answer_and_it_is_said_once(server, caplog):
    with indexed("memory://", server, settings=UNCACHED) as memory:
        fill(memory)
        before = answers(memory)
        server.down = True
        for _ in range(3):
            assert memory.recall("花生", scope=ALICE)
            assert not semantic(memory)
        assert len([line for line in caplog.records if "nobody answers" in line.getMessage()]) == 1
        assert health_of(memory.core)["status"] == "degraded"
        memory.remember("在此期间 meanwhile", scope=ALICE, id="meanwhile")
        ((level, said),) = findings(memory)
        assert (level, "nobody answers; words answer while its server is away" in said) == ("warning", True)
        server.down = False
        wait_until(lambda: not memory.core.external.resting)
        assert semantic(memory)
        assert "meanwhile" in held(memory)
        memory.forget("meanwhile", scope=ALICE)
        assert answers(memory) == before
        assert memory.core.notes.all() == ()
        assert health_of(memory.core)["status"] == "ok"


def test_an_index_that_fails_slowly_does_not_make_every_question_wait(monkeypatch):
    class Hanging(Server):
        def _reach(self):
            if self.down:
                sleep(0.2)
                raise TimeoutError

    server = Hanging()
    with indexed("memory://", server, settings=UNCACHED) as memory:
        fill(memory)
        answers(memory)
        server.down = True
        memory.search("花生", scope=ALICE)
        started = monotonic()
        for _ in range(10):
            memory.search("花生", scope=ALICE)
        assert monotonic() - started < 1.5
        assert health_of(memory.core)["index"] == "lexical"


def test_an_answer_given_without_the_index_is_not_kept(server):
    with indexed("memory://", server) as memory:
        fill(memory)
        answers(memory)
        memory.remember("新的 new", scope=ALICE, id="new")
        server.down = True
        answers(memory)
        server.down = False
        wait_until(lambda: not memory.core.external.resting)
        memory.search("x", scope=ALICE)
        assert semantic(memory)
        assert all(any(hit.reasons["semantic"] for hit in memory.search(query, scope=ALICE)) for query in ASKED)


def test_a_memory_opens_and_works_while_the_index_is_down(server, tmp_path):
    server.down = True
    with indexed(tmp_path / "a.db", server) as memory:
        fill(memory, 5)
        assert memory.recall("花生", scope=ALICE)
        assert not semantic(memory)


def test_what_is_forgotten_while_the_index_is_down_is_pending_until_it_is_out(server):
    with indexed("memory://", server, settings=UNCACHED) as memory:
        fill(memory, 10)
        answers(memory)
        server.down = True
        assert memory.forget("m002", scope=ALICE).state == "scrub_pending"
        assert memory.stats().scrub_pending
        server.down = False
        assert "m002" in held(memory)
        wait_until(lambda: not memory.core.external.resting)
        assert findings(memory, "erasure")[0][0] == "ok"
        assert "m002" not in held(memory)
        assert not memory.stats().scrub_pending


def test_an_index_from_which_everything_forgotten_cannot_be_scrubbed_says_so(tmp_path):
    server = Server()
    server.capabilities = frozenset({"persistent"})
    with indexed("memory://", server) as memory:
        fill(memory, 3)
        answers(memory)
        assert memory.forget("m001", scope=ALICE).state == "scrubbed"
        assert any("frees their space" in note for note in memory.core.notes.all())


# ---------------------------------------------------------------- another embedder, another store, an older store


def test_vectors_of_another_embedder_give_way_when_the_store_is_reindexed(server, tmp_path):
    with indexed(tmp_path / "a.db", server) as memory:
        fill(memory)
        answers(memory)
    with indexed(tmp_path / "a.db", server, embedder=WordEmbedder("other words"), settings=UNCACHED) as memory:
        assert not semantic(memory)
        before = held(memory)
        assert memory.reindex().uncopied == 0
        assert semantic(memory)
        assert server.describe().embedder == "other words"
        assert held(memory).keys() == before.keys()
        assert held(memory) != before


def test_an_index_of_another_dimension_is_made_anew(server, tmp_path):
    with indexed(tmp_path / "a.db", server) as memory:
        fill(memory)
        before = answers(memory)
        about = server.describe()
        server.clear(type(about)(about.embedder, 8, about.store))
        server.mark(ALICE, Position(10**6, 0))
    with indexed(tmp_path / "a.db", server) as memory:
        assert answers(memory) == before
        assert server.describe() == about


def test_an_index_of_another_store_is_left_alone_until_it_is_taken_over(server, tmp_path):
    with indexed(tmp_path / "a.db", server) as first:
        fill(first)
        answers(first)
        whole = held(first)
    with indexed(tmp_path / "b.db", server, settings=UNCACHED) as second:
        fill(second, 10)
        assert not semantic(second)
        assert any("another store" in note for note in second.core.notes.all())
        ((level, said),) = findings(second)
        assert (level, "holds the vectors of another store; words answer meanwhile" in said) == ("warning", True)
        assert "`satchel reindex --everything`" in said
        second.forget("m001", scope=ALICE)
        assert server.checksums(ALICE) == whole
        with pytest.raises(StoreUnavailable, match="another store"):
            second.reindex()
        assert second.reindex(everything=True).uncopied == 0
        assert semantic(second)
        assert len(server.checksums(ALICE)) == 9


def test_a_store_that_was_set_back_to_an_older_copy_is_noticed(server, tmp_path):
    path = tmp_path / "a.db"
    with indexed(path, server) as memory:
        fill(memory, 10)
        answers(memory)
    shutil.copy(path, tmp_path / "copy.db")
    with indexed(path, server) as memory:
        memory.remember("后来的 later", scope=ALICE, id="later")
        memory.forget("m003", scope=ALICE)
        answers(memory)
    shutil.copy(tmp_path / "copy.db", path)
    with indexed(path, server, settings=UNCACHED) as memory:
        answers(memory)
        assert held(memory).keys() == {f"m{at:03}" for at in range(10)}
        assert findings(memory)[0][0] == "ok"


# ---------------------------------------------------------------- looking after


def test_doctor_names_the_scopes_that_differ_and_reindex_puts_them_right(server):
    with indexed("memory://", server) as memory:
        fill(memory)
        fill(memory, 5, BOB)
        answers(memory), answers(memory, BOB)
        whole = held(memory)
        server.remove(ALICE, ["m001", "m002"])
        server.put(ALICE, [VectorEntry("stranger", "x", server.vectors(ALICE, ["m003"])["m003"])])
        server.put(ALICE, [VectorEntry("m004", "older", server.vectors(ALICE, ["m003"])["m003"])])
        told = findings(memory)
        assert told == [("warning", f"{ALICE}: 2 vectors missing, 1 out of date, 1 too many; `satchel reindex` puts it right")]
        assert memory.reindex().uncopied == 0
        assert held(memory) == whole
        assert findings(memory)[0][0] == "ok"


def test_reindex_goes_on_where_it_ended(server, monkeypatch):
    from satchel.engine.index import embedding

    monkeypatch.setattr(embedding, "_COPYING_SECONDS", 0.0)
    with indexed("memory://", server) as memory:
        for place in range(4):
            fill(memory, 5, f"user:u{place}")
        left = [memory.reindex(everything=True).uncopied]
        while left[-1]:
            left.append(memory.reindex(resume=True).uncopied)
        assert left == [15, 10, 5, 0]
        assert all(len(held(memory, f"user:u{place}")) == 5 for place in range(4))


def test_a_scope_that_moves_takes_its_vectors_along(server):
    with indexed("memory://", server) as memory:
        fill(memory, 5)
        answers(memory)
        memory.move_scope(ALICE, to=BOB)
        assert held(memory, ALICE) == {}
        answers(memory, BOB)
        assert len(held(memory, BOB)) == 5


def test_an_import_that_is_undone_leaves_the_index(server):
    with indexed("memory://", None) as other, indexed("memory://", server) as memory:
        fill(other, 5)
        report = memory.import_package(io.BytesIO(exported(other)))
        answers(memory)
        assert len(held(memory)) == 5
        memory.undo_import(report.import_id)
        assert held(memory) == {}
        assert not memory.stats().scrub_pending


def test_a_scope_that_is_gone_leaves_the_index_with_the_next_reindex(server):
    with indexed("memory://", server) as memory:
        fill(memory, 5)
        answers(memory)
        server.put(BOB, [VectorEntry("stranger", "x", server.vectors(ALICE, ["m003"])["m003"])])
        server.mark(BOB, Position(3, 0))
        memory.reindex()
        assert (len(held(memory, ALICE)), held(memory, BOB)) == (5, {})


# ---------------------------------------------------------------- large scopes


@pytest.fixture
def small_limits(monkeypatch) -> None:
    """Let a scope of some hundred records be a large one."""
    monkeypatch.setattr(outside, "WHOLE", 60)
    monkeypatch.setattr(outside, "_FEW", 10)


def _various(memory: Engine, count: int) -> None:
    kinds = ("fact", "preference", "task")
    memory.remember_many(
        [{"content": f"第 {at} 条 note {at * 7 % 31} 花生 {at % 5}", "id": f"n{at:04}", "type": kinds[at % 3], "tags": [f"t{at % 50}"]}
         for at in range(count)],
        scope=ALICE,
    )  # fmt: skip


def test_in_a_large_scope_an_exact_engine_finds_what_memory_would(server, small_limits):
    told = []
    for index in (None, server):
        with indexed("memory://", index, settings={"compare": False}) as memory:
            _various(memory, 400)
            told.append(
                [
                    [
                        (hit.record.id, hit.reasons["semantic"])
                        for hit in memory.recall(query, scope=ALICE, limit=30, min_relevance=0.0, **conditions)
                    ]
                    for query in ("花生 3", "note 17", "条 note 花生")
                    for conditions in ({}, {"types": ["task"]}, {"tags": ["t7"]}, {"tags": ["t7", "t8", "t9"]})
                ]
            )
    assert told[0] == told[1]
    limits = [count for verb, count in server.asked if verb == "search"]
    assert {200, 400} <= set(limits)


def test_many_records_are_copied_in_the_background_while_words_answer(server, monkeypatch):
    monkeypatch.setattr(external, "INLINE", 50)
    monkeypatch.setattr(entries, "CHUNK", 20)
    server.slow = 0.02
    with indexed("memory://", server, settings={**UNCACHED, "compare": False}) as memory:
        _various(memory, 300)
        assert [hit.record.id for hit in memory.search("花生", scope=ALICE)]
        assert any("are being copied" in note for note in memory.core.notes.all())
        assert not semantic(memory)
        wait_until(lambda: len(held(memory)) == 300 and not memory.core.notes.all())
        assert semantic(memory)
        assert threading.active_count() < 20


def test_closing_while_vectors_are_copied_waits_for_none_of_it(server, tmp_path, monkeypatch):
    monkeypatch.setattr(external, "INLINE", 50)
    monkeypatch.setattr(entries, "CHUNK", 20)
    server.slow = 0.1
    with indexed(tmp_path / "a.db", server, settings={"compare": False}) as memory:
        _various(memory, 400)
        memory.search("花生", scope=ALICE)
        wait_until(lambda: server.count_of("put") > 0)
        started = monotonic()
    assert monotonic() - started < 1.5
    assert 0 < server.count(ALICE) < 400
    assert server.position(ALICE) is None
    server.slow = 0.0
    with indexed(tmp_path / "a.db", server, settings=UNCACHED) as memory:
        memory.search("花生", scope=ALICE)
        wait_until(lambda: server.position(ALICE) is not None)
        assert server.count_of("put") <= 440
        wait_until(lambda: semantic(memory))


def test_the_command_line_takes_an_index(tmp_path, capsys, monkeypatch):
    from satchel.cli.main import run

    monkeypatch.setenv("SATCHEL_STORE", str(tmp_path / "a.db"))
    monkeypatch.setenv("SATCHEL_INDEX", f"qdrant:///{tmp_path}/index")
    monkeypatch.setenv("SATCHEL_SCOPE", ALICE)
    assert run(["remember", "对花生过敏"]) == 0
    assert run(["reindex"]) == 0
    assert run(["recall", "花生"]) == 0
    capsys.readouterr()
    assert run(["doctor"]) == 0
    assert f"qdrant:///{tmp_path}/index holds what the store does" in capsys.readouterr().out.replace("\n", "")
    assert run(["doctor", "--index", "faiss:///x"]) == 2
    assert Path(tmp_path / "index/satchel/segments").is_dir()


def test_the_raw_index_is_that_of_the_memory(server):
    with indexed("memory://", server) as memory:
        assert raw(memory) is server
