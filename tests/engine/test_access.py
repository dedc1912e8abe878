"""`bind`: ACC-1, complaints A1, G86."""

from __future__ import annotations

import io

import pytest

from satchel.engine.core import Principal
from satchel.errors import Denied, InvalidRequest, NotFound
from satchel.operations import models as m
from satchel.operations import table as t
from satchel.protocol import Header, WorkingSnapshot, write_package
from write_stage import ALICE, BOB, exported, lines_of, package, record, tombstone

PUBLIC = "public"


@pytest.fixture
def bound(memory):
    """Reads alice and public, writes alice only."""
    memory.remember("爱丽丝养猫", scope=ALICE, id="a", source={"session": "s1"})
    memory.remember("Bob keeps a cat", scope=BOB, id="b", source={"session": "s1"})
    memory.remember("everybody's cat 猫", scope=PUBLIC, id="p")
    return memory.bind(agent="helper", read=[ALICE, PUBLIC], write=[ALICE])


def test_an_unauthorised_read_looks_like_absence(bound):
    assert [hit.record.id for hit in bound.recall("cat 猫", scope=[ALICE, BOB])] == ["a"]
    assert bound.recall("cat", scope=BOB) == []
    assert bound.search("cat", scope=BOB) == []
    assert bound.context("cat", scope=BOB) == ""
    assert bound.records(scope=BOB).records == ()
    assert bound.changes(scope=BOB).changes == ()
    assert bound.stats(scope=BOB).records == 0
    assert [found.scope for found in bound.scopes()] == [PUBLIC, ALICE]
    for read in (bound.read, bound.read_record, bound.history):
        with pytest.raises(NotFound) as there:
            read("b", scope=BOB)
        with pytest.raises(NotFound) as absent:
            read("no", scope="user:nobody")
        assert str(there.value) == str(absent.value)


def test_an_unauthorised_write_is_denied_and_changes_nothing(bound, memory):
    before = exported(memory).splitlines()[1:-1]
    acts = [
        lambda: bound.remember("x", scope=BOB),
        lambda: bound.remember("x", scope=PUBLIC),
        lambda: bound.remember_many(["x"], scope=BOB),
        lambda: bound.remember_many([{"content": "fine"}, {"content": "x", "scope": BOB}], scope=ALICE),
        lambda: bound.update("b", scope=BOB, score=0.1),
        lambda: bound.correct("b", "x", scope=BOB),
        lambda: bound.confirm("p", scope=PUBLIC),
        lambda: bound.restore("b", scope=BOB),
        lambda: bound.forget("b", scope=BOB),
        lambda: bound.forget(scope=BOB, everything=True),
        lambda: bound.forget(scope=[ALICE, BOB], session="s1"),
        lambda: bound.move_scope(ALICE, to=BOB),
        lambda: bound.move_scope(BOB, to=ALICE),
        lambda: bound.write_record(record("x", scope=BOB)),
        lambda: bound.delete_record("b", scope=BOB),
        lambda: bound.import_package(package([record("x", scope=BOB)])),
        lambda: bound.import_package(package([tombstone("b", scope=BOB)])),
        lambda: bound.import_package(package([record("x", scope=ALICE)]), scope_map={ALICE: BOB}),
        lambda: bound.ingest(_ingest(record("x", scope=ALICE), record("y", id="r2", scope=BOB))),
    ]
    for act in acts:
        with pytest.raises(Denied):
            act()
    assert exported(memory).splitlines()[1:-1] == before


def _ingest(*records):
    items = tuple(m.ImportItem(item=f"i{place}", record=found) for place, found in enumerate(records))
    return m.IngestRequest(import_id="imp", origin=m.ImportOrigin(kind="jsonl", path="x"), items=items, final=True)


def test_a_package_may_be_mapped_into_a_scope_that_may_be_written(bound):
    report = bound.import_package(package([record("from bob", scope=BOB)]), scope_map={BOB: ALICE})
    assert report.counts == {"created": 1}


def test_what_concerns_the_whole_store_is_denied(bound):
    for act in (bound.doctor, bound.reindex):
        with pytest.raises(Denied):
            act()


def test_an_export_of_everything_is_of_what_may_be_read(bound):
    assert {line.scope for line in lines_of(exported(bound))} == {ALICE, PUBLIC}
    assert lines_of(exported(bound, scope=BOB)) == []


def test_lines_of_no_scope_leave_only_with_everything_or_with_all_the_scopes_they_came_with(bound, memory):
    header = Header(producer="later", created_at="2026-01-01T00:00:00Z")
    from satchel.protocol import UnknownLine

    lines = [UnknownLine("evidence", {"text": "unscoped"}), record("x", scope=BOB)]
    memory.import_package(io.BytesIO(b"".join(write_package(header, lines))))
    assert b"unscoped" not in exported(bound)
    assert b"unscoped" not in exported(memory, scope=ALICE)
    assert b"unscoped" in exported(memory, scope=BOB)
    assert b"unscoped" in exported(memory)


def test_a_plan_is_carried_out_only_by_who_may_write_its_scopes(bound, memory):
    plan = memory.forget(scope=[ALICE, BOB], session="s1")
    with pytest.raises(NotFound):
        bound.forget(plan=plan)
    assert memory.read("b", scope=BOB).content
    own = bound.forget(scope=ALICE, session="s1")
    assert bound.forget(plan=own).count == 1


def test_an_import_is_seen_and_undone_only_by_who_may_use_its_scopes(bound, memory):
    memory.ingest(_ingest(record("x", scope=ALICE), record("y", id="r2", scope=BOB)))
    assert bound.imports() == []
    for act in (lambda: list(bound.receipts("imp")), lambda: bound.undo_import("imp")):
        with pytest.raises(NotFound):
            act()
    assert memory.undo_import("imp").removed == 2


def test_an_import_that_may_be_read_but_not_written_is_not_undone(bound, memory):
    memory.ingest(_ingest(record("x", scope=PUBLIC)))
    assert len(bound.imports()) == 1
    with pytest.raises(Denied):
        bound.undo_import("imp")


def test_binding_what_is_bound_can_only_narrow(bound):
    again = bound.bind(agent="third", read=[ALICE, BOB], write=[BOB, ALICE])
    assert again.read("a", scope=ALICE).id == "a"
    with pytest.raises(NotFound):
        again.read("b", scope=BOB)
    with pytest.raises(Denied):
        again.remember("x", scope=BOB)
    nothing = bound.bind(read=[], write=[])
    assert (nothing.scopes(), nothing.recall("cat", scope=[ALICE, BOB])) == ([], [])


def test_scopes_are_bound_in_their_canonical_spelling(memory):
    memory.remember("x", scope="user:alice/project:web", id="x")
    assert memory.bind(read=["project:web/user:alice"]).read("x", scope="user:alice/project:web").id == "x"
    with pytest.raises(InvalidRequest):
        memory.bind(read=["*"])


def test_a_bound_agent_cannot_write_under_another_name(bound):
    assert bound.remember("x", scope=ALICE, source={"agent": "somebody"}).record.source.agent == "helper"


def test_an_agent_that_is_not_bound_to_scopes_may_say_who_wrote(memory):
    assert memory.remember("x", scope=ALICE, source={"agent": "somebody"}).record.source.agent == "somebody"
    assert memory.history(memory.remember("y", scope=ALICE).record.id, scope=ALICE)[0].agent == "writer"


def test_who_may_write_but_not_read_learns_nothing(memory):
    memory.remember("said before", scope=ALICE, id="a", tags=["private"], meta={"note": "private"})
    writer = memory.bind(write=[ALICE], read=[])
    for done in (writer.remember("said before", scope=ALICE, id="a"), writer.remember("said before", scope=ALICE)):
        assert "private" not in done.model_dump_json()
    for act in (
        lambda: writer.update("a", scope=ALICE, score=0.2),
        lambda: writer.confirm("a", scope=ALICE),
        lambda: writer.correct("a", "other", scope=ALICE),
        lambda: writer.restore("a", scope=ALICE),
        lambda: writer.forget(scope=ALICE, query="said"),
        lambda: writer.forget(scope=ALICE, everything=True),
    ):
        with pytest.raises(NotFound):
            act()
    assert "private" not in writer.write_record(record("rewritten", id="a", at=memory.read("a", scope=ALICE).updated_at)).model_dump_json()
    assert writer.forget("a", scope=ALICE).state == "scrubbed"


def test_closing_a_bound_memory_leaves_the_store_open(bound, memory):
    bound.close()
    assert memory.read("a", scope=ALICE).id == "a"


def test_forgetting_one_scope_leaves_others_untouched(memory, bound):
    memory.forget(plan=memory.forget(scope=ALICE, everything=True))
    assert {found.scope: found.counts for found in memory.scopes()} == {ALICE: {"deleted": 1}, BOB: {"active": 1}, PUBLIC: {"active": 1}}


def test_every_operation_with_a_scope_is_checked(memory):
    """An operation that is added later must say what it needs before it can be called."""
    nobody = memory.bind(read=[], write=[])
    for operation in t.OPERATIONS:
        if operation.access == "manage":
            with pytest.raises(Denied):
                nobody.call(operation, operation.request())
    assert memory._principal == Principal(agent="writer")


def test_working_snapshots_are_of_their_scope(memory):
    now = "2026-01-01T00:00:00Z"
    lines = [WorkingSnapshot(session_id="s", scope=BOB, created_at=now, updated_at=now, summary="bob's own")]
    memory.import_package(package(lines))
    assert b"bob's own" not in exported(memory.bind(read=[ALICE]), everything=True, working=True)
    assert b"bob's own" in exported(memory, scope=BOB, working=True)
    assert b"bob's own" not in exported(memory, scope=BOB)
    with pytest.raises(Denied):
        memory.bind(write=[ALICE]).import_package(package(lines))
