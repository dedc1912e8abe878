"""The index's model: recorded, compared, told once, rebuilt (STO-4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from recall_stage import ALICE, BOB, Stage, TableEmbedder
from satchel.engine.core import Principal
from satchel.engine.index.embedding import embed_contents, index_embedder, open_index, reindex
from satchel.errors import SatchelError, TransportError
from satchel.operations.models import ReindexRequest
from satchel.ports import Batch, Document, IndexEntry

ANYBODY = Principal()


def opened(stage: Stage) -> Stage:
    open_index(stage.core)
    return stage


def filled(embedder: TableEmbedder | None) -> Stage:
    stage = Stage(embedder=embedder)
    stage.remember("对花生严重过敏")
    stage.remember("喜欢龙井茶")
    stage.remember("keys are in the drawer", scope=BOB)
    return stage


def test_vectors_are_kept_as_half_precision_of_unit_length() -> None:
    stage = filled(TableEmbedder())
    rows = list(stage.core.store.index_slice(ALICE).rows)
    assert all(len(row.vector) == 2 * TableEmbedder.dimension for row in rows)
    assert np.linalg.norm(np.frombuffer(rows[0].vector, "<f2").astype(float)) == pytest.approx(1.0, abs=1e-3)


def test_the_first_write_records_the_model() -> None:
    stage = filled(TableEmbedder("first"))
    assert index_embedder(stage.core) == "first"
    assert opened(stage).core.notes.all() == ()


def test_a_store_without_vectors_belongs_to_no_model() -> None:
    stage = filled(None)
    assert index_embedder(stage.core) is None
    assert opened(stage.another(embedder=TableEmbedder())).core.notes.all() == ()


def test_another_model_is_told_once_and_words_alone_go_on() -> None:
    other = opened(filled(TableEmbedder("first")).another(embedder=TableEmbedder("second", {"餐厅": "花生"})))
    for _ in range(2):
        hits = other.hits("龙井")
        assert [hit.record.content for hit in hits.hits] == ["喜欢龙井茶"]
        assert hits.hits[0].reasons["semantic"] == 0.0
        assert len(hits.notes) == 1
        assert "first" in hits.notes[0]
        assert "second" in hits.notes[0]
        assert "reindex" in hits.notes[0]
    assert other.found("餐厅") == []


def test_a_missing_embedder_is_told_where_the_index_has_one() -> None:
    stage = opened(Stage(store=filled(TableEmbedder("first")).core.store))
    assert stage.found("龙井") == ["喜欢龙井茶"]
    assert "first" in stage.hits("龙井").notes[0]


def test_a_record_written_by_another_model_waits_for_reindex() -> None:
    other = filled(TableEmbedder("first")).another(embedder=TableEmbedder("second"))
    assert embed_contents(other.core, ["周三去游泳"]) == [None]
    assert index_embedder(other.core) == "first"


def test_reindex_takes_the_index_over_and_takes_the_note_back() -> None:
    first = filled(TableEmbedder("first"))
    first.recall("花生")
    other = opened(first.another(embedder=TableEmbedder("second", {"餐厅": "花生"})))
    done = reindex(other.core, ANYBODY, ReindexRequest())
    assert (done.embedded, done.remaining, done.embedder) == (3, 0, "second")
    assert index_embedder(other.core) == "second"
    hits = other.hits("餐厅")
    assert [hit.record.content for hit in hits.hits] == ["对花生严重过敏"]
    assert hits.notes == ()
    # The engine that still has the first model sees that the vectors are no longer its own.
    late = first.hits("花生")
    assert late.hits[0].reasons["semantic"] == 0.0
    assert "second" in late.notes[0]


def test_the_note_is_taken_back_when_another_process_rebuilds_the_index_for_us() -> None:
    first = filled(TableEmbedder("first"))
    other = opened(first.another(embedder=TableEmbedder("second")))
    assert other.hits("花生").notes
    reindex(first.another(embedder=TableEmbedder("second")).core, ANYBODY, ReindexRequest())
    late = other.hits("花生")
    assert late.notes == ()
    assert late.hits[0].reasons["semantic"] > 0.0


def test_reindex_again_finds_nothing_to_do() -> None:
    stage = filled(TableEmbedder())
    done = reindex(stage.core, ANYBODY, ReindexRequest())
    assert (done.embedded, done.remaining) == (0, 0)


def test_reindex_embeds_what_was_written_without_a_model() -> None:
    stage = filled(None).another(embedder=TableEmbedder(means={"餐厅": "花生"}))
    assert stage.found("餐厅") == []
    assert reindex(stage.core, ANYBODY, ReindexRequest()).embedded == 3
    assert stage.found("餐厅") == ["对花生严重过敏"]


def test_without_an_embedder_reindex_says_what_remains() -> None:
    done = reindex(filled(None).core, ANYBODY, ReindexRequest())
    assert (done.embedded, done.remaining, done.embedder) == (0, 3, None)


def test_everything_makes_words_and_vectors_anew() -> None:
    stage = filled(TableEmbedder())
    record = stage.recall("龙井")[0].record
    stage.core.store.write_index([IndexEntry(ALICE, record.id, record.content_hash, terms=b"", vector=b"\0" * 96)])
    assert stage.found("龙井", min_relevance=0.5) == []
    assert reindex(stage.core, ANYBODY, ReindexRequest(everything=True)).embedded == 3
    assert stage.recall("龙井")[0].reasons["lexical"] == 1.0


def test_everything_without_an_embedder_leaves_the_vectors() -> None:
    stage = Stage(store=filled(TableEmbedder("first")).core.store)
    reindex(stage.core, ANYBODY, ReindexRequest(everything=True))
    assert index_embedder(stage.core) == "first"
    assert stage.core.store.count_unindexed() == 0


def test_an_older_segmentation_is_told_and_mended_by_reindex() -> None:
    stage = filled(TableEmbedder())
    made_with = stage.core.store.document("index", "made-with")
    stage.core.store.apply(Batch(documents=[Document("index", "made-with", {**made_with, "segmenter": "satchel-0"})]))
    record = stage.recall("龙井")[0].record
    stage.core.store.write_index([IndexEntry(ALICE, record.id, record.content_hash, terms=b"")])
    assert "segmentation" in opened(stage).core.notes.all()[0]
    reindex(stage.core, ANYBODY, ReindexRequest())
    assert stage.core.notes.all() == ()
    assert stage.recall("龙井")[0].reasons["lexical"] == 1.0


def test_a_model_that_fails_stops_no_write_and_no_recall() -> None:
    embedder = TableEmbedder()
    stage = Stage(embedder=embedder)
    embedder.broken = True
    stage.remember("喜欢龙井茶")
    hits = stage.hits("龙井")
    assert [hit.record.content for hit in hits.hits] == ["喜欢龙井茶"]
    assert "out of order" in hits.notes[0]
    embedder.broken = False
    assert reindex(stage.core, ANYBODY, ReindexRequest()).embedded == 1
    assert stage.hits("龙井").notes == ()


def test_a_model_that_fails_before_reindex_costs_the_index_nothing() -> None:
    embedder = TableEmbedder()
    stage = filled(embedder)
    embedder.broken = True
    with pytest.raises(SatchelError, match="out of order"):
        reindex(stage.core, ANYBODY, ReindexRequest(everything=True))
    assert stage.core.store.count_unindexed() == 0


def test_a_model_that_is_slow_to_fail_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    class Down(TableEmbedder):
        asked = 0

        def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
            self.asked += 1
            clock[0] += 30.0
            raise TransportError("no answer")

    clock = [100.0]
    monkeypatch.setattr("satchel.engine.recall.answers.time.monotonic", lambda: clock[0])
    embedder = Down()
    stage = Stage(embedder=embedder)
    stage.remember("喜欢龙井茶")
    for query in ("龙井", "茶", "喜欢"):
        assert stage.found(query) == ["喜欢龙井茶"]
    assert embedder.asked == 1
    clock[0] += 61.0
    assert stage.found("喜欢龙井") == ["喜欢龙井茶"]
    assert embedder.asked == 2
