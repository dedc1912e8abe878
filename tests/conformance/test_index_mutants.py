"""The suite is itself tested: each deliberately broken vector index must be caught, and the reference must pass (PRO-12)."""

from __future__ import annotations

from dataclasses import replace
from time import sleep

import numpy as np
import pytest

from pages import mistakes
from satchel.conformance import Outcome, VectorIndexContract, run_index
from satchel.errors import StoreUnavailable
from satchel.indexes.exact import ExactIndex
from satchel.ports import Position


class Reference(ExactIndex):
    """Sound, and claims what it need not: its entries outlive its closing, for the object does."""

    capabilities = frozenset({"scrub", "persistent"})


class SearchesEveryScope(Reference):
    def search(self, scope, vector, limit, **how):
        found = [
            hit for other in (self._entries or {}) if other for hit in super(SearchesEveryScope, self).search(other, vector, limit, **how)
        ]
        return sorted(found, key=lambda hit: -hit[1])[:limit]


class TakesAScopeForAPrefix(Reference):
    def search(self, scope, vector, limit, **how):
        scopes = [other for other in (self._entries or {}) if other.startswith(scope) and other]
        return [hit for other in scopes for hit in super(TakesAScopeForAPrefix, self).search(other, vector, limit, **how)][:limit]


class IgnoresTheCaseOfScopes(Reference):
    def _held(self, scope):
        return super()._held(scope.lower())

    def _put(self, scope, entries):
        super()._put(scope.lower(), entries)


class CountsEveryScope(Reference):
    def count(self, scope):
        return sum(len(held) for name, held in (self._entries or {}).items() if name) if self._entries is not None else 0


class FetchesFromAnyScope(Reference):
    def vectors(self, scope, ids):
        found = {}
        for other in [*(self._entries or {}), scope]:
            if other or not scope:
                found |= super().vectors(other, ids)
        return found


class RemovesFromEveryScope(Reference):
    def remove(self, scope, ids):
        for other in [name for name in (self._entries or {}) if name]:
            super().remove(other, ids)


class KeysEntriesByIdAlone(Reference):
    def put(self, scope, entries):
        for other in [name for name in (self._entries or {}) if name]:
            super().remove(other, [entry.id for entry in entries])
        super().put(scope, entries)


class NormalisesVectors(Reference):
    def put(self, scope, entries):
        super().put(scope, [entry._replace(vector=entry.vector / np.linalg.norm(entry.vector)) for entry in entries])


class SearchesByCosine(Reference):
    def search(self, scope, vector, limit, **how):
        lengths = {name: float(np.linalg.norm(held)) for name, held in super().vectors(scope, super().checksums(scope)).items()}
        found = [(name, product / lengths[name]) for name, product in super().search(scope, vector, 10**6, **how)]
        return sorted(found, key=lambda hit: -hit[1])[: max(limit, 0)]


class RoundsVectors(Reference):
    def put(self, scope, entries):
        super().put(scope, [entry._replace(vector=np.round(entry.vector * 127).astype(np.float32) / 127) for entry in entries])


class SearchesBackwards(Reference):
    def search(self, scope, vector, limit, **how):
        return super().search(scope, vector, limit, **how)[::-1]


class BringsTheFarthest(Reference):
    def search(self, scope, vector, limit, **how):
        return [(name, -product) for name, product in super().search(scope, -vector, limit, **how)]


class BringsDistances(Reference):
    def search(self, scope, vector, limit, **how):
        return [(name, 1.0 - product) for name, product in super().search(scope, vector, limit, **how)]


class IgnoresTheLimit(Reference):
    def search(self, scope, vector, limit, **how):
        return super().search(scope, vector, 10**6, **how)


class BringsAtMostAThousand(Reference):
    def search(self, scope, vector, limit, **how):
        return super().search(scope, vector, min(limit, 1000), **how)


class ShortOfOne(Reference):
    def search(self, scope, vector, limit, **how):
        found = super().search(scope, vector, limit, **how)
        return found[:-1] if len(found) > 5 else found


class MissesTheNearestNowAndThen(Reference):
    def search(self, scope, vector, limit, **how):
        found = super().search(scope, vector, limit + 1, **how)
        return [hit for hit in found if hit[0] != "m17"][:limit]


class IsNeverExact(Reference):
    def search(self, scope, vector, limit, *, exact=False):
        found = super().search(scope, vector, limit + 60, exact=exact)
        return found[:limit] if len(found) < 500 else [found[0], *found[2 : limit + 1]]


class LosesTheLastOfAPut(Reference):
    def put(self, scope, entries):
        super().put(scope, entries[:-1] if len(entries) > 1 else entries)


class KeepsAThousandOfAPut(Reference):
    def put(self, scope, entries):
        super().put(scope, entries[:1000])


class KeepsTheFirstOfTwo(Reference):
    def put(self, scope, entries):
        super().put(scope, list({entry.id: entry for entry in reversed(entries)}.values()))


class NeverReplaces(Reference):
    def put(self, scope, entries):
        known = super().checksums(scope) if self._entries is not None else {}
        super().put(scope, [entry for entry in entries if entry.id not in known])


class AnswersWithoutAScope(Reference):
    def _of_one(self, scope):
        return


class KeepsTheOldChecksum(Reference):
    def put(self, scope, entries):
        known = super().checksums(scope)
        super().put(scope, [entry._replace(checksum=known.get(entry.id, entry.checksum)) for entry in entries])


class KeepsTheOldVector(Reference):
    def put(self, scope, entries):
        known = super().vectors(scope, [entry.id for entry in entries]) if self._entries is not None else {}
        super().put(scope, [entry._replace(vector=known.get(entry.id, entry.vector)) for entry in entries])


class PutsDuplicates(Reference):
    def count(self, scope):
        return super().count(scope) + (1 if "new" in super().checksums(scope).values() else 0)


class SeesAPutLater(Reference):
    def put(self, scope, entries):
        held = self.__dict__.pop("late", None)
        if held is not None:
            super().put(*held)
        super().put(scope, [])
        self.late = (scope, entries)


class KeepsWhatIsRemovedInSearches(Reference):
    def remove(self, scope, ids):
        self.__dict__.setdefault("kept", {}).setdefault(scope, {}).update(super().vectors(scope, ids))
        super().remove(scope, ids)

    def search(self, scope, vector, limit, **how):
        kept = [(name, float(held @ vector)) for name, held in self.__dict__.get("kept", {}).get(scope, {}).items()]
        return sorted([*super().search(scope, vector, limit, **how), *kept], key=lambda hit: -hit[1])[: max(limit, 0)]


class KeepsVectorsOfWhatIsRemoved(Reference):
    def remove(self, scope, ids):
        self.__dict__.setdefault("kept", {}).update(super().vectors(scope, ids))
        super().remove(scope, ids)

    def vectors(self, scope, ids):
        return {name: held for name, held in self.__dict__.get("kept", {}).items() if name in ids} | super().vectors(scope, ids)


class RemovesOnlyTheFirst(Reference):
    def remove(self, scope, ids):
        super().remove(scope, list(ids)[:1])


class FailsOnUnknownIds(Reference):
    def remove(self, scope, ids):
        if set(ids) - super().checksums(scope).keys():
            raise StoreUnavailable("no such entry")
        super().remove(scope, ids)


class InventsVectors(Reference):
    def vectors(self, scope, ids):
        return {name: np.zeros(16, np.float32) for name in ids} | super().vectors(scope, ids)


class TrimsIds(Reference):
    def put(self, scope, entries):
        super().put(scope, [entry._replace(id=entry.id.strip()) for entry in entries])


class FoldsTheCaseOfIds(Reference):
    def put(self, scope, entries):
        super().put(scope, [entry._replace(id=entry.id.lower()) for entry in entries])


class CutsIds(Reference):
    def put(self, scope, entries):
        super().put(scope, [entry._replace(id=entry.id[:128]) for entry in entries])


class ClearKeepsEntries(Reference):
    def clear(self, description):
        held = {scope: kept for scope, kept in (self._entries or {}).items() if scope}
        super().clear(description)
        self._entries |= held


class ClearKeepsPositions(Reference):
    def clear(self, description):
        marks = super().marks()
        super().clear(description)
        for scope, position in marks.items():
            super().mark(scope, position)


class TakesAnyDimension(Reference):
    def put(self, scope, entries):
        self._prepared()
        self._put(scope, entries)


class PutsBeforeItIsCleared(Reference):
    def put(self, scope, entries):
        if self._entries is None:
            self._create(16)
            self._dimension = 16
        super().put(scope, entries)


class MarksBeforeItIsCleared(Reference):
    def mark(self, scope, position):
        if self._entries is not None:
            super().mark(scope, position)


class ForgetsForWhomItIs(Reference):
    def describe(self):
        found = super().describe()
        return found and replace(found, embedder="")


class RemembersTheFirstDescription(Reference):
    def clear(self, description):
        self.first = self.__dict__.get("first", description)
        super().clear(replace(description, embedder=self.first.embedder))


class HasOnePositionForAll(Reference):
    def position(self, scope):
        return next(iter(super().marks().values()), None)


class KeepsTheGreatestPosition(Reference):
    def mark(self, scope, position):
        held = super().position(scope)
        super().mark(scope, position if position is None or held is None else max(held, position))


class RoundsPositions(Reference):
    def position(self, scope):
        found = super().position(scope)
        return found and Position(int(float(found.change)), found.indexed)


class NeverTakesAPositionBack(Reference):
    def mark(self, scope, position):
        if position is not None:
            super().mark(scope, position)


class CountsPositionsAsEntries(Reference):
    def count(self, scope):
        return super().count(scope) + (scope in super().marks())


class DropsThePositionWithTheLastEntry(Reference):
    def remove(self, scope, ids):
        super().remove(scope, ids)
        if ids and self._entries and not super().count(scope):
            super().mark(scope, None)


class LosesMarksOnClosing(Reference):
    def close(self):
        for scope in super().marks():
            super().mark(scope, None)


class LosesEverythingOnClosing(Reference):
    def close(self):
        self._entries = None


class HasAlwaysSomethingToSay(Reference):
    def check(self):
        return ["it could be better"]


class BearsOneThreadAtATime(Reference):
    def put(self, scope, entries):
        if self.__dict__.get("inside"):
            raise StoreUnavailable("somebody is in here")
        self.inside = True
        sleep(0.02)
        super().put(scope, entries)
        self.inside = False


_SOUND = {ExactIndex, Reference}
MUTANTS = [found for found in list(globals().values()) if isinstance(found, type) and issubclass(found, Reference) and found not in _SOUND]


def test_the_reference_is_sound():
    assert run_index(Reference).verdict == f"CONFORMANT ({len(VectorIndexContract.names())} tests)"


def test_there_are_enough_mutants():
    assert len(MUTANTS) >= 40


@pytest.fixture(scope="module")
def reports():
    return {mutant: run_index(mutant) for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_index_is_caught(mutant, reports):
    assert not reports[mutant].conformant


def test_every_test_of_the_contract_catches_some_mutant(reports):
    """A test that nothing fails proves nothing."""
    caught = {result.test for report in reports.values() for result in report.results if result.outcome is not Outcome.PASSED}
    assert set(VectorIndexContract.names()) - caught == set()


def test_the_guide_for_authors_names_the_test_that_catches_each_mistake(reports):
    rows = mistakes("indexes.md")
    assert len(rows) >= 12
    told = {mutant.__name__: report for mutant, report in reports.items()}
    for test, name in rows:
        assert test in [result.test for result in told[name].results if result.outcome is Outcome.FAILED], name
