"""`scopes`, `stats`, `doctor`: STO-4, RET-5, SRV-6, complaint D49."""

from __future__ import annotations

from pathlib import Path

from satchel.engine import doctor
from write_stage import ALICE, BOB, opened


def test_scopes_are_listed_with_their_counts(memory):
    memory.remember("a", scope=BOB, id="a")
    memory.remember("b", scope=ALICE)
    memory.remember("c", scope=ALICE, id="c")
    memory.forget("c", scope=ALICE)
    assert [(found.scope, found.counts) for found in memory.scopes()] == [(ALICE, {"active": 1, "deleted": 1}), (BOB, {"active": 1})]


def test_stats_count_by_status_and_type(memory):
    memory.remember("喜欢红茶", scope=ALICE, type="preference")
    memory.remember("buy milk", scope=ALICE, type="task", id="t")
    memory.update("t", scope=ALICE, status="archived")
    memory.remember("gone", scope=BOB, id="x")
    memory.forget("x", scope=BOB)
    found = memory.stats()
    assert (found.scopes, found.records, found.by_type) == (2, 2, {"preference": 1, "task": 1})
    assert found.by_status == {"active": 1, "archived": 1, "deleted": 1}
    assert (found.embedder, found.unindexed, found.scrub_pending, found.position) == (None, 2, False, memory.changes(scope=BOB).position)
    assert memory.stats(scope=ALICE).by_status == {"active": 1, "archived": 1}
    assert memory.stats(scope="user:nobody").records == 0


def _levels(memory) -> dict[str, str]:
    return {finding.subject: finding.level for finding in memory.doctor().findings}


def test_the_doctor_finds_a_sound_store_healthy(memory):
    memory.remember("x", scope=ALICE)
    found = memory.doctor()
    assert found.healthy
    levels = _levels(memory)
    assert (levels["store"], levels["index"], levels["erasure"]) == ("ok", "ok", "ok")


def test_the_doctor_warns_of_storage_that_will_not_last(tmp_path, monkeypatch):
    with opened() as memory:
        assert "storage" in _levels(memory)
    monkeypatch.setattr(doctor.tempfile, "gettempdir", lambda: str(tmp_path))
    with opened(tmp_path / "agent.db") as memory:
        message = next(finding.message for finding in memory.doctor().findings if finding.subject == "storage")
        assert "temporary folder" in message


def test_the_doctor_reads_the_kind_of_file_system(tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text("overlay / overlay rw 0 0\ndisk /data ext4 rw 0 0\nshm /data/fast tmpfs rw 0 0\n", "utf-8")
    monkeypatch.setattr(doctor, "_MOUNTS", mounts)
    assert doctor._fleeting(Path("/srv/agent.db")) == "a container's own layer"
    assert doctor._fleeting(Path("/data/agent.db")) is None
    assert doctor._fleeting(Path("/data/fast/agent.db")) == "memory"
    monkeypatch.setattr(doctor, "_MOUNTS", tmp_path / "absent")
    assert doctor._fleeting(Path("/srv/agent.db")) is None


def test_the_doctor_says_when_the_index_is_of_another_embedder(tmp_path):
    with opened(tmp_path / "agent.db", embedder=_Tiny("one")) as memory:
        memory.remember("x", scope=ALICE)
        assert _levels(memory)["index"] == "ok"
    with opened(tmp_path / "agent.db", embedder=_Tiny("two")) as memory:
        assert (_levels(memory)["index"], memory.stats().index_embedder) == ("warning", "one")
        memory.remember("y", scope=ALICE)
        memory.reindex()
        assert (_levels(memory)["index"], memory.stats().unindexed) == ("ok", 0)


def test_a_failing_embedder_never_loses_a_write():
    class Broken:
        name, dimension = "broken", 4

        def embed_passages(self, texts):
            raise RuntimeError("no model today")

        embed_queries = embed_passages

    with opened(embedder=Broken()) as memory:
        assert memory.remember("still written", scope=ALICE).outcome == "created"
        assert memory.remember_many(["甲", "乙"], scope=ALICE)[0].outcome == "created"
        assert memory.stats().unindexed == 3
        assert "note" in _levels(memory)


class _Tiny:
    dimension = 4

    def __init__(self, name: str) -> None:
        from satchel.ports import Calibration

        self.name = name
        self.calibration = Calibration(0, 0, 0)

    def embed_passages(self, texts):
        import numpy as np

        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))

    embed_queries = embed_passages
