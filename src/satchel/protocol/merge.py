"""The merge of two versions of one record (PRO-10, spec/06-merge.md). It knows nothing of stores."""

from __future__ import annotations

from satchel.protocol.record import MemoryRecord


def newer(ours: MemoryRecord, theirs: MemoryRecord) -> MemoryRecord:
    """Return the version that wins: a tombstone, else the later `updated_at`, else the greater content hash, else the greater state hash.

    The rule is commutative and associative, so that machines which saw the versions in any order agree. Usage is merged by maximum.
    """

    def rank(record: MemoryRecord) -> tuple[bool, object, str, str]:
        return record.is_tombstone, record.updated_at, record.content_hash, record.state_hash()

    winner = max(ours, theirs, key=rank)
    if winner.is_tombstone:
        return winner
    return winner.model_copy(update={"usage": ours.usage.merged(theirs.usage)})
