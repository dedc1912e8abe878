"""`forget`: RET-5, complaints A1, K101, K103."""

from __future__ import annotations

import json
import threading

import pytest

from satchel.engine.text.segmenting import hash_term, segment
from satchel.errors import InvalidRequest, NotFound
from satchel.operations import models as m
from satchel.protocol import WorkingSnapshot
from write_stage import ALICE, BOB, exported, lines_of, opened, package, record, states, tombstone

SECRET = "用户的保险箱密语是紫色长颈鹿 violet-giraffe-9041"


def spelled(content: str = SECRET) -> list[bytes]:
    """Every form in which a content may stand in a file."""
    words = ["紫色长颈鹿", "violet-giraffe-9041", "giraffe"]
    return [form for word in words for form in (word.encode(), json.dumps(word)[1:-1].encode(), word.encode("utf-16-le"))]


def files_of(folder) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_forgotten_memory_is_gone_from_every_answer(memory):
    memory.remember(SECRET, scope=ALICE, id="x", tags=["safe"])
    memory.recall("保险箱", scope=ALICE)
    done = memory.forget("x", scope=ALICE, reason="asked to")
    assert (done.state, done.count, [item.id for item in done.items]) == ("scrubbed", 1, ["x"])
    assert "out of reach" in done.note
    for query in ("保险箱", "紫色长颈鹿", "violet giraffe"):
        assert memory.recall(query, scope=ALICE, min_relevance=0, min_strength=0) == []
        assert memory.search(query, scope=ALICE) == []
        assert memory.context(query, scope=ALICE) == ""
    with pytest.raises(NotFound):
        memory.read("x", scope=ALICE)
    assert memory.records(scope=ALICE).records == ()
    assert [found.id for found in memory.records(scope=ALICE, status="deleted").records] == ["x"]
    remains = memory.read_record("x", scope=ALICE)
    assert (remains.content, remains.tags, remains.deletion.by, remains.deletion.reason) == ("", (), "writer", "asked to")


def test_nothing_of_a_forgotten_memory_is_left_in_the_files(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        memory.remember(SECRET, scope=ALICE, id="x", meta={"copy": SECRET})
        memory.update("x", scope=ALICE, score=0.9)
        memory.remember("紫色长颈鹿的旧版本 giraffe", scope=ALICE, id="y")
        memory.remember("别的内容 something else", scope=ALICE, id="y")
        memory.remember("an unrelated memory stays", scope=ALICE)
        memory.recall("giraffe", scope=ALICE)
        assert any(form in files_of(tmp_path) for form in spelled())
        memory.forget("x", scope=ALICE)
        assert memory.forget("y", scope=ALICE).state == "scrubbed"
        data = files_of(tmp_path)
        assert [form for form in spelled() if form in data] == []
        terms = [hash_term(term).to_bytes(4, "little") for term in segment("violet giraffe 9041 紫色长颈鹿")]
        others = {hash_term(term).to_bytes(4, "little") for term in segment("an unrelated memory stays")}
        assert [term for term in terms if term not in others and term in data] == []


def test_forgetting_again_changes_nothing(memory):
    memory.remember("x", scope=ALICE, id="x")
    first = memory.forget("x", scope=ALICE)
    before = states(memory)
    assert memory.forget("x", scope=ALICE) == first
    assert memory.delete_record("x", scope=ALICE).count == 1
    assert states(memory) == before


def test_what_never_was_is_not_found(memory):
    with pytest.raises(NotFound):
        memory.forget("x", scope=ALICE)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"id": "x", "query": "y"},
        {"everything": True, "session": "s"},
        {"query": "x", "scope": None},
        {"id": "x", "scope": [ALICE, BOB]},
    ],
)
def test_forget_takes_exactly_one_way(memory, arguments):
    with pytest.raises(InvalidRequest):
        memory.forget(**{"scope": ALICE, **arguments})


# ------------------------------------------------------------ tombstones against return


def test_a_tombstone_blocks_an_import_under_the_same_and_under_another_id(memory):
    memory.remember("不要再提起她", scope=ALICE, id="x", meta={"native_id": "mem0-17"})
    before = exported(memory)
    memory.forget("x", scope=ALICE)
    arriving = [
        record("不要再提起她", id="x"),
        record("不要再提起她", id="y"),
        record("rewritten elsewhere", id="mem0-17"),
        record("rewritten again", id="z", meta={"native_id": "mem0-17"}),
    ]
    report = memory.import_package(package(arriving))
    assert report.counts == {"blocked": 4}
    assert {receipt.outcome for receipt in report.receipts} == {"dropped"}
    import io

    assert memory.import_package(io.BytesIO(before)).counts == {"blocked": 1}
    assert memory.records(scope=ALICE).records == ()


def test_a_tombstone_blocks_only_its_own_scope(memory):
    memory.remember("同样的话", scope=ALICE, id="x")
    memory.forget("x", scope=ALICE)
    assert memory.import_package(package([record("同样的话", scope=BOB)])).counts == {"created": 1}


def test_what_was_remembered_anew_is_not_blocked_under_its_new_id(memory):
    import io

    memory.remember("I moved to Oslo", scope=ALICE, id="old")
    memory.forget("old", scope=ALICE)
    again = memory.remember("I moved to Oslo", scope=ALICE).record
    memory.update(again.id, scope=ALICE, score=0.9)
    report = memory.import_package(io.BytesIO(exported(memory)))
    assert report.counts == {"unchanged": 2}


def test_the_keyed_hash_never_leaves_the_store(memory):
    memory.remember("keep this word", scope=ALICE, id="x")
    memory.forget("x", scope=ALICE)
    marks = [document.key for document in memory._core.store.documents("forgotten")]
    assert marks
    data = exported(memory, everything=True, working=True)
    assert not [mark for mark in marks if mark.rpartition(" ")[2].encode() in data]


# ------------------------------------------------------------ plans


def _five(memory):
    memory.remember("前任住在杭州", scope=ALICE, id="1", source={"session": "s1"}, created_at="2026-01-01T00:00:00Z")
    memory.remember("The ex plays tennis", scope=ALICE, id="2", source={"session": "s1"}, created_at="2026-01-05T00:00:00Z")
    memory.remember("喜欢爵士乐", scope=ALICE, id="3", source={"session": "s2"}, created_at="2026-01-10T00:00:00Z")
    memory.remember("Archived thing", scope=ALICE, id="4", source={"session": "s1"}, created_at="2026-01-20T00:00:00Z")
    memory.update("4", scope=ALICE, status="archived")
    memory.remember("Bob's own", scope=BOB, id="5", source={"session": "s1"}, created_at="2026-01-05T00:00:00Z")


@pytest.mark.parametrize(
    ("question", "gone"),
    [
        ({"session": "s1"}, {"1", "2", "4"}),
        ({"since": "2026-01-05T00:00:00Z", "until": "2026-01-10T00:00:00Z"}, {"2"}),
        ({"until": "2026-01-05T00:00:00Z"}, {"1"}),
        ({"everything": True}, {"1", "2", "3", "4"}),
        ({"query": "前任住在哪里"}, {"1"}),
        ({"import_id": "none"}, set()),
    ],
)
def test_anything_but_an_id_shows_first_what_would_go(memory, question, gone):
    _five(memory)
    before = states(memory)
    plan = memory.forget(scope=ALICE, **question)
    assert (plan.state, plan.count, {item.id for item in plan.items}) == ("planned", len(gone), gone)
    assert all(item.preview for item in plan.items)
    assert states(memory) == before
    done = memory.forget(plan=plan, reason=None)
    assert (done.state, done.count, {item.id for item in done.items}) == ("scrubbed", len(gone), gone)
    assert {found.id for found in memory.records(scope=ALICE).records} == {"1", "2", "3", "4"} - gone
    assert memory.read("5", scope=BOB).content


def test_a_plan_carried_out_twice_is_carried_out_once(memory):
    _five(memory)
    plan = memory.forget(scope=ALICE, session="s1")
    first = memory.forget(plan=plan)
    memory.remember("new in the same session", scope=ALICE, id="6", source={"session": "s1"})
    assert memory.forget(plan=plan) == first
    assert memory.read("6", scope=ALICE).content


def test_a_plan_keeps_what_was_changed_after_it_was_shown(memory):
    _five(memory)
    plan = memory.forget(scope=ALICE, session="s1")
    memory.remember("quite another thing", scope=ALICE, id="2")
    memory.remember("前任住在杭州", scope=ALICE)
    done = memory.forget(plan=plan)
    assert (done.count, "1 changed" in done.note) == (2, True)
    assert memory.read("2", scope=ALICE).content == "quite another thing"


def test_a_plan_runs_out(memory, clock):
    _five(memory)
    plan = memory.forget(scope=ALICE, everything=True)
    clock.pass_(hours=2)
    with pytest.raises(NotFound):
        memory.forget(plan=plan)
    with pytest.raises(NotFound):
        memory.forget(plan="never made")
    memory.forget(scope=ALICE, session="s2")
    assert len(memory._core.store.documents("plans")) == 1


def test_a_plan_holds_nothing_to_forget(memory):
    memory.remember(SECRET, scope=ALICE, id="x")
    memory.forget(scope=ALICE, query="保险箱 giraffe")
    store = memory._core.store
    kept = repr(store.documents("plans")) + repr(store.documents("plan-parts"))
    assert "giraffe" not in kept
    assert "保险箱" not in kept


def test_a_scope_of_thousands_is_forgotten_whole(memory):
    memory.remember_many([f"第 {number} 条" for number in range(1300)], scope=ALICE)
    plan = memory.forget(scope=ALICE, everything=True)
    assert (plan.count, len(plan.items)) == (1300, 1000)
    assert memory.forget(plan=plan).count == 1300
    assert memory.stats(scope=ALICE).records == 0


# ------------------------------------------------------------ what was derived, and other traces


def test_what_was_derived_goes_too_and_what_is_left_of_its_originals_comes_back(memory):
    memory.remember("likes apples", scope=ALICE, id="a")
    memory.remember("likes pears", scope=ALICE, id="b")
    memory.remember("likes apples and pears", scope=ALICE, id="c", relations={"derived_from": ["a", "b"]})
    memory.remember("likes fruit", scope=ALICE, id="d", relations={"derived_from": ["c"]})
    memory.write_record(memory.read("b", scope=ALICE).model_copy(update={"status": "archived", "relations": {"superseded_by": ["c"]}}))
    done = memory.forget("a", scope=ALICE)
    assert [item.id for item in done.items] == ["a", "c", "d"]
    assert {found.id: found.status for found in memory.records(scope=ALICE).records} == {"b": "active"}


def test_a_plan_shows_what_was_derived(memory):
    memory.remember("说过一次", scope=ALICE, id="a", source={"session": "s"})
    memory.remember("总结：说过一次", scope=ALICE, id="b", relations={"derived_from": ["a"]})
    assert {item.id for item in memory.forget(scope=ALICE, session="s").items} == {"a", "b"}


def _ingest(memory, *items, import_id="imp"):
    origin = m.ImportOrigin(kind="jsonl", path="notes.jsonl")
    request = m.IngestRequest(import_id=import_id, origin=origin, items=items, final=True)
    return memory.ingest(request)


def test_receipts_of_a_forgotten_memory_hold_nothing_of_it(memory):
    first = m.ImportItem(item="notes:1", record=record("秘密日记", id="n1"), outcome="transformed", changes=("content: 秘密 removed",))
    twice = m.ImportItem(item="notes:2", record=record("秘密日记", id="n2"))
    other = m.ImportItem(item="notes:3", record=record("stays", id="n3"))
    _ingest(memory, first, twice, other)
    _ingest(memory, m.ImportItem(item="later:1", record=record("秘密日记", id="n4")), import_id="second")
    memory.forget("n1", scope=ALICE)
    one, two, three = memory.receipts("imp")
    assert (one.state_hash, one.changes, one.reason, two.reason) == (None, (), "forgotten", "forgotten")
    assert three.state_hash
    assert next(iter(memory.receipts("second"))).reason == "forgotten"


def test_forgetting_an_import_takes_its_quarantine_along(memory):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    _ingest(
        memory,
        m.ImportItem(item="1", record=record("plain", id="1")),
        m.ImportItem(item="2", record=record(f"token {key} of giraffe", id="2")),
    )
    assert "giraffe" in repr(memory._core.store.documents("quarantine"))
    plan = memory.forget(scope=ALICE, import_id="imp")
    assert (plan.count, memory.forget(plan=plan).count) == (1, 1)
    assert memory._core.store.documents("quarantine") == []
    assert next(iter(memory.receipts("imp"))).state_hash is None


def test_working_memory_forgets_too(memory):
    now = "2026-01-01T00:00:00Z"
    held = {"slots": {"diet": "对花生过敏"}, "recent_events": [{"text": "I said 对花生过敏 yesterday"}]}
    snapshot = WorkingSnapshot(session_id="s1", scope=ALICE, created_at=now, updated_at=now, **held)
    other = WorkingSnapshot(session_id="s2", scope=ALICE, created_at=now, updated_at=now, summary="tea")
    memory.import_package(package([record("对花生过敏", id="x"), snapshot, other]))
    memory.forget("x", scope=ALICE)
    data = exported(memory, everything=True, working=True).decode()
    assert "花生" not in data
    assert "tea" in data
    memory.forget(plan=memory.forget(scope=ALICE, session="s2"))
    assert "tea" not in exported(memory, everything=True, working=True).decode()
    memory.forget(plan=memory.forget(scope=ALICE, everything=True))
    assert memory._core.store.documents("working") == []


# ------------------------------------------------------------ scrubbing


def test_while_a_reader_holds_the_files_scrubbing_is_pending_and_said_so(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        memory.remember(SECRET, scope=ALICE, id="x")
        memory.remember("stays", scope=ALICE)
        reading, done = threading.Event(), threading.Event()

        def read() -> None:
            with memory._core.store.reading():
                memory._core.store.get(ALICE, ["x"])
                reading.set()
                done.wait(20)

        reader = threading.Thread(target=read)
        reader.start()
        reading.wait(20)
        forgotten = memory.forget("x", scope=ALICE)
        assert forgotten.state == "scrub_pending"
        assert memory.recall("giraffe", scope=ALICE) == []
        assert memory.stats().scrub_pending
        assert any(finding.subject == "erasure" and finding.level == "warning" for finding in memory.doctor().findings)
        done.set()
        reader.join()
        assert not any(finding.subject == "erasure" and finding.level == "warning" for finding in memory.doctor().findings)
        assert not memory.stats().scrub_pending
        assert [form for form in spelled() if form in files_of(tmp_path)] == []


def test_scrubbing_that_was_pending_is_done_when_the_store_is_closed_or_opened_again(tmp_path):
    from satchel.engine.forgetting.scrubbing import pending_document
    from satchel.ports import Batch

    memory = opened(tmp_path / "agent.db")
    memory._core.store.apply(Batch(documents=[pending_document(memory._core)]))
    memory._core.store.close()
    with opened(tmp_path / "agent.db") as again:
        assert again.stats().scrub_pending is False


def test_a_tombstone_from_elsewhere_forgets_here_as_well(memory):
    memory.remember(SECRET, scope=ALICE, id="x")
    report = memory.import_package(package([tombstone("x", by="laptop"), tombstone("y")]))
    assert report.counts == {"deleted": 2}
    assert memory.recall("giraffe", scope=ALICE) == []
    assert memory.read_record("x", scope=ALICE).deletion.by == "laptop"
    assert memory.import_package(package([record(SECRET, id="other")])).counts == {"blocked": 1}
    assert [line.id for line in lines_of(exported(memory))] == ["x", "y"]
    assert memory.stats().scrub_pending is False
