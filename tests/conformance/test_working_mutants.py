"""The contract of working memory is itself tested: each deliberately broken place must be caught (PRO-12)."""

from __future__ import annotations

import contextlib
import time
from datetime import timedelta

import pytest

from satchel.conformance import Outcome, WorkingContract, run_working
from satchel.engine.working.store import DocumentWorkingStore
from satchel.errors import Conflict
from satchel.stores.memory import MemoryStore

pytestmark = pytest.mark.slow


class Sound(DocumentWorkingStore):
    def __init__(self):
        super().__init__(MemoryStore())

    def close(self):
        self._store.close()

    def _every(self, scope):
        """Go through what is there by the sound listing, so that a broken one cannot lead it round in a circle."""
        return iter(DocumentWorkingStore.snapshots(self, scope, limit=1000))


class SavesOverAnything(Sound):
    def save(self, snapshot, *, expect, lasting=None):
        self._write(snapshot.scope, snapshot.session_id, snapshot.to_json(), None)


class LooksBeforeItWrites(Sound):
    """Looking and writing are two steps: whoever comes in between is overwritten."""

    def save(self, snapshot, *, expect, lasting=None):
        held = self.load(snapshot.scope, snapshot.session_id)
        if (held.version if held else 0) != expect:
            raise Conflict("overtaken", expected=expect, actual=held.version if held else 0)
        time.sleep(0.001)
        self._write(snapshot.scope, snapshot.session_id, snapshot.to_json(), None)


class TakesZeroForAnything(Sound):
    def save(self, snapshot, *, expect, lasting=None):
        self._write(snapshot.scope, snapshot.session_id, snapshot.to_json(), expect or None)


class SaysNothingOfTheVersions(Sound):
    def save(self, snapshot, *, expect, lasting=None):
        try:
            super().save(snapshot, expect=expect)
        except Conflict:
            raise Conflict("overtaken") from None


class DropsAnyVersion(Sound):
    def drop(self, scope, session, *, expect=None):
        super().drop(scope, session)


class NeverDrops(Sound):
    def drop(self, scope, session, *, expect=None):
        if expect is not None:
            super().drop(scope, session, expect=expect)


class ForgetsWhatIsNotInThePort(Sound):
    def load(self, scope, session):
        found = super().load(scope, session)
        return found and type(found).model_validate({k: v for k, v in found.to_json().items() if k in type(found).model_fields})


class RoundsTimes(Sound):
    def load(self, scope, session):
        found = super().load(scope, session)
        return found and found.model_copy(update={"updated_at": found.updated_at.replace(microsecond=0)})


class MixesOldAndNew(Sound):
    def save(self, snapshot, *, expect, lasting=None):
        held = self.load(snapshot.scope, snapshot.session_id)
        if held is not None and held.version == expect:
            snapshot = snapshot.model_copy(update={"slots": {**held.slots, **snapshot.slots}})
        super().save(snapshot, expect=expect)


class IgnoresCase(Sound):
    def load(self, scope, session):
        return super().load(scope, session.lower())


class CutsWhatIsLarge(Sound):
    def save(self, snapshot, *, expect, lasting=None):
        super().save(snapshot.model_copy(update={"recent_events": snapshot.recent_events[:10]}), expect=expect)


class TakesAScopeForAPrefix(Sound):
    def snapshots(self, scope=None, *, after=None, limit=100):
        found = super().snapshots(None, after=after, limit=1000)
        return [one for one in found if scope is None or one.scope.startswith(scope)][:limit]


class IsIdleInEveryScope(Sound):
    def expired(self, before, *, ended, scope=None, limit=100):
        return super().expired(before, ended=ended, limit=limit)


class ListsTheShortestFirst(Sound):
    def snapshots(self, scope=None, *, after=None, limit=100):
        found = super().snapshots(scope, after=after, limit=limit)
        return sorted(found, key=lambda one: len(one.session_id))


class ListsWithoutCase(Sound):
    def snapshots(self, scope=None, *, after=None, limit=100):
        found = super().snapshots(scope, after=after, limit=limit)
        return sorted(found, key=lambda one: (one.scope, one.session_id.lower()))


class NeverTurnsThePage(Sound):
    def snapshots(self, scope=None, *, after=None, limit=100):
        return super().snapshots(scope, limit=limit)


class TakesAnyLimit(Sound):
    def snapshots(self, scope=None, *, after=None, limit=100):
        return super().snapshots(scope, after=after, limit=max(limit, 1))


class ListsTheNewestFirst(Sound):
    def expired(self, before, *, ended, scope=None, limit=100):
        return super().expired(before, ended=ended, scope=scope, limit=1000)[::-1][:limit]


class CountsTheMomentItself(Sound):
    def expired(self, before, *, ended, scope=None, limit=100):
        return super().expired(before + timedelta(microseconds=1), ended=ended, scope=scope, limit=limit)


class TellsNoEndFromIdleness(Sound):
    def expired(self, before, *, ended, scope=None, limit=100):
        found = super().expired(before, ended=True, scope=scope) + super().expired(before, ended=False, scope=scope)
        return sorted(found, key=lambda one: one.updated_at)[:limit]


class RemembersWhoWasIdle(Sound):
    """Its index of the idle is written once and never taken back."""

    def expired(self, before, *, ended, scope=None, limit=100):
        known = self.__dict__.setdefault("idle", {})
        for one in super().expired(before, ended=ended, scope=scope):
            known.setdefault((ended, one.scope, one.session_id), one)
        found = [one for (over, _, _), one in known.items() if over is ended and one.updated_at < before and scope in (None, one.scope)]
        return sorted(found, key=lambda one: (one.updated_at, one.session_id))[:limit]


class LosesWhatIsNotOver(Sound):
    """The key itself expires when the session has been idle: what nobody condensed is gone."""

    def save(self, snapshot, *, expect, lasting=None):
        super().save(snapshot, expect=expect)
        if lasting is not None and lasting < 1:
            self.drop(snapshot.scope, snapshot.session_id)


class NeverRestartsTheClock(Sound):
    """A session that is over and goes on again keeps the expiry of its end."""

    def save(self, snapshot, *, expect, lasting=None):
        super().save(snapshot, expect=expect)
        short = self.__dict__.setdefault("short", set())
        if snapshot.ended_at is not None and lasting is not None and lasting < 1:
            short.add((snapshot.scope, snapshot.session_id))

    def load(self, scope, session):
        found = super().load(scope, session)
        return None if found and found.version > 1 and (scope, session) in self.__dict__.get("short", ()) else found


class IsNeverSound(Sound):
    def check(self):
        return ["something is wrong"]


class IsNeverScrubbed(Sound):
    def scrub(self):
        return False


class OutlivesItsEnd(Sound):
    def close(self):
        pass


class LosesTheNewOneBesideTheOld(Sound):
    def drop(self, scope, session, *, expect=None):
        super().drop(scope, session, expect=expect)
        for one in super().snapshots(scope):
            with contextlib.suppress(Conflict):
                super().drop(scope, one.session_id)


MUTANTS = [found for found in list(globals().values()) if isinstance(found, type) and issubclass(found, Sound) and found is not Sound]


def test_a_sound_place_is_conformant():
    assert run_working(Sound).conformant


@pytest.fixture(scope="module")
def reports():
    return {mutant: run_working(mutant) for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_broken_place_is_caught(mutant, reports):
    report = reports[mutant]
    assert not report.conformant
    assert report.counts().get("passed", 0) > 1


def test_every_test_of_the_contract_catches_some_mutant(reports):
    """A test that nothing fails proves nothing."""
    caught = {result.test for report in reports.values() for result in report.results if result.outcome is not Outcome.PASSED}
    assert set(WorkingContract.names()) - caught == set()
