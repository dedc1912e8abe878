"""The contract of an external vector index (STO-2, STO-3). It must not know any index, nor who searches it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from satchel.conformance.contract import Contract, refused, requirement
from satchel.errors import StoreError
from satchel.ports import IndexDescription, Position, VectorEntry, VectorIndex

DIMENSION = 16
MANY = 1_300

Vectors = NDArray[np.float32]


def _vectors(count: int, seed: int = 1, dimension: int = DIMENSION) -> Vectors:
    """Return vectors as a store keeps them: rounded to half precision, so that their lengths are not quite 1."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float16).astype(np.float32)


def _entries(vectors: Vectors, prefix: str = "m") -> list[VectorEntry]:
    return [VectorEntry(f"{prefix}{at}", f"sum-{prefix}{at}", vector) for at, vector in enumerate(vectors)]


def _names(found: list[tuple[str, float]]) -> list[str]:
    return [name for name, _ in found]


class VectorIndexContract(Contract):
    """What every external vector index does. A test class inherits it and offers the fixture `index`: one that nobody has cleared yet."""

    subject = "index"

    def about(self, dimension: int = DIMENSION, embedder: str = "e") -> IndexDescription:
        """Describe what this test puts in."""
        return IndexDescription(embedder, dimension, f"store-{self.mark}")

    # ------------------------------------------------------------ what it is for

    @requirement("STO-2")
    def test_an_index_that_nobody_cleared_is_empty(self, index: VectorIndex) -> None:
        scope = self.scope()
        assert (index.describe(), index.position(scope), index.marks(), index.count(scope)) == (None, None, {}, 0)
        assert (index.search(scope, _vectors(1)[0], 5), index.vectors(scope, ["m0"]), index.checksums(scope)) == ([], {}, {})
        index.remove(scope, ["m0"])
        assert index.check() == []
        assert index.location

    @requirement("STO-2")
    def test_nothing_is_put_before_it_is_known_for_whom(self, index: VectorIndex) -> None:
        with refused(StoreError):
            index.put(self.scope(), _entries(_vectors(1)))
        with refused(StoreError):
            index.mark(self.scope(), Position(1, 0))
        index.clear(self.about())
        index.put(self.scope(), _entries(_vectors(1)))
        assert index.count(self.scope()) == 1

    @requirement("STO-4")
    def test_it_tells_whose_vectors_it_was_cleared_for(self, index: VectorIndex) -> None:
        index.clear(self.about(embedder="多语言 model/1"))
        assert index.describe() == self.about(embedder="多语言 model/1")
        index.clear(self.about(embedder="other"))
        assert index.describe() == self.about(embedder="other")

    @requirement("STO-2", "STO-4")
    def test_clearing_drops_entries_and_positions_and_takes_another_dimension(self, index: VectorIndex) -> None:
        scope = self.scope()
        index.clear(self.about())
        index.put(scope, _entries(_vectors(3)))
        index.mark(scope, Position(4, 2))
        index.clear(self.about(8))
        assert (index.count(scope), index.position(scope), index.marks(), index.checksums(scope)) == (0, None, {}, {})
        wide = _vectors(2, dimension=8)
        index.put(scope, _entries(wide))
        assert _names(index.search(scope, wide[1], 1)) == ["m1"]

    @requirement("STO-4")
    def test_a_vector_of_another_dimension_is_refused(self, index: VectorIndex) -> None:
        index.clear(self.about())
        with refused(StoreError):
            index.put(self.scope(), _entries(_vectors(1, dimension=8)))
        index.put(self.scope(), _entries(_vectors(1)))
        assert index.count(self.scope()) == 1

    # ------------------------------------------------------------ finding

    @requirement("STO-2", "RCL-1")
    def test_what_is_put_is_found_at_once_the_nearest_first(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(40)
        index.put(self.scope(), _entries(vectors))
        for exact in (False, True):
            found = index.search(self.scope(), vectors[7], 5, exact=exact)
            products = vectors @ vectors[7]
            assert _names(found) == [f"m{at}" for at in np.argsort(-products)[:5]]
            assert np.allclose([product for _, product in found], np.sort(products)[::-1][:5], atol=1e-5)

    @requirement("STO-2", "RCL-1")
    def test_products_and_vectors_are_those_of_the_vectors_as_they_were_put(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(4)
        vectors[1] *= 0.5
        index.put(self.scope(), _entries(vectors))
        found = dict(index.search(self.scope(), vectors[0], 4))
        assert np.allclose([found[f"m{at}"] for at in range(4)], vectors @ vectors[0], atol=1e-5)
        held = index.vectors(self.scope(), ["m0", "m1", "m2", "m3", "absent"])
        assert sorted(held) == ["m0", "m1", "m2", "m3"]
        assert all(np.array_equal(held[f"m{at}"], vectors[at]) for at in range(4))

    @requirement("STO-2")
    def test_a_search_brings_as_many_as_there_are_and_no_more_than_its_limit(self, index: VectorIndex) -> None:
        index.clear(self.about())
        index.put(self.scope(), _entries(_vectors(30)))
        for limit in (1, 29, 30, 500):
            for exact in (False, True):
                found = _names(index.search(self.scope(), _vectors(1, seed=9)[0], limit, exact=exact))
                assert len(found) == len(set(found)) == min(limit, 30)
        assert index.search(self.scope(), _vectors(1)[0], 0) == []

    @requirement("STO-2", "RCL-1")
    def test_an_exact_search_measures_every_entry(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(MANY)
        vectors[600:660] = vectors[3]
        index.put(self.scope(), _entries(vectors))
        for seed in (2, 3):
            question = _vectors(1, seed=seed)[0]
            whole = dict(index.search(self.scope(), question, MANY, exact=True))
            assert np.allclose([whole[f"m{at}"] for at in range(MANY)], vectors @ question, atol=1e-5)
            best = index.search(self.scope(), question, 50, exact=True)
            assert np.allclose([product for _, product in best], np.sort(vectors @ question)[::-1][:50], atol=1e-5)
        same = index.search(self.scope(), vectors[3], 61, exact=True)
        assert set(_names(same)) == {"m3", *(f"m{at}" for at in range(600, 660))}

    # ------------------------------------------------------------ scopes

    @requirement("STO-3", "ACC-1")
    def test_every_reading_keeps_to_its_scope(self, index: VectorIndex) -> None:
        index.clear(self.about())
        mark, vectors = self.mark, _vectors(3)
        scopes = [
            f"user:a-{mark}",
            f"user:a-{mark}2",
            f"user:a-{mark}/project:b",
            f"user:A-{mark}",
            f"user:%-{mark}",
            f"user:\"{mark}' or 1",
        ]
        for place, scope in enumerate(scopes):
            index.put(scope, [VectorEntry("same", f"in {place}", vectors[0]), VectorEntry(f"only{place}", "c", vectors[1])])
        for place, scope in enumerate(scopes):
            mine = {"same", f"only{place}"}
            assert set(_names(index.search(scope, vectors[0], 100))) == set(_names(index.search(scope, vectors[0], 9, exact=True))) == mine
            assert index.checksums(scope) == {"same": f"in {place}", f"only{place}": "c"}
            assert index.count(scope) == 2
            assert set(index.vectors(scope, ["same", *(f"only{at}" for at in range(len(scopes)))])) == mine
        assert index.search("user:", vectors[0], 10) == index.search(f"user:%{mark}", vectors[0], 10) == []
        assert index.count(f"user:b-{mark}") == 0

    @requirement("STO-3")
    def test_a_search_without_a_scope_is_an_error_and_never_all(self, index: VectorIndex) -> None:
        index.clear(self.about())
        index.put(self.scope(), _entries(_vectors(2)))
        index.mark(self.scope(), Position(1, 0))
        with refused(StoreError):
            index.search("", _vectors(1)[0], 10)
        with refused(StoreError):
            index.checksums("")
        with refused(StoreError):
            index.vectors("", ["m0"])
        with refused(StoreError):
            index.count("")

    @requirement("STO-3")
    def test_an_id_in_two_scopes_is_two_entries(self, index: VectorIndex) -> None:
        index.clear(self.about())
        here, there, vectors = self.scope("here"), self.scope("there"), _vectors(2)
        index.put(here, [VectorEntry("m", "first", vectors[0])])
        index.put(there, [VectorEntry("m", "second", vectors[1])])
        assert np.array_equal(index.vectors(here, ["m"])["m"], vectors[0])
        assert np.array_equal(index.vectors(there, ["m"])["m"], vectors[1])
        index.remove(here, ["m"])
        assert (index.count(here), index.count(there)) == (0, 1)
        assert _names(index.search(there, vectors[0], 5)) == ["m"]

    @requirement("STO-2", "STO-3")
    def test_ids_are_any_text(self, index: VectorIndex) -> None:
        index.clear(self.about())
        names = ["a", "A", "a ", "é", "e\u0301", '"', "'; drop", "{}", "\\", "中文／路径", "🙂", "x" * 255, "0", "None"]
        vectors = _vectors(len(names))
        index.put(self.scope(), [VectorEntry(name, f"of {name}", vector) for name, vector in zip(names, vectors, strict=True)])
        assert index.checksums(self.scope()) == {name: f"of {name}" for name in names}
        assert sorted(_names(index.search(self.scope(), vectors[0], 99))) == sorted(names)
        assert set(index.vectors(self.scope(), names)) == set(names)
        index.remove(self.scope(), ["A", '"', "中文／路径"])
        assert set(index.checksums(self.scope())) == set(names) - {"A", '"', "中文／路径"}

    # ------------------------------------------------------------ writing

    @requirement("STO-2")
    def test_an_entry_that_is_put_again_is_replaced(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(3)
        index.put(self.scope(), _entries(vectors[:2]))
        index.put(self.scope(), [VectorEntry("m0", "new", vectors[2])])
        assert index.count(self.scope()) == 2
        assert index.checksums(self.scope())["m0"] == "new"
        assert np.array_equal(index.vectors(self.scope(), ["m0"])["m0"], vectors[2])
        assert _names(index.search(self.scope(), vectors[2], 1)) == ["m0"]
        assert np.allclose(dict(index.search(self.scope(), vectors[0], 9))["m0"], vectors[2] @ vectors[0], atol=1e-5)

    @requirement("RET-5", "STO-2")
    def test_what_is_removed_is_in_no_answer_any_more(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(20)
        index.put(self.scope(), _entries(vectors))
        index.remove(self.scope(), ["m3", "m4", "absent"])
        index.remove(self.scope(), [])
        assert index.count(self.scope()) == 18
        assert not {"m3", "m4"} & index.checksums(self.scope()).keys()
        assert index.vectors(self.scope(), ["m3", "m4"]) == {}
        for exact in (False, True):
            assert not {"m3", "m4"} & set(_names(index.search(self.scope(), vectors[3], 20, exact=exact)))

    @requirement("STO-2")
    def test_many_entries_are_put_at_once_and_the_last_of_two_counts(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(MANY)
        index.put(self.scope(), [*_entries(vectors), VectorEntry("m5", "again", vectors[9])])
        index.put(self.scope(), [])
        assert index.count(self.scope()) == MANY
        assert index.checksums(self.scope()) == {f"m{at}": "again" if at == 5 else f"sum-m{at}" for at in range(MANY)}
        held = index.vectors(self.scope(), [f"m{at}" for at in range(MANY)])
        assert np.array_equal(held["m5"], vectors[9])
        assert all(np.array_equal(held[f"m{at}"], vectors[at]) for at in range(MANY) if at != 5)
        index.remove(self.scope(), [f"m{at}" for at in range(MANY - 1)])
        assert index.checksums(self.scope()) == {f"m{MANY - 1}": f"sum-m{MANY - 1}"}

    # ------------------------------------------------------------ positions

    @requirement("STO-2")
    def test_the_position_of_each_scope_is_kept_and_can_be_taken_back(self, index: VectorIndex) -> None:
        index.clear(self.about())
        here, there = self.scope("here"), self.scope("there")
        index.mark(here, Position(3, 1))
        index.mark(there, Position(2**53 + 1, 0))
        assert (index.position(here), index.position(there)) == (Position(3, 1), Position(2**53 + 1, 0))
        index.mark(here, Position(2, 7))
        assert index.marks() == {here: Position(2, 7), there: Position(2**53 + 1, 0)}
        index.mark(here, None)
        index.mark(self.scope("nowhere"), None)
        assert (index.position(here), index.position(self.scope("nowhere"))) == (None, None)
        assert index.marks() == {there: Position(2**53 + 1, 0)}

    @requirement("STO-2", "STO-3")
    def test_a_position_is_no_entry(self, index: VectorIndex) -> None:
        index.clear(self.about())
        index.mark(self.scope(), Position(1, 1))
        assert (index.count(self.scope()), index.checksums(self.scope())) == (0, {})
        assert index.search(self.scope(), _vectors(1)[0], 10) == []
        index.put(self.scope(), _entries(_vectors(1)))
        assert _names(index.search(self.scope(), _vectors(1)[0], 10)) == ["m0"]
        index.remove(self.scope(), [*index.checksums(self.scope())])
        assert index.position(self.scope()) == Position(1, 1)

    # ------------------------------------------------------------ threads

    @requirement("STO-2", "STO-5")
    def test_threads_do_not_disturb_each_other(self, index: VectorIndex) -> None:
        index.clear(self.about())
        vectors = _vectors(30)

        def work(place: int) -> list[int]:
            scope, counts = self.scope(f"t{place}"), []
            for start in range(0, 30, 10):
                index.put(scope, _entries(vectors)[start : start + 10])
                counts.append(len(index.search(scope, vectors[place], 100)))
                assert _names(index.search(scope, vectors[start], 1)) == [f"m{start}"]
                index.mark(scope, Position(start, place))
            return counts

        with ThreadPoolExecutor(4) as pool:
            assert [done.result() for done in [pool.submit(work, place) for place in range(4)]] == [[10, 20, 30]] * 4
        assert index.marks() == {self.scope(f"t{place}"): Position(20, place) for place in range(4)}

    @requirement("STO-2")
    def test_a_closed_index_that_is_sound_had_nothing_to_say(self, index: VectorIndex) -> None:
        index.clear(self.about())
        index.put(self.scope(), _entries(_vectors(2)))
        assert index.check() == []
        index.close()
        index.close()

    @requirement("STO-2", capability="persistent")
    def test_what_was_marked_is_there_after_closing(self, index: VectorIndex) -> None:
        """An index connects when it is asked, so one that was closed can be asked again."""
        index.clear(self.about())
        vectors = _vectors(5)
        index.put(self.scope(), _entries(vectors))
        index.mark(self.scope(), Position(9, 3))
        index.close()
        assert index.describe() == self.about()
        assert index.position(self.scope()) == Position(9, 3)
        assert index.checksums(self.scope()) == {f"m{at}": f"sum-m{at}" for at in range(5)}
        assert _names(index.search(self.scope(), vectors[2], 1)) == ["m2"]
