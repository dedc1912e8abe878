// Satchel memory protocol 1.0. Generated from the models by `make docs`; do not edit.

/** How the content may be passed on (PRO-8). Who may read is decided by scope alone. */
export interface Access {
  /** default "normal" */
  sensitivity?: Sensitivity;
  /** default true */
  exportable?: boolean;
  /** default true */
  shareable?: boolean;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** What remains of a forgotten record beside its id, scope and times. */
export interface Deletion {
  /** UTC, ISO 8601, Z */
  at: string;
  /** at most 2048 characters */
  by?: string | null;
  /** at most 2048 characters */
  reason?: string | null;
  foreign_ids?: string[];
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/**
 * First line: who wrote the package, when, and what it claims to hold.
 *
 * `scopes` is null where the writer exported all that it may read; `since` is the change-log position an incremental package starts after.
 */
export interface Header {
  /** default "1.0" */
  protocol?: string;
  /** at most 2048 characters */
  producer: string;
  /** UTC, ISO 8601, Z */
  created_at: string;
  scopes?: string[] | null;
  /** default true */
  complete?: boolean;
  /** >= 0 */
  since?: number | null;
  /** >= 0 */
  position?: number | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/**
 * One memory, or (status `deleted`) its tombstone.
 *
 * `created_at` is when the memory arose and is null where the origin had no time; `stored_at` is when this store took it.
 * `half_life` and `ttl` are seconds. `revision` counts from 1 and guards concurrent changes.
 */
export interface MemoryRecord {
  /** default "1.0" */
  v?: string;
  /** at most 512 characters */
  id: string;
  /** at most 64 characters; default "fact" */
  type?: string;
  content: string;
  /** at most 1024 characters */
  scope: string;
  source?: Source;
  /** UTC, ISO 8601, Z */
  created_at?: string | null;
  /** UTC, ISO 8601, Z */
  stored_at: string;
  /** UTC, ISO 8601, Z */
  updated_at: string;
  /** UTC, ISO 8601, Z */
  valid_from?: string | null;
  /** UTC, ISO 8601, Z */
  valid_until?: string | null;
  /** > 0; <= 1e+11 */
  ttl?: number | null;
  /** UTC, ISO 8601, Z */
  expires_at?: string | null;
  /** UTC, ISO 8601, Z */
  due_at?: string | null;
  /** >= 0; <= 1; default 0.5 */
  score?: number;
  /** > 0; <= 1e+11; default 5184000.0 */
  half_life?: number;
  /** at most 2048 characters */
  retention?: string | null;
  /** >= 0; <= 1; default 1.0 */
  confidence?: number;
  /** default "active" */
  status?: Status;
  /** default false */
  pinned?: boolean;
  tags?: string[];
  access?: Access;
  relations?: Relations;
  /** >= 1; default 1 */
  revision?: number;
  /** default "" */
  content_hash?: string;
  meta?: Record<string, unknown>;
  usage?: Usage;
  deletion?: Deletion | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** How the memory came to be (`source.origin`). */
export type Origin = "stated" | "inferred" | "imported";

/** Links to other records of the same scope, by id (PRO-8). */
export interface Relations {
  supersedes?: string[];
  superseded_by?: string[];
  conflicts_with?: string[];
  derived_from?: string[];
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** How carefully content is handled (`access.sensitivity`). */
export type Sensitivity = "normal" | "sensitive" | "secret";

/** Provenance (PRO-6): enough to find the sentence a memory came from. */
export interface Source {
  /** at most 2048 characters */
  agent?: string | null;
  /** at most 2048 characters */
  tool?: string | null;
  /** at most 2048 characters */
  session?: string | null;
  /** at most 2048 characters */
  message?: string | null;
  /** at most 2048 characters */
  uri?: string | null;
  /** default "stated" */
  origin?: Origin;
  time_basis?: TimeBasis | null;
  /** at most 2048 characters */
  imported_from?: string | null;
  /** at most 2048 characters */
  import_id?: string | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** Where a record stands in its life (PRO-7). */
export type Status = "active" | "pending" | "archived" | "deleted";

/** How a foreign time was known (`source.time_basis`). */
export type TimeBasis = "explicit" | "naive_utc" | "naive_local" | "mtime" | "none";

/** Last line: counts by status, of working snapshots and of lines of unknown kind, and the sha-256 of every byte before it. */
export interface Trailer {
  counts: Record<string, number>;
  sha256: string;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** How the record was used. It travels with the record but is no part of its state: see `state_hash`. */
export interface Usage {
  /** UTC, ISO 8601, Z */
  last_access_at?: string | null;
  /** >= 0; default 0 */
  access_count?: number;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** One turn. By custom `role` (user, assistant, tool) and `content` say who said what. */
export interface WorkingEvent {
  /** at most 512 characters */
  id?: string | null;
  /** UTC, ISO 8601, Z */
  erased_at?: string | null;
  /** UTC, ISO 8601, Z */
  at?: string | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** A JSON object with an id. What the session's agents put beside the members named here is theirs. */
export interface WorkingItem {
  /** at most 512 characters */
  id?: string | null;
  /** UTC, ISO 8601, Z */
  erased_at?: string | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/**
 * What an agent holds at hand: key facts, the last turns, the task stack and a summary.
 *
 * `slot_times` has the time of each slot's last change, and of each slot's removal; `removed_tasks` likewise. `carried` holds what was
 * found in turns that have left `recent_events`. `promoted` says which record a slot, turn or finding became. `ended_by` is `end` or
 * `idle`; `records` are those that the end wrote. `erased_at` is when something in it was last forgotten.
 */
export interface WorkingSnapshot {
  /** at most 512 characters */
  session_id: string;
  /** at most 2048 characters */
  agent_id?: string | null;
  /** at most 1024 characters */
  scope: string;
  /** >= 0; default 0 */
  version?: number;
  /** UTC, ISO 8601, Z */
  created_at: string;
  /** UTC, ISO 8601, Z */
  updated_at: string;
  slots?: Record<string, unknown>;
  slot_times?: Record<string, string>;
  recent_events?: WorkingEvent[];
  task_stack?: WorkingTask[];
  removed_tasks?: Record<string, string>;
  /** default "" */
  summary?: string;
  /** UTC, ISO 8601, Z */
  summary_at?: string | null;
  carried?: WorkingItem[];
  promoted?: Record<string, string>;
  /** UTC, ISO 8601, Z */
  ended_at?: string | null;
  /** at most 2048 characters */
  ended_by?: string | null;
  records?: string[];
  /** UTC, ISO 8601, Z */
  erased_at?: string | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** One task at hand. By custom `content` says what is to be done. Open, unless `status` is `done` or `dropped`. */
export interface WorkingTask {
  /** at most 512 characters */
  id?: string | null;
  /** UTC, ISO 8601, Z */
  erased_at?: string | null;
  /** at most 2048 characters; default "open" */
  status?: string;
  /** UTC, ISO 8601, Z */
  due_at?: string | null;
  /** UTC, ISO 8601, Z */
  updated_at?: string | null;
  /** Members of a later 1.x are kept. */
  [member: string]: unknown;
}

/** One line of a package; a line of a kind that is not listed is kept whole. */
export type PackageLine =
  | ({ kind: "header" } & Header)
  | { kind: "tombstone" | "record"; record: MemoryRecord }
  | { kind: "working"; working: WorkingSnapshot }
  | ({ kind: "trailer" } & Trailer);
