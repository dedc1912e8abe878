"""A stage for tests of external indexes: a memory over a store and an index, and what every real engine must stand."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

from satchel.conformance import MemoryContract
from satchel.conformance.memory_changing import Changing
from satchel.conformance.memory_forgetting import Forgetting
from satchel.conformance.memory_recalling import Recalling
from satchel.conformance.samples import CONTENTS
from satchel.engine.engine import Engine
from satchel.engine.text.segmenting import hash_term, segment
from satchel.ports import Calibration, VectorIndex
from tour_stage import tour
from write_stage import ALICE, BOB, Clock, opened

ASKED = ["花生", "window seat", "review", "母亲", "注释 comments"]


class WordEmbedder:
    """A text's vector counts its words in places that their hashes give: quick, and the same in every process."""

    name = "words"
    dimension = 64
    calibration = Calibration(bias=-6.0, cosine=9.0, coverage=4.0)

    def __init__(self, name: str = "words") -> None:
        self.name = name

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            hashes = np.array([hash_term(term) for term in segment(text)], np.int64)
            np.add.at(row, (hashes + len(self.name)) % self.dimension, np.where(hashes & 64, 1.0, -1.0))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    embed_passages = embed_queries


@contextmanager
def indexed(store: str | Path, index: str | VectorIndex | None, **options: Any) -> Iterator[Engine]:
    """Open a memory whose vectors are in an external index."""
    options.setdefault("embedder", WordEmbedder())
    with opened(store, index=index, **options) as memory:
        yield memory


def fill(memory: Engine, count: int = 40, scope: str = ALICE) -> None:
    """Remember something."""
    memory.remember_many([{"content": f"{CONTENTS[at % len(CONTENTS)]}（{at}）", "id": f"m{at:03}"} for at in range(count)], scope=scope)


def answers(memory: Engine, scope: str = ALICE) -> list[Any]:
    """Return what is found, with what explains it, but for what changes while time passes."""
    timeless = ("semantic", "lexical", "fused", "relevance", "match")
    return [
        [(hit.record.id, hit.score, [hit.reasons[name] for name in timeless]) for hit in memory.search(query, scope=scope, limit=20)]
        for query in ASKED
    ]


def semantic(memory: Engine, scope: str = ALICE) -> bool:
    """Tell whether vectors had a part in the answers."""
    return any(hit.reasons["semantic"] for query in ASKED for hit in memory.search(query, scope=scope))


def findings(memory: Engine, subject: str = "external index") -> list[tuple[str, str]]:
    """Return what `doctor` says of the index."""
    return [(found.level, found.message) for found in memory.doctor().findings if found.subject == subject]


def held(memory: Engine, scope: str = ALICE) -> dict[str, str]:
    """Return what the index itself holds of a scope."""
    return raw(memory).checksums(scope)


def raw(memory: Engine) -> VectorIndex:
    """Return the index behind a memory."""
    assert memory.core.external is not None
    return memory.core.external._index


_WRITER = """
import sys
sys.path[:0] = [{tests!r}]
from index_stage import fill, indexed
with indexed({store!r}, {index!r}, settings={{"answer_cache_seconds": 0}}) as memory:
    print("open", flush=True)
    turn = 0
    while True:
        turn += 1
        new = [{{"content": f"第 {{turn}} 回 round {{at}}", "id": f"{{turn}}-{{at}}"}} for at in range(60)]
        memory.remember_many(new, scope="user:alice")
        memory.search("round", scope="user:alice")
        print(turn, flush=True)
"""


def write_and_be_killed(store: Path, index: str, rng: random.Random) -> int:
    """Let another process write and copy, kill it at some moment, and return how many rounds it had told of."""
    code = _WRITER.format(tests=str(Path(__file__).parent), store=str(store), index=index)
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    process.stdout.readline()
    sleep(rng.random() * 0.5)
    process.kill()
    rest = process.communicate()[0].split()
    return 1 + len(rest)


class StandsWhatHappens:
    """What a memory over a real engine in a folder must stand. A class offers `url` (a new folder each time), and `spoil`."""

    kills = 1

    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        raise NotImplementedError

    def take_away(self, folder: Path) -> None:
        """Remove the index's files."""
        import shutil

        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """Return the folder that the index's files are in."""
        made = tmp_path / "index"
        made.mkdir()
        return made

    def test_answers_are_those_of_the_vectors_in_memory(self, url: str) -> None:
        """STO-1, STO-2: whatever is done, the same hits in the same order with the same scores."""
        told = []
        for index in (None, url):
            clock = Clock()
            # Usage is written once a second by the machine's clock, and engines differ in how many seconds the tour takes.
            with indexed("memory://", index, clock=clock, settings={"touch_on_recall": False}) as memory:
                told.append(tour(memory, clock))
                assert not [note for note in memory.core.notes.all() if "words alone" in note]
        for ours, theirs in zip(*told, strict=True):
            assert ours == theirs

    def test_an_index_that_is_emptied_while_it_runs_mends_itself(self, url: str, tmp_path: Path) -> None:
        with indexed(tmp_path / "a.db", url, settings={"answer_cache_seconds": 0}) as memory:
            fill(memory)
            before, whole = answers(memory), held(memory)
            assert semantic(memory)
            raw(memory).remove(ALICE, list(whole))
            assert [hit.record.id for hit in memory.search(ASKED[0], scope=ALICE)]
            assert answers(memory) == before
            about = raw(memory).describe()
            assert about is not None
            raw(memory).clear(about)
            assert [hit.record.id for hit in memory.search(ASKED[0], scope=ALICE)]
            assert answers(memory) == before
            assert held(memory) == whole
            assert findings(memory)[0][0] == "ok"

    def test_a_folder_that_is_taken_away_between_two_recalls_is_filled_again(self, url: str, folder: Path, tmp_path: Path) -> None:
        with indexed(tmp_path / "a.db", url, settings={"answer_cache_seconds": 0}) as memory:
            fill(memory)
            before, whole = answers(memory), held(memory)
            self.take_away(folder)
            assert [hit.record.id for hit in memory.search(ASKED[0], scope=ALICE)]
            assert answers(memory) == before
            assert held(memory) == whole
        self.take_away(folder)
        with indexed(tmp_path / "a.db", url) as memory:
            assert answers(memory) == before
            assert held(memory) == whole
            assert memory.doctor().healthy

    def test_a_kill_while_copying_leaves_work_and_no_harm(self, url: str, tmp_path: Path) -> None:
        rng = random.Random(5)
        rounds = 0
        for _ in range(self.kills):
            rounds = max(rounds, write_and_be_killed(tmp_path / "a.db", url, rng))
            with indexed(tmp_path / "a.db", url) as memory:
                records = sum(found.counts["active"] for found in memory.scopes())
                assert records >= 60
                assert len(memory.search("round 7", scope=ALICE, limit=5)) == 5
                deadline = 200
                while len(held(memory)) != records and deadline:
                    memory.search("round 7", scope=ALICE, limit=5 + deadline % 2)
                    sleep(0.05)
                    deadline -= 1
                assert len(held(memory)) == records
                assert findings(memory)[0][0] == "ok"
                memory.reindex()
                assert len(held(memory)) == records

    def test_damaged_files_cost_meaning_and_nothing_else(self, url: str, folder: Path, tmp_path: Path) -> None:
        with indexed(tmp_path / "a.db", url) as memory:
            fill(memory)
            before = answers(memory)
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_size:
                path.write_bytes(b"no index at all " * 64)
        with indexed(tmp_path / "a.db", url, settings={"answer_cache_seconds": 0}) as memory:
            assert [hit.record.id for hit in memory.search("花生", scope=ALICE)]
            memory.remember("坏了也要记住 still remembered", scope=ALICE, id="later")
            assert memory.read("later", scope=ALICE).content
            state = memory.forget("later", scope=ALICE).state
            assert state == ("scrubbed" if semantic(memory) else "scrub_pending")
            if answers(memory) != before:
                assert not semantic(memory)
                assert findings(memory)[0][0] == "warning"
        self.take_away(folder)
        with indexed(tmp_path / "a.db", url) as memory:
            assert answers(memory) == before
            assert memory.doctor().healthy

    def test_damaged_files_are_mended_by_making_the_index_anew(self, url: str, folder: Path, tmp_path: Path) -> None:
        with indexed(tmp_path / "a.db", url) as memory:
            fill(memory)
            before = answers(memory)
        for path in folder.rglob("*"):
            if path.is_file() and path.stat().st_size:
                path.write_bytes(b"no index at all " * 64)
        with indexed(tmp_path / "a.db", url) as memory:
            memory.reindex(everything=True)
            assert answers(memory) == before
            assert memory.doctor().healthy

    @pytest.mark.parametrize("harm", ["damaged", "emptied", "foreign", "of another model"])
    def test_the_command_that_doctor_names_mends_it(self, harm: str, url: str, folder: Path, tmp_path: Path) -> None:
        with indexed(tmp_path / "a.db", url) as memory:
            fill(memory, 12)
            before = answers(memory)
        if harm == "damaged":
            for path in folder.rglob("*"):
                if path.is_file() and path.stat().st_size:
                    path.write_bytes(b"no index at all " * 64)
        elif harm == "emptied":
            self.take_away(folder)
        elif harm == "foreign":
            self.take_away(folder)
            with indexed(tmp_path / "b.db", url) as other:
                fill(other, 3)
                answers(other)
        else:
            with indexed(tmp_path / "a.db", url, embedder=WordEmbedder("other words")) as memory:
                memory.reindex(everything=True)
            with indexed(tmp_path / "a.db", None) as memory:
                memory.reindex()
        with indexed(tmp_path / "a.db", url) as memory:
            ((level, said),) = findings(memory)
            command = said.rpartition("`satchel ")[2].partition("`")[0]
            assert level == "warning"
            assert command == ("reindex --everything" if harm in ("damaged", "foreign") else "reindex"), said
            assert memory.reindex(everything="--everything" in command).uncopied == 0
            assert findings(memory)[0][0] == "ok"
            assert answers(memory) == before
            assert semantic(memory)

    def test_forgetting_leaves_nothing_in_the_index(self, url: str, tmp_path: Path) -> None:
        """RET-5."""
        with indexed(tmp_path / "a.db", url) as memory:
            fill(memory, 12)
            fill(memory, 4, BOB)
            answers(memory), answers(memory, BOB)
            assert memory.forget("m003", scope=ALICE).state == "scrubbed"
            assert "m003" not in held(memory)
            assert not raw(memory).vectors(ALICE, ["m003"])
            assert memory.forget(plan=memory.forget(scope=BOB, everything=True)).state == "scrubbed"
            assert held(memory, BOB) == {}
            assert len(held(memory)) == 11


class HoldsTheMemoryContract(MemoryContract):
    """The memory contract, with vectors in an external index. A class offers `url`."""

    @pytest.fixture
    def memory(self, url: str, tmp_path: Path) -> Iterator[Engine]:
        with indexed(tmp_path / "memory.db", url) as memory:
            yield memory


class RecallsAndForgets(Recalling, Changing, Forgetting):
    """The parts of the memory contract that an index has to do with, for engines that take long to open. A class offers `url`."""

    @pytest.fixture
    def memory(self, url: str, tmp_path: Path) -> Iterator[Engine]:
        with indexed(tmp_path / "memory.db", url) as memory:
            yield memory
