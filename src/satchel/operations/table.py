"""The one table of verbs: name, request, result, route, access, idempotent or not.

Routes, both clients, the async twin, the MCP tools and the reference page are driven by it, so that each verb is written once.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, Generic, Literal, TypeVar

from satchel.operations import models as m
from satchel.protocol.record import MemoryRecord
from satchel.protocol.working import WorkingSnapshot

Q = TypeVar("Q", bound=m.Request)
R = TypeVar("R")

Verb = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Access = Literal["read", "write", "manage"]


@dataclass(frozen=True, slots=True)
class Operation(Generic[Q, R]):
    """One verb. `path` stands under /v1; `{id}` and other braces are request members.

    GET and DELETE carry the other members in the query string, the rest in a JSON body. `idempotent`: a retry cannot act twice.
    `access` is what it needs of every scope that the request names; `manage` concerns the whole store. `about` says what it does, where
    its request is shared and cannot.
    """

    name: str
    verb: Verb
    path: str
    request: type[Q]
    result: type[R]
    access: Access
    idempotent: bool = True
    about: str | None = None

    @property
    def writes(self) -> bool:
        """Whether it may change anything."""
        return self.access != "read" and self.verb != "GET"

    @property
    def description(self) -> str:
        """What it does: its own words, else the request's docstring."""
        return cleandoc(self.about or self.request.__doc__ or "")

    @property
    def summary(self) -> str:
        """First line of the description."""
        return self.description.split("\n")[0]


_READ = "Read one record."
_HISTORY = "List the changes of one record, the oldest first; contents that were forgotten are erased there too."
_FORGET_ONE = "Forget one record at once."
_IMPORTS = "List the imports into scopes that the caller may read, the newest first."
_READ_RECORD = "Read one record, or the tombstone of one that was forgotten."
_DELETE_RECORD = "Replace one record by its tombstone."

REMEMBER = Operation("remember", "POST", "/memories", m.RememberRequest, m.Remembered, "write")
REMEMBER_MANY = Operation("remember_many", "POST", "/memories", m.RememberManyRequest, m.RememberedMany, "write")
RECALL = Operation("recall", "POST", "/recall", m.RecallRequest, m.Hits, "read")
CONTEXT = Operation("context", "POST", "/context", m.ContextRequest, m.Context, "read")
READ = Operation("read", "GET", "/memories/{id}", m.RecordRequest, MemoryRecord, "read", about=_READ)
RECORDS = Operation("records", "GET", "/memories", m.RecordsRequest, m.Records, "read")
UPDATE = Operation("update", "PATCH", "/memories/{id}", m.UpdateRequest, MemoryRecord, "write")
CORRECT = Operation("correct", "POST", "/memories/{id}/correct", m.CorrectRequest, m.Remembered, "write")
CONFIRM = Operation("confirm", "POST", "/memories/{id}/confirm", m.ConfirmRequest, MemoryRecord, "write", idempotent=False)
RESTORE = Operation("restore", "POST", "/memories/{id}/restore", m.RestoreRequest, MemoryRecord, "write")
CONFLICTS = Operation("conflicts", "GET", "/conflicts", m.ConflictsRequest, m.Conflicts, "read")
RESOLVE = Operation("resolve", "POST", "/conflicts/{id}/resolve", m.ResolveRequest, m.Resolved, "write")
AS_OF = Operation("as_of", "GET", "/as-of", m.AsOfRequest, m.Records, "read")
SNAPSHOT = Operation("snapshot", "POST", "/snapshots", m.SnapshotRequest, m.Snapshot, "write")
SNAPSHOTS = Operation("snapshots", "GET", "/snapshots", m.SnapshotsRequest, m.Snapshots, "read")
DROP_SNAPSHOT = Operation("drop_snapshot", "DELETE", "/snapshots/{name}", m.DropSnapshotRequest, m.Snapshot, "write")
DIFF = Operation("diff", "GET", "/diff", m.DiffRequest, m.Diff, "read")
RESTORE_SNAPSHOT = Operation("restore_snapshot", "POST", "/snapshots/{name}/restore", m.RestoreSnapshotRequest, m.SnapshotRestored, "write")
RECALL_LOG = Operation("recall_log", "GET", "/recall-log", m.RecallLogRequest, m.RecallLog, "read")
USED = Operation("used", "POST", "/used", m.UsedRequest, m.Used, "read")
HISTORY = Operation("history", "GET", "/memories/{id}/history", m.RecordRequest, m.History, "read", about=_HISTORY)
FORGET = Operation("forget", "POST", "/forget", m.ForgetRequest, m.Forgotten, "write")
FORGET_ONE = Operation("forget_one", "DELETE", "/memories/{id}", m.ForgetRequest, m.Forgotten, "write", about=_FORGET_ONE)
INGEST = Operation("ingest", "POST", "/imports", m.IngestRequest, m.Receipts, "write")
IMPORTS = Operation("imports", "GET", "/imports", m.ScopesRequest, m.Imports, "read", about=_IMPORTS)
RECEIPTS = Operation("receipts", "GET", "/imports/{import_id}/receipts", m.ReceiptsRequest, m.Receipts, "read")
UNDO_IMPORT = Operation("undo_import", "DELETE", "/imports/{import_id}", m.ImportIdRequest, m.Undone, "write")
MOVE_SCOPE = Operation("move_scope", "POST", "/scopes/move", m.MoveScopeRequest, m.Moved, "write")
SCOPES = Operation("scopes", "GET", "/scopes", m.ScopesRequest, m.ScopeList, "read")
STATS = Operation("stats", "GET", "/stats", m.StatsRequest, m.Stats, "read")
CHANGES = Operation("changes", "GET", "/changes", m.ChangesRequest, m.Changes, "read")
REINDEX = Operation("reindex", "POST", "/reindex", m.ReindexRequest, m.Reindexed, "manage")
DOCTOR = Operation("doctor", "GET", "/doctor", m.DoctorRequest, m.Diagnosis, "manage")
MAINTAIN = Operation("maintain", "POST", "/maintain", m.MaintainRequest, m.Maintained, "write")
SIMULATE = Operation("simulate", "POST", "/simulate", m.SimulateRequest, m.Simulation, "read")
WRITE_RECORD = Operation("write_record", "PUT", "/records/{id}", m.WriteRecordRequest, m.Remembered, "write")
READ_RECORD = Operation("read_record", "GET", "/records/{id}", m.RecordRequest, MemoryRecord, "read", about=_READ_RECORD)
DELETE_RECORD = Operation("delete_record", "DELETE", "/records/{id}", m.RecordRequest, m.Forgotten, "write", about=_DELETE_RECORD)
SEARCH = Operation("search", "POST", "/search", m.SearchRequest, m.Hits, "read")
WORKING = Operation("working", "GET", "/working/{session}", m.WorkingRequest, WorkingSnapshot, "read")
SAVE_WORKING = Operation("save_working", "PUT", "/working/{session}", m.SaveWorkingRequest, m.WorkingSaved, "write")
PROMOTE = Operation("promote", "POST", "/working/{session}/promote", m.PromoteRequest, m.Remembered, "write")
SESSIONS = Operation("sessions", "GET", "/sessions", m.SessionsRequest, m.Sessions, "read")
SESSION_START = Operation("session_start", "POST", "/sessions/{session}/start", m.SessionStartRequest, m.SessionStarted, "write")
SESSION_END = Operation("session_end", "POST", "/sessions/{session}/end", m.SessionEndRequest, m.SessionEnded, "write")

OPERATIONS: tuple[Operation[Any, Any], ...] = (
    REMEMBER,
    REMEMBER_MANY,
    RECALL,
    CONTEXT,
    READ,
    RECORDS,
    UPDATE,
    CORRECT,
    CONFIRM,
    RESTORE,
    CONFLICTS,
    RESOLVE,
    HISTORY,
    AS_OF,
    SNAPSHOT,
    SNAPSHOTS,
    DROP_SNAPSHOT,
    DIFF,
    RESTORE_SNAPSHOT,
    RECALL_LOG,
    USED,
    FORGET,
    FORGET_ONE,
    INGEST,
    IMPORTS,
    RECEIPTS,
    UNDO_IMPORT,
    MOVE_SCOPE,
    SCOPES,
    STATS,
    CHANGES,
    REINDEX,
    DOCTOR,
    MAINTAIN,
    SIMULATE,
    WRITE_RECORD,
    READ_RECORD,
    DELETE_RECORD,
    SEARCH,
    WORKING,
    SAVE_WORKING,
    PROMOTE,
    SESSIONS,
    SESSION_START,
    SESSION_END,
)
"""Every operation but the two streams, export and import, which carry packages instead of JSON bodies."""

BY_NAME = {operation.name: operation for operation in OPERATIONS}

EXPORT_PATH = "/export"
IMPORT_PATH = "/import"
PACKAGE_MEDIA_TYPE = "application/x-ndjson"
