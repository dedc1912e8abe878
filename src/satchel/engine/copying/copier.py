"""`copy_store`: replays the log page by page, then brings over what the log does not tell, then compares all. It must not know any store.

Who writes to the source meanwhile is followed by its change log; the last part of it, the documents and the comparison are of one state of
the source, so that what is verified was true at one moment. What is written after that moment is brought by another run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from satchel.engine.copying import bookmark
from satchel.engine.copying.bookmark import Bookmark
from satchel.engine.copying.documents import compare_documents, copy_documents, count_documents, digest_of_documents
from satchel.engine.copying.replaying import replay
from satchel.engine.copying.report import MOST, CopyReport
from satchel.engine.copying.verifying import LogComparison, RecordComparison
from satchel.engine.working.home import place_of_sessions
from satchel.engine.working.store import WORKING
from satchel.errors import Conflict, InvalidRequest
from satchel.ports import Batch, Store

PAGE = 1000
"""Log entries that are read and written at a time."""

_ATTEMPTS = 5
"""How often a copy is brought up to date and compared where it differs and the source went on meanwhile."""

Progress = Callable[[str, int, int], None]
"""Told the stage (`copying`, `comparing records`, `comparing the log`), how far it has come, and how far it will go."""


def copy_store(source: Store, target: Store, *, progress: Progress = lambda stage, done, total: None) -> CopyReport:
    """Copy everything of one store into another that is empty, or go on with a copy of it that was not finished.

    Raises:
        NotFound: the source holds nothing.
        Conflict: the target holds something else, or another copy into it is under way.
        InvalidRequest: the source is the target, or a copy that was not finished.
    """
    mark = bookmark.begin(source, target)
    copier = _Copier(source, target, mark, progress)
    for _ in range(_ATTEMPTS):
        copier.replay_log()
        with source.reading():
            copier.replay_log()
            report = copier.finish(resumed=mark.version > 0)
        # A state may show a change whose place in the log is not settled yet, while another writer's is under way.
        if not report.differing or bookmark.last_position(source) <= report.position:
            break
    return report


class _Copier:
    def __init__(self, source: Store, target: Store, mark: Bookmark, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._mark = mark
        self._progress = progress
        self._copied = 0

    def replay_log(self) -> None:
        """Replay the log from the bookmark to its present end."""
        total = bookmark.last_position(self._source)
        while self._replay_page():
            total = max(total, self._mark.after)
            self._progress("copying", self._mark.after, total)

    def _replay_page(self) -> bool:
        with self._source.reading():
            entries = self._source.changes(None, after=self._mark.after, limit=PAGE)
            changes = replay(self._source, entries)
        if not entries:
            return False
        self._write(self._mark.moved(entries[-1]), Batch(changes))
        self._copied += len(entries)
        return True

    def _write(self, mark: Bookmark, batch: Batch) -> None:
        try:
            self._target.apply(replace(batch, documents=[mark.document()]))
        except (Conflict, InvalidRequest):
            found = bookmark.find(self._target)
            if (found.version if found else 0) == mark.version:
                raise
            raise Conflict(f"another copy into {self._target.location} is under way", location=self._target.location) from None
        self._mark = mark.written()

    def finish(self, *, resumed: bool) -> CopyReport:
        """Bring documents, usage and index entries up to date, compare everything, and note in the target that it is whole."""
        source, target = self._source, self._target
        copy_documents(source, target)
        self._drop_vectors_of_another_model()
        count = sum(sum(found.counts.values()) for found in source.scopes())
        records = RecordComparison(source, target, lambda done: self._progress("comparing records", done, count))
        records.run()
        log = LogComparison(source, target, lambda done: self._progress("comparing the log", done, self._mark.after))
        log.run()
        documents, differing = compare_documents(source, target)
        told = [*records.differences.told, *log.differences.told, *(f"document {name}: differs" for name in differing)]
        number = records.differences.count + log.differences.count + len(differing)
        # What was erased in the source while it was being copied may have left its text behind.
        scrubbed = target.scrub() if self._mark.begun < self._mark.after else True
        if not number:
            self._write(replace(self._mark, finished=digest_of_documents(target)), Batch())
        return CopyReport(
            source=source.location,
            target=target.location,
            resumed=resumed,
            copied=self._copied,
            position=self._mark.after,
            records=records.records,
            tombstones=records.tombstones,
            vectors=records.vectors,
            entries=log.entries,
            erased=log.erased,
            documents=documents,
            sessions=count_documents(source, WORKING),
            sessions_at=place_of_sessions(source),
            scopes=records.scopes,
            fingerprint=records.fingerprint,
            scrubbed=scrubbed,
            differing=number,
            differences=tuple(told[:MOST]),
        )

    def _drop_vectors_of_another_model(self) -> None:
        """Start the target's vectors over where the source's were taken away, or replaced, since they were copied."""
        if self._target.count_unindexed() < self._source.count_unindexed():
            self._target.clear_vectors()
