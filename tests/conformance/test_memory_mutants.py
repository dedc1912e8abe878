"""The memory contract is itself tested: each deliberately broken memory must be caught (PRO-12)."""

from __future__ import annotations

import io

import pytest

from satchel.conformance import MemoryContract, run_against
from satchel.conformance.samples import log
from satchel.errors import NotFound, SatchelError
from satchel.operations import table as t
from satchel.operations.memory import Memory
from satchel.ports import Batch, Remove
from satchel.protocol.record import new_id
from write_stage import opened

pytestmark = pytest.mark.slow


class Broken(Memory):
    """A memory that hands everything on to a sound one; each mutant spoils one thing."""

    def __init__(self) -> None:
        self.sound = opened("memory://")

    def call(self, operation, request):
        return self.sound.call(operation, request)

    def export_chunks(self, request):
        return self.sound.export_chunks(request)

    def import_stream(self, request, stream):
        return self.sound.import_stream(request, stream)

    def close(self):
        self.sound.close()


class RecallsFromEveryScope(Broken):
    def call(self, operation, request):
        if operation in {t.RECALL, t.SEARCH}:
            request = request.model_copy(update={"scope": tuple(found.scope for found in self.sound.scopes()) or request.scope})
        return super().call(operation, request)


class ListsEveryScope(Broken):
    def call(self, operation, request):
        if operation is t.RECORDS:
            request = request.model_copy(update={"scope": tuple(found.scope for found in self.sound.scopes()) or request.scope})
        return super().call(operation, request)


class MakesANewIdOnEveryWrite(Broken):
    def call(self, operation, request):
        if operation is t.REMEMBER:
            request = request.model_copy(update={"id": new_id()})
        return super().call(operation, request)


class NeverSeesARepetition(Broken):
    def call(self, operation, request):
        if operation is t.REMEMBER:
            request = request.model_copy(update={"content": f"{request.content} "})
        return super().call(operation, request)


class AnswersFromMemory(Broken):
    def __init__(self):
        super().__init__()
        self.answers = {}

    def call(self, operation, request):
        if operation is not t.RECALL:
            return super().call(operation, request)
        key = request.model_dump_json()
        if key not in self.answers:
            self.answers[key] = super().call(operation, request)
        return self.answers[key]


class HidesInsteadOfForgetting(Broken):
    def call(self, operation, request):
        if operation is t.FORGET and request.id is not None:
            super().call(t.UPDATE, t.UPDATE.request(id=request.id, scope=request.scope[0], status="archived"))
            planned = self.sound.forget(scope=request.scope[0], query="x")
            return planned.model_copy(update={"state": "scrubbed", "count": 1})
        return super().call(operation, request)


class ForgetsWithoutAsking(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return super().call(t.FORGET, t.FORGET.request(plan=done.plan)) if operation is t.FORGET and done.plan else done


class ForgetsAllScopes(Broken):
    def call(self, operation, request):
        if operation is t.FORGET and request.everything:
            request = request.model_copy(update={"scope": tuple(found.scope for found in self.sound.scopes())})
        return super().call(operation, request)


class BringsBackTheForgotten(Broken):
    def call(self, operation, request):
        if operation in {t.FORGET, t.FORGET_ONE} and request.id is not None:
            self.sound._core.store.apply(Batch([Remove(request.scope[0], request.id, log("forget"))]))
            return self.sound.forget(scope=request.scope[0], query="x").model_copy(update={"state": "scrubbed", "count": 1})
        return super().call(operation, request)


class TakesADamagedPackage(Broken):
    def import_stream(self, request, stream):
        from satchel.protocol import Header, write_package
        from satchel.protocol.package import _decode

        lines = []
        for number, line in enumerate(stream.read().split(b"\n"), start=1):
            if line.startswith((b'{"kind":"record"', b'{"kind":"tombstone"')):
                try:
                    lines.append(_decode(number, line))
                except SatchelError:
                    continue
        whole = b"".join(write_package(Header(producer="x", created_at="2026-01-01T00:00:00Z"), lines))
        return super().import_stream(request, io.BytesIO(whole))


class ExportsSensitiveRecords(Broken):
    def export_chunks(self, request):
        return super().export_chunks(request.model_copy(update={"include_sensitive": True}))


class ExportsWithoutTombstones(Broken):
    def export_chunks(self, request):
        from satchel.protocol import read_package, write_package

        data = b"".join(super().export_chunks(request))
        with read_package(io.BytesIO(data)) as package:
            lines = [line for line in package.lines() if not getattr(line, "is_tombstone", False)]
            return write_package(package.header, lines)


class LosesTheMeta(Broken):
    def call(self, operation, request):
        if operation is t.REMEMBER:
            request = request.model_copy(update={"meta": {}})
        return super().call(operation, request)


class ListsOldestFirst(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"records": done.records[::-1]}) if operation is t.RECORDS else done


class WritesManyOneByOne(Broken):
    def call(self, operation, request):
        if operation is not t.REMEMBER_MANY:
            return super().call(operation, request)
        done = [self.sound.remember_many([memory], scope=memory.scope or request.scope)[0] for memory in request.memories]
        return t.REMEMBER_MANY.result(results=done)


class IgnoresTheRevision(Broken):
    def call(self, operation, request):
        if operation is t.UPDATE:
            request = request.model_copy(update={"if_revision": None})
        return super().call(operation, request)


class FindsNothingToBeAnError(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        if operation is t.RECALL and not done.hits:
            raise NotFound("nothing")
        return done


class CorrectsInPlace(Broken):
    def call(self, operation, request):
        if operation is t.CORRECT:
            held = self.sound.read(request.id, scope=request.scope)
            return self.sound.remember(request.content, scope=request.scope, id=held.id)
        return super().call(operation, request)


class CountsSearchAsUse(Broken):
    def call(self, operation, request):
        if operation is t.SEARCH:
            self.sound.recall(request.query, scope=request.scope)
        return super().call(operation, request)


class TellsNoHistory(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"entries": done.entries[-1:]}) if operation is t.HISTORY else done


class ShowsThePresentForEveryMoment(Broken):
    def call(self, operation, request):
        if operation is t.AS_OF:
            request = request.model_copy(update={"when": self.sound.core.now()})
        return super().call(operation, request)


class NamesEveryStateAnew(Broken):
    def call(self, operation, request):
        if operation is t.SNAPSHOT and request.name in {one.name for one in self.sound.snapshots(scope=request.scope)}:
            self.sound.drop_snapshot(request.name, scope=request.scope)
        return super().call(operation, request)


class KeepsDroppedSnapshots(Broken):
    def call(self, operation, request):
        if operation is t.DROP_SNAPSHOT:
            return next(one for one in self.sound.snapshots(scope=request.scope) if one.name == request.name)
        return super().call(operation, request)


class LeavesSnapshotsBehind(Broken):
    def call(self, operation, request):
        if operation is t.MOVE_SCOPE:
            for one in self.sound.snapshots(scope=request.scope):
                self.sound.drop_snapshot(one)
        return super().call(operation, request)


class ComparesTheWrongWayRound(Broken):
    def call(self, operation, request):
        if operation is t.DIFF:
            request = request.model_copy(update={"a": request.b, "b": request.a})
        return super().call(operation, request)


class RestoresWithoutAWayBack(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"undo": None}) if operation is t.RESTORE_SNAPSHOT else done


class RestoresOnlyContents(Broken):
    def call(self, operation, request):
        if operation is not t.RESTORE_SNAPSHOT:
            return super().call(operation, request)
        before = {one.id: one.status for one in self.sound.every_record(scope=request.scope)}
        done = super().call(operation, request)
        for one in self.sound.every_record(scope=request.scope):
            if one.status != before[one.id]:
                self.sound.update(one.id, scope=request.scope, status=before[one.id])
        return done


class LogsNoRecall(Broken):
    def call(self, operation, request):
        if operation is t.RECALL:
            request = request.model_copy(update={"session": None, "turn": None})
        return super().call(operation, request)


class CountsEveryReportOfUse(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"counted": len(request.ids)}) if operation is t.USED else done


class OverwritesNewerSessions(Broken):
    def call(self, operation, request):
        if operation is t.SAVE_WORKING:
            request = request.model_copy(update={"keep": "ours"})
        return super().call(operation, request)


class EndsASessionAgainAndAgain(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"already": False}) if operation is t.SESSION_END else done


class CondensesNothing(Broken):
    def call(self, operation, request):
        if operation is t.SESSION_END:
            request = request.model_copy(update={"condense": False})
        return super().call(operation, request)


class BeginsEverySessionAnew(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        if operation is not t.SESSION_START:
            return done
        return done.model_copy(update={"snapshot": done.snapshot.model_copy(update={"slots": {}, "recent_events": ()})})


class ListsEverySession(Broken):
    def call(self, operation, request):
        if operation is t.SESSIONS:
            request = request.model_copy(update={"ended": None})
        return super().call(operation, request)


class ForgetsWhatIsDue(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"due": ()}) if operation is t.SESSION_START else done


class ActsInADryRun(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        if operation is t.MAINTAIN and request.dry_run:
            super().call(operation, request.model_copy(update={"dry_run": False}))
        return done


class MaintainsEveryScope(Broken):
    def call(self, operation, request):
        if operation is t.MAINTAIN:
            request = request.model_copy(update={"scope": None})
        return super().call(operation, request)


class AsksNothing(Broken):
    def call(self, operation, request):
        done = super().call(operation, request)
        return done.model_copy(update={"conflicts": ()}) if operation is t.CONFLICTS else done


class KeepsBothWhateverWasSaid(Broken):
    def call(self, operation, request):
        if operation is t.RESOLVE:
            request = request.model_copy(update={"keep": "both"})
        return super().call(operation, request)


class SimulatesALifetime(Broken):
    def call(self, operation, request):
        if operation is t.SIMULATE:
            request = request.model_copy(update={"days": 3650})
        return super().call(operation, request)


MUTANTS = [found for found in list(globals().values()) if isinstance(found, type) and issubclass(found, Broken) and found is not Broken]


def test_the_memory_that_only_hands_on_is_conformant():
    with Broken() as memory:
        report = run_against(memory)
        left = memory.scopes()
    assert report.conformant, report.to_text()
    # It tidies up behind itself: tombstones remain, no content.
    assert {status for found in left for status in found.counts} <= {"deleted"}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_memory_is_caught(mutant):
    with mutant() as memory:
        report = run_against(memory)
    assert not report.conformant
    assert report.counts()["passed"] > len(MemoryContract.names()) / 3
