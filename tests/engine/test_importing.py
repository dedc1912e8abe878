"""`import`: PRO-10, PRO-11, STO-4, complaints A4, E."""

from __future__ import annotations

import io
import tracemalloc

import pytest

from satchel.errors import InvalidPackage, InvalidRequest, VersionError
from satchel.protocol import UnknownLine, WorkingSnapshot
from write_stage import ALICE, BOB, START, exported, lines_of, opened, package, record, states, tombstone

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_ids_times_and_every_field_are_kept(memory, clock):
    clock.pass_(days=10)
    given = record(
        "用户喜欢安静的咖啡馆",
        id="编号/1",
        type="preference",
        tags=("a", "b"),
        source={"agent": "other", "session": "s", "message": "m", "uri": "file:x", "origin": "inferred", "time_basis": "explicit"},
        score=0.31,
        half_life=77.5,
        retention="core",
        confidence=0.4,
        status="pending",
        pinned=True,
        due_at="2026-05-01T00:00:00Z",
        valid_from="2026-01-01T00:00:00Z",
        relations={"supersedes": ["0"]},
        revision=7,
        meta={"深": {"k": [1, None, True]}},
        usage={"last_access_at": "2026-02-01T00:00:00Z", "access_count": 3},
        later_field={"kept": True},
    )
    assert memory.import_package(package([given])).counts == {"created": 1}
    found = memory.read("编号/1", scope=ALICE)
    assert found == given.model_copy(update={"stored_at": clock.now})
    assert found.state() == given.state()


def test_what_has_just_been_moved_in_is_as_strong_as_its_score(memory, clock):
    old = record("moved from an old machine", score=0.7, created_at="2019-01-01T00:00:00Z", stored_at="2019-01-01T00:00:00Z")
    memory.import_package(package([old]))
    hit = memory.recall("moved machine", scope=ALICE)[0]
    assert hit.reasons["strength"] == pytest.approx(0.7)


def test_a_ttl_without_a_creation_time_ends_when_it_would_have_ended_there(memory, clock):
    memory.import_package(package([record("brief", created_at=None, ttl=60)]))
    assert (memory.read("r1", scope=ALICE).expires_at - START).total_seconds() == 60
    clock.pass_(days=1)
    assert memory.import_package(package([record("brief", created_at=None, ttl=60)])).counts == {"unchanged": 1}


def test_the_same_package_again_changes_nothing(memory, clock):
    given = package(
        [
            tombstone("t"),
            *(record(f"记录 {n}", id=f"r{n}") for n in range(3)),
            WorkingSnapshot(session_id="s", scope=ALICE, created_at=START, updated_at=START, version=2),
            UnknownLine("evidence", {"text": "later version"}),
        ]
    )
    memory.import_package(given)
    before, position = exported(memory, everything=True, working=True), memory.changes(scope=ALICE).position
    clock.pass_(days=1)
    given.seek(0)
    report = memory.import_package(given)
    assert report.counts == {"unchanged": 4, "working": 1, "unknown": 1}
    assert report.receipts == ()
    assert memory.changes(scope=ALICE).position == position
    assert exported(memory, everything=True, working=True).splitlines()[1:-1] == before.splitlines()[1:-1]


def test_the_later_version_wins_and_a_tombstone_beats_both(memory, clock):
    memory.import_package(package([record("old", at=START)]))
    clock.pass_(days=5)
    newer = record("new", updated_at="2026-03-02T00:00:00Z")
    assert memory.import_package(package([newer])).counts == {"updated": 1}
    assert memory.read("r1", scope=ALICE).revision == 2
    report = memory.import_package(package([record("old", at=START)]))
    assert (report.counts, report.receipts[0].outcome) == ({"kept": 1}, "merged")
    assert memory.read("r1", scope=ALICE).state() == newer.state()
    assert [hit.record.id for hit in memory.recall("new", scope=ALICE)] == ["r1"]
    assert memory.import_package(package([tombstone(at=START)])).counts == {"deleted": 1}
    assert memory.import_package(package([record("newest", updated_at="2027-01-01T00:00:00Z")])).counts == {"blocked": 1}


def test_usage_is_merged_by_maximum_without_a_revision(memory):
    memory.import_package(package([record("x", usage={"last_access_at": "2026-01-01T00:00:00Z", "access_count": 5})]))
    for at, count in (("2026-02-01T00:00:00Z", 2), ("2026-01-15T00:00:00Z", 9)):
        given = record("x", usage={"last_access_at": at, "access_count": count})
        assert memory.import_package(package([given])).counts == {"unchanged": 1}
    found = memory.read("r1", scope=ALICE)
    assert (found.usage.access_count, found.usage.last_access_at.month, found.revision) == (9, 2, 1)


def test_records_of_equal_content_stay_two(memory):
    assert memory.import_package(package([record("same", id="1"), record("same", id="2")])).counts == {"created": 2}


def test_the_same_id_twice_in_a_package_is_merged(memory):
    lines = [record("first"), record("second", updated_at="2026-04-01T00:00:00Z"), record("first")]
    assert memory.import_package(package(lines)).counts == {"created": 1, "updated": 1, "kept": 1}
    assert memory.read("r1", scope=ALICE).content == "second"


def test_an_id_that_comes_again_in_a_later_batch_is_merged(memory):
    lines = [record(f"n{n}", id=f"{n}") for n in range(700)] + [record("again", id="0", updated_at="2026-04-01T00:00:00Z")]
    assert memory.import_package(package(lines)).counts == {"created": 700, "updated": 1}


def test_scopes_can_be_rewritten_on_the_way(memory):
    lines = [tombstone("t"), record("一"), WorkingSnapshot(session_id="s", scope=ALICE, created_at=START, updated_at=START)]
    report = memory.import_package(package(lines), scope_map={ALICE: "project:web/user:bob"})
    assert report.counts == {"deleted": 1, "created": 1, "working": 1}
    assert [found.scope for found in memory.scopes()] == ["user:bob/project:web"]
    assert len(lines_of(exported(memory, scope="user:bob/project:web", working=True))) == 3


def test_two_scopes_that_go_into_one_do_not_overwrite_each_other(memory):
    lines = [record("爱丽丝的", id="1"), record("Bob's", id="1", scope=BOB), record("both", id="2"), record("both", id="2", scope=BOB)]
    report = memory.import_package(package(lines), scope_map={ALICE: "team:x", BOB: "team:x"})
    assert report.counts == {"created": 2, "quarantined": 1, "unchanged": 1}
    assert "different memories" in report.receipts[0].reason
    assert memory.read("1", scope="team:x").content == "爱丽丝的"


def test_credentials_are_quarantined_masked_with_a_receipt_that_names_the_line(memory):
    report = memory.import_package(package([record("fine", id="1"), record(f"令牌是 {KEY} 别说", id="2")]))
    assert report.counts == {"created": 1, "quarantined": 1}
    receipt = report.receipts[0]
    assert (receipt.item, receipt.outcome, receipt.id) == ("line 3", "quarantined", "2")
    (kept,) = memory._core.store.documents("quarantine")
    assert KEY not in repr(kept)
    assert "别说" in repr(kept)
    assert KEY not in report.model_dump_json()
    assert [found.item for found in memory.receipts(report.import_id)] == ["line 3"]


def test_lines_and_fields_of_a_later_version_travel_on(memory):
    lines = [record("x", unheard_of=[1, {"深": None}]), UnknownLine("evidence", {"text": "原话", "n": 1})]
    memory.import_package(package(lines))
    again = lines_of(exported(memory))
    assert again[0].model_extra == {"unheard_of": [1, {"深": None}]}
    assert again[1] == lines[1]


def test_an_older_working_snapshot_does_not_replace_a_newer(memory):
    for version in (3, 2):
        snapshot = WorkingSnapshot(session_id="s", scope=ALICE, created_at=START, updated_at=START, version=version)
        memory.import_package(package([snapshot]))
    assert lines_of(exported(memory, everything=True, working=True))[0].version == 3


def test_a_dry_run_says_what_would_happen_and_writes_nothing(memory):
    memory.remember("here", scope=ALICE, id="r1")
    before = states(memory)
    lines = [tombstone("r1"), tombstone("t"), record("new", id="r2"), record(f"key {KEY}", id="r3")]
    report = memory.import_package(package(lines), dry_run=True)
    assert report.counts == {"deleted": 2, "created": 1, "quarantined": 1}
    assert states(memory) == before
    assert (memory.imports(), memory._core.store.documents("quarantine")) == ([], [])


def test_an_import_is_listed_and_can_be_undone(memory):
    report = memory.import_package(package([record("a", id="a"), record("b", id="b"), record("c", id="c")]))
    (summary,) = memory.imports()
    assert (summary.import_id, summary.state, summary.counts) == (report.import_id, "complete", {"created": 3})
    memory.update("b", scope=ALICE, score=0.1)
    undone = memory.undo_import(report.import_id)
    assert (undone.removed, undone.kept) == (2, 1)
    assert set(states(memory)) == {"b"}


# ------------------------------------------------------------ what is refused


def _damaged(data: bytes) -> dict[str, bytes]:
    lines = data.splitlines(keepends=True)
    return {
        "empty": b"",
        "cut in a line": data[: len(data) // 2],
        "without its trailer": b"".join(lines[:-1]),
        "without the trailer's end": data[:-1],
        "altered by one character": data.replace("第二".encode(), "第三".encode()),
        "a line short": b"".join([*lines[:2], *lines[3:]]),
        "a byte order mark": b"\xef\xbb\xbf" + data,
        "not UTF-8": data.replace("第二".encode(), "第二".encode("gb18030")),
        "no package": b'{"hello": "world"}\n',
        "more after the trailer": data + lines[1],
        "cut zstandard": b"\x28\xb5\x2f\xfd" + data[:20],
    }


@pytest.mark.parametrize("damage", _damaged(b"x\ny\nz\nt\n"))
def test_a_damaged_package_is_refused_before_anything_is_written(memory, damage):
    memory.remember("stays", scope=ALICE, id="old")
    data = package([tombstone("old"), record("第一", id="1"), record("第二", id="2")]).getvalue()
    with pytest.raises(InvalidPackage):
        memory.import_package(io.BytesIO(_damaged(data)[damage]))
    assert memory.read("old", scope=ALICE).content == "stays"
    assert (len(states(memory)), memory.imports()) == (1, [])


def test_a_bad_record_deep_in_a_package_refuses_the_whole_and_names_the_line(memory):
    import hashlib

    lines = package([record(f"n{n}", id=f"{n}") for n in range(900)]).getvalue().splitlines(keepends=True)
    lines[800] = lines[800].replace(b'"score":0.5', b'"score":5.0')
    body = b"".join(lines[:-1])
    counts = b'{"kind":"trailer","counts":{"active":900},"sha256":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()
    with pytest.raises(InvalidPackage, match=r"line 801: score"):
        memory.import_package(io.BytesIO(body + counts))
    assert memory.scopes() == []


def test_a_newer_major_version_is_refused_naming_both(memory):
    data = package([record("x")]).getvalue().replace(b'"protocol":"1.0"', b'"protocol":"2.1"')
    with pytest.raises(VersionError, match=r"2\.1.*1\.0"):
        memory.import_package(io.BytesIO(data))


def test_a_scope_map_must_name_scopes(memory):
    with pytest.raises(InvalidRequest):
        memory.import_package(package([record("x")]), scope_map={ALICE: "*"})


# ------------------------------------------------------------ between stores


def test_a_package_goes_from_store_to_store_without_loss(memory, tmp_path, clock):
    memory.remember_many([{"content": f"第 {n} 条 memory", "id": f"m{n}", "tags": [f"t{n % 3}"]} for n in range(50)], scope=ALICE)
    memory.correct("m3", "更正", scope=ALICE, new_id="m3b")
    memory.forget("m4", scope=ALICE)
    with opened(tmp_path / "other.db", clock=clock) as other:
        other.import_package(io.BytesIO(exported(memory)))
        assert states(other) == states(memory)
        assert [hit.record.id for hit in other.recall("更正", scope=ALICE)] == ["m3b"]


def test_two_machines_that_swap_packages_agree(tmp_path, clock):
    with opened(tmp_path / "a.db", clock=clock) as one, opened(tmp_path / "b.db", clock=clock) as two:
        one.remember("shared", scope=ALICE, id="s")
        two.import_package(io.BytesIO(exported(one)))
        one.update("s", scope=ALICE, tags=["one"])
        two.update("s", scope=ALICE, tags=["two"])
        one.remember("only one", scope=ALICE, id="1")
        two.remember("only two", scope=ALICE, id="2")
        two.forget("2", scope=ALICE)
        ours, theirs = exported(one), exported(two)
        one.import_package(io.BytesIO(theirs))
        two.import_package(io.BytesIO(ours))
        assert states(one) == states(two)
        assert set(one.import_package(io.BytesIO(exported(two))).counts) == {"unchanged"}


def test_more_than_ten_thousand_records_come_through(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        lines = (record(f"条目 {n}", id=f"{n}") for n in range(12_345))
        assert memory.import_package(package(lines)).counts == {"created": 12_345}
        assert memory.stats().records == 12_345
        assert len(lines_of(exported(memory))) == 12_345


def test_an_import_takes_memory_that_does_not_grow_with_the_package(tmp_path):
    small, large = (package(record(f"条目 {n} " + "x" * 2000, id=f"{n}") for n in range(count)) for count in (1000, 6000))
    peaks = []
    for number, given in enumerate((small, large)):
        with opened(tmp_path / f"{number}.db") as memory:
            tracemalloc.start()
            memory.import_package(given)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5 + 4_000_000


def test_no_encoder_runs_on_more_than_the_first_records(clock):
    class Counting:
        name, dimension = "counting", 4
        seen = 0

        def embed_passages(self, texts):
            import numpy as np

            self.seen += len(texts)
            return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))

        embed_queries = embed_passages
        from satchel.ports import Calibration

        calibration = Calibration(0, 0, 0)

    embedder = Counting()
    with opened(embedder=embedder, clock=clock, settings={"embed_inline": 10}) as memory:
        memory.import_package(package([record(f"n{n}", id=f"{n}") for n in range(30)]))
        assert (embedder.seen, memory.stats().unindexed) == (10, 20)
