"""The ports that the engine drives, one noun a module: a backend's author imports them from here.

They are promises between the engine and what lies under it. They must not know an implementation of either.
"""

from satchel.ports.changes import Batch, Document, IndexEntry, LogEntry, Put, Remove, Use
from satchel.ports.clock import Clock
from satchel.ports.embedding import Calibration, Embedder, Vectors
from satchel.ports.judging import Consolidator, Judge, Relation, Verdict
from satchel.ports.states import Change, IndexRow, IndexSlice, Order, Position, RecordPage, ScopeCount, StoredRecord, Unindexed
from satchel.ports.store import Noticing, Store
from satchel.ports.vector_index import IndexDescription, VectorEntry, VectorIndex
from satchel.ports.working import WorkingStore

__all__ = [
    "Batch",
    "Calibration",
    "Change",
    "Clock",
    "Consolidator",
    "Document",
    "Embedder",
    "IndexDescription",
    "IndexEntry",
    "IndexRow",
    "IndexSlice",
    "Judge",
    "LogEntry",
    "Noticing",
    "Order",
    "Position",
    "Put",
    "RecordPage",
    "Relation",
    "Remove",
    "ScopeCount",
    "Store",
    "StoredRecord",
    "Unindexed",
    "Use",
    "VectorEntry",
    "VectorIndex",
    "Vectors",
    "Verdict",
    "WorkingStore",
]
