"""A scope in arrays: whatever happens, increments give what a fresh build gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.engine.index.postings import Postings
from satchel.engine.index.scope_index import ScopeIndex
from satchel.engine.index.vectors import VectorRows
from satchel.engine.recall.lanes import Question, lexical_lane, measure, semantic_lane
from satchel.engine.text.segmenting import hash_term, pack_terms, segment_query
from satchel.ports import IndexRow, IndexSlice, Position

DIMENSION = 6
TEXTS = ["周三去游泳", "不吃香菜", "window seat please", "likes window shopping", "周三不开会", "green tea 绿茶", "x", "香菜 香菜 香菜"]


def a_row(id: str, text: str = "周三去游泳", *, seed: int | None = 1, **fields: Any) -> IndexRow:
    vector = None
    if seed is not None:
        drawn = np.random.default_rng(seed).standard_normal(DIMENSION)
        vector = (drawn / np.linalg.norm(drawn)).astype("<f2").tobytes()
    given = {
        "type": "fact",
        "status": "active",
        "origin": "stated",
        "moment": 10.0,
        "updated": 11.0,
        "stored": 12.0,
        "accessed": 0.0,
        "access_count": 0,
        "score": 0.5,
        "half_life": 100.0,
        "pinned": False,
        "expires": float("inf"),
        "tags": (),
    }
    return IndexRow(id=id, terms=pack_terms(text), vector=vector, **(given | fields))


def build(rows: list[IndexRow], position: int = 1) -> ScopeIndex:
    return ScopeIndex.build(IndexSlice(Position(position, 0), rows, True), DIMENSION)


def changed(index: ScopeIndex, rows: list[IndexRow], gone: list[str] | None = None) -> ScopeIndex:
    return index.apply(IndexSlice(Position(index.position.change + 1, 0), rows, False, gone or []))


def seen(index: ScopeIndex) -> dict[str, Any]:
    """All that an index says, free of the places of its rows."""
    rows = np.flatnonzero(index.alive).tolist()
    types = {code: name for name, code in index.types.items()}
    columns = index.columns
    by_id = {}
    for row in rows:
        by_id[index.ids[row]] = (
            types[int(columns.type[row])],
            index.tags[row],
            index.vectors.matrix[row].tolist(),
            [getattr(columns, name)[row].item() for name in columns.__slots__ if name != "type"],
        )
    found = {}
    for text in TEXTS:
        question = Question(np.array([hash_term(t) for t in segment_query(text)], np.uint32), index.vectors.matrix[:1][0].copy() * 0 + 0.4)
        measured = measure([index], question)[0]
        lexical, semantic = lexical_lane(measured, index.alive, 3), semantic_lane(measured, index.alive, 3)
        found[text] = (
            sorted((index.ids[row], measured.lexical[row], measured.coverage[row]) for row in lexical.tolist()),
            sorted(
                zip(
                    [index.ids[row] for row in semantic.tolist()],
                    measured.nearness.of(semantic).tolist(),
                    strict=True,
                )
            ),
        )
    return {"rows": by_id, "found": found, "size": index.size, "length": index.total_length}


rows = st.builds(
    a_row,
    st.sampled_from([f"m{n}" for n in range(12)]),
    st.sampled_from(TEXTS),
    seed=st.none() | st.integers(0, 5),
    type=st.sampled_from(["fact", "preference", "心得"]),
    status=st.sampled_from(["active", "pending", "archived"]),
    updated=st.sampled_from([1.0, 2.0]),
    pinned=st.booleans(),
    tags=st.sampled_from([(), ("饮食",), ("饮食", "travel")]),
)
changes = st.tuples(st.lists(rows, max_size=4), st.lists(st.sampled_from([f"m{n}" for n in range(12)]), max_size=2))


@settings(max_examples=60, deadline=None)
@given(st.lists(rows, min_size=1, max_size=8), st.lists(changes, max_size=12))
def test_increments_give_what_a_fresh_build_gives(first: list[IndexRow], steps: list[tuple[list[IndexRow], list[str]]]) -> None:
    truth = {row.id: row for row in first}
    index = build(list(truth.values()))
    for new, gone in steps:
        part = {row.id: row for row in new}
        for record_id in gone:
            truth.pop(record_id, None)
            part.pop(record_id, None)
        truth |= part
        index = changed(index, list(part.values()), gone)
    if truth:
        assert seen(index) == seen(build(list(truth.values())))
    assert index.size == len(truth)


def test_order_of_rows_does_not_show() -> None:
    many = [a_row(f"m{n:03}", TEXTS[n % len(TEXTS)], seed=n % 7, updated=float(n % 3)) for n in range(200)]
    mixed = [many[n] for n in np.random.default_rng(3).permutation(200)]
    assert seen(build(many)) == seen(build(mixed))


def test_many_changes_leave_no_more_dead_rows_than_living_ones_need() -> None:
    index = build([a_row(f"m{n}") for n in range(10)])
    for n in range(300):
        index = changed(index, [a_row("m3", TEXTS[n % len(TEXTS)], score=n / 300)])
    assert len(index) < 100
    assert seen(index) == seen(
        build([a_row("m3", TEXTS[299 % len(TEXTS)], score=299 / 300), *(a_row(f"m{n}") for n in range(10) if n != 3)])
    )


def test_a_reader_of_an_earlier_version_sees_what_it_saw() -> None:
    index = build([a_row("m1", "周三去游泳"), a_row("m2", "不吃香菜")])
    before = seen(index)
    later = changed(index, [a_row("m1", "window seat please", seed=4), a_row("m9", "香菜", seed=5)], ["m2"])
    twice = changed(index, [a_row("m7", "green tea", seed=2)])
    assert seen(index) == before
    assert sorted(later.ids[row] for row in np.flatnonzero(later.alive)) == ["m1", "m9"]
    assert seen(twice) == seen(build([a_row("m1", "周三去游泳"), a_row("m2", "不吃香菜"), a_row("m7", "green tea", seed=2)]))


def test_a_complete_slice_builds_anew() -> None:
    index = build([a_row("m1"), a_row("m2")])
    assert seen(index.apply(IndexSlice(Position(9, 0), [a_row("m5")], True))) == seen(build([a_row("m5")]))


@pytest.mark.parametrize("vector", [b"", b"\0\0", np.full(DIMENSION, np.nan, "<f2").tobytes(), np.full(DIMENSION, np.inf, "<f2").tobytes()])
def test_a_vector_of_another_size_or_that_is_damaged_counts_as_none(vector: bytes) -> None:
    index = build([a_row("m1")._replace(vector=vector), a_row("m2")])
    assert index.columns.has_vector.tolist() == [False, True]
    assert np.isfinite(index.vectors.products(np.ones(DIMENSION, np.float32), 2)).all()


def test_an_index_without_vectors_still_holds_words() -> None:
    index = ScopeIndex.build(IndexSlice(Position(1, 0), [a_row("m1"), a_row("m2", "香菜")], True), 0)
    after = index.apply(IndexSlice(Position(2, 0), [a_row("m3", "香菜")], False))
    measured = measure([after], Question(np.array([hash_term("香菜")], np.uint32), None))[0]
    assert sorted(after.ids[row] for row in lexical_lane(measured, after.alive, 9)) == ["m2", "m3"]


def test_an_empty_scope_is_an_index_too() -> None:
    index = build([])
    question = Question(np.array([hash_term("香菜")], np.uint32), np.ones(DIMENSION, np.float32))
    measured = measure([index], question)[0]
    assert len(lexical_lane(measured, index.alive, 9)) == len(semantic_lane(measured, index.alive, 9)) == 0
    assert seen(changed(index, [a_row("m1")])) == seen(build([a_row("m1")]))


@pytest.mark.parametrize("dimension", [1, 7, 48, 100, 384, 1536])
def test_a_product_is_the_same_wherever_its_row_stands(dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    rows = rng.standard_normal((203, dimension), dtype=np.float32)
    mixed = rng.permutation(203)
    query = rng.standard_normal(dimension, dtype=np.float32)
    here = VectorRows.holding(rows[:50]).appended(rows[50:], 50).products(query, 203)
    there = VectorRows.holding(rows[mixed]).products(query, 203)
    assert here[mixed].tobytes() == there.tobytes()


def test_it_says_how_much_memory_it_takes() -> None:
    few, many = build([a_row(f"m{n}") for n in range(10)]), build([a_row(f"m{n}") for n in range(1000)])
    assert many.bytes > few.bytes > 10 * DIMENSION * 4


def test_usage_counts_before_the_store_is_read_again() -> None:
    index = build([a_row("m1"), a_row("m2", accessed=50.0, access_count=3)])
    index.use([("m1", 40.0, 1), ("m2", 40.0, 2), ("unknown", 40.0, 1)])
    assert index.columns.accessed.tolist() == [40.0, 50.0]
    assert index.columns.access_count.tolist() == [1, 5]


def test_postings_stay_in_few_segments_however_they_grew() -> None:
    postings = Postings()
    for row in range(2000):
        postings = postings.added(np.array([7, 8 + row % 5], np.uint32), np.array([row, row]), np.array([1, 2], np.uint8))
    found = postings.find(np.array([9, 7, 1], np.uint32))
    assert sorted(found.rows[found.terms == 1].tolist()) == list(range(2000))
    assert sorted(found.rows[found.terms == 0].tolist()) == list(range(1, 2000, 5))
    assert set(found.frequencies[found.terms == 0].tolist()) == {2}
    assert not (found.terms == 2).any()
    assert len(postings._segments) < 14
