"""The suite is itself tested: each deliberately broken store must be caught (PRO-12)."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pages import mistakes
from satchel.conformance import Outcome, StoreContract, run_store
from satchel.errors import Conflict
from satchel.ports import Batch, Position, Put, RecordPage
from satchel.protocol.record import Usage
from satchel.stores.memory import MemoryStore

pytestmark = pytest.mark.slow


class IgnoresScopeInScan(MemoryStore):
    def scan(self, scopes, where, **options):
        return super().scan([found.scope for found in self.scopes()], where, **options)


class TakesAScopeForAPrefix(MemoryStore):
    def scan(self, scopes, where, **options):
        wider = {held.scope for held in self.scopes() for scope in scopes if held.scope.startswith(scope)}
        return super().scan(wider | set(scopes), where, **options)


class LosesTheLastOfABatch(MemoryStore):
    def apply(self, batch):
        return super().apply(replace(batch, changes=batch.changes[:-1]) if len(batch.changes) > 1 else batch)


class KeepsAThousandOfABatch(MemoryStore):
    def apply(self, batch):
        return super().apply(replace(batch, changes=batch.changes[:1000]))


class OrdersById(MemoryStore):
    def scan(self, scopes, where, *, order="id", **options):
        return super().scan(scopes, where, **options)


class OrdersWithoutCase(MemoryStore):
    def scan(self, scopes, where, **options):
        page = super().scan(scopes, where, **options)
        if options.get("order", "id") == "updated":
            return page
        return RecordPage(sorted(page.records, key=lambda record: (record.scope, record.id.lower())), page.cursor)


class OrdersBySecond(MemoryStore):
    def scan(self, scopes, where, **options):
        page = super().scan(scopes, where, **options)
        if options.get("order") != "updated":
            return page
        return RecordPage(
            sorted(page.records, key=lambda record: (-record.updated_at.replace(microsecond=0).timestamp(), record.scope, record.id)),
            page.cursor,
        )


class WritesHalfABatch(MemoryStore):
    def apply(self, batch):
        position = 0
        for change in batch.changes:
            position = super().apply(Batch([change]))
        return super().apply(Batch(documents=batch.documents)) if batch.documents else position or super().apply(batch)


class IgnoresExpectations(MemoryStore):
    def apply(self, batch):
        return super().apply(replace(batch, changes=[replace(change, expect=None) for change in batch.changes]))


class TakesAnyContentAsNew(MemoryStore):
    def apply(self, batch):
        loose = [replace(change, only_if_new_content=False) if isinstance(change, Put) else change for change in batch.changes]
        return super().apply(replace(batch, changes=loose))


class SeesOtherScopesContentAsOld(MemoryStore):
    def apply(self, batch):
        for place, change in enumerate(batch.changes):
            if isinstance(change, Put) and change.only_if_new_content:
                held = [
                    self.find(found.scope, [change.record.content_hash]) for found in self.scopes() if found.scope != change.record.scope
                ]
                if any(held):
                    raise Conflict("held elsewhere", failed=[place])
        return super().apply(batch)


class NamesOnlyTheFirstConflict(MemoryStore):
    def apply(self, batch):
        try:
            return super().apply(batch)
        except Conflict as error:
            error.details["failed"] = error.details["failed"][:1]
            raise


class LeaksOtherScopesIntoTheIndex(MemoryStore):
    def index_slice(self, scope, after=None):
        part = super().index_slice(scope, after)
        rest = [row for found in self.scopes() if found.scope.startswith(scope) and found.scope != scope
                for row in super(LeaksOtherScopesIntoTheIndex, self).index_slice(found.scope).rows]  # fmt: skip
        return replace(part, rows=[*part.rows, *rest])


class ForgetsWhatIsGoneFromTheIndex(MemoryStore):
    def index_slice(self, scope, after=None):
        return replace(super().index_slice(scope, after), gone=())


class AlwaysGivesTheWholeSlice(MemoryStore):
    def index_slice(self, scope, after=None):
        return super().index_slice(scope)


class MissesIndexEntriesWrittenApart(MemoryStore):
    def index_slice(self, scope, after=None):
        now = self.positions([scope])[scope]
        return super().index_slice(scope, after and Position(after.change, now.indexed))


class KeepsPayloadsAfterErasure(MemoryStore):
    def apply(self, batch):
        held = {
            change.record.id: self.history(change.record.scope, change.record.id)
            for change in batch.changes
            if isinstance(change, Put) and change.record.is_tombstone
        }
        position = super().apply(batch)
        self.__dict__.setdefault("kept", {}).update(held)
        return position

    def history(self, scope, id):
        kept = self.__dict__.get("kept", {}).get(id, [])
        now = super().history(scope, id)
        return [*kept, *now[len(kept) :]]


class KeepsReasonsAfterErasure(MemoryStore):
    def apply(self, batch):
        before = self._now()
        reasons = {place: entry.log.reason for place, entry in before.log.items()}
        position = super().apply(batch)
        state = self._now()
        for place, reason in reasons.items():
            state.log[place] = replace(state.log[place], log=replace(state.log[place].log, reason=reason))
        return position


class ErasesTheSameIdEverywhere(MemoryStore):
    def apply(self, batch):
        position = super().apply(batch)
        state = self._now()
        for change in batch.changes:
            if isinstance(change, Put) and change.record.is_tombstone:
                for scope in state.scopes.values():
                    state._erase(scope, change.record.id)
        return position


class KeepsTheVectorOfOldContent(MemoryStore):
    def apply(self, batch):
        changes = []
        for change in batch.changes:
            if isinstance(change, Put) and change.vector is None and not change.record.is_tombstone:
                held = self._now().scope(change.record.scope).rows.get(change.record.id)
                change = replace(change, vector=held.vector if held else None)
            changes.append(change)
        return super().apply(replace(batch, changes=changes))


class WritesStaleIndexEntries(MemoryStore):
    def write_index(self, entries):
        current = []
        for entry in entries:
            row = self._now().scope(entry.scope).rows.get(entry.id)
            current.append(replace(entry, content_hash=row.record.content_hash) if row else entry)
        return super().write_index(current)


class ForgetsDocuments(MemoryStore):
    def document(self, collection, key):
        return None


class LosesDocumentsBetweenThreads(MemoryStore):
    def apply(self, batch):
        import time

        for document in batch.documents:
            held = self.document(document.collection, document.key) or {"version": 0}
            if document.expect is not None and held.get("version") != document.expect:
                return super().apply(batch)
        time.sleep(0.001)
        return super().apply(replace(batch, documents=[replace(document, expect=None) for document in batch.documents]))


class IgnoresWhatDocumentsExpect(MemoryStore):
    def apply(self, batch):
        return super().apply(replace(batch, documents=[replace(document, expect=None) for document in batch.documents]))


class TakesAnyDocumentForAbsent(MemoryStore):
    def apply(self, batch):
        documents = [replace(document, expect=document.expect or None) for document in batch.documents]
        return super().apply(replace(batch, documents=documents))


class WritesRecordsBeforeDocumentsAreLookedAt(MemoryStore):
    def apply(self, batch):
        if batch.changes:
            super().apply(replace(batch, documents=()))
        return super().apply(replace(batch, changes=()))


class LooksAtDocumentsOnlyBefore(MemoryStore):
    def apply(self, batch):
        for document in batch.documents:
            if document.expect is not None:
                super().apply(Batch(documents=[replace(document, value=self.document(document.collection, document.key))]))
        return super().apply(replace(batch, documents=[replace(document, expect=None) for document in batch.documents]))


class MixesCollections(MemoryStore):
    def documents(self, collection, **options):
        mixed = [name for name in self._now().documents if name.startswith(collection)]
        return [found for name in mixed for found in super(MixesCollections, self).documents(name, **options)]


class ReadsAPrefixAsAPattern(MemoryStore):
    def documents(self, collection, *, prefix="", **options):
        import fnmatch

        return [
            found for found in super().documents(collection, **options) if fnmatch.fnmatchcase(found.key, prefix.replace("%", "*") + "*")
        ]


class IgnoresTheDocumentsScope(MemoryStore):
    def documents(self, collection, *, scope=None, **options):
        return super().documents(collection, **options)


class GivesOneTooFew(MemoryStore):
    def scan(self, scopes, where, *, limit=100, **options):
        return super().scan(scopes, where, limit=max(1, limit - 1), **options)


class RepeatsTheLastOfAPage(MemoryStore):
    def scan(self, scopes, where, *, order="id", cursor=None, limit=100):
        page = super().scan(scopes, where, order=order, cursor=cursor, limit=limit)
        if page.cursor is None or len(page.records) < 2:
            return page
        shorter = super().scan(scopes, where, order=order, cursor=cursor, limit=limit - 1)
        return RecordPage(page.records, shorter.cursor)


class HasNoEndOfPages(MemoryStore):
    def scan(self, scopes, where, *, order="id", cursor=None, limit=100):
        page = super().scan(scopes, where, order=order, cursor=cursor, limit=limit)
        if page.cursor is None and len(page.records) == limit:
            return RecordPage(page.records, cursor or "0 user:a zz")
        return page


class StopsAtAThousand(MemoryStore):
    def scan(self, scopes, where, *, limit=100, **options):
        return super().scan(scopes, where, limit=min(limit, 1000), **options)


class CountsUsageAsAChange(MemoryStore):
    def touch(self, uses):
        given = list(uses)
        super().touch(given)
        for use in given:
            found = self.get(use.scope, [use.id]).get(use.id)
            if found is not None and not found.is_tombstone:
                from satchel.conformance.samples import log

                self.apply(Batch([Put(found.model_copy(update={"revision": found.revision + 1}), log("use"), None)]))


class ForgetsUsageOnChange(MemoryStore):
    def apply(self, batch):
        position = super().apply(batch)
        state = self._now()
        for change in batch.changes:
            if isinstance(change, Put):
                scope = state.scopes[change.record.scope]
                scope.rows[change.record.id] = replace(scope.rows[change.record.id], usage=change.record.usage)
        return position


class TakesTheLastUseForTheLatest(MemoryStore):
    def touch(self, uses):
        for use in uses:
            row = self._now().scope(use.scope).rows.get(use.id)
            if row is not None and not row.record.is_tombstone:
                usage = row.usage.model_copy(update={"last_access_at": use.at, "access_count": row.usage.access_count + use.count})
                self._now().scopes[use.scope].rows[use.id] = replace(row, usage=usage)


class TouchesTombstones(MemoryStore):
    def get(self, scope, ids):
        found = super().get(scope, ids)
        used = self.__dict__.get("uses", set())
        return {
            key: record.model_copy(update={"usage": record.usage.model_copy(update={"access_count": 1})})
            if record.is_tombstone and (scope, key) in used
            else record
            for key, record in found.items()
        }

    def touch(self, uses):
        given = list(uses)
        self.__dict__.setdefault("uses", set()).update((use.scope, use.id) for use in given)
        super().touch(given)


class FindsInEveryScope(MemoryStore):
    def find(self, scope, hashes):
        found = {}
        for held in reversed(self.scopes()):
            found |= super().find(held.scope, hashes)
        return found


class FindsAnyStatusFirst(MemoryStore):
    def find(self, scope, hashes):
        holders = self._now().scope(scope).holders
        return {content: min(holders[content]) for content in hashes if holders.get(content)}


class HidesTombstones(MemoryStore):
    def get(self, scope, ids):
        return {key: record for key, record in super().get(scope, ids).items() if not record.is_tombstone}


class HandsOutItsOwnParts(MemoryStore):
    def get(self, scope, ids):
        rows = self._now().scope(scope).rows
        return {key: rows[key].record.model_copy(update={"usage": rows[key].usage}) for key in ids if key in rows}


class LosesUnknownFields(MemoryStore):
    def get(self, scope, ids):
        return {key: type(record).model_construct(**record.__dict__) for key, record in super().get(scope, ids).items()}


class KeepsTimesToTheMillisecond(MemoryStore):
    def apply(self, batch):
        def cut(change):
            if not isinstance(change, Put) or change.record.created_at is None:
                return change
            moment = change.record.created_at
            moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
            return replace(change, record=change.record.model_copy(update={"created_at": moment}))

        return super().apply(replace(batch, changes=[cut(change) for change in batch.changes]))


class KeepsNoTimesBefore1970(MemoryStore):
    def apply(self, batch):
        epoch = datetime(1970, 1, 1, tzinfo=UTC)

        def cut(change):
            if not isinstance(change, Put) or change.record.created_at is None:
                return change
            return replace(change, record=change.record.model_copy(update={"created_at": max(change.record.created_at, epoch)}))

        return super().apply(replace(batch, changes=[cut(change) for change in batch.changes]))


class MovesEveryScopesPosition(MemoryStore):
    def positions(self, scopes):
        last = len(self._now().log)
        return {scope: Position(last, found.indexed) for scope, found in super().positions(scopes).items()}


class LogsNothing(MemoryStore):
    def changes(self, scopes, **options):
        return []


class FollowsFromTheStart(MemoryStore):
    def changes(self, scopes, *, after=0, limit=1000):
        return super().changes(scopes, limit=limit)


class IncludesThePosition(MemoryStore):
    def changes(self, scopes, *, after=0, limit=1000):
        return super().changes(scopes, after=max(0, after - 1), limit=limit)


class FollowsEveryScope(MemoryStore):
    def changes(self, scopes, *, after=0, limit=1000):
        return super().changes(None, after=after, limit=limit)


class ForgetsTheHistoryOfWhatWasTakenOut(MemoryStore):
    def history(self, scope, id):
        return super().history(scope, id) if self.get(scope, [id]) else []


class TellsOneHistoryOnly(MemoryStore):
    def histories(self, scope, ids):
        return dict(list(super().histories(scope, ids).items())[:1])


class ReadsWithoutASnapshot(MemoryStore):
    @contextlib.contextmanager
    def reading(self):
        yield


class SwallowsErrorsInReading(MemoryStore):
    @contextlib.contextmanager
    def reading(self):
        with super().reading(), contextlib.suppress(Exception):
            yield


class LosesUpdatesBetweenThreads(MemoryStore):
    def apply(self, batch):
        import time

        for change in batch.changes:
            if change.expect is not None:
                address = (change.record.scope, change.record.id) if isinstance(change, Put) else (change.scope, change.id)
                held = self.get(address[0], [address[1]]).get(address[1])
                if (held.revision if held else 0) != change.expect:
                    return super().apply(batch)
        time.sleep(0.001)
        return super().apply(replace(batch, changes=[replace(change, expect=None) for change in batch.changes]))


class CountsTombstonesAsUnindexed(MemoryStore):
    def count_unindexed(self):
        return super().count_unindexed() + sum(found.counts.get("deleted", 0) for found in self.scopes())


class ListsUnindexedByArrival(MemoryStore):
    def unindexed(self, *, after=None, limit=256):
        if after is not None:
            return super().unindexed(after=after, limit=limit)
        return super().unindexed(limit=limit)[::-1]


class KeepsVectorsWhenCleared(MemoryStore):
    def clear_vectors(self):
        return None


class CountsEmptyScopes(MemoryStore):
    def scopes(self):
        from satchel.ports import ScopeCount

        found = {held.scope: held for held in super().scopes()}
        return sorted([*found.values(), *(ScopeCount(name, {}) for name in self._now().scopes if name not in found)], key=lambda s: s.scope)


class StaysOpenWhenClosed(MemoryStore):
    def close(self):
        return None


class ForgetsExpiryByTtl(MemoryStore):
    def index_slice(self, scope, after=None):
        part = super().index_slice(scope, after)
        held = self._now().scope(scope).rows
        return replace(part, rows=[row._replace(expires=float("inf")) if held[row.id].record.ttl else row for row in part.rows])


class ShiftsTimesOfTheIndex(MemoryStore):
    def index_slice(self, scope, after=None):
        part = super().index_slice(scope, after)
        return replace(part, rows=[row._replace(moment=row.stored) for row in part.rows])


class MixesScopesInAHistory(MemoryStore):
    def history(self, scope, id):
        return [change for change in self.changes(None, limit=10_000) if change.id == id]


class ClearsWhatIsNotGiven(MemoryStore):
    def write_index(self, entries):
        return super().write_index([replace(entry, terms=entry.terms or b"", vector=entry.vector or b"") for entry in entries])


class RemembersForgottenContent(MemoryStore):
    def _forgotten(self):
        return self.__dict__.setdefault("forgotten", {})

    def apply(self, batch):
        for change in batch.changes:
            if isinstance(change, Put) and change.record.is_tombstone:
                held = super().get(change.record.scope, [change.record.id]).get(change.record.id)
                if held is not None:
                    self._forgotten()[held.content_hash] = held.id
        return super().apply(batch)


class FindsTheForgotten(RemembersForgottenContent):
    def find(self, scope, hashes):
        return {content: self._forgotten()[content] for content in hashes if content in self._forgotten()} | super().find(scope, hashes)


class BlocksForgottenContent(RemembersForgottenContent):
    def apply(self, batch):
        for place, change in enumerate(batch.changes):
            if isinstance(change, Put) and change.record.content_hash in self._forgotten():
                raise Conflict("UNIQUE constraint failed: content_hash", failed=[place])
        return super().apply(batch)


class StopsDocumentsAfterAPage(MemoryStore):
    def documents(self, collection, *, after=None, limit=1000, **options):
        return [] if after is not None and limit == 1000 else super().documents(collection, after=after, limit=limit, **options)


class OrdersDocumentsWithoutCase(MemoryStore):
    def documents(self, collection, **options):
        return sorted(super().documents(collection, **options), key=lambda document: document.key.lower())


class KeepsTheFirstDocumentOfABatch(MemoryStore):
    def apply(self, batch):
        first = {(document.collection, document.key): document for document in reversed(batch.documents)}
        return super().apply(replace(batch, documents=list(first.values())))


class NeverScrubs(MemoryStore):
    def scrub(self):
        return False


class FindsFaultWithItself(MemoryStore):
    def check(self):
        return ["something is wrong"]


class BringsOldUsageBack(MemoryStore):
    def touch(self, uses):
        given = list(uses)
        super().touch(given)
        self.__dict__.setdefault("uses", []).extend(given)

    def apply(self, batch):
        position = super().apply(batch)
        written = {(change.record.scope, change.record.id) for change in batch.changes if isinstance(change, Put)}
        super().touch([use for use in self.__dict__.get("uses", []) if (use.scope, use.id) in written and self._is_new(use)])
        return position

    def _is_new(self, use):
        row = self._now().scope(use.scope).rows.get(use.id)
        return row is not None and row.usage.access_count == 0


class RemembersReadsPerThread(MemoryStore):
    def get(self, scope, ids):
        held = self._pinned.__dict__.setdefault("read", {})
        for key in ids:
            if (scope, key) not in held:
                held[scope, key] = super().get(scope, [key]).get(key)
        return {key: held[scope, key] for key in ids if held[scope, key] is not None}

    def apply(self, batch):
        self._pinned.__dict__.pop("read", None)
        return super().apply(batch)


class GivesItsOwnPositions(MemoryStore):
    def apply(self, batch):
        changes = [replace(change, log=replace(change.log, position=None)) for change in batch.changes]
        return super().apply(replace(batch, changes=changes))


class TakesAnyPosition(MemoryStore):
    def apply(self, batch):
        last = max((change.position for change in self.changes(None, limit=10_000)), default=0)
        given = [change.log.position for change in batch.changes]
        if any(position is not None and position <= last for position in given) or None in given:
            batch = replace(batch, changes=[replace(change, log=replace(change.log, position=None)) for change in batch.changes])
        return super().apply(batch)


class StoresWithoutUsage(MemoryStore):
    def stored(self, scope, ids):
        return {
            name: replace(found, record=found.record.model_copy(update={"usage": Usage()}))
            for name, found in super().stored(scope, ids).items()
        }


class HidesTombstonesFromACopy(MemoryStore):
    def stored(self, scope, ids):
        return {name: found for name, found in super().stored(scope, ids).items() if not found.record.is_tombstone}


class PagesWithoutAnEnd(MemoryStore):
    def stored_page(self, scope, *, after="", limit=1000):
        return super().stored_page(scope, after=after, limit=limit + 1)


class ListsCollectionsThatAreEmpty(MemoryStore):
    def collections(self):
        with self._reading() as state:
            return sorted(state.documents)


class ListsOnlyTheFirstCollection(MemoryStore):
    def collections(self):
        return super().collections()[:1]


_SOUND = {MemoryStore, RemembersForgottenContent}
MUTANTS = [
    found for found in list(globals().values()) if isinstance(found, type) and issubclass(found, MemoryStore) and found not in _SOUND
]


def test_there_are_enough_mutants():
    assert len(MUTANTS) >= 50


@pytest.fixture(scope="module")
def reports():
    return {mutant: run_store(mutant) for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_store_is_caught(mutant, reports):
    report = reports[mutant]
    assert not report.conformant
    # A mutant is broken in one place: the rest of the suite goes on.
    assert report.counts()["passed"] > len(report.results) / 2


def test_every_test_of_the_contract_catches_some_mutant(reports):
    """A test that nothing fails proves nothing."""
    caught = {result.test for report in reports.values() for result in report.results if result.outcome is not Outcome.PASSED}
    assert set(StoreContract.names()) - caught == set()


def test_the_guide_for_authors_names_the_test_that_catches_each_mistake(reports):
    rows = mistakes("stores.md")
    assert len(rows) >= 12
    told = {mutant.__name__: report for mutant, report in reports.items()}
    for test, name in rows:
        assert test in [result.test for result in told[name].results if result.outcome is Outcome.FAILED], name
